package views

import (
	"iter"
	"math"
	"slices"
	"sort"

	"github.com/commworld/commworld/consistency"
)

// A window is the part of the file to look at: bytes [0, end). Drawings begin at from, to
// leave out a header.
type window struct{ from, end int64 }

// A ByteMap says which ranks see which bytes of a window of the file, through their views.
// It can be drawn.
type ByteMap struct {
	*Request
	form  Form
	views []*rankView
	win   window
	shown []int // ranks to list and draw
	seen  []rankRuns
	parts []stretch // the window up to known, split where the ranks that see it change
	known int64
	notes []Note
}

// A rankRuns is the part of the window that one rank sees: runs (offset, length) in the
// order of its view.
type rankRuns struct {
	runs  [][2]int64
	cut   bool
	known int64 // all runs that begin below are listed
}

// A stretch is bytes [lo, hi) that the same ranks see; a rank that shows them twice is
// listed twice.
type stretch struct {
	lo, hi int64
	ranks  []int
}

// The default size of the window, and the greatest number of entries in the lists of
// overlapping ranks.
const (
	allRuns      = 1_000_000
	rankRunsMost = 100_000
	mostEntries  = 4_000_000
)

func newByteMap(c *Request, form Form, views []*rankView) *ByteMap {
	s := &ByteMap{Request: c, form: form, views: views, win: c.window(views), shown: c.Show}
	limit := c.Limit
	if limit == 0 {
		limit = min(rankRunsMost, allRuns/int64(len(views)))
	}
	s.known = s.win.end
	for _, v := range views {
		v.tangled = v.interleaved() || c.ReadOnly && v.Tiles.L.Overlaps()
		rr := v.runs(s.win.end, limit)
		s.seen = append(s.seen, rr)
		s.known = min(s.known, rr.known)
	}
	s.sweep()
	if s.shown == nil {
		const all, few = 12, 8
		n := len(views)
		if n > all {
			n = few
		}
		for r := range n {
			s.shown = append(s.shown, r)
		}
	}
	return s
}

// window returns the part of the file that the request asks for, or else one extent.
func (c *Request) window(views []*rankView) window {
	from, extent := int64(math.MaxInt64), int64(1)
	for _, v := range views {
		l := v.Tiles.L
		from = min(from, v.disp)
		if extent = max(extent, l.Extent); l.Extent == 0 {
			extent = max(extent, l.TrueUB)
		}
	}
	end := c.Bytes
	if end == 0 {
		end = min(plus(from, extent), consistency.MaxSize)
	}
	return window{min(from, end-1), end}
}

// plus returns a+b, but at most the greatest int64; b is not negative.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// copies returns the numbers [first, behind) of the copies of the filetype that may have
// data in [lo, hi).
func (v *rankView) copies(lo, hi int64) (first, behind int64) {
	l := v.Tiles.L
	if l.Size == 0 || v.disp >= hi-l.TrueLB {
		return 0, 0
	}
	if l.Extent == 0 { // all copies are in the same place
		return 0, 2
	}
	if beyond := lo - v.disp - l.TrueUB; v.disp < lo && beyond >= 0 {
		first = beyond/l.Extent + 1
	}
	return first, (hi-l.TrueLB-v.disp-1)/l.Extent + 1
}

// interleaved reports whether a copy reaches beyond the beginning of the next.
func (v *rankView) interleaved() bool {
	l := v.Tiles.L
	return l.TrueUB-l.TrueLB > l.Extent
}

// runs lists what the rank sees of the first end bytes, limit runs at most.
func (v *rankView) runs(end, limit int64) rankRuns {
	rr := rankRuns{known: end}
	var off, n int64
	flush := func() bool {
		if n == 0 || off >= end {
			return true
		}
		if int64(len(rr.runs)) == limit {
			rr.cut, rr.known = true, min(end, off)
			return false
		}
		rr.runs = append(rr.runs, [2]int64{off, min(n, end-off)})
		return true
	}
	for copyNo, run := range v.pieces(end) {
		if n > 0 && run[0] == off+n {
			n += run[1]
			continue
		}
		if !flush() {
			if v.tangled { // later copies may reach back
				rr.known = max(0, min(rr.known, v.disp+v.Tiles.L.TrueLB+copyNo*v.Tiles.L.Extent))
			}
			return rr
		}
		off, n = run[0], run[1]
	}
	flush()
	return rr
}

