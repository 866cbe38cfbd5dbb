package reduce

import (
	"cmp"
	"math"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A pair is a value and an index, the items of MaxLoc and MinLoc.
type pair struct{ value, index types.Kind }

// IsPair reports whether t is a pair: a value and an int of C, or two numbers of Fortran, at
// any place in memory.
func IsPair(t *types.Type) bool {
	_, ok := pairOf(t)
	return ok
}

// pairOf returns t as a pair, if it is one.
func pairOf(t *types.Type) (p pair, ok bool) {
	sig := t.Signature()
	if sig.Len() != 2 {
		return pair{}, false
	}
	p = pair{sig.At(0), sig.At(1)}
	switch p.value {
	case types.KindInteger, types.KindReal, types.KindDoublePrecision:
		return p, p.index == p.value
	case types.KindFloat, types.KindDouble, types.KindLong, types.KindInt, types.KindShort, types.KindLongDouble:
		return p, p.index == types.KindInt
	}
	return p, false
}

// kernel keeps the greater or lesser value with its index; of equal values the lesser index.
// A NaN is kept in any order of the operands, as in Max and Min.
func (p pair) kernel(code Op, a *reps.Arch) Kernel {
	v, i := a.Sizeof(p.value), a.Sizeof(p.index)
	values, indices := comparison(p.value, a), comparison(p.index, a)
	sign := 1
	if code == MinLoc {
		sign = -1
	}
	return func(acc, x []byte) {
		for ; int64(len(x)) >= v+i; acc, x = acc[v+i:], x[v+i:] {
			how, nan := values(x, acc)
			switch {
			case nan != 0:
				how = nan
			default:
				how *= sign
			}
			if less, _ := indices(x[v:], acc[v:]); how > 0 || how == 0 && less < 0 {
				copy(acc[:v+i], x[:v+i])
			}
		}
	}
}

// A comparer compares two values. nan is 1 if only the first is a NaN, -1 if only the second
// is; order is 0 then, and if both are NaNs.
type comparer func(x, y []byte) (order, nan int)

func comparison(k types.Kind, a *reps.Arch) comparer {
	size := a.Sizeof(k)
	if k.Family() == types.FamilyFloat {
		switch size {
		case 4:
			return compareFloats(func(b []byte) float64 { return float64(math.Float32frombits(mem.Uint32(b))) })
		case 8:
			return compareFloats(func(b []byte) float64 { return math.Float64frombits(mem.Uint64(b)) })
		}
		return precision(k, a).compare
	}
	switch size {
	case 2:
		return compareInts(func(b []byte) int64 { return int64(int16(mem.Uint16(b))) })
	case 4:
		return compareInts(func(b []byte) int64 { return int64(int32(mem.Uint32(b))) })
	}
	return compareInts(func(b []byte) int64 { return int64(mem.Uint64(b)) })
}

func compareInts(get func([]byte) int64) comparer {
	return func(x, y []byte) (int, int) { return cmp.Compare(get(x), get(y)), 0 }
}

func compareFloats(get func([]byte) float64) comparer {
	return func(x, y []byte) (int, int) {
		a, b := get(x), get(y)
		if a != a || b != b {
			return 0, oneOf(a != a, b != b)
		}
		return cmp.Compare(a, b), 0
	}
}

// compare is the comparer of wide numbers.
func (p ieee) compare(x, y []byte) (int, int) {
	a, na := p.load(x)
	b, nb := p.load(y)
	if na || nb {
		return 0, oneOf(na, nb)
	}
	return a.Cmp(b), 0
}

func oneOf(first, second bool) int {
	switch {
	case first == second:
		return 0
	case first:
		return 1
	}
	return -1
}
