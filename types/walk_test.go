package types_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// If a window into a layout showed other bytes than the layout has there, pictures of
// datatypes would be wrong.
func TestWithin(t *testing.T) {
	t.Run("DT-DEF-01 bytes found by place", func(t *testing.T) { many(t, 10, checkWithin) })
}

func checkWithin(t *rapid.T) {
	x, s := drawType(t), drawSizes(t)
	l := layout(t, x, s)
	lo := rapid.Int64Range(l.TrueLB-3, l.TrueUB+3).Draw(t, "lo")
	hi := lo + rapid.Int64Range(0, 40).Draw(t, "width")
	type byteAt struct{ pos, off int64 }
	var want, got []byteAt
	for pos := range l.Size {
		if off := (types.Tiling{L: l}).At(pos); lo <= off && off < hi {
			want = append(want, byteAt{pos, off})
		}
	}
	all := l.Within(lo, hi, 1<<20, func(pos, off, n int64) bool {
		for i := range n {
			got = append(got, byteAt{pos + i, off + i})
		}
		return true
	})
	slices.SortFunc(got, func(a, b byteAt) int { return int(a.pos - b.pos) })
	if !all || !slices.Equal(got, want) {
		t.Fatalf("%#v within [%d, %d): %v (all: %v), should be %v", x, lo, hi, got, all, want)
	}
}

// If the budget were off by one, a search that may look at one part would find
// nothing, or one that may look at none would find something.
func TestWithinBudget(t *testing.T) {
	l := layout(t, types.Int, types.Host)
	for budget, all := range map[int]bool{0: false, 1: true, 2: true} {
		found := 0
		assert.Equal(t, all, l.Within(0, 4, budget, func(int64, int64, int64) bool {
			found++
			return true
		}), budget)
		assert.Equal(t, min(budget, 1), found, budget)
	}
}

// A query about a corner of a huge array must not cost as much as the whole array.
func TestWithinHuge(t *testing.T) {
	column := types.Resized(types.Vector(1e6, 1, 1e6, types.Double), 0, 8)
	l := layout(t, types.Contiguous(1e6, column), types.Host)
	var found []string
	all := l.Within(80, 100, 1000, func(pos, off, n int64) bool {
		found = append(found, fmt.Sprint(pos, off, n))
		return true
	})
	assert.True(t, all)
	assert.Equal(t, []string{"80000000 80 8", "88000000 88 8", "96000000 96 4"}, found)

	far := layout(t, types.HIndexedBlock(1, []int64{-1 << 62, 1<<62 - 16}, types.Double), types.Host)
	found = nil
	all = far.Within(math.MinInt64, math.MaxInt64, 1000, func(pos, off, n int64) bool {
		found = append(found, fmt.Sprint(pos, off, n))
		return true
	})
	assert.True(t, all)
	assert.Len(t, found, 2)

	pile := layout(t, types.HVector(1e12, 1, 0, types.Int), types.Host)
	n := 0
	assert.False(t, pile.Within(0, 4, 1000, func(int64, int64, int64) bool { n++; return true }), "it gives up")
	assert.Less(t, n, 1001)
	assert.False(t, pile.Within(0, 4, 1000, func(int64, int64, int64) bool { return false }), "it stops when asked to")
}

// If loops differed from the layout, a program that translates a type by them would
// move other bytes.
func TestLoops(t *testing.T) {
	t.Run("DT-DEF-01 loops give the runs", func(t *testing.T) { many(t, 5, checkLoops) })
}

func checkLoops(t *rapid.T) {
	x := drawType(t)
	l := layout(t, x, types.Host)
	var want, got []int64
	for off, n := range (types.Tiling{L: l}).Runs(0, l.Size) {
		for i := range n {
			want = append(want, off+i)
		}
	}
	if p, ok := l.Loops(); ok {
		got = loopBytes(got, p, p.Off)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%#v: loops cover %v, should cover %v", x, got, want)
	}
}

func loopBytes(all []int64, p types.Loop, at int64) []int64 {
	if p.Form == types.FormRun {
		for i := range p.Size {
			all = append(all, at+i)
		}
		return all
	}
	for i := range p.N {
		part := p.Part(i)
		all = loopBytes(all, part, at+i*p.Stride+part.Off)
	}
	return all
}

// If explicit bounds were not distinguished from natural ones, it would not be plain why an
// extent is what it is.
func TestExplicitBounds(t *testing.T) {
	sized := types.Resized(types.Int, -4, 20)
	both := types.Struct(types.Field{Count: 1, Type: sized}, types.Field{Count: 1, Disp: 32, Type: types.UB})
	none, set := types.Bound{}, func(at int64, weak bool) types.Bound { return types.Bound{Set: true, Weak: weak, At: at} }
	for _, c := range []struct {
		name   string
		typ    *types.Type
		sizes  types.Sizes
		lb, ub types.Bound
	}{
		{"DT-DEF-02 none", types.Vector(2, 1, 3, types.Int), types.Host, none, none},
		{"DT-RESIZE-02 resized", sized, types.Host, set(-4, false), set(16, false)},
		{"DT-RESIZE-02 they stick", types.Contiguous(2, sized), types.Host, set(-4, false), set(36, false)},
		{"DT-RESIZE-03 weak", sized, types.WeakMarkers(types.Host), set(-4, true), set(16, true)},
		{"DT-RESIZE-04 ub overrides weak", both, types.WeakMarkers(types.Host), set(-4, true), set(32, false)},
	} {
		t.Run(c.name, func(t *testing.T) {
			lb, ub := layout(t, c.typ, c.sizes).Markers()
			assert.Equal(t, []types.Bound{c.lb, c.ub}, []types.Bound{lb, ub})
		})
	}
}
