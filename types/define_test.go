package types_test

import (
	"math"
	"testing"

	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/types/naive"
	"github.com/stretchr/testify/assert"
)

// Shorthands of the tables below.
var (
	vector  = types.Vector
	hvector = types.HVector
	resized = types.Resized
)

func field(n, disp int64, t *types.Type) types.Field {
	return types.Field{Count: n, Disp: disp, Type: t}
}

func block(n, disp int64) types.Block { return types.Block{Len: n, Disp: disp} }

// disps lists the displacements of t's items, by the definition and by the
// engine.
func disps(t *testing.T, x *types.Type, s types.Sizes) []int64 {
	t.Helper()
	var slow, quick []int64
	for _, it := range naive.Of(x, s).Items {
		slow = append(slow, it.Disp)
	}
	l, err := x.Layout(s)
	assert.NoError(t, err)
	for i := range l.Items() {
		quick = append(quick, types.Tiling{L: l}.At(x.Signature().BytesBefore(i, s)))
	}
	assert.Equal(t, slow, quick, x)
	return quick
}

// Programs written against the standard count on these numbers to the byte: a
// wrong bound shifts every second record of a file.
func TestBounds(t *testing.T) {
	empty := types.Contiguous(0, types.Int)
	for _, c := range []struct {
		name           string
		typ            *types.Type
		size, lb, ub   int64
		trueLB, trueUB int64
	}{
		{"DT-DEF-02 no markers", types.HIndexed([]types.Block{block(1, 4), block(1, 12)}, types.Int), 8, 4, 16, 4, 16},
		{"DT-DEF-03 struct double char", types.Struct(field(1, 0, types.Double), field(1, 8, types.Char)), 9, 0, 16, 0, 9},
		{"DT-DEF-03 hvector", hvector(2, 1, 5, types.Int), 8, 0, 12, 0, 9},
		{"DT-DEF-03 hindexed", types.HIndexed([]types.Block{block(1, 1), block(1, 8)}, types.Int), 8, 1, 13, 1, 12},
		{"DT-DEF-03 struct from 1", types.Struct(field(1, 1, types.Int), field(1, 6, types.Char)), 5, 1, 9, 1, 7},
		{"DT-DEF-04 markers stand for data", types.Struct(field(1, 2, types.LB), field(1, 0, types.Int), field(1, 3, types.UB)), 4, 2, 3, 0, 4},
		{"DT-DEF-04 lb marker alone, ub padded", types.Struct(field(1, -3, types.LB), field(1, 0, types.Int)), 4, -3, 5, 0, 4},
		{"DT-DEF-04 ub marker alone, not padded", types.Struct(field(1, 0, types.Int), field(1, 7, types.UB)), 4, 0, 7, 0, 4},
		{"DT-DEF-05 markers replicate", types.Contiguous(2, marked(-3, types.Int, 6)), 8, -3, 15, 0, 13},
		{"DT-DEF-06 true bounds ignore markers", resized(types.HIndexed([]types.Block{block(1, 8)}, types.Int), -4, 100), 4, -4, 96, 8, 12},
		{"DT-DEF-07 empty typemap", empty, 0, 0, 0, 0, 0},
		{"DT-DEF-07 zero blocks count for nothing", types.Struct(field(0, -100, types.Int), field(1, 8, types.Int)), 4, 8, 12, 8, 12},
		{"DT-DEF-08 doubleint", types.DoubleInt, 12, 0, 16, 0, 12},
		{"DT-DEF-08 longint", types.LongInt, 12, 0, 16, 0, 12},
		{"DT-DEF-08 shortint", types.ShortInt, 6, 0, 8, 0, 8},
		{"DT-DEF-08 floatint", types.FloatInt, 8, 0, 8, 0, 8},
		{"DT-DEF-08 twoint", types.TwoInt, 8, 0, 8, 0, 8},
		{"DT-DEF-08 longdoubleint", types.LongDoubleInt, 20, 0, 32, 0, 20},
		{"DT-DEF-08 tworeal", types.TwoReal, 8, 0, 8, 0, 8},
		{"DT-DEF-08 twodoubleprecision", types.TwoDoublePrecision, 16, 0, 16, 0, 16},
		{"DT-DEF-08 twointeger", types.TwoInteger, 8, 0, 8, 0, 8},
		{"DT-CONTIG-01", types.Contiguous(3, types.DoubleInt), 36, 0, 48, 0, 44},
		{"DT-ARG-03 negative extent", resized(types.Int, 0, -4), 4, 0, -4, 0, 4},
		{"DT-ARG-03 contiguous of negative extent", types.Contiguous(3, resized(types.Int, 0, -4)), 12, -8, -4, -8, 4},
		{"DT-ARG-03 extent zero", types.Contiguous(3, resized(types.Int, 0, 0)), 12, 0, 0, 0, 4},
		{"DT-ARG-04 vector", vector(3, 2, 4, types.Int), 24, 0, 40, 0, 40},
		{"DT-ARG-04 vector, stride negative", vector(2, 1, -3, types.Int), 8, -12, 4, -12, 4},
		{"DT-ARG-04 indexed", types.Indexed([]types.Block{block(1, 5), block(2, 0), block(1, 9)}, types.Short), 8, 0, 20, 0, 20},
		{"DT-ARG-04 resized", resized(types.Int, 8, 4), 4, 8, 12, 0, 4},
		{"DT-SUB-03 order c", types.Subarray(types.OrderC, slabs, types.Int), 24, 0, 96, 32, 68},
		{"DT-SUB-03 order fortran", types.Subarray(types.OrderFortran, slabs, types.Int), 24, 0, 96, 36, 76},
		{"DIV-01 sticky", types.Struct(field(2, 0, resized(types.Int, 0, 16)), field(1, 100, types.Int)), 12, 0, 32, 0, 104},
		{"DIV-02", hvector(2, 1, 5, types.Int), 8, 0, 12, 0, 9},
		{"DIV-29 padding of a nested struct", types.Struct(field(1, 0, types.Double), field(1, 17, types.Struct(field(1, 0, types.Double), field(1, 8, types.Char)))), 17, 0, 32, 0, 26},
		{"DIV-30 markers over an empty type", types.Contiguous(3, resized(empty, -7, 20)), 0, -7, 53, 0, 0},
		{"DIV-31 a child of size 0", types.Struct(field(1, 3, types.Contiguous(0, types.Char)), field(1, 6, types.Char)), 1, 6, 7, 6, 7},
		{"DIV-32 padding at each level", hvector(2, 1, 17, hvector(2, 2, 9, types.Short)), 16, 0, 30, 0, 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := c.typ.Layout(types.Host)
			assert.NoError(t, err)
			assert.Equal(t, []int64{c.size, c.lb, c.ub, c.trueLB, c.trueUB},
				[]int64{l.Size, l.LB, l.UB, l.TrueLB, l.TrueUB}, "size, lb, ub, true lb, true ub of %s", c.typ)
			lb, extent := c.typ.Extent(types.Host)
			tlb, text := c.typ.TrueExtent(types.Host)
			assert.Equal(t, []int64{c.lb, c.ub - c.lb, c.trueLB, c.trueUB - c.trueLB}, []int64{lb, extent, tlb, text})
		})
	}
}

