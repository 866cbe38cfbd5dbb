package main

import (
	"sort"
	"strconv"

	"github.com/commworld/commworld/types"
)

// A route gives names to the items of a type: the path from an element to item i. Struct
// fields are .0 .1 and so on, members of pairs .value and .index; copies and blocks are
// [i]; places in an array of subarray or darray are [row,column].
type route interface {
	items() int64
	name(b []byte, i int64) []byte
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
		d := n[0]
		return arrayRoute(n[1:1+d], n[1+d:1+2*d], n[1+3*d] == int64(types.OrderFortran), routeOf(c.Types[0]),
			func(dim int, k int64) int64 { return n[1+2*d+int64(dim)] + k })
	case types.CombinerDarray:
		return darrayRoute(n, routeOf(c.Types[0]))
	}
	return routeOf(c.Types[0]) // dup, resized
}

// newListRoute returns the route of blocks of the given lengths: fields, or of one type.
func newListRoute(c types.Contents, lens []int64, fields bool) *listRoute {
	l := &listRoute{starts: []int64{0}, fields: fields}
	for k, m := range lens {
		elem := 0
		if l.fields {
			elem = k
		}
		var part route
		if k > 0 && !l.fields {
			part = l.elem
		} else if c.Types[elem] == types.LB || c.Types[elem] == types.UB {
			part, m = itemRoute{}, 0
		} else {
			part = routeOf(c.Types[elem])
		}
		if l.elem == nil {
			l.elem = part
		}
		if m != 1 {
			l.many = true
		}
		l.parts = append(l.parts, repeatRoute{m, part})
		l.starts = append(l.starts, l.starts[k]+m*part.items())
	}
	return l
}

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
	parts  []repeatRoute
	elem   route
	starts []int64 // first item of each part, and the number of items
	fields bool
	many   bool // some block has more than one copy, or none
}

func (l *listRoute) items() int64 { return l.starts[len(l.parts)] }

func (l *listRoute) name(b []byte, i int64) []byte {
	k := sort.Search(len(l.parts), func(k int) bool { return l.starts[k+1] > i })
	p := l.parts[k]
	i -= l.starts[k]
	if l.fields {
		b = strconv.AppendInt(append(b, '.'), int64(k), 10)
		if p.n == 1 {
			return p.elem.name(b, i)
		}
		return p.name(b, i)
	}
	b = index(b, int64(k))
	if !l.many {
		return p.elem.name(b, i)
	}
	return p.name(b, i)
}

// A gridRoute is a part of an array; its items are named by their place in the whole array.
type gridRoute struct {
	counts []int64 // elements of the part, by dimension
	orders []int   // dimensions from the slowest to the fastest
	elem   route
	place  func(dim int, k int64) int64 // index in the array of element k of the part
}

func arrayRoute(sizes, counts []int64, fortran bool, elem route, place func(int, int64) int64) route {
	g := gridRoute{counts: counts, elem: elem, place: place}
	for d := range sizes {
		if fortran {
			d = len(sizes) - 1 - d
		}
		g.orders = append(g.orders, d)
	}
	return g
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

// darrayRoute parses the arguments of darray in the order of the standard.
func darrayRoute(n []int64, elem route) route {
	rank, d := n[1], n[2]
	sizes, dists, args, procs := n[3:3+d], n[3+d:3+2*d], n[3+2*d:3+3*d], n[3+3*d:3+4*d]
	coords, rest := make([]int64, d), rank
	for k := d - 1; k >= 0; k-- { // ranks are in row-major order, for both storage orders of the array
		coords[k], rest = rest%procs[k], rest/procs[k]
	}
	block, counts := make([]int64, d), make([]int64, d)
	for k := range d {
		switch b := args[k]; {
		case types.Distribution(dists[k]) == types.DistNone:
			block[k], coords[k], procs = sizes[k], 0, replaced(procs, k, 1)
		case b != types.DefaultArg:
			block[k] = b
		case types.Distribution(dists[k]) == types.DistBlock:
			block[k] = (sizes[k] + procs[k] - 1) / procs[k]
		default:
			block[k] = 1
		}
		round := block[k] * procs[k]
		counts[k] = sizes[k]/round*block[k] + max(0, min(block[k], sizes[k]%round-coords[k]*block[k]))
	}
	return arrayRoute(sizes, counts, n[3+4*d] == int64(types.OrderFortran), elem, func(dim int, k int64) int64 {
		return k/block[dim]*block[dim]*procs[dim] + coords[dim]*block[dim] + k%block[dim]
	})
}

func replaced(v []int64, i, x int64) []int64 {
	v = append([]int64(nil), v...)
	v[i] = x
	return v
}
