package comm

import (
	"sort"

	"github.com/commworld/commworld/types"
)

// A stretch is the bytes [lo, hi) of memory, relative to a base.
type stretch struct{ lo, hi int64 }

// mostStretches bounds how many pieces of two buffers are compared. Buffers that interleave
// in more pieces are assumed not to overlap: comparing costs time in every call, and only an
// overlap that is certain is an error.
const mostStretches = 1 << 12

// shares reports whether d, cut as p describes, and o, cut as q describes, have a byte of
// memory in common that both may touch. Data that lie in gaps of the other do not count.
func (d *data) shares(p *parts, o *data, q *parts) bool {
	if p.how <= evenly && q.how <= evenly && !d.laid && !o.laid {
		return types.Overlap(d.flat, o.flat) // the most common case
	}
	if p.how != apart && q.how != apart && !types.Overlap(d.memory(), o.memory()) {
		return false
	}
	var all [2][]stretch
	base := d.memory()
	for i, x := range [2]struct {
		*data
		*parts
	}{{d, p}, {o, q}} {
		whole := true
		for _, g := range x.parts.blocks(x.data) {
			if base == nil {
				base = g.memory()
			}
			if all[i], whole = g.stretches(base, all[i]); !whole {
				return false
			}
		}
		sort.Slice(all[i], func(j, k int) bool { return all[i][j].lo < all[i][k].lo })
	}
	return meet(all[0], all[1])
}

// meet reports whether a stretch of a has a byte in common with one of b. Both
// are in order.
func meet(a, b []stretch) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].hi <= b[0].lo:
			a = a[1:]
		case b[0].hi <= a[0].lo:
			b = b[1:]
		default:
			return true
		}
	}
	return false
}

// blocks returns the regions of d that p describes.
func (p *parts) blocks(d *data) (all []region) {
	switch p.how {
	case byCounts:
		for i, n := range p.counts {
			all = append(all, region{d, p.displs[i], n})
		}
	case apart:
		for i := range p.each {
			all = append(all, p.each[i].whole())
		}
	default:
		all = append(all, d.whole())
	}
	return all
}

// memory returns memory that contains d, possibly more.
func (d *data) memory() []byte {
	if d.laid {
		return d.buf.Mem()
	}
	return d.flat
}

// stretches appends the stretches of g, relative to base; false if there are too many.
func (g *region) stretches(base []byte, to []stretch) ([]stretch, bool) {
	if g.size() == 0 {
		return to, true
	}
	off := types.Distance(base, g.memory())
	from := g.at * g.unit
	if !g.laid {
		return append(to, stretch{off + from, off + from + g.size()}), len(to) < mostStretches
	}
	l, err := g.typ.Layout(g.arch)
	if err != nil {
		return to, false
	}
	for at, n := range (types.Tiling{L: l, Disp: g.buf.Origin()}).Runs(from, min(g.size(), g.held()-from)) {
		if len(to) == mostStretches {
			return to, false
		}
		to = append(to, stretch{off + at, off + at + n})
	}
	return to, true
}