var slabs = []types.Slab{{Size: 4, Sub: 2, Start: 1}, {Size: 6, Sub: 3, Start: 2}}

func marked(lb int64, t *types.Type, ub int64) *types.Type {
	return types.Struct(field(1, lb, types.LB), field(1, 0, t), field(1, ub, types.UB))
}

// Each constructor must place its items where the standard's table says, or
// views built with it name other bytes of the file.
func TestConstructors(t *testing.T) {
	pair := types.Struct(field(1, 0, types.Int), field(1, 8, types.Int)) // extent 12
	for _, c := range []struct {
		name string
		typ  *types.Type
		want []int64
	}{
		{"DT-DEF-01 any order, repeats, negative", types.Struct(field(1, 8, types.Int), field(1, -4, types.Int), field(1, 8, types.Int)), []int64{8, -4, 8}},
		{"DT-CONTIG-01", types.Contiguous(3, types.Int), []int64{0, 4, 8}},
		{"DT-CONTIG-01 of a type with a hole", types.Contiguous(2, pair), []int64{0, 8, 12, 20}},
		{"DT-VEC-01", vector(2, 2, 3, types.Int), []int64{0, 4, 12, 16}},
		{"DT-VEC-01 stride zero", vector(2, 1, 0, types.Int), []int64{0, 0}},
		{"DT-VEC-01 stride negative", vector(2, 2, -3, types.Int), []int64{0, 4, -12, -8}},
		{"DT-HVEC-01", hvector(2, 2, 10, types.Short), []int64{0, 2, 10, 12}},
		{"DT-IDX-01 order as given", types.Indexed([]types.Block{block(1, 5), block(2, 0)}, types.Short), []int64{10, 0, 2}},
		{"DT-HIDX-01", types.HIndexed([]types.Block{block(2, 7), block(0, 99), block(1, -2)}, types.Short), []int64{7, 9, -2}},
		{"DT-IDXB-01 elements", types.IndexedBlock(2, []int64{4, 0}, types.Short), []int64{8, 10, 0, 2}},
		{"DT-IDXB-01 bytes", types.HIndexedBlock(2, []int64{5, 0}, types.Short), []int64{5, 7, 0, 2}},
		{"DT-STRUCT-01", types.Struct(field(2, 1, types.Char), field(1, 4, pair)), []int64{1, 2, 4, 12}},
		{"DT-SUB-01", types.Subarray(types.OrderC, slabs, types.Char), []int64{8, 9, 10, 14, 15, 16}},
		{"DT-SUB-01 fortran", types.Subarray(types.OrderFortran, slabs, types.Char), []int64{9, 10, 13, 14, 17, 18}},
		{"DT-RESIZE-01", resized(pair, -4, 32), []int64{0, 8}},
		{"DT-DUP-01", types.Dup(pair), []int64{0, 8}},
		{"DT-F90-01", types.Contiguous(2, types.F90Real(10, 100)), []int64{0, 8}},
		{"DT-VIDX-01 unnamed pair", types.ValueIndex(types.Short, types.Long), []int64{0, 8}},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, disps(t, c.typ, types.Host))
		})
	}
	t.Run("DT-DUP-01 equal in all but name", func(t *testing.T) {
		d := types.Dup(pair)
		assert.Equal(t, types.CombinerDup, d.Envelope().Combiner)
		assert.True(t, d.Signature().Equal(pair.Signature()))
		_, ex := d.Extent(types.Host)
		assert.EqualValues(t, 12, ex)
	})
}

