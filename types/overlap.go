package types

import (
	"cmp"
	"slices"
)

// overlap is what has been found out about a layout's overlaps.
type overlap int32

const (
	unknown overlap = iota
	apart
	overlapping
)

// Overlaps reports whether some byte belongs to two items of one copy. The
// answer is exact if displacements never decrease, as views demand, and for all
// layouts of up to four million runs. Of others it errs to true where no simple
// rule shows them free of overlap.
func (l *Layout) Overlaps() bool {
	sh := &l.shape
	switch {
	case sh.size == 0 || sh.apart:
		return false
	case sh.rising || sh.size > sh.data.hi-sh.data.lo:
		return true // an item begins before the one ahead of it ends; more bytes than room
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

// apart reports whether a simple rule shows that no two runs of nd meet.
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

// apartRep tries the dimensions of a nest of repetitions from the narrowest
// stride on: each must step over all that the narrower ones cover.
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
	slices.SortFunc(dims, func(a, b dim) int { return cmp.Compare(a.stride, b.stride) })
	span := in.hi - in.lo
	for _, d := range dims {
		if d.stride < span {
			return false
		}
		span += (d.n - 1) * d.stride
	}
	return true
}

// apartByRuns writes all runs down and sorts them, if they are not too many.
func (nd *node) apartByRuns() bool {
	const most = 4 << 20
	if nd.pieces(most) > most {
		return false
	}
	var spans [][2]int64
	r := runMerger{yield: func(off, n int64) bool {
		spans = append(spans, [2]int64{off, off + n})
		return true
	}}
	r.node(nd, 0, 0, nd.size)
	r.put(r.off-1, 0) // hands over the last run
	return disjoint(spans)
}

// pieces counts the runs of nd, giving up above most.
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

// disjoint reports whether intervals are; it sorts them.
func disjoint(spans [][2]int64) bool {
	slices.SortFunc(spans, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	for i := 1; i < len(spans); i++ {
		if spans[i][0] < spans[i-1][1] {
			return false
		}
	}
	return true
}
