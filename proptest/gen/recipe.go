package gen

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/types"
)

// A Class is a property that drawn datatypes have.
type Class uint8

// The classes. Each but Any is usable wherever the ones named in it are.
const (
	Any            Class = iota // all types that the constructors allow: negative, overlapping or empty ones, too
	Portable                    // no displacement in bytes and no bounds in bytes: scales by itself
	Monotone                    // displacements begin at 0 or above and never go back: an etype
	NonOverlapping              // Monotone, and no byte twice, within a copy or between copies: a filetype to write through
	Tiling                      // NonOverlapping without holes
)

// leaves are the predefined types that are drawn, simple ones first.
var leaves = []*types.Type{
	types.Byte, types.Int, types.Double, types.Char, types.Short, types.Long, types.Float,
	types.LongDouble, types.Bool, types.DoubleComplex, types.DoubleInt, types.ShortInt, types.WChar,
}

// Types draws datatypes of a class with at most 60 items, built from all constructors
// that can keep the guarantee.
func Types(class Class) *rapid.Generator[*types.Type] {
	return rapid.Custom(func(t *rapid.T) *types.Type {
		leaf := rapid.SampledFrom(leaves).Draw(t, "leaf")
		depth := rapid.IntRange(0, 3).Draw(t, "depth")
		switch class {
		case Any, Portable:
			return recipes{t, class}.draw(leaf, depth, 60)
		case Monotone:
			return monotone(t, leaf)
		case Tiling:
			return types.Contiguous(rapid.Int64Range(1, 6).Draw(t, "n"), gapless(t))
		}
		return Filetype(t, gapless(t))
	})
}

// gapless draws a predefined type without padding.
func gapless(t *rapid.T) *types.Type { return rapid.SampledFrom(leaves[:7]).Draw(t, "etype") }

func monotone(t *rapid.T, leaf *types.Type) *types.Type {
	if !rapid.Bool().Draw(t, "repeats") {
		return Filetype(t, leaf)
	}
	disps := rapid.SliceOfN(rapid.Int64Range(0, 8), 1, 5).Draw(t, "disps")
	slices.Sort(disps) // equal displacements of single items overlap, but do not decrease
	return types.IndexedBlock(1, disps, gapless(t))
}

// A recipes draws types with certain properties.
type recipes struct {
	*rapid.T
	class Class
}

func (r recipes) int(name string, lo, hi int64) int64 {
	return rapid.Int64Range(lo, hi).Draw(r.T, name)
}

// count draws a number of copies such that copies*items stays within budget.
func (r recipes) count(name string, budget, items int64) int64 {
	return r.int(name, 0, max(0, min(4, budget/max(items, 1))))
}

func (r recipes) draw(leaf *types.Type, depth int, budget int64) *types.Type {
	if depth == 0 {
		return leaf
	}
	elem := r.draw(leaf, depth-1, budget)
	items := elem.Signature().Len()
	most := 11
	if r.class == Portable {
		most = 6 // what follows counts bytes
	}
	switch rapid.IntRange(0, most).Draw(r.T, "constructor") {
	case 0:
		return types.Contiguous(r.count("n", budget, items), elem)
	case 1:
		n := r.count("n", budget, items)
		return types.Vector(n, r.count("len", budget, n*items), r.int("stride", -6, 6), elem)
	case 2:
		return types.Indexed(r.blocks(budget, items, 8), elem)
	case 3:
		return types.IndexedBlock(r.count("len", 3, 1), r.disps(budget/3, items, 8), elem)
	case 4:
		return Subarray(r.T, elem)
	case 5:
		return Darray(r.T, elem)
	case 6:
		return types.Dup(elem)
	case 7:
		n := r.count("n", budget, items)
		return types.HVector(n, r.count("len", budget, n*items), r.int("stride", -60, 60), elem)
	case 8:
		return types.HIndexed(r.blocks(budget, items, 50), elem)
	case 9:
		return types.HIndexedBlock(r.count("len", 3, 1), r.disps(budget/3, items, 50), elem)
	case 10:
		return types.Resized(elem, r.int("lb", -20, 20), r.int("extent", -30, 60))
	}
	fields := make([]types.Field, r.count("fields", 4, 1))
	for i := range fields {
		of := elem
		if i > 0 {
			of = r.draw(rapid.SampledFrom(leaves).Draw(r.T, "leaf"), rapid.IntRange(0, depth-1).Draw(r.T, "depth"), budget/4)
		}
		fields[i] = types.Field{Count: r.count("count", 2, 1), Disp: r.int("disp", -40, 80), Type: of}
	}
	return types.Struct(fields...)
}

