package types

import (
	"cmp"
	"slices"
)

// Order says which dimension of an array varies fastest in memory; its values
// are those of the ABI of MPI-5.0.
type Order int64

// The storage orders.
const (
	OrderC       Order = 12 // the last dimension
	OrderFortran Order = 15 // the first dimension
)

func (o Order) valid() bool { return o == OrderC || o == OrderFortran }

// String returns the name of o in type expressions.
func (o Order) String() string {
	switch o {
	case OrderC:
		return "c"
	case OrderFortran:
		return "fortran"
	}
	return "?"
}

// fastest returns the dimensions of an array, beginning with the one that varies fastest.
func (o Order) fastest(n int) []int {
	dims := make([]int, n)
	for i := range dims {
		dims[i] = i
		if o == OrderC {
			dims[i] = n - 1 - i
		}
	}
	return dims
}

// A Slab is one dimension of a subarray: Sub of Size elements, from Start on.
type Slab struct{ Size, Sub, Start int64 }

// subarray is a block of an array.
type subarray struct {
	order Order
	dims  []Slab
	elem  *Type
}

// Subarray returns a block of a larger array of t, with the bounds of the whole
// array as markers (DT-SUB-01, DT-SUB-02).
//
// MPI_Type_create_subarray
func Subarray(order Order, dims []Slab, t *Type) *Type {
	if bad := inherit("Subarray", t); bad != nil {
		return bad
	}
	if len(dims) == 0 {
		return broken("Subarray", ErrArg, "DT-SUB-02", "an array needs at least one dimension")
	}
	for i, d := range dims {
		switch {
		case d.Sub < 1 || d.Sub > d.Size:
			return broken("Subarray", ErrArg, "DT-SUB-02",
				"dimension %d: subsize %d is not between 1 and the size %d", i, d.Sub, d.Size)
		case d.Start < 0 || d.Start > d.Size-d.Sub:
			return broken("Subarray", ErrArg, "DT-SUB-02",
				"dimension %d: start %d is not between 0 and %d (size %d - subsize %d)", i, d.Start, d.Size-d.Sub, d.Size, d.Sub)
		}
	}
	if !order.valid() {
		return broken("Subarray", ErrArg, "DT-SUB-03", "order %d is neither OrderC nor OrderFortran", order)
	}
	return build(subarray{order, slices.Clone(dims), t})
}

func (subarray) combiner() Combiner { return CombinerSubarray }

func (a subarray) contents() Contents {
	n := len(a.dims)
	ints := make([]int64, 3*n+2)
	ints[0], ints[3*n+1] = int64(n), int64(a.order)
	for i, d := range a.dims {
		ints[1+i], ints[1+n+i], ints[1+2*n+i] = d.Size, d.Sub, d.Start
	}
	return Contents{Integers: ints, Types: []*Type{a.elem}}
}

func (a subarray) portable() bool { return a.elem.Portable() }

func (a subarray) signature() Signature {
	s := a.elem.Signature()
	for _, d := range a.dims {
		s = s.Repeat(d.Sub)
	}
	return s
}

func (a subarray) shape(l *layer) shape {
	s := l.of(a.elem)
	pitch, off := l.extent(&s), int64(0)
	for _, i := range a.order.fastest(len(a.dims)) {
		d := a.dims[i]
		s = l.repeat(s, d.Sub, pitch)
		off = l.add(off, l.mul(d.Start, pitch))
		pitch = l.mul(pitch, d.Size)
	}
	return l.bound(l.shift(s, off), 0, pitch)
}

// A Distribution says how one dimension of an array is distributed over processes; its
// values are those of the ABI of MPI-5.0.
type Distribution int64

// The distributions.
const (
	DistNone   Distribution = 16 // not distributed
	DistBlock  Distribution = 17 // one block of Arg elements for each process
	DistCyclic Distribution = 18 // blocks of Arg elements, assigned in turn
)

// String returns the name of d in type expressions.
func (d Distribution) String() string {
	switch d {
	case DistBlock:
		return "block"
	case DistCyclic:
		return "cyclic"
	case DistNone:
		return "none"
	}
	return "?"
}

// DefaultArg asks for the usual block size of a distribution: an even share for
// DistBlock, 1 for DistCyclic. Its value is MPICH's; that of the standard ABI,
// 19, would make blocks of 19 elements impossible.
//
// MPI_DISTRIBUTE_DFLT_DARG
const DefaultArg int64 = -49767

// A GridDim is one dimension of a distributed array: Size elements over Procs
// processes.
type GridDim struct {
	Size  int64
	Dist  Distribution // DistBlock if zero
	Arg   int64        // block size, or DefaultArg
	Procs int64
}

// A Grid is a distributed array as one of its processes sees it. The process grid is
// row-major in both storage orders.
type Grid struct {
	Size, Rank int64 // number of processes, and the rank of this one
	Dims       []GridDim
	Order      Order // of the array's elements; OrderC if zero
}

// darray is the part of a distributed array that one process owns.
type darray struct {
	grid Grid
	elem *Type
}

// Darray returns the part of a distributed array of t that process g.Rank owns, with the
// bounds of the whole array as markers (DT-DARR-01 to DT-DARR-06).
//
// MPI_Type_create_darray
func Darray(g Grid, t *Type) *Type {
	if bad := inherit("Darray", t); bad != nil {
		return bad
	}
	g.Order, g.Dims = cmp.Or(g.Order, OrderC), slices.Clone(g.Dims)
	for i := range g.Dims {
		g.Dims[i].Dist = cmp.Or(g.Dims[i].Dist, DistBlock)
	}
	if bad := g.check(); bad != nil {
		return &Type{recipe: basic{}, err: bad}
	}
	return build(darray{g, t})
}