// pieces yields the runs below end in the order of the view, each with the number of its
// copy. If copies overlap, a copy that continues beyond end also yields its first run
// there, so that its data before and after that run do not look adjacent. A run may come
// in several parts.
func (v *rankView) pieces(end int64) iter.Seq2[int64, [2]int64] {
	return func(yield func(int64, [2]int64) bool) {
		first, behind := v.copies(0, end)
		size := v.Tiles.L.Size
		if first == behind {
			return
		}
		if !v.tangled {
			for off, n := range v.Tiles.Runs(0, v.Tiles.Below(end)) {
				if !yield(0, [2]int64{off, n}) {
					return
				}
			}
			return
		}
		for k := first; k < behind; k++ {
			for off, n := range v.Tiles.Runs(k*size, size) {
				if !yield(k, [2]int64{off, n}) {
					return
				}
				if off >= end { // displacements do not decrease within a copy
					break
				}
			}
		}
	}
}

// sees reports whether the rank sees some byte of [lo, hi).
func (v *rankView) sees(lo, hi int64) bool {
	if v.Tiles.L.Size == 0 {
		return false
	}
	if !v.interleaved() {
		at := v.Tiles.Below(lo)
		return at < math.MaxInt64 && v.Tiles.At(at) < hi
	}
	const most = 64 // copies to look at; more copies than that in one place cover it
	first, behind := v.copies(lo, hi)
	found := behind-first > most
	for k := first; k < min(behind, first+most) && !found; k++ {
		d := v.disp + k*v.Tiles.L.Extent
		if all := v.Tiles.L.Within(lo-d, hi-d, 1<<12, func(int64, int64, int64) bool {
			found = true
			return false
		}); !all {
			found = true
		}
	}
	return found
}

// An edge is where a run of a rank begins or ends.
type edge struct {
	at   int64
	rank int32
	end  bool
}

// sweep divides the window into parts, as far as all runs are known.
func (m *ByteMap) sweep() {
	var edges []edge
	for r, rr := range m.seen {
		for _, run := range rr.runs {
			if run[0] < m.known {
				edges = append(edges, edge{run[0], int32(r), false}, edge{min(run[0]+run[1], m.known), int32(r), true})
			}
		}
	}
	sort.Slice(edges, func(i, j int) bool { return edges[i].at < edges[j].at })
	var now []int // ranks, in order
	at, entries := int64(0), 0
	for i := 0; i < len(edges); {
		e := edges[i]
		m.part(at, e.at, now)
		if entries += len(now); entries > mostEntries {
			m.known = e.at
			return
		}
		for at = e.at; i < len(edges) && edges[i].at == at; i++ {
			r := int(edges[i].rank)
			where, _ := slices.BinarySearch(now, r)
			if edges[i].end {
				if where < len(now) && now[where] == r {
					now = slices.Delete(now, where, where+1)
					continue
				}
				panic("a run ends before it begins")
			}
			now = slices.Insert(now, where, r)
		}
	}
	m.part(at, m.known, now)
}

// part appends bytes [lo, hi), or extends the last part.
func (m *ByteMap) part(lo, hi int64, ranks []int) {
	if lo >= hi {
		return
	}
	if k := len(m.parts) - 1; k >= 0 && slices.Equal(m.parts[k].ranks, ranks) {
		m.parts[k].hi = hi
		return
	}
	m.parts = append(m.parts, stretch{lo, hi, slices.Clone(ranks)})
}

// Values in place of a rank; rank numbers are not negative.
const (
	noRank  = -1 - iota // a gap
	several             // different ranks, byte by byte
	shared              // an overlap
)

// owner returns the rank that sees bytes of [lo, hi), or one of the values above. If the
// range extends beyond the known part, it asks every rank, and does not distinguish
// overlaps from neighbours.
func (m *ByteMap) owner(lo, hi int64) int {
	who := noRank
	if hi > m.known {
		for _, v := range m.views {
			if v.sees(lo, hi) {
				if who != noRank {
					if hi == lo+1 {
						return shared
					}
					return several
				}
				who = v.rank
			}
		}
		return who
	}
	for i := m.find(lo); i < len(m.parts) && m.parts[i].lo < hi; i++ {
		switch ranks := m.parts[i].ranks; {
		case len(ranks) > 1:
			return shared
		case len(ranks) == 1 && who == noRank:
			who = ranks[0]
		case len(ranks) == 1 && who != ranks[0]:
			who = several
		}
	}
	return who
}

// find returns the index of the first part that ends after byte at.
func (m *ByteMap) find(at int64) int {
	return sort.Search(len(m.parts), func(i int) bool { return m.parts[i].hi > at })
}