func (r recipes) disps(budget, items, far int64) []int64 {
	v := make([]int64, r.count("blocks", budget, items))
	for i := range v {
		v[i] = r.int("disp", -far, far)
	}
	return v
}

func (r recipes) blocks(budget, items, far int64) []types.Block {
	v := make([]types.Block, 0, 4)
	for _, d := range r.disps(budget/2, items, far) {
		v = append(v, types.Block{Len: r.count("len", 2, 1), Disp: d})
	}
	return v
}

// Subarray draws a part of an array of up to 3 dimensions.
func Subarray(t *rapid.T, elem *types.Type) *types.Type {
	dims := make([]types.Slab, rapid.IntRange(1, 3).Draw(t, "dims"))
	for i := range dims {
		sub := rapid.Int64Range(1, 2).Draw(t, "sub")
		start := rapid.Int64Range(0, 2).Draw(t, "start")
		dims[i] = types.Slab{Size: start + sub + rapid.Int64Range(0, 2).Draw(t, "rest"), Sub: sub, Start: start}
	}
	return types.Subarray(order(t), dims, elem)
}

func order(t *rapid.T) types.Order {
	return rapid.SampledFrom([]types.Order{types.OrderC, types.OrderFortran}).Draw(t, "order")
}

// Darray draws one process's part of a distributed array.
func Darray(t *rapid.T, elem *types.Type) *types.Type {
	g := Grid(t, 0)
	g.Rank = rapid.Int64Range(0, g.Size-1).Draw(t, "rank")
	return types.Darray(g, elem)
}

// Grid draws a distribution of an array of one or two dimensions over so many processes,
// or over any small number if procs is 0. Rank stays 0.
func Grid(t *rapid.T, procs int64) types.Grid {
	g := types.Grid{Size: 1, Order: order(t), Dims: make([]types.GridDim, rapid.IntRange(1, 2).Draw(t, "dims"))}
	left := procs
	for i := range g.Dims {
		d := types.GridDim{Size: rapid.Int64Range(1, 6).Draw(t, "size"), Arg: types.DefaultArg, Procs: 1}
		switch {
		case procs == 0:
			d.Procs = rapid.Int64Range(1, 3).Draw(t, "procs")
		case i == len(g.Dims)-1:
			d.Procs = left
		default:
			d.Procs = rapid.SampledFrom(divisors(left)).Draw(t, "procs")
			left /= d.Procs
		}
		d.Dist = rapid.SampledFrom([]types.Distribution{types.DistBlock, types.DistCyclic}).Draw(t, "dist")
		if d.Procs == 1 && rapid.Bool().Draw(t, "none") {
			d.Dist = types.DistNone
		}
		if d.Dist == types.DistCyclic && rapid.Bool().Draw(t, "blocks") {
			d.Arg = rapid.Int64Range(1, 3).Draw(t, "block")
		}
		g.Size *= d.Procs
		g.Dims[i] = d
	}
	return g
}

func divisors(n int64) []int64 {
	var all []int64
	for d := int64(1); d <= n; d++ {
		if n%d == 0 {
			all = append(all, d)
		}
	}
	return all
}
