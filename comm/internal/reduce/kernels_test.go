package reduce

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// apply is one item a op b, as bytes of architecture a.
func apply(op Op, k types.Kind, a *reps.Arch, x, y []byte) []byte {
	acc := bytes.Clone(x)
	Of(op, types.OfKind(k), a)(acc, y)
	return acc
}

var predefined = []Op{Sum, Prod, Max, Min, LAnd, LOr, LXor, BAnd, BOr, BXor}

// name is what the tables below call an operation.
func name(op Op) string {
	return map[Op]string{
		Sum: "Sum", Prod: "Prod", Max: "Max", Min: "Min", LAnd: "LAnd", LOr: "LOr", LXor: "LXor", BAnd: "BAnd", BOr: "BOr", BXor: "BXor",
	}[op]
}

// The standard's table of the operations of each datatype, written by hand. With too few
// operations legal programs fail, with too many wrong ones run.
func TestOperationsByKind(t *testing.T) {
	const arithmetic, extremes, logicals, bitwise = "Sum Prod ", "Max Min ", "LAnd LOr LXor ", "BAnd BOr BXor "
	want := map[types.Kind]string{
		types.KindByte: bitwise, types.KindPacked: "", types.KindChar: "", types.KindWChar: "", types.KindCharacter: "",
		types.KindSChar: arithmetic + extremes + logicals + bitwise, types.KindUInt64: arithmetic + extremes + logicals + bitwise,
		types.KindInteger: arithmetic + extremes + bitwise, types.KindInteger16: arithmetic + extremes + bitwise,
		types.KindCount: arithmetic + extremes + bitwise,
		types.KindFloat: arithmetic + extremes, types.KindReal2: arithmetic + extremes, types.KindLongDouble: arithmetic + extremes,
		types.KindDoubleComplex: arithmetic, types.KindComplex4: arithmetic,
		types.KindBool: logicals, types.KindLogical: logicals, types.KindCXXBool: logicals,
	}
	for k, text := range want {
		t.Run(fmt.Sprintf("COLL-03 operations of %v", k), func(t *testing.T) {
			got := ""
			for _, op := range predefined {
				if op.Allows(k) {
					got += name(op) + " "
				}
			}
			assert.Equal(t, text, got)
		})
	}
}

// Integers of every width, against exact arithmetic cut to that width.
func TestIntegerKernels(t *testing.T) {
	for _, k := range types.Kinds() {
		f := k.Family()
		if f != types.FamilySigned && f != types.FamilyUnsigned {
			continue
		}
		t.Run(fmt.Sprintf("COLL-03 %v", k), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a := reps.LP64LE
				size := int(a.Sizeof(k))
				draw := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 0x7f, 0x80, 0xff, 0x35}), size, size)
				x, y := draw.Draw(t, "x"), draw.Draw(t, "y")
				for _, op := range predefined {
					if !op.Allows(k) {
						continue
					}
					want := exactInteger(op, number(x, f == types.FamilySigned), number(y, f == types.FamilySigned))
					if got := apply(op, k, a, x, y); !bytes.Equal(inBytes(want, size), got) {
						t.Fatalf("%x %v %x is %x, want %x", x, op, y, got, inBytes(want, size))
					}
				}
			})
		})
	}
}

// number reads an integer in the byte order of the machine.
func number(p []byte, signed bool) *big.Int {
	be := bytes.Clone(p)
	if little {
		for i := range be {
			be[i] = p[len(p)-1-i]
		}
	}
	n := new(big.Int).SetBytes(be)
	if signed && be[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(p))))
	}
	return n
}

func inBytes(n *big.Int, size int) []byte {
	m := new(big.Int).And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(8*size)), big.NewInt(1)))
	be := m.FillBytes(make([]byte, size))
	if !little {
		return be
	}
	le := make([]byte, size)
	for i := range le {
		le[i] = be[size-1-i]
	}
	return le
}

func exactInteger(op Op, x, y *big.Int) *big.Int {
	z := new(big.Int)
	truth := func(is bool) *big.Int {
		if is {
			z.SetInt64(1)
		}
		return z
	}
	a, b := x.Sign() != 0, y.Sign() != 0
	switch op {
	case Sum:
		return z.Add(x, y)
	case Prod:
		return z.Mul(x, y)
	case Max, Min:
		if (x.Cmp(y) < 0) == (op == Max) {
			return y
		}
		return x
	case LAnd:
		return truth(a && b)
	case LOr:
		return truth(a || b)
	case LXor:
		return truth(a != b)
	case BAnd:
		return z.And(x, y)
	case BOr:
		return z.Or(x, y)
	}
	return z.Xor(x, y)
}

// Numbers that Go has, in their own formats and through the wide ones: a long
// double and a binary128 hold every double, and the sum or product of two
// floats exactly, so results must agree with Go's.
func TestFloatKernels(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 1, -1, 1.5, math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-149, 0x1.8p-126, 3e38, 0x1p-1022}
	for _, v := range []struct {
		name string
		kind types.Kind
		arch *reps.Arch
	}{
		{"double", types.KindDouble, reps.LP64LE},
		{"long double x87", types.KindLongDouble, reps.LP64LE},
		{"long double x87 in 12 bytes", types.KindLongDouble, reps.ILP32LE},
		{"long double binary128", types.KindLongDouble, reps.LP64BE},
		{"real16", types.KindReal16, reps.LP64LE},
	} {
		t.Run("COLL-03 "+v.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				any32 := rapid.OneOf(rapid.SampledFrom(special), rapid.Map(rapid.Float32(), func(f float32) float64 { return float64(f) }))
				x, y := float64(float32(any32.Draw(t, "x"))), float64(float32(any32.Draw(t, "y")))
				for op, want := range map[Op]float64{Prod: x * y, Max: max(x, y), Min: min(x, y)} {
					got := toDouble(apply(op, v.kind, v.arch, ofDouble(x, v.kind, v.arch), ofDouble(y, v.kind, v.arch)), v.kind, v.arch)
					if got != want && (got == got || want == want) {
						t.Fatalf("%v %v %v is %v, want %v", x, op, y, got, want)
					}
				}
				e := new(big.Float).SetPrec(113)
				if x-x == 0 && y-y == 0 {
					exact, _ := e.Add(big.NewFloat(x), big.NewFloat(y)).SetPrec(64).Float64()
					got := toDouble(apply(Sum, v.kind, v.arch, ofDouble(x, v.kind, v.arch), ofDouble(y, v.kind, v.arch)), v.kind, v.arch)
					if diff := math.Abs(got - exact); diff > math.Abs(exact)*0x1p-52 {
						t.Fatalf("%v + %v is %v, want %v", x, y, got, exact)
					}
				}
			})
		})
	}
}