// If these fail, the library has two answers to the question whether a resized bound is
// stronger than data.
func TestMarkers(t *testing.T) {
	t1s := types.Struct(field(1, 0, types.Int), field(1, 16, types.UB))
	r16 := resized(types.Int, 0, 16)
	seed07 := types.Struct(field(1, 0, r16), field(1, 100, types.Int))
	t1w := resized(types.HIndexed([]types.Block{block(1, 100)}, types.Int), 0, 16)
	for _, c := range []struct {
		name         string
		typ          *types.Type
		sticky, weak int64
		trueUB       int64
	}{
		{"DT-SEED-01", t1s, 16, 16, 4},
		{"DT-SEED-02", types.Struct(field(1, 0, t1s), field(1, 100, types.Int)), 16, 16, 104},
		{"DT-SEED-03", types.Struct(field(1, 0, t1s), field(1, 100, types.Int), field(1, 10, types.UB)), 16, 16, 104},
		{"DT-SEED-04", t1w, 16, 16, 104},
		{"DT-SEED-05", types.Struct(field(2, 0, t1w), field(1, 8, types.Int)), 32, 32, 120},
		{"DT-SEED-06", types.Struct(field(2, 0, t1w), field(1, 100, types.Int)), 32, 104, 120},
		{"DT-SEED-07", seed07, 16, 104, 104},
		{"DT-SEED-08", types.Struct(field(1, 0, r16), field(1, 0, resized(types.Int, 0, 10))), 16, 16, 4},
		{"DT-SEED-09", resized(seed07, 0, 12), 12, 12, 104},
		{"DT-SEED-10", types.Struct(field(1, 0, r16), field(1, 100, types.Int), field(1, 10, types.UB)), 16, 10, 104},
	} {
		t.Run(c.name, func(t *testing.T) {
			weak := types.WeakMarkers(types.Host)
			for s, want := range map[types.Sizes]int64{types.Host: c.sticky, weak: c.weak} {
				l, err := c.typ.Layout(s)
				assert.NoError(t, err)
				assert.Equal(t, []int64{want, c.trueUB}, []int64{l.UB, l.TrueUB})
			}
		})
	}
	t.Run("DT-RESIZE-02 data cannot push beyond a sticky marker", func(t *testing.T) {
		_, ex := types.Struct(field(1, 0, r16), field(1, 100, types.Int)).Extent(types.Host)
		assert.EqualValues(t, 16, ex)
	})
	t.Run("DT-RESIZE-03 weak bounds act like data", func(t *testing.T) {
		_, ex := types.Struct(field(1, 0, r16), field(1, 100, types.Int)).Extent(types.WeakMarkers(types.Host))
		assert.EqualValues(t, 104, ex)
		assert.Equal(t, types.WeakMarkers(types.Host), types.WeakMarkers(types.WeakMarkers(types.Host)))
	})
	t.Run("DT-RESIZE-03 weak bounds are aligned and padded like data", func(t *testing.T) {
		w17 := resized(types.Int, 0, 17)
		for _, c := range []struct {
			typ          *types.Type
			sticky, weak int64
		}{
			{types.Struct(field(1, 0, resized(types.Char, 0, 17)), field(1, 8, types.Int)), 17, 20},
			{w17, 17, 17},
			{types.Dup(w17), 17, 17},
			{types.Contiguous(2, w17), 34, 36}, // copies are 17 bytes apart
			{types.Struct(field(1, 0, w17)), 17, 20},
			{types.Struct(field(1, 0, types.Struct(field(1, 0, resized(types.Char, 0, 17)), field(1, 8, types.Int))), field(1, 24, types.Double)), 17, 32},
			{types.Struct(field(1, 0, resized(types.Int, -3, 5))), 5, 8}, // -3 to 2, a distance of 5, padded to 8
			{types.Struct(field(1, 0, resized(types.Char, 0, 17)), field(1, 8, types.Int), field(1, 18, types.UB)), 18, 18},
		} {
			for s, want := range map[types.Sizes]int64{types.Host: c.sticky, types.WeakMarkers(types.Host): c.weak} {
				_, extent := c.typ.Extent(s)
				assert.Equal(t, want, extent, "%v, %v", c.typ, types.MarkersOf(s))
			}
		}
		l, err := types.Contiguous(2, w17).Layout(types.WeakMarkers(types.Host))
		assert.NoError(t, err)
		assert.EqualValues(t, 17, types.Tiling{L: l}.At(4))
	})
	t.Run("DT-RESIZE-03 names", func(t *testing.T) {
		for _, m := range []types.Markers{types.Sticky, types.Weak} {
			got, err := types.ParseMarkers(m.String())
			assert.NoError(t, err)
			assert.Equal(t, m, got)
			assert.Equal(t, m, types.MarkersOf(m.Under(types.Host)))
			assert.Equal(t, types.Host, types.Sticky.Under(m.Under(types.Host)))
		}
		_, err := types.ParseMarkers("strong")
		assert.ErrorIs(t, err, types.ErrArg)
	})
	t.Run("DT-RESIZE-04 markers inside struct only", func(t *testing.T) {
		assert.NoError(t, marked(0, types.Int, 8).Err())
		for _, bad := range []*types.Type{
			types.LB, types.UB, types.Contiguous(2, types.LB), vector(1, 1, 1, types.UB), types.Dup(types.LB), resized(types.UB, 0, 1),
		} {
			assert.ErrorIs(t, bad.Err(), types.ErrType)
		}
	})
	t.Run("EX-V12 a view depends on the force of markers", func(t *testing.T) {
		ft := types.Struct(field(1, 0, resized(types.Char, 0, 3)), field(1, 4, types.Char))
		for s, want := range map[types.Sizes][]int64{
			types.Host:                    {0, 4, 3, 7, 6, 10},
			types.WeakMarkers(types.Host): {0, 4, 5, 9, 10, 14},
		} {
			l, err := ft.Layout(s)
			assert.NoError(t, err)
			var got []int64
			for i := range int64(6) {
				got = append(got, types.Tiling{L: l}.At(i))
			}
			assert.Equal(t, want, got)
		}
	})
}

