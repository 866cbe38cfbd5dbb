package reps

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
)

// A quad is an IEEE binary128 number: sign and exponent in the top 16 bits of
// hi, then 112 bits of fraction.
type quad struct{ hi, lo uint64 }

// An extended is an x87 number: sign and exponent, then 64 bits of significand
// with its leading bit written out.
type extended struct {
	se  uint16
	sig uint64
}

const (
	expMask  = 0x7fff // all ones: infinity or NaN
	leadBit  = 1 << 63
	fracBits = 49 // by which a binary128 fraction is longer than an x87 one
)

// quad converts x exactly: every x87 number is a binary128 number.
func (x extended) quad() quad {
	exp, frac := x.se&expMask, x.sig&^leadBit
	switch {
	case exp == 0 && x.sig&leadBit != 0:
		x.se |= 1 // a "pseudo-denormal" is another encoding of the least normal exponent
	case exp != 0 && x.sig&leadBit == 0:
		x.se, frac = x.se|expMask, 1<<62 // modern x87 processors do not accept it: not a number
	}
	return quad{uint64(x.se)<<48 | frac>>(64-fracBits), frac << fracBits}
}

// extended rounds to the nearest, ties to even, as the x87 itself does.
func (q quad) extended() extended {
	se, hi := uint16(q.hi>>48), q.hi&(1<<48-1)
	sig := hi<<(64-fracBits) | q.lo>>fracBits
	rest := q.lo & (1<<fracBits - 1)
	switch se & expMask {
	case expMask:
		if sig == 0 && rest != 0 {
			sig = 1 << 62 // a NaN stays a NaN even if its payload was all in the lost bits
		}
		return extended{se, sig | leadBit}
	case 0:
	default:
		sig |= leadBit
	}
	const half = 1 << (fracBits - 1)
	if rest > half || rest == half && sig&1 == 1 {
		if sig++; sig == 0 { // carry out of the significand
			return extended{se + 1, leadBit}
		}
	}
	if se&expMask == 0 && sig&leadBit != 0 {
		se++ // rounded up into the normal numbers
	}
	return extended{se, sig}
}

// double rounds to the nearest double, ties to even.
func (q quad) double() float64 {
	sign, exp := q.hi>>63<<63, int(q.hi>>48&expMask)
	frac := q.hi&(1<<48-1)<<15 | q.lo>>49 // 63 bits, the others in rest
	rest := q.lo << 15
	const bias = 16383 - 1023
	switch {
	case exp == expMask && frac|rest == 0:
		return math.Float64frombits(sign | 0x7ff<<52)
	case exp == expMask && frac>>11 == 0: // a NaN stays a NaN even if its payload was all in the lost bits
		return math.Float64frombits(sign | 0x7ff<<52 | 1<<51)
	case exp == expMask:
		return math.Float64frombits(sign | 0x7ff<<52 | frac>>11)
	case exp <= bias-53: // less than half of the least subnormal number
		return math.Float64frombits(sign)
	}
	frac |= leadBit // of the significand, now of 64 bits
	cut := 11
	if exp <= bias { // a subnormal double has fewer bits
		cut += bias + 1 - exp
		exp = bias
	}
	m := uint64(0)
	if cut < 64 {
		m = frac >> cut
	}
	half := uint64(1) << (cut - 1)
	low := frac & (half<<1 - 1)
	if low > half || low == half && (rest != 0 || m&1 == 1) {
		m++
	}
	switch {
	case exp == bias: // m may have become the least normal number
		return math.Float64frombits(sign | m)
	case exp-bias >= 0x7ff:
		return math.Float64frombits(sign | 0x7ff<<52)
	}
	return math.Float64frombits(sign | (uint64(exp-bias)<<52 + m - 1<<52))
}

// quadOf converts x exactly.
func quadOf(x float64) quad {
	b := math.Float64bits(x)
	sign, exp, frac := b>>63<<63, b>>52&0x7ff, b&(1<<52-1)
	switch {
	case exp == 0x7ff:
		exp = expMask
	case exp == 0 && frac == 0:
	case exp == 0: // subnormal: shift until it has a leading bit
		n := uint64(bits.LeadingZeros64(frac)) - 11
		exp, frac = 16383-1023+1-n, frac<<n&(1<<52-1)
	default:
		exp += 16383 - 1023
	}
	return quad{sign | exp<<48 | frac>>4, frac << 60}
}

// finite reports whether q is neither infinite nor NaN.
func (q quad) finite() bool { return q.hi>>48&expMask != expMask }

// convertWide converts long doubles between two formats. A finite number that rounds to
// infinity in the new format does not fit.
func convertWide(dst, src []byte, f, g form, to, have int64) *unfit {
	for i := int64(0); len(src) > 0; i++ {
		q := loadWide(src[:have], g)
		storeWide(dst[:to], f, q)
		if q.finite() && !loadWide(dst[:to], f).finite() {
			return &unfit{i, "REP-X32-09", fmt.Sprintf("bytes % x are beyond the range of %v", src[:have], f.wide)}
		}
		dst, src = dst[to:], src[have:]
	}
	return nil
}

func loadWide(p []byte, g form) quad {
	switch {
	case g.wide.x87():
		return extended{binary.LittleEndian.Uint16(p[8:]), binary.LittleEndian.Uint64(p)}.quad()
	case g.wide == Binary64:
		return quadOf(math.Float64frombits(g.order.Uint64(p)))
	case g.order == binary.BigEndian:
		return quad{binary.BigEndian.Uint64(p), binary.BigEndian.Uint64(p[8:])}
	}
	return quad{binary.LittleEndian.Uint64(p[8:]), binary.LittleEndian.Uint64(p)}
}

func storeWide(p []byte, f form, q quad) {
	clear(p)
	switch {
	case f.wide.x87():
		x := q.extended()
		binary.LittleEndian.PutUint64(p, x.sig)
		binary.LittleEndian.PutUint16(p[8:], x.se)
	case f.wide == Binary64:
		f.order.PutUint64(p, math.Float64bits(q.double()))
	case f.order == binary.BigEndian:
		binary.BigEndian.PutUint64(p, q.hi)
		binary.BigEndian.PutUint64(p[8:], q.lo)
	default:
		binary.LittleEndian.PutUint64(p, q.lo)
		binary.LittleEndian.PutUint64(p[8:], q.hi)
	}
}
