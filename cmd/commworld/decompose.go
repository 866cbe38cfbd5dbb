package main

import "github.com/commworld/commworld/types"

// A shape is a 2-D array, stored by rows.
type shape struct{ rows, width int64 }

func (s shape) elements() int64 { return s.rows * s.width }

// A decomposition distributes the elements of an array over p ranks. It is defined twice:
// owner computes, element by element, which rank owns it; view is the datatype that a
// program would use. Data are filled in and checked by owner, so verify shows that the two
// agree.
type decomposition struct {
	name  string
	owner func(s shape, p, row, col int64) int64
	view  func(s shape, p, rank int64, elem *types.Type) part
}

// A part is one rank's view of the array: a filetype, tiled from the byte where element
// first begins.
type part struct {
	first    int64
	filetype *types.Type
}

// decompositions are used in this order for writing; each is read through others.
var decompositions = []*decomposition{
	{"rows", rowsOwner, rowsView},
	{"columns", columnsOwner, columnsView},
	{"blocks", blocksOwner, blocksView},
	{"block-cyclic", cyclicOwner, cyclicView},
	{"round-robin", roundRobinOwner, roundRobinView},
	{"irregular", irregularOwner, irregularView},
}

// share returns which of p ranks owns index x of n if each gets an equal run.
func share(x, n, p int64) int64 { return ((x+1)*p - 1) / n }

// bounds returns the run of indices [lo, hi) of n that rank r of p gets.
func bounds(n, p, r int64) (lo, hi int64) { return n * r / p, n * (r + 1) / p }

// factors cuts p ranks into a grid that is as square as p allows.
func factors(p int64) (high, wide int64) {
	high = 1
	for d := int64(2); d*d <= p; d++ {
		if p%d == 0 {
			high = d
		}
	}
	return high, p / high
}

// Rows: whole rows, in equal shares. The view is a displacement and a run.

func rowsOwner(s shape, p, row, _ int64) int64 { return share(row, s.rows, p) }

func rowsView(s shape, p, rank int64, elem *types.Type) part {
	lo, hi := bounds(s.rows, p, rank)
	return part{lo * s.width, types.Contiguous((hi-lo)*s.width, elem)}
}

// Columns: whole columns, in equal shares. The view is a displacement and a vector.

func columnsOwner(s shape, p, _, col int64) int64 { return share(col, s.width, p) }

func columnsView(s shape, p, rank int64, elem *types.Type) part {
	lo, hi := bounds(s.width, p, rank)
	return part{lo, types.Vector(s.rows, hi-lo, s.width, elem)}
}

// Blocks: a grid of ranks over rows and columns. The view is a subarray.

func blocksOwner(s shape, p, row, col int64) int64 {
	high, wide := factors(p)
	return share(row, s.rows, high)*wide + share(col, s.width, wide)
}

func blocksView(s shape, p, rank int64, elem *types.Type) part {
	high, wide := factors(p)
	top, bottom := bounds(s.rows, high, rank/wide)
	left, right := bounds(s.width, wide, rank%wide)
	if top == bottom || left == right { // an empty subarray is not allowed
		return part{0, types.Contiguous(0, elem)}
	}
	return part{0, types.Subarray(types.OrderC, []types.Slab{
		{Size: s.rows, Sub: bottom - top, Start: top},
		{Size: s.width, Sub: right - left, Start: left},
	}, elem)}
}

// Block-cyclic: small tiles, assigned in turn to a grid of ranks. The view is a darray.

const tileRows, tileCols = 2, 3

func cyclicOwner(_ shape, p, row, col int64) int64 {
	high, wide := factors(p)
	return (row/tileRows%high)*wide + col/tileCols%wide
}

func cyclicView(s shape, p, rank int64, elem *types.Type) part {
	high, wide := factors(p)
	return part{0, types.Darray(types.Grid{Size: p, Rank: rank, Dims: []types.GridDim{
		{Size: s.rows, Dist: types.DistCyclic, Arg: tileRows, Procs: high},
		{Size: s.width, Dist: types.DistCyclic, Arg: tileCols, Procs: wide},
	}}, elem)}
}

// Round-robin: one element each in turn. The view is one of p elements, tiled.

func roundRobinOwner(s shape, p, row, col int64) int64 { return (row*s.width + col) % p }

func roundRobinView(_ shape, p, rank int64, elem *types.Type) part {
	return part{0, types.Subarray(types.OrderC, []types.Slab{{Size: p, Sub: 1, Start: rank}}, elem)}
}

// Irregular: blocks of different lengths, assigned in turn with one rank skipped after each
// round, so that no rank has a regular stride. The view is an indexed type.

// lengths are the lengths of the blocks, repeated, in units of blockUnit elements.
var lengths = [...]int64{3, 1, 4, 1, 5, 9, 2, 6}

// blockAt holds, for each unit of one round of lengths, the index of its block.
var blockAt = func() (at []int64) {
	for b, n := range lengths {
		for range n {
			at = append(at, int64(b))
		}
	}
	return at
}()

// blockUnit keeps the number of blocks near 4,000 however large the array is.
func blockUnit(s shape) int64 {
	const rounds = 512
	return s.elements()/(rounds*int64(len(blockAt))) + 1
}

func irregularOwner(s shape, p, row, col int64) int64 {
	unit := (row*s.width + col) / blockUnit(s)
	round := int64(len(blockAt))
	block := unit/round*int64(len(lengths)) + blockAt[unit%round]
	return (block + block/p) % p
}

func irregularView(s shape, p, rank int64, elem *types.Type) part {
	unit, total := blockUnit(s), s.elements()
	var blocks []types.Block
	for b, at := int64(0), int64(0); at < total; b++ {
		n := min(lengths[b%int64(len(lengths))]*unit, total-at)
		if (b+b/p)%p == rank {
			blocks = append(blocks, types.Block{Len: n, Disp: at})
		}
		at += n
	}
	return part{0, types.Indexed(blocks, elem)}
}
