package types

import (
	"math"
	"slices"
	"sort"
)

// An overlap records the known facts about a layout's overlaps.
type overlap int32

const (
	unknown overlap = iota
	apart
	overlapping
)

// Overlaps reports whether some byte belongs to two items of one copy. The answer is exact
// if displacements never decrease, as views require, and for all layouts of up to four
// million runs. For other layouts it may be true although no bytes overlap, unless a simple
// rule excludes an overlap.
func (l *Layout) Overlaps() bool {
	sh := &l.shape
	switch {
	case sh.size == 0 || sh.apart:
		return false
	case sh.rising || sh.size > sh.data.hi-sh.data.lo:
		return true // an item begins before the previous one ends; or more bytes than the span has
	}
	if o := overlap(l.overlap.Load()); o != unknown {
		return o == overlapping
	}
	o := overlapping
	if sh.nest.nd.apart() || sh.nest.nd.apartByRuns() {
		o = apart
	}
	l.overlap.Store(int32(o))
	return o == overlapping
}

// OverlapsIn reports whether some byte belongs to two items of n copies of l, one every
// Extent bytes. It is as exact as [Layout.Overlaps]. If copies interleave and one copy
// has more than a million runs, it returns true without a search. The result is kept, so
// later calls are quick.
func (l *Layout) OverlapsIn(n int64) bool {
	reach, ext := l.TrueUB-l.TrueLB, magnitude(l.Extent)
	switch {
	case n < 1 || l.Size == 0:
		return false
	case l.Overlaps():
		return true
	case n == 1 || uint64(reach) <= ext:
		return false
	case ext == 0 || reach > math.MaxInt64/2:
		return true
	}
	most := l.copies.Load()
	if most == 0 {
		most = l.apartCopies(reach/int64(ext)+1, int64(ext))
		l.copies.Store(most)
	}
	if most > 0 {
		return n > most
	}
	return !l.shape.nest.nd.copiesApart(min(n, reach/int64(ext)+1), int64(ext))
}

// apartCopies returns how many copies of l, one every ext bytes, share no byte:
// math.MaxInt64 for any number, a negative number if the search takes too long. Only copies
// at a distance of less than near can share one.
func (l *Layout) apartCopies(near, ext int64) int64 {
	const most = 1 << 20
	nd := l.shape.nest.nd
	switch {
	case nd.copiesApart(near, ext):
		return math.MaxInt64
	case nd.pieces(most) > most:
		return -1
	}
	return closest(nd.spans(), ext)
}

// copiesApart reports whether a simple rule shows that n copies of nd, one every stride
// bytes, share no byte.
func (nd *node) copiesApart(n, stride int64) bool {
	all := node{op: opRep, n: n, stride: stride, kid: nd}
	return all.apartRep()
}

// closest returns the least number of steps of ext bytes by which one of spans can be moved
// onto another one: so many copies share no byte. Bytes at a distance of whole steps are
// equal modulo ext, so it compares only those. It returns a negative number if the search
// takes too long.
func closest(spans [][2]int64, ext int64) int64 {
	type piece struct{ lo, hi, step int64 }
	var begins []piece
	for _, s := range spans {
		n := s[1] - s[0]
		if n > ext {
			return 1
		}
		step, lo := s[0]/ext, s[0]%ext
		if lo < 0 {
			step, lo = step-1, lo+ext
		}
		begins = append(begins, piece{lo, min(lo+n, ext), step})
		if over := lo + n - ext; over > 0 {
			begins = append(begins, piece{0, over, step + 1})
		}
	}
	ends := slices.Clone(begins)
	sort.Slice(begins, func(i, j int) bool {
		a, b := &begins[i], &begins[j]
		return a.lo < b.lo || a.lo == b.lo && a.step < b.step
	})
	sort.Slice(ends, func(i, j int) bool { return ends[i].hi < ends[j].hi })
	const patience = 1 << 28
	least, moved := int64(math.MaxInt64), 0
	var open []int64 // the steps of pieces that have begun and not ended, in order
	for _, p := range begins {
		for ; ends[0].hi <= p.lo; ends = ends[1:] {
			at, _ := slices.BinarySearch(open, ends[0].step)
			open, moved = slices.Delete(open, at, at+1), moved+len(open)-at
		}
		at, _ := slices.BinarySearch(open, p.step)
		if at > 0 {
			least = min(least, p.step-open[at-1])
		}
		if at < len(open) {
			least = min(least, open[at]-p.step)
		}
		open, moved = slices.Insert(open, at, p.step), moved+len(open)-at
		if moved > patience {
			return -1
		}
	}
	return least
}

// apart reports whether a simple rule shows that no two runs of nd overlap.
func (nd *node) apart() bool {
	switch nd.op {
	case opRun:
		return true
	case opRep:
		return nd.apartRep()
	}
	spans, widest := make([][2]int64, len(nd.offs)), int64(0)
	for i := range nd.offs {
		spans[i][0], spans[i][1] = nd.entrySpan(i)
		widest = max(widest, nd.start(i+1)-nd.start(i))
		if nd.kids != nil && !nd.kids[i].apart() {
			return false
		}
	}
	switch {
	case nd.kid == nil:
	case nd.starts == nil:
		if !nd.kid.apart() {
			return false
		}
	case !repNode(widest/nd.kid.size, nd.stride, nd.kid).apart():
		return false
	}
	return disjoint(spans)
}

// apartRep compares the dimensions of nested repetitions, beginning with the narrowest
// stride: each must step over everything that the narrower ones cover.
func (nd *node) apartRep() bool {
	type dim struct{ n, stride int64 }
	var dims []dim
	in := nd
	for ; in.op == opRep; in = in.kid {
		dims = append(dims, dim{in.n, max(in.stride, -in.stride)})
	}
	if !in.apart() {
		return false
	}
	sort.Slice(dims, func(i, j int) bool { return dims[i].stride < dims[j].stride })
	span := in.hi - in.lo
	for _, d := range dims {
		if d.stride < span {
			return false
		}
		span += (d.n - 1) * d.stride
	}
	return true
}

// apartByRuns lists all runs and sorts them, if they are not too many.
func (nd *node) apartByRuns() bool {
	const most = 4 << 20
	if nd.pieces(most) > most {
		return false
	}
	return disjoint(nd.spans())
}

// spans returns all runs of nd.
func (nd *node) spans() (all [][2]int64) {
	r := runMerger{yield: func(off, n int64) bool {
		all = append(all, [2]int64{off, off + n})
		return true
	}}
	r.node(nd, 0, 0, nd.size)
	r.put(r.off-1, 0) // emits the last run
	return all
}

// pieces returns the number of runs of nd, or stops above most.
func (nd *node) pieces(most int64) int64 {
	if nd.op == opRun {
		return 1
	}
	times, n := nd.n, int64(0)
	switch {
	case nd.op == opRep:
		n = nd.kid.pieces(most)
	case nd.kids != nil:
		for _, k := range nd.kids {
			if n += k.pieces(most); n > most {
				return n
			}
		}
		return n
	case nd.kid == nil:
		return int64(len(nd.offs))
	default:
		times, n = nd.size/nd.kid.size, nd.kid.pieces(most)
	}
	if n > most/times {
		return most + 1
	}
	return n * times
}

// disjoint reports whether intervals are disjoint; it sorts them.
func disjoint(spans [][2]int64) bool {
	sort.Slice(spans, func(i, j int) bool { return spans[i][0] < spans[j][0] })
	for i := 1; i < len(spans); i++ {
		if spans[i][0] < spans[i-1][1] {
			return false
		}
	}
	return true
}
