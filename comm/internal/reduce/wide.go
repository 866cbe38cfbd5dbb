package reduce

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// This file has the arithmetic of numbers for which Go has no type: 16-bit floating point,
// long double and binary128, 128-bit integers. It is exact, not fast.

// fromHalf widens an IEEE binary16 number, exactly.
func fromHalf(h uint16) float64 {
	sign, exp, frac := uint64(h>>15)<<63, int(h>>10&0x1f), uint64(h&0x3ff)
	switch exp {
	case 0x1f:
		return math.Float64frombits(sign | 0x7ff<<52 | frac<<42)
	case 0:
		return math.Copysign(math.Ldexp(float64(frac), -24), math.Float64frombits(sign|1<<62))
	}
	return math.Float64frombits(sign | uint64(exp-15+1023)<<52 | frac<<42)
}

// toHalf rounds to nearest, ties to even. Sums and products of two binary16
// numbers are exact in float64, so that they are rounded once.
func toHalf(x float64) uint16 {
	b := math.Float64bits(x)
	sign := uint16(b >> 48 & 0x8000)
	a := math.Abs(x)
	switch {
	case x != x:
		return sign | 0x7e00 | uint16(b>>42&0x3ff)
	case a >= 65520: // the middle between the greatest number and the next power
		return sign | 0x7c00
	case a < 1.0/(1<<14): // below the normal numbers: a multiple of 2^-24
		return sign | uint16(math.RoundToEven(math.Ldexp(a, 24)))
	}
	frac, exp := math.Frexp(a) // frac in [0.5, 1)
	m := uint16(math.RoundToEven(math.Ldexp(frac, 11)))
	return sign | uint16(exp+14)<<10 + m - 0x400 // a carry goes into the exponent
}

// ieee is a format wider than 64 bits, by the bits of its significand.
type ieee uint

const (
	x87  ieee = 64  // 80-bit extended, little-endian in the first 10 bytes
	quad ieee = 113 // binary128
)

// precision returns the wide format of kind k on architecture a.
func precision(k types.Kind, a *reps.Arch) ieee {
	switch k {
	case types.KindLongDouble, types.KindLongDoubleComplex, types.KindCXXLongDoubleComplex:
	default:
		return quad
	}
	// The last bit of a binary128 number is lost on the way through x87.
	in, out, back := make([]byte, 16), make([]byte, a.Sizeof(types.KindLongDouble)), make([]byte, 16)
	store16(in, [2]uint64{1, 0x3fff << 48})
	sig := types.LongDouble.Signature()
	if reps.Transfer(out, a, in, reps.LP64BE, sig, 0, 1) != nil ||
		reps.Transfer(back, reps.LP64BE, out, a, sig, 0, 1) != nil || load16(back)[0] != 1 {
		return x87
	}
	return quad
}

// least is the exponent e of the smallest normal number, 0.5 * 2^e.
const least = -16381

// load reads a number; nan says that it is a NaN.
func (p ieee) load(b []byte) (x *big.Float, nan bool) {
	var se uint16
	var sig big.Int
	if p == x87 {
		sig.SetUint64(binary.LittleEndian.Uint64(b))
		se = binary.LittleEndian.Uint16(b[8:])
	} else {
		w := load16(b)
		se = uint16(w[1] >> 48)
		hi := w[1] & (1<<48 - 1)
		if se&0x7fff != 0 {
			hi |= 1 << 48
		}
		sig.SetUint64(hi)
		sig.Lsh(&sig, 64)
		sig.Or(&sig, new(big.Int).SetUint64(w[0]))
	}
	x = new(big.Float).SetPrec(uint(p))
	exp := int(se & 0x7fff)
	if exp == 0x7fff {
		if sig.TrailingZeroBits() != uint(p)-1 { // more than the leading bit
			return x, true
		}
		return x.SetInf(se>>15 != 0), false
	}
	x.SetInt(&sig)
	x.SetMantExp(x, max(exp, 1)-16383-int(p-1))
	if se>>15 != 0 {
		x.Neg(x)
	}
	return x, false
}

