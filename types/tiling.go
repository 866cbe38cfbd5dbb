package types

import (
	"iter"
	"math"
)

// A Tiling is a layout repeated without end, as a file view repeats its filetype: copy k is
// at Disp + k extents. Positions count packed bytes: bytes of data in typemap order, copy
// after copy. A layout without data has no positions.
type Tiling struct {
	L    *Layout
	Disp int64
}

// At returns the offset of packed byte pos.
func (w Tiling) At(pos int64) int64 {
	nd := w.L.tile.nd
	if nd == nil {
		return w.Disp
	}
	k := pos / nd.size
	return w.Disp + w.L.tile.off + k*w.L.pitch + nd.at(pos-k*nd.size)
}

// at returns the offset of packed byte pos of one node.
func (nd *node) at(pos int64) (off int64) {
	for {
		switch nd.op {
		case opRun:
			return off + pos
		case opRep:
			i := pos / nd.kid.size
			off, pos, nd = off+i*nd.stride, pos-i*nd.kid.size, nd.kid
			continue
		}
		i := nd.find(pos)
		off, pos = off+nd.offs[i], pos-nd.start(i)
		switch {
		case nd.kids != nil:
			nd = nd.kids[i]
		case nd.kid == nil:
			return off + pos
		case nd.starts == nil:
			nd = nd.kid
		default:
			k := pos / nd.kid.size
			off, pos, nd = off+k*nd.stride, pos-k*nd.kid.size, nd.kid
		}
	}
}

// Runs returns packed bytes [from, from+n) as runs (offset, length) of adjacent bytes, in
// typemap order; neighbours that touch are one run.
func (w Tiling) Runs(from, n int64) iter.Seq2[int64, int64] {
	return func(yield func(int64, int64) bool) {
		nd := w.L.tile.nd
		if nd == nil || n <= 0 {
			return
		}
		r := runMerger{yield: yield}
		r.rep(nd, w.L.pitch, w.Disp+w.L.tile.off, from, n)
		if r.n > 0 && !r.stop {
			yield(r.off, r.n)
		}
	}
}

// A runMerger joins adjacent runs before they are yielded.
type runMerger struct {
	yield  func(int64, int64) bool
	off, n int64
	stop   bool
}

func (r *runMerger) put(off, n int64) {
	if off == r.off+r.n && r.n > 0 {
		r.n += n
		return
	}
	if r.n > 0 {
		r.stop = r.stop || !r.yield(r.off, r.n)
	}
	r.off, r.n = off, n
}

// rep adds packed bytes [from, from+n) of endless copies of kid.
func (r *runMerger) rep(kid *node, stride, off, from, n int64) {
	if kid.op == opRun && stride == kid.size {
		r.put(off+from, n)
		return
	}
	for k := from / kid.size; n > 0 && !r.stop; k++ {
		skip := from - k*kid.size
		part := min(n, kid.size-skip)
		r.node(kid, off+k*stride, skip, part)
		from, n = from+part, n-part
	}
}

func (r *runMerger) node(nd *node, off, from, n int64) {
	switch nd.op {
	case opRun:
		r.put(off+from, n)
		return
	case opRep:
		r.rep(nd.kid, nd.stride, off, from, n)
		return
	}
	for i := nd.find(from); n > 0 && !r.stop; i++ {
		skip := from - nd.start(i)
		part := min(n, nd.start(i+1)-from)
		switch at := off + nd.offs[i]; {
		case nd.kids != nil:
			r.node(nd.kids[i], at, skip, part)
		case nd.kid == nil:
			r.put(at+skip, part)
		case nd.starts == nil:
			r.node(nd.kid, at, skip, part)
		default:
			r.rep(nd.kid, nd.stride, at, skip, part)
		}
		from, n = from+part, n-part
	}
}

// Until returns how many of packed bytes [from, from+n) come, in typemap order, before the
// first one at offset limit or beyond: n if there is none. It costs as much as a seek,
// however many bytes it skips.
func (w Tiling) Until(limit, from, n int64) int64 {
	nd := w.L.tile.nd
	if nd == nil || n <= 0 {
		return max(n, 0)
	}
	if w.L.TrueLB >= 0 && w.L.pitch >= 0 && limit <= w.Disp { // there is none; the difference might overflow
		return 0
	}
	limit = max(-farOff, min(limit, farOff)) - (w.Disp + w.L.tile.off)
	return min(n, untilRep(nd, w.L.pitch, math.MaxInt64, limit, from)-from)
}

// farOff bounds the limits that Until distinguishes; no file is as long.
const farOff = 1 << 62