func (g Grid) check() *Error {
	bad := func(rule, format string, args ...any) *Error {
		return fault("Darray", ErrArg, rule, format, args...)
	}
	switch {
	case len(g.Dims) == 0:
		return bad("DT-DARR-02", "an array needs at least one dimension")
	case !g.Order.valid():
		return bad("DT-SUB-03", "order %d is neither OrderC nor OrderFortran", g.Order)
	case g.Size < 1:
		return bad("DT-DARR-02", "size %d of the process grid is not positive", g.Size)
	case g.Rank < 0 || g.Rank >= g.Size:
		return bad("DT-DARR-02", "rank %d is not between 0 and %d", g.Rank, g.Size-1)
	}
	var c calc
	procs := int64(1)
	for i, d := range g.Dims {
		if err := d.check(i); err != nil {
			return err
		}
		procs = c.mul(procs, d.Procs)
	}
	if c.over || procs != g.Size {
		return bad("DT-DARR-02", "the process grid has %d places for %d processes", procs, g.Size)
	}
	return nil
}

func (d GridDim) check(i int) *Error {
	bad := func(rule, format string, args ...any) *Error {
		return fault("Darray", ErrArg, rule, "dimension %d: "+format, append([]any{i}, args...)...)
	}
	switch {
	case d.Size < 1:
		return bad("DT-DARR-02", "size %d is not positive", d.Size)
	case d.Procs < 1:
		return bad("DT-DARR-02", "%d processes: not positive", d.Procs)
	case d.Dist < DistNone || d.Dist > DistCyclic:
		return bad("DT-DARR-04", "distribution %d is unknown", d.Dist)
	case d.Dist == DistNone && d.Procs != 1:
		return bad("DT-DARR-04", "not distributed, yet over %d processes", d.Procs)
	case d.Dist != DistNone && d.Arg != DefaultArg && d.Arg < 1:
		return bad("DT-DARR-04", "block size %d is not positive", d.Arg)
	case d.Dist == DistBlock && d.Arg != DefaultArg && d.Arg < (d.Size-1)/d.Procs+1:
		return bad("DT-DARR-04", "%d blocks of %d do not hold %d elements", d.Procs, d.Arg, d.Size)
	}
	return nil
}

// block returns the block size; every distribution is cyclic with some block size
// (DT-DARR-04).
func (d GridDim) block() int64 {
	switch {
	case d.Dist == DistNone:
		return d.Size
	case d.Arg != DefaultArg:
		return min(d.Arg, d.Size)
	case d.Dist == DistBlock:
		return (d.Size-1)/d.Procs + 1
	}
	return 1
}

// owned describes the elements of coordinate q: full blocks, one every cycle elements from
// first on, and a last block of tail elements.
func (d GridDim) owned(q int64) (first, full, tail, cycle int64) {
	var c calc
	b := d.block()
	first = c.mul(b, q)
	if c.over || first >= d.Size {
		return 0, 0, 0, 0
	}
	rest := d.Size - first
	cycle = c.mul(b, d.Procs)
	if c.over || cycle >= d.Size {
		cycle = d.Size // one block at most
		full, tail = rest/b, rest%b
		if full > 0 {
			full, tail = 1, 0
		}
		return first, full, tail, cycle
	}
	full, tail = rest/cycle, rest%cycle
	if tail >= b {
		full, tail = full+1, 0
	}
	return first, full, tail, cycle
}

// coords returns the process coordinates of g.Rank, row-major (DT-DARR-03).
func (g Grid) coords() []int64 {
	q := make([]int64, len(g.Dims))
	r := g.Rank
	for i := len(q) - 1; i >= 0; i-- {
		q[i] = r % g.Dims[i].Procs
		r /= g.Dims[i].Procs
	}
	return q
}

func (darray) combiner() Combiner { return CombinerDarray }

func (a darray) contents() Contents {
	g, n := a.grid, len(a.grid.Dims)
	ints := make([]int64, 4*n+4)
	ints[0], ints[1], ints[2], ints[4*n+3] = g.Size, g.Rank, int64(n), int64(g.Order)
	for i, d := range g.Dims {
		ints[3+i], ints[3+n+i], ints[3+2*n+i], ints[3+3*n+i] = d.Size, int64(d.Dist), d.Arg, d.Procs
	}
	return Contents{Integers: ints, Types: []*Type{a.elem}}
}

func (a darray) portable() bool { return a.elem.Portable() }

func (a darray) signature() Signature {
	s := a.elem.Signature()
	for i, q := range a.grid.coords() {
		d := a.grid.Dims[i]
		_, full, tail, _ := d.owned(q)
		s = s.Repeat(full*d.block() + tail)
	}
	return s
}

func (a darray) shape(l *layer) shape {
	s := l.of(a.elem)
	pitch, q := l.extent(&s), a.grid.coords()
	for _, i := range a.grid.Order.fastest(len(q)) {
		d := a.grid.Dims[i]
		first, full, tail, cycle := d.owned(q[i])
		body := l.repeat(l.repeat(s, d.block(), pitch), full, l.mul(cycle, pitch))
		if tail > 0 {
			rest := l.shift(l.repeat(s, tail, pitch), l.mul(full, l.mul(cycle, pitch)))
			body = l.pairUp(body, rest)
		}
		s = l.shift(body, l.mul(first, pitch))
		pitch = l.mul(pitch, d.Size)
	}
	return l.bound(s, 0, pitch)
}

// pairUp joins two shapes with their nests.
func (l *layer) pairUp(a, b shape) shape {
	s := a
	l.join(&s, &b)
	var list lister
	list.add(a.nest)
	list.add(b.nest)
	s.nest = list.nests()
	return s
}