// A view is a tiling; these maps are what two libraries show.
func TestViewMaps(t *testing.T) {
	c := types.Char
	idx := types.HIndexed([]types.Block{block(1, 3)}, c)
	e6 := resized(types.Struct(field(1, 0, c), field(1, 2, c)), 0, 4)
	for _, v := range []struct {
		name string
		disp int64
		ft   *types.Type
		want []int64
	}{
		{"EX-V1", 2, resized(c, 0, 3), []int64{2, 5, 8, 11, 14}},
		{"EX-V2", 1, resized(types.HIndexed([]types.Block{block(1, 1), block(2, 5)}, c), 0, 8), []int64{2, 6, 7, 10, 14, 15, 18, 22}},
		{"EX-V3", 5, resized(c, -2, 4), []int64{5, 9, 13, 17}},
		{"EX-V4a", 0, idx, []int64{3, 4, 5, 6}},
		{"EX-V4b", 0, resized(idx, 0, 8), []int64{3, 11, 19, 27}},
		{"EX-V5a", 1, vector(2, 2, 4, c), []int64{1, 2, 5, 6, 7, 8, 11, 12}},
		{"EX-V5b", 1, resized(vector(2, 2, 4, c), 0, 8), []int64{1, 2, 5, 6, 9, 10, 13, 14}},
		{"EX-V6", 3, vector(2, 1, 2, e6), []int64{3, 5, 11, 13, 15, 17, 23, 25, 27, 29}},
		{"EX-V7a", 0, types.Subarray(types.OrderC, slabs, c), []int64{8, 9, 10, 14, 15, 16, 32}},
		{"EX-V7b", 0, types.Subarray(types.OrderFortran, slabs, c), []int64{9, 10, 13, 14, 17, 18, 33}},
		{"EX-V11", 8, resized(types.Int, 0, 16), []int64{8, 9, 10, 11, 24, 25, 26, 27, 40}},
		{"DIV-33", 0, resized(types.HIndexed([]types.Block{block(2, 8)}, types.Int), -4, 20), []int64{8}},
		{"DIV-34", 0, types.Indexed([]types.Block{block(1, 0), block(2, 1)}, types.Subarray(types.OrderC, []types.Slab{{Size: 3, Sub: 2}}, c)), []int64{0, 1, 3, 4, 6, 7, 9}},
		{"EX-B4 tiles overlap", 0, resized(types.Int, 0, 2), []int64{0, 1, 2, 3, 2, 3, 4, 5, 4}},
	} {
		t.Run(v.name, func(t *testing.T) {
			l, err := v.ft.Layout(types.Host)
			assert.NoError(t, err)
			var got []int64
			for i := range v.want {
				got = append(got, types.Tiling{L: l, Disp: v.disp}.At(int64(i)))
			}
			assert.Equal(t, v.want, got)
		})
	}
	t.Run("EX-V9 bytes of the file under a view", func(t *testing.T) {
		l, _ := resized(types.Int, 0, 8).Layout(types.Host)
		for size, etypes := range map[int64]int64{0: 0, 1: 1, 8: 1, 9: 2, 16: 2, 17: 3, 24: 3} {
			assert.Equal(t, etypes, (types.Tiling{L: l}.Below(size)+3)/4, "size %d", size)
		}
	})
	t.Run("EX-V10 bytes of the file under a view", func(t *testing.T) {
		l, _ := resized(types.HIndexed([]types.Block{block(1, 1), block(2, 5)}, c), 0, 8).Layout(types.Host)
		for size, etypes := range map[int64]int64{0: 0, 2: 0, 3: 1, 6: 1, 7: 2, 8: 3, 10: 3, 11: 4, 15: 5, 16: 6, 18: 6} {
			assert.Equal(t, etypes, types.Tiling{L: l, Disp: 1}.Below(size), "size %d", size)
		}
		assert.Zero(t, types.Tiling{L: l, Disp: math.MaxInt64}.Below(18))
	})
	t.Run("IO-VIEW-05 order and sign of displacements", func(t *testing.T) {
		for name, bad := range map[string]*types.Type{
			"EX-B1": types.Struct(field(1, 4, c), field(1, 0, c)),
			"EX-B3": types.Struct(field(1, -1, c), field(1, 3, c)),
		} {
			l, _ := bad.Layout(types.Host)
			assert.False(t, l.Monotone(), name)
		}
		third := types.Resized(types.HVector(2, 1, 20, types.Double), 0, 10) // the third copy meets the first
		l, _ := types.HIndexed([]types.Block{block(3, 0), block(2, 1000)}, third).Layout(types.Host)
		assert.True(t, l.Overlaps())
		l, _ = types.Struct(field(1, 0, c), field(1, 0, c)).Layout(types.Host)
		assert.True(t, l.Monotone())
		assert.True(t, l.Overlaps(), "EX-B2")
	})
}

