package main

import (
	"slices"
	"sort"
	"strconv"

	"github.com/commworld/commworld/types"
)

// A route names the items of a type by their path. Struct fields are .0 .1 and so on, members
// of pairs .value and .index; copies and blocks are [i]; places in an array of subarray or
// darray are [row,column].
type route interface {
	items() int64                  // number of items
	name(b []byte, i int64) []byte // appends the path of item i to b
}

// routeOf returns the route of t.
func routeOf(t *types.Type) route {
	env := t.Envelope()
	if env.Combiner == types.CombinerValueIndex || env.Combiner == types.CombinerNamed && t.Kind() == types.KindNone {
		return pairRoute{}
	}
	if env.Combiner == types.CombinerNamed || t.Kind() != types.KindNone {
		return itemRoute{}
	}
	c, err := t.Contents()
	if err != nil {
		panic(err) // only named types have no contents
	}
	n := c.Integers
	switch env.Combiner {
	case types.CombinerContiguous:
		return repeatRoute{n[0], routeOf(c.Types[0])}
	case types.CombinerVector, types.CombinerHVector:
		return blocksRoute(n[0], n[1], routeOf(c.Types[0]))
	case types.CombinerIndexedBlock, types.CombinerHIndexedBlock:
		return blocksRoute(n[0], n[1], routeOf(c.Types[0]))
	case types.CombinerIndexed, types.CombinerHIndexed, types.CombinerStruct:
		return newListRoute(c, n[1:1+n[0]], env.Combiner == types.CombinerStruct)
	case types.CombinerSubarray:
		return subarrayRoute(n, routeOf(c.Types[0]))
	case types.CombinerDarray:
		return darrayRoute(n, routeOf(c.Types[0]))
	}
	return routeOf(c.Types[0]) // dup, resized
}

// newListRoute returns the route of a struct's fields, or of blocks of one type. lens has the
// number of copies in each.
func newListRoute(c types.Contents, lens []int64, fields bool) *listRoute {
	l := &listRoute{starts: []int64{0}, fields: fields}
	var elem route
	for k, n := range lens {
		if t := c.Types[min(k, len(c.Types)-1)]; t == types.LB || t == types.UB {
			elem, n = itemRoute{}, 0
		} else if fields || k == 0 { // all blocks share one route
			elem = routeOf(t)
		}
		l.indexCopies = l.indexCopies || n != 1
		l.parts = append(l.parts, repeatRoute{n, elem})
		l.starts = append(l.starts, l.starts[k]+n*elem.items())
	}
	return l
}

// An itemRoute is a single item, which adds nothing to the path.
type itemRoute struct{}

func (itemRoute) items() int64                  { return 1 }
func (itemRoute) name(b []byte, _ int64) []byte { return b }

type pairRoute struct{}

func (pairRoute) items() int64 { return 2 }
func (pairRoute) name(b []byte, i int64) []byte {
	if i == 0 {
		return append(b, ".value"...)
	}
	return append(b, ".index"...)
}

// A repeatRoute is n copies of elem.
type repeatRoute struct {
	n    int64
	elem route
}

func (r repeatRoute) items() int64 { return r.n * r.elem.items() }
func (r repeatRoute) name(b []byte, i int64) []byte {
	each := r.elem.items()
	return r.elem.name(index(b, i/each), i%each)
}

func index(b []byte, i int64) []byte {
	return append(strconv.AppendInt(append(b, '['), i, 10), ']')
}

// blocksRoute returns n blocks of length copies; blocks of one copy have no second index.
func blocksRoute(n, length int64, elem route) route {
	if length == 1 {
		return repeatRoute{n, elem}
	}
	return repeatRoute{n, repeatRoute{length, elem}}
}

// A listRoute is blocks of different lengths, or the fields of a struct.
type listRoute struct {
	parts       []repeatRoute
	starts      []int64 // first item of each part, and the number of items
	fields      bool
	indexCopies bool // some part has more than one copy, or none
}

