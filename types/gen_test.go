package types_test

import (
	"slices"

	"github.com/commworld/commworld/types"
	"pgregory.net/rapid"
)

// sizesTable is a Sizes made of a table; absent kinds are as on the host.
type sizesTable struct {
	name  string
	size  map[types.Kind]int64
	align int64 // greatest alignment; 0 for none
}

func (s *sizesTable) Sizeof(k types.Kind) int64 {
	if n, ok := s.size[k]; ok {
		return n
	}
	return types.Host.Sizeof(k)
}

func (s *sizesTable) Alignof(k types.Kind) int64 {
	if s.align == 0 {
		return 1
	}
	return min(types.Host.Alignof(k), s.Sizeof(k), s.align)
}

var (
	ilp32 = &sizesTable{"ilp32", map[types.Kind]int64{
		types.KindLong: 4, types.KindULong: 4, types.KindAint: 4, types.KindLongDouble: 12,
	}, 4}
	external32 = &sizesTable{"external32", map[types.Kind]int64{
		types.KindLong: 4, types.KindULong: 4, types.KindWChar: 2,
	}, 0}
	odd = &sizesTable{"odd", map[types.Kind]int64{
		types.KindInt: 3, types.KindShort: 5, types.KindDouble: 7, types.KindChar: 2, types.KindFloat: 1,
	}, 8}
)

var sizesList = []types.Sizes{types.Host, ilp32, external32, odd}

func drawSizes(t *rapid.T) types.Sizes { return rapid.SampledFrom(sizesList).Draw(t, "sizes") }

var leaves = []*types.Type{
	types.Char, types.Int, types.Double, types.Byte, types.Short, types.Float, types.Long, types.LongDouble,
	types.Bool, types.DoubleComplex, types.DoubleInt, types.ShortInt, types.TwoDoublePrecision, types.Integer, types.WChar, types.Int32,
	types.F90Real(6, 37), types.ValueIndex(types.Double, types.Long),
}

// recipes draws types nested up to depth deep of at most budget items.
type recipes struct {
	*rapid.T
	markers bool // draw LB and UB too
}

func drawType(t *rapid.T) *types.Type {
	return recipes{t, true}.draw(rapid.SampledFrom([]int{2, 3, 1, 4, 5, 0}).Draw(t, "depth"), 60)
}

func (r recipes) int(name string, lo, hi int64) int64 {
	return rapid.Int64Range(lo, hi).Draw(r.T, name)
}

// count draws a number of copies that keeps copies*items within budget.
func (r recipes) count(name string, budget, items int64) int64 {
	most := max(0, min(4, budget/max(items, 1)))
	if most == 0 || r.rare(name) {
		return 0
	}
	return 1 + r.int(name, 0, most-1)
}

func (r recipes) rare(name string) bool { return rapid.IntRange(0, 20).Draw(r.T, "no "+name) == 20 }

func (r recipes) draw(depth int, budget int64) *types.Type {
	if depth == 0 {
		return rapid.SampledFrom(leaves).Draw(r.T, "leaf")
	}
	elem := r.draw(depth-1, budget)
	items := elem.Signature().Len()
	switch rapid.IntRange(0, 12).Draw(r.T, "constructor") {
	case 0:
		return types.Contiguous(r.count("n", budget, items), elem)
	case 1, 2:
		n := r.count("n", budget, items)
		return types.Vector(n, r.count("len", budget, n*items), r.int("stride", -6, 6), elem)
	case 3:
		n := r.count("n", budget, items)
		return types.HVector(n, r.count("len", budget, n*items), r.int("stride", -60, 60), elem)
	case 4:
		return types.Indexed(r.blocks(budget, items, 8), elem)
	case 5:
		return types.HIndexed(r.blocks(budget, items, 50), elem)
	case 6:
		return types.IndexedBlock(r.count("len", 3, 1), r.disps(budget/3, items, 8), elem)
	case 7:
		return types.HIndexedBlock(r.count("len", 3, 1), r.disps(budget/3, items, 50), elem)
	case 8, 9:
		return r.structure(depth, budget, elem)
	case 10:
		return r.subarray(budget, elem)
	case 11:
		return r.darray(elem)
	}
	if rapid.Bool().Draw(r.T, "dup") {
		return types.Dup(elem)
	}
	return types.Resized(elem, r.int("lb", -20, 20), r.int("extent", -30, 60))
}

func (r recipes) disps(budget, items, far int64) []int64 {
	v := make([]int64, r.count("blocks", budget, items))
	for i := range v {
		v[i] = r.int("disp", -far, far)
	}
	if rapid.Bool().Draw(r.T, "sorted") {
		slices.Sort(v)
	}
	return v
}

func (r recipes) blocks(budget, items, far int64) []types.Block {
	disps := r.disps(budget/2, items, far)
	v := make([]types.Block, len(disps))
	for i, d := range disps {
		v[i] = types.Block{Len: r.count("len", 2, 1), Disp: d}
	}
	return v
}

func (r recipes) structure(depth int, budget int64, elem *types.Type) *types.Type {
	var fields []types.Field
	alike := r.int("alike", 0, 4) == 4 // fields are vectors that differ in their strides alone
	for i := range r.count("fields", 4, 1) {
		t := elem
		if alike {
			t = types.Vector(min(3, budget/4), 1, r.int("stride", -6, 6), elem)
		} else if i > 0 {
			t = r.draw(rapid.IntRange(0, depth-1).Draw(r.T, "depth"), budget/4)
		}
		if r.markers && rapid.IntRange(0, 9).Draw(r.T, "marker") == 9 {
			t = rapid.SampledFrom([]*types.Type{types.LB, types.UB}).Draw(r.T, "bound")
		}
		fields = append(fields, types.Field{Count: r.count("count", 2, 1), Disp: r.int("disp", -40, 80), Type: t})
	}
	return types.Struct(fields...)
}

func (r recipes) order() types.Order {
	return rapid.SampledFrom([]types.Order{types.OrderC, types.OrderFortran}).Draw(r.T, "order")
}

func (r recipes) subarray(budget int64, elem *types.Type) *types.Type {
	dims := make([]types.Slab, r.int("dims", 1, 3))
	items := max(1, elem.Signature().Len())
	for i := range dims {
		sub := max(1, r.count("sub", budget, items))
		items *= sub
		start := r.int("start", 0, 3)
		dims[i] = types.Slab{Size: start + sub + r.int("rest", 0, 2), Sub: sub, Start: start}
	}
	return types.Subarray(r.order(), dims, elem)
}

func (r recipes) darray(elem *types.Type) *types.Type {
	g := types.Grid{Size: 1, Order: r.order(), Dims: make([]types.GridDim, r.int("dims", 1, 2))}
	for i := range g.Dims {
		d := types.GridDim{Size: r.int("size", 1, 5), Arg: types.DefaultArg, Procs: r.int("procs", 1, 3)}
		d.Dist = rapid.SampledFrom([]types.Distribution{types.DistBlock, types.DistCyclic, types.DistNone}).Draw(r.T, "dist")
		switch {
		case d.Dist == types.DistNone:
			d.Procs = 1
		case rapid.Bool().Draw(r.T, "dflt"):
		case d.Dist == types.DistBlock:
			d.Arg = (d.Size+d.Procs-1)/d.Procs + r.int("more", 0, 1)
		default:
			d.Arg = r.int("arg", 1, 3)
		}
		g.Size *= d.Procs
		g.Dims[i] = d
	}
	g.Rank = r.int("rank", 0, g.Size-1)
	return types.Darray(g, elem)
}