// Under another representation a portable type must scale and byte
// displacements must not, or files written elsewhere cannot be read.
func TestSizes(t *testing.T) {
	long := types.Long
	for _, c := range []struct {
		name             string
		typ              *types.Type
		native, external []int64 // displacements, then extent
		portable         bool
	}{
		{"EX-REP-01", types.Contiguous(3, long), []int64{0, 8, 16, 24}, []int64{0, 4, 8, 12}, true},
		{"EX-REP-02", vector(2, 1, 3, long), []int64{0, 24, 32}, []int64{0, 12, 16}, true},
		{"EX-REP-03", resized(long, 0, 16), []int64{0, 16}, []int64{0, 16}, false},
		{"EX-REP-04", types.Struct(field(1, 0, long), field(1, 8, types.Char)), []int64{0, 8, 16}, []int64{0, 8, 9}, false},
		{"EX-REP-05", types.Struct(field(1, 0, types.Int), field(1, 8, types.Double)), []int64{0, 8, 16}, []int64{0, 8, 16}, false},
		{"EX-REP-06", hvector(2, 1, 16, long), []int64{0, 16, 24}, []int64{0, 16, 20}, false},
		{
			"EX-REP-07", types.Subarray(types.OrderC, slabs, long),
			[]int64{64, 72, 80, 112, 120, 128, 192},
			[]int64{32, 36, 40, 56, 60, 64, 96},
			true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for s, want := range map[types.Sizes][]int64{types.Host: c.native, external32: c.external} {
				_, ex := c.typ.Extent(s)
				assert.Equal(t, want, append(disps(t, c.typ, s), ex))
			}
			assert.Equal(t, c.portable, c.typ.Portable())
		})
	}
	t.Run("REP-DT-03 portable constructors", func(t *testing.T) {
		one := []types.Block{block(1, 0)}
		for _, x := range []*types.Type{
			long, types.DoubleInt, types.F90Real(6, 30), types.Contiguous(2, long), vector(2, 1, 2, long), types.Indexed(one, long),
			types.IndexedBlock(1, []int64{1}, long), types.Dup(long),
			types.Darray(types.Grid{Size: 1, Dims: []types.GridDim{{Size: 2, Dist: types.DistBlock, Arg: types.DefaultArg, Procs: 1}}}, long),
		} {
			assert.True(t, x.Portable(), x)
		}
		for _, x := range []*types.Type{
			hvector(2, 1, 2, long), types.HIndexed(one, long), types.HIndexedBlock(1, []int64{1}, long),
			types.Struct(field(1, 0, long)), resized(long, 0, 8), types.Contiguous(2, types.Dup(resized(long, 0, 8))),
		} {
			assert.False(t, x.Portable(), x)
		}
	})
	t.Run("REP-DT-01 byte displacements are taken as they are", func(t *testing.T) {
		x := types.HIndexedBlock(1, []int64{0, 40}, long)
		assert.Equal(t, disps(t, x, types.Host), disps(t, x, external32))
	})
	t.Run("REP-DT-02 portable displacements scale", func(t *testing.T) {
		x := types.IndexedBlock(1, []int64{0, 5}, long)
		assert.Equal(t, []int64{0, 40}, disps(t, x, types.Host))
		assert.Equal(t, []int64{0, 20}, disps(t, x, external32))
	})
	t.Run("REP-DT-07 holes scale too", func(t *testing.T) {
		_, ex := types.Subarray(types.OrderC, []types.Slab{{Size: 9, Sub: 1, Start: 3}}, long).Extent(external32)
		assert.EqualValues(t, 36, ex)
	})
	t.Run("DT-DEF-08 natural alignments", func(t *testing.T) {
		for _, k := range types.Kinds() {
			size, align := types.Host.Sizeof(k), types.Host.Alignof(k)
			if k.Family() == types.FamilyComplex {
				size /= 2
			}
			assert.Equal(t, size, align, k)
		}
		assert.EqualValues(t, 16, types.Host.Alignof(types.KindLongDouble))
		assert.EqualValues(t, 4, types.Host.Sizeof(types.KindWChar))
	})
	t.Run("REP-X32-11 pairs without padding", func(t *testing.T) {
		for x, want := range map[*types.Type]int64{
			types.DoubleInt: 12, types.ShortInt: 6, types.LongInt: 8, types.LongDoubleInt: 20,
			types.TwoReal: 8, types.TwoDoublePrecision: 16, types.TwoInteger: 8,
		} {
			_, ex := x.Extent(external32)
			assert.Equal(t, want, ex, x)
		}
	})
	t.Run("REP-X32-08 no padding where there is no alignment", func(t *testing.T) {
		_, ex := types.Struct(field(1, 0, types.Double), field(1, 8, types.Char)).Extent(external32)
		assert.EqualValues(t, 9, ex)
	})
}

