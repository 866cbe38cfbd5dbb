package comm

import (
	"cmp"
	"slices"

	"github.com/commworld/commworld/types"
)

// A stretch is bytes [lo, hi) of memory, counted from somewhere.
type stretch struct{ lo, hi int64 }

// mostStretches bounds how many pieces of two buffers are compared. Buffers that
// interleave in more of them are taken to be apart: comparing costs time with
// every call, and only an error that is certain is one.
const mostStretches = 1 << 12

// shares reports whether d, cut up as p says, and o, as q says, have a byte of
// memory in common that both may touch. Data in the gaps of the others share none.
func (d *data) shares(p *parts, o *data, q *parts) bool {
	if p.how <= evenly && q.how <= evenly && !d.laid && !o.laid {
		return types.Overlap(d.flat, o.flat) // what most calls are
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
		slices.SortFunc(all[i], func(a, b stretch) int { return cmp.Compare(a.lo, b.lo) })
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

// blocks are the regions of d that p speaks of.
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

// memory is where d lies, or more.
func (d *data) memory() []byte {
	if d.laid {
		return d.buf.Mem()
	}
	return d.flat
}

// stretches adds those of g, counted from base; false if there are too many.
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
	for at, n := range (types.Tiling{L: l, Disp: g.buf.Origin()}).Runs(from, g.size()) {
		if len(to) == mostStretches {
			return to, false
		}
		to = append(to, stretch{off + at, off + at + n})
	}
	return to, true
}