func (l *listRoute) items() int64 { return l.starts[len(l.parts)] }

func (l *listRoute) name(b []byte, i int64) []byte {
	k := sort.Search(len(l.parts), func(k int) bool { return l.starts[k+1] > i })
	part, indexCopies := l.parts[k], l.indexCopies
	if l.fields {
		b, indexCopies = strconv.AppendInt(append(b, '.'), int64(k), 10), part.n != 1
	} else {
		b = index(b, int64(k))
	}
	if indexCopies {
		return part.name(b, i-l.starts[k])
	}
	return part.elem.name(b, i-l.starts[k])
}

// A gridRoute is a part of an array; its items are named by their place in the whole array.
type gridRoute struct {
	counts []int64 // elements of the part, by dimension
	orders []int   // dimensions from the slowest to the fastest
	elem   route
	place  func(dim int, k int64) int64 // index in the array of element k of the part
}

func newGridRoute(counts []int64, order int64, elem route, place func(int, int64) int64) gridRoute {
	g := gridRoute{counts: counts, elem: elem, place: place}
	for dim := range counts {
		g.orders = append(g.orders, dim)
	}
	if order == int64(types.OrderFortran) {
		slices.Reverse(g.orders)
	}
	return g
}

// subarrayRoute parses the integers of a subarray in the order of the standard.
func subarrayRoute(n []int64, elem route) route {
	dims := n[0]
	counts, starts, order := n[1+dims:1+2*dims], n[1+2*dims:1+3*dims], n[1+3*dims]
	return newGridRoute(counts, order, elem, func(dim int, k int64) int64 { return starts[dim] + k })
}

func (g gridRoute) items() int64 {
	n := g.elem.items()
	for _, c := range g.counts {
		n *= c
	}
	return n
}

func (g gridRoute) name(b []byte, i int64) []byte {
	each := g.elem.items()
	at, rest := make([]int64, len(g.counts)), i/each
	for o := len(g.orders) - 1; o >= 0; o-- {
		d := g.orders[o]
		at[d] = g.place(d, rest%g.counts[d])
		rest /= g.counts[d]
	}
	b = append(b, '[')
	for d, k := range at {
		if d > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, k, 10)
	}
	return g.elem.name(append(b, ']'), i%each)
}

// darrayRoute parses the integers of a darray in the order of the standard. In each dimension
// the processes get blocks of the array in rounds, one block each.
func darrayRoute(n []int64, elem route) route {
	rank, dims := n[1], n[2]
	list := func(k int64) []int64 { return n[3+k*dims : 3+(k+1)*dims] }
	sizes, distributions, args, procs, order := list(0), list(1), list(2), slices.Clone(list(3)), n[3+4*dims]
	coords := make([]int64, dims)
	for d := dims - 1; d >= 0; d-- { // ranks are in row-major order, for both storage orders of the array
		coords[d], rank = rank%procs[d], rank/procs[d]
	}
	block, counts := make([]int64, dims), make([]int64, dims)
	for d := range dims {
		switch distribution := types.Distribution(distributions[d]); {
		case distribution == types.DistNone:
			block[d], coords[d], procs[d] = sizes[d], 0, 1
		case args[d] != types.DefaultArg:
			block[d] = args[d]
		case distribution == types.DistBlock:
			block[d] = (sizes[d] + procs[d] - 1) / procs[d]
		default:
			block[d] = 1
		}
		round := block[d] * procs[d]
		lastBlock := sizes[d]%round - coords[d]*block[d]
		counts[d] = sizes[d]/round*block[d] + max(0, min(block[d], lastBlock))
	}
	return newGridRoute(counts, order, elem, func(d int, k int64) int64 {
		round, inBlock := k/block[d], k%block[d]
		return (round*procs[d]+coords[d])*block[d] + inBlock
	})
}