// A rank asks for its part of an array; a wrong part loses elements of the
// whole.
func TestDarray(t *testing.T) {
	grid := func(rank int64, o types.Order) types.Grid {
		return types.Grid{Size: 4, Rank: rank, Order: o, Dims: []types.GridDim{
			{Size: 5, Dist: types.DistBlock, Arg: types.DefaultArg, Procs: 2},
			{Size: 7, Dist: types.DistCyclic, Arg: 2, Procs: 2},
		}}
	}
	t.Run("DT-DARRAY DT-DARR-01 both orders", func(t *testing.T) {
		for o, want := range map[types.Order][][]int64{
			types.OrderC: {
				{0, 1, 4, 5, 7, 8, 11, 12, 14, 15, 18, 19},
				{2, 3, 6, 9, 10, 13, 16, 17, 20},
				{21, 22, 25, 26, 28, 29, 32, 33},
				{23, 24, 27, 30, 31, 34},
			},
			types.OrderFortran: {
				{0, 1, 2, 5, 6, 7, 20, 21, 22, 25, 26, 27},
				{10, 11, 12, 15, 16, 17, 30, 31, 32},
				{3, 4, 8, 9, 23, 24, 28, 29},
				{13, 14, 18, 19, 33, 34},
			},
		} {
			for rank, w := range want {
				x := types.Darray(grid(int64(rank), o), types.Char)
				assert.Equal(t, w, disps(t, x, types.Host))
				lb, ex := x.Extent(types.Host)
				assert.Equal(t, []int64{0, 35}, []int64{lb, ex}, "DT-DARR-01")
			}
		}
	})
	t.Run("EX-V8 the next tile of the view", func(t *testing.T) {
		l, _ := types.Darray(grid(3, types.OrderC), types.Char).Layout(types.Host)
		assert.EqualValues(t, 35+23, types.Tiling{L: l}.At(6))
	})
	t.Run("DT-DARR-05 one dimension", func(t *testing.T) {
		for dist, want := range map[types.Distribution][][]int64{
			types.DistBlock:  {{0, 1, 2}, {3, 4, 5}, {6}},
			types.DistCyclic: {{0, 3, 6}, {1, 4}, {2, 5}},
		} {
			for rank, w := range want {
				g := types.Grid{Size: 3, Rank: int64(rank), Dims: []types.GridDim{{Size: 7, Dist: dist, Arg: types.DefaultArg, Procs: 3}}}
				assert.Equal(t, w, disps(t, types.Darray(g, types.Char), types.Host))
			}
		}
	})
	t.Run("DT-DARR-05 a rank may own nothing", func(t *testing.T) {
		g := types.Grid{Size: 4, Rank: 3, Dims: []types.GridDim{{Size: 5, Dist: types.DistBlock, Arg: types.DefaultArg, Procs: 4}}}
		x := types.Darray(g, types.Int)
		assert.NoError(t, x.Err())
		_, ex := x.Extent(types.Host)
		assert.Equal(t, []int64{0, 20}, []int64{x.Size(types.Host), ex})
	})
	t.Run("DT-DARR-03 the process grid is row-major", func(t *testing.T) {
		g := types.Grid{Size: 6, Rank: 4, Order: types.OrderFortran, Dims: []types.GridDim{
			{Size: 2, Dist: types.DistBlock, Arg: types.DefaultArg, Procs: 2},
			{Size: 3, Dist: types.DistBlock, Arg: types.DefaultArg, Procs: 3},
		}}
		assert.Equal(t, []int64{1 + 2*1}, disps(t, types.Darray(g, types.Char), types.Host))
		g.Order = types.OrderC // the same place in the grid, another one in memory
		assert.Equal(t, []int64{3*1 + 1}, disps(t, types.Darray(g, types.Char), types.Host))
	})
	t.Run("DT-DARR-04 equal distributions", func(t *testing.T) {
		one := func(d types.Distribution, arg int64) []int64 {
			g := types.Grid{Size: 2, Rank: 1, Dims: []types.GridDim{{Size: 5, Dist: d, Arg: arg, Procs: 2}}}
			return disps(t, types.Darray(g, types.Char), types.Host)
		}
		assert.Equal(t, one(types.DistBlock, types.DefaultArg), one(types.DistCyclic, 3))
		assert.Equal(t, one(types.DistBlock, 4), one(types.DistCyclic, 4))
		assert.Equal(t, one(types.DistCyclic, types.DefaultArg), one(types.DistCyclic, 1))
		none := types.Grid{Size: 1, Dims: []types.GridDim{{Size: 5, Dist: types.DistNone, Arg: -7, Procs: 1}}}
		assert.Equal(t, []int64{0, 1, 2, 3, 4}, disps(t, types.Darray(none, types.Char), types.Host))
	})
}