// store writes x, which is rounded to p, or a NaN.
func (p ieee) store(b []byte, x *big.Float, nan bool) {
	var se uint64
	var sig big.Int
	m := new(big.Float)
	e := x.MantExp(m)
	switch {
	case nan:
		se = 0x7fff
		sig.SetUint64(3)
		sig.Lsh(&sig, uint(p)-2)
	case x.IsInf() || e > 16384:
		se = 0x7fff
		sig.SetUint64(1)
		sig.Lsh(&sig, uint(p)-1)
	case x.Sign() != 0:
		scale := int(p)
		if e < least {
			scale -= least - e
		} else {
			se = uint64(e + 16382)
		}
		m.SetMantExp(m, scale)
		m.Abs(m).Int(&sig)
	}
	if x.Signbit() && !nan {
		se |= 0x8000
	}
	lo := new(big.Int).And(&sig, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	if p == x87 {
		binary.LittleEndian.PutUint64(b, lo)
		binary.LittleEndian.PutUint16(b[8:], uint16(se))
		return
	}
	hi := new(big.Int).Rsh(&sig, 64).Uint64() & (1<<48 - 1)
	store16(b, [2]uint64{lo, se<<48 | hi})
}

// round gives x, exact or nearly, the precision it has in format p: less than
// p below the normal numbers.
func (p ieee) round(x *big.Float) *big.Float {
	bits := int(p)
	if x.Sign() != 0 && !x.IsInf() {
		if e := x.MantExp(nil); e < least {
			bits -= least - e
		}
	}
	if bits < 1 {
		half := new(big.Float).SetMantExp(big.NewFloat(1), least-int(p)-1)
		if tiny := new(big.Float).Abs(x); tiny.Cmp(half) <= 0 {
			half.SetInt64(0)
		} else {
			half.SetMantExp(half, 1)
		}
		if x.Signbit() {
			half.Neg(half)
		}
		return half
	}
	return x.SetPrec(uint(bits))
}

// add, mul and so on work with enough bits to be rounded once.

func (p ieee) add(a, b *big.Float) (*big.Float, bool) {
	if a.IsInf() && b.IsInf() && a.Signbit() != b.Signbit() {
		return a, true
	}
	return new(big.Float).SetPrec(uint(p)).Add(a, b), false // a sum that is not normal is exact
}

func (p ieee) mul(a, b *big.Float) (*big.Float, bool) {
	if a.IsInf() && b.Sign() == 0 || b.IsInf() && a.Sign() == 0 {
		return a, true
	}
	return p.round(new(big.Float).SetPrec(2*uint(p)).Mul(a, b)), false
}

func (p ieee) combine(code Op, a, b *big.Float) (*big.Float, bool) {
	switch code {
	case Sum:
		return p.add(a, b)
	case Prod:
		return p.mul(a, b)
	}
	if (a.Cmp(b) < 0) == (code == Max) {
		return b, false
	}
	return a, false
}

func wideKernel(code Op, size int64, p ieee) Kernel {
	return func(acc, x []byte) {
		for ; len(x) >= int(size); acc, x = acc[size:], x[size:] {
			a, na := p.load(acc)
			b, nb := p.load(x)
			if na || nb {
				p.store(acc, a, true)
				continue
			}
			c, nan := p.combine(code, a, b)
			p.store(acc, c, nan)
		}
	}
}

// wideProduct multiplies complex numbers of two wide parts of size bytes.
func wideProduct(size int64, p ieee) Kernel {
	return func(acc, x []byte) {
		for ; len(x) >= int(2*size); acc, x = acc[2*size:], x[2*size:] {
			ar, n1 := p.load(acc)
			ai, n2 := p.load(acc[size:])
			br, n3 := p.load(x)
			bi, n4 := p.load(x[size:])
			if n1 || n2 || n3 || n4 {
				p.store(acc, ar, true)
				p.store(acc[size:], ai, true)
				continue
			}
			re, nanRe := p.dot(ar, br, ai, bi, true)
			im, nanIm := p.dot(ar, bi, ai, br, false)
			p.store(acc, re, nanRe)
			p.store(acc[size:], im, nanIm)
		}
	}
}

// dot returns a*b + c*d, or a*b - c*d.
func (p ieee) dot(a, b, c, d *big.Float, minus bool) (*big.Float, bool) {
	x, nx := p.mul(a, b)
	y, ny := p.mul(c, d)
	if nx || ny {
		return x, true
	}
	if minus {
		y = new(big.Float).Neg(y)
	}
	return p.add(x, y)
}

// little is the byte order of the machine that runs this program.
var little = mem.Uint16([]byte{1, 0}) == 1

// load16 reads 128 bits, the low half first.
func load16(p []byte) [2]uint64 {
	a, b := mem.Uint64(p[:8]), mem.Uint64(p[8:16])
	if little {
		return [2]uint64{a, b}
	}
	return [2]uint64{b, a}
}

func store16(p []byte, w [2]uint64) {
	if !little {
		w[0], w[1] = w[1], w[0]
	}
	mem.PutUint64(p[:8], w[0])
	mem.PutUint64(p[8:16], w[1])
}

func each16(f func(a, b [2]uint64) [2]uint64) Kernel {
	return func(acc, x []byte) {
		for ; len(x) >= 16; acc, x = acc[16:], x[16:] {
			store16(acc, f(load16(acc), load16(x)))
		}
	}
}

func integers128(code Op) func(a, b [2]uint64) [2]uint64 {
	less := func(a, b [2]uint64) bool {
		if a[1] != b[1] {
			return int64(a[1]) < int64(b[1])
		}
		return a[0] < b[0]
	}
	switch code {
	case Sum:
		return func(a, b [2]uint64) [2]uint64 {
			lo, carry := bits.Add64(a[0], b[0], 0)
			return [2]uint64{lo, a[1] + b[1] + carry}
		}
	case Prod:
		return func(a, b [2]uint64) [2]uint64 {
			hi, lo := bits.Mul64(a[0], b[0])
			return [2]uint64{lo, hi + a[0]*b[1] + a[1]*b[0]}
		}
	case Max, Min:
		return func(a, b [2]uint64) [2]uint64 {
			if less(a, b) == (code == Max) {
				return b
			}
			return a
		}
	case BAnd, BOr, BXor:
		f := integers[uint64, uint64](code)
		return func(a, b [2]uint64) [2]uint64 { return [2]uint64{f(a[0], b[0]), f(a[1], b[1])} }
	}
	return logical128(code)
}

func logical128(code Op) func(a, b [2]uint64) [2]uint64 {
	f := logical[uint64](code)
	return func(a, b [2]uint64) [2]uint64 { return [2]uint64{f(a[0]|a[1], b[0]|b[1]), 0} }
}