func ofDouble(x float64, k types.Kind, a *reps.Arch) []byte {
	p := ieee(quad)
	if k == types.KindDouble {
		return mem.AppendUint64(nil, math.Float64bits(x))
	}
	p = precision(k, a)
	out := make([]byte, a.Sizeof(k))
	if x != x {
		p.store(out, new(big.Float), true)
		return out
	}
	p.store(out, new(big.Float).SetPrec(uint(p)).SetFloat64(x), false)
	return out
}

func toDouble(b []byte, k types.Kind, a *reps.Arch) float64 {
	if k == types.KindDouble {
		return math.Float64frombits(mem.Uint64(b))
	}
	x, nan := precision(k, a).load(b)
	if nan {
		return math.NaN()
	}
	f, _ := x.Float64()
	return f
}

// The 16-bit format, all of it: every number survives, and rounding is that of
// the standard at every boundary.
func TestHalf(t *testing.T) {
	t.Run("COLL-03 real2", func(t *testing.T) {
		for h := range 1 << 16 {
			x := fromHalf(uint16(h))
			if back := toHalf(x); back != uint16(h) && !(x != x && fromHalf(back) != fromHalf(back)) {
				t.Fatalf("%#x is %v and comes back as %#x", h, x, back)
			}
			if h&0x7fff < 0x7bff && h>>15 == 0 { // the middle to the next goes to the even one
				next := fromHalf(uint16(h + 1))
				if got, want := toHalf((x+next)/2), uint16(h+h&1); got != want {
					t.Fatalf("middle above %#x goes to %#x, want %#x", h, got, want)
				}
				if got := toHalf(math.Nextafter((x+next)/2, 9e9)); got != uint16(h+1) {
					t.Fatalf("above the middle above %#x goes to %#x", h, got)
				}
			}
		}
	})
}

// Formats of 10 and 16 bytes below their normal numbers and beyond the largest.
func TestWideExtremes(t *testing.T) {
	for _, a := range []*reps.Arch{reps.LP64LE, reps.LP64BE} {
		p := precision(types.KindLongDouble, a)
		item := func(m float64, exp int) []byte {
			b := make([]byte, 16)
			p.store(b, p.round(new(big.Float).SetMantExp(big.NewFloat(m).SetPrec(200), exp)), false)
			return b
		}
		mul := func(x, y []byte) []byte { return apply(Prod, types.KindLongDouble, a, x, y) }
		tiny := item(1, least-int(p)) // the smallest number there is
		t.Run("COLL-03 long double extremes "+a.String(), func(t *testing.T) {
			assert.Equal(t, tiny, mul(item(1, -8000), item(1, least-int(p)+8000)), "exact")
			assert.Equal(t, tiny, mul(tiny, item(0.75, 0)), "rounded up to the smallest number")
			assert.Equal(t, item(0, 0), mul(tiny, item(0.5, 0)), "a tie goes to zero")
			assert.Equal(t, item(1, least-int(p)+1), mul(tiny, item(1.5, 0)), "a tie goes to even")
			assert.Equal(t, item(math.Inf(1), 0), mul(item(1, 9000), item(1, 9000)), "too large")
			_, nan := p.load(mul(item(math.Inf(1), 0), item(0, 0)))
			assert.True(t, nan, "infinity times zero")
		})
	}
}

// Complex numbers of every width.
func TestComplexKernels(t *testing.T) {
	for k, part := range map[types.Kind]types.Kind{
		types.KindComplex4: types.KindReal2, types.KindFloatComplex: types.KindFloat, types.KindDoubleComplex: types.KindDouble,
		types.KindComplex32: types.KindReal16, types.KindLongDoubleComplex: types.KindLongDouble,
	} {
		t.Run(fmt.Sprintf("COLL-03 %v", k), func(t *testing.T) {
			a := reps.LP64LE
			item := func(re, im float64) []byte { return append(realItem(re, part, a), realItem(im, part, a)...) }
			x, y := item(1, 2), item(3, -4)
			assert.Equal(t, item(4, -2), apply(Sum, k, a, x, y))
			assert.Equal(t, item(11, 2), apply(Prod, k, a, x, y))
			two := apply(Prod, k, a, append(bytes.Clone(x), x...), append(bytes.Clone(y), x...))
			assert.Equal(t, append(item(11, 2), item(-3, 4)...), two)
		})
	}
}

func realItem(x float64, k types.Kind, a *reps.Arch) []byte {
	switch a.Sizeof(k) {
	case 2:
		return mem.AppendUint16(nil, toHalf(x))
	case 4:
		return mem.AppendUint32(nil, math.Float32bits(float32(x)))
	}
	return ofDouble(x, k, a)
}