// Below returns the packed position of the first byte at offset limit or beyond,
// math.MaxInt64 if there is none. In a monotone tiling that is the number of its bytes
// below limit.
func (w Tiling) Below(limit int64) int64 {
	return w.Until(limit, 0, math.MaxInt64)
}

// untilRep returns the first packed position from position from on, of n copies of kid,
// that is at limit or beyond; math.MaxInt64 if there is none.
func untilRep(kid *node, stride, n, limit, from int64) int64 {
	k := from / kid.size
	if skip := from - k*kid.size; skip > 0 {
		if k >= n {
			return math.MaxInt64
		}
		if p := kid.until(limit-k*stride, skip); p < math.MaxInt64 {
			return k*kid.size + p
		}
		k++
	}
	if far := limit - kid.hi + 1; k*stride < far { // copy k ends before limit
		if stride <= 0 {
			return math.MaxInt64
		}
		k = (far-1)/stride + 1 // far > 0, since k and stride are not negative
	}
	if k >= n || k > math.MaxInt64/kid.size {
		return math.MaxInt64
	}
	return k*kid.size + kid.until(limit-k*stride, 0)
}

// until is untilRep for one node.
func (nd *node) until(limit, from int64) int64 {
	switch {
	case limit <= nd.lo && from < nd.size:
		return from
	case limit >= nd.hi:
		return math.MaxInt64
	case nd.op == opRun:
		if p := max(from, limit); p < nd.size {
			return p
		}
		return math.MaxInt64
	case nd.op == opRep:
		return untilRep(nd.kid, nd.stride, nd.n, limit, from)
	}
	i := nd.find(from)
	if skip := from - nd.start(i); skip > 0 {
		if p := nd.untilEntry(i, limit, skip); p < math.MaxInt64 {
			return p
		}
		i++
	}
	if i = nd.reach(i, limit); i == len(nd.offs) {
		return math.MaxInt64
	}
	return nd.untilEntry(i, limit, 0)
}

// untilEntry is until for entry i of a list, as a position of the list.
func (nd *node) untilEntry(i int, limit, skip int64) int64 {
	limit -= nd.offs[i]
	start, p := nd.start(i), int64(0)
	switch {
	case nd.kids != nil:
		p = nd.kids[i].until(limit, skip)
	case nd.kid == nil:
		if p = max(skip, limit); p >= nd.starts[i+1]-start {
			return math.MaxInt64
		}
	case nd.starts == nil:
		p = nd.kid.until(limit, skip)
	default:
		p = untilRep(nd.kid, nd.stride, (nd.starts[i+1]-start)/nd.kid.size, limit, skip)
	}
	if p == math.MaxInt64 {
		return p
	}
	return start + p
}

// Span returns an interval of offsets that contains packed bytes [from, from+n). It may be
// wider, because it covers whole copies at both ends. For n = 0 it is empty.
func (w Tiling) Span(from, n int64) (lo, hi int64) {
	nd := w.L.tile.nd
	if nd == nil || n <= 0 {
		return w.Disp, w.Disp
	}
	lo, hi = spanRep(nd, w.L.pitch, from, n)
	off := w.Disp + w.L.tile.off
	return lo + off, hi + off
}

func spanRep(kid *node, stride, from, n int64) (lo, hi int64) {
	first, last := from/kid.size, (from+n-1)/kid.size
	a, b := first*stride, last*stride
	if first == last {
		lo, hi = kid.span(from-first*kid.size, n)
		return lo + a, hi + a
	}
	lo, hi = kid.lo+min(a, b), kid.hi+max(a, b)
	if stride > 0 && kid.op == opRun { // the common case is exact
		lo = a + min(from-first*kid.size, stride)
		hi = b + max(from+n-last*kid.size, kid.size-stride)
	}
	return lo, hi
}

func (nd *node) span(from, n int64) (lo, hi int64) {
	switch {
	case n == nd.size:
		return nd.lo, nd.hi
	case nd.op == opRun:
		return from, from + n
	case nd.op == opRep:
		return spanRep(nd.kid, nd.stride, from, n)
	}
	first, last := nd.find(from), nd.find(from+n-1)
	if first != last {
		lo, hi = nd.lo, nd.hi
		if nd.mono {
			_, hi = nd.entrySpan(last)
		}
		if nd.asc {
			lo, _ = nd.entrySpan(first)
		}
		return lo, hi
	}
	from -= nd.start(first)
	switch {
	case nd.kids != nil:
		lo, hi = nd.kids[first].span(from, n)
	case nd.kid == nil:
		lo, hi = from, from+n
	case nd.starts == nil:
		lo, hi = nd.kid.span(from, n)
	default:
		lo, hi = spanRep(nd.kid, nd.stride, from, n)
	}
	return lo + nd.offs[first], hi + nd.offs[first]
}
