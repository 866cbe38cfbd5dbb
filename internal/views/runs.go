package views

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sort"

	"github.com/commworld/commworld/consistency"
)

// window is the part of the file that is looked at: bytes [0, end). Drawings
// begin at from, where no header stands in the way.
type window struct{ from, end int64 }

// A Scene is what there is to show: the views, the part of the file that is
// looked at, and who sees which of its bytes.
type Scene struct {
	*Request
	form  Form
	views []*rankView
	win   window
	shown []int // ranks to list and draw
	seen  []rankRuns
	parts []stretch // the window up to known, cut where anything changes
	known int64
	notes []Note
}

// rankRuns is what one rank sees of the window: runs (offset, length) in the
// order of its view.
type rankRuns struct {
	runs  [][2]int64
	cut   bool
	known int64 // no further run begins below
}

// A stretch is bytes [lo, hi) that the same ranks see, a rank twice that shows
// them twice.
type stretch struct {
	lo, hi int64
	ranks  []int
}

// How much is looked at unless --limit says otherwise, and how many entries the
// lists of overlapping ranks may have.
const (
	allRuns      = 1_000_000
	rankRunsMost = 100_000
	mostEntries  = 4_000_000
)

func newScene(c *Request, form Form, views []*rankView) *Scene {
	s := &Scene{Request: c, form: form, views: views, win: c.window(views), shown: c.Show}
	limit := c.Limit
	if limit == 0 {
		limit = min(rankRunsMost, allRuns/int64(len(views)))
	}
	s.known = s.win.end
	for _, v := range views {
		v.tangled = v.interleaved() || c.ReadOnly && v.tiles.L.Overlaps()
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

// window is the part of the file that the flags ask for, or else one extent.
func (c *Request) window(views []*rankView) window {
	from, extent := int64(math.MaxInt64), int64(1)
	for _, v := range views {
		l := v.tiles.L
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

// plus is a+b, at most the greatest number there is; b is not negative.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// copies are the numbers of the copies of the filetype that may have data in
// [lo, hi).
func (v *rankView) copies(lo, hi int64) (first, behind int64) {
	l := v.tiles.L
	if l.Size == 0 || v.disp >= hi-l.TrueLB {
		return 0, 0
	}
	if l.Extent == 0 { // all copies are one upon another
		return 0, 2
	}
	if past := lo - v.disp - l.TrueUB; v.disp < lo && past >= 0 {
		first = past/l.Extent + 1
	}
	return first, (hi-l.TrueLB-v.disp-1)/l.Extent + 1
}

// interleaved reports copies that reach behind the begin of the next.
func (v *rankView) interleaved() bool {
	l := v.tiles.L
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
				rr.known = max(0, min(rr.known, v.disp+v.tiles.L.TrueLB+copyNo*v.tiles.L.Extent))
			}
			return rr
		}
		off, n = run[0], run[1]
	}
	flush()
	return rr
}

// pieces are the runs below end in the order of the view, with the number of
// their copy, and of a copy that goes on there the first one behind end: what comes
// before it and after it does not touch. Neighbours that touch may come apart.
func (v *rankView) pieces(end int64) iter.Seq2[int64, [2]int64] {
	return func(yield func(int64, [2]int64) bool) {
		first, behind := v.copies(0, end)
		size := v.tiles.L.Size
		if first == behind {
			return
		}
		if !v.tangled {
			for off, n := range v.tiles.Runs(0, v.tiles.Below(end)) {
				if !yield(0, [2]int64{off, n}) {
					return
				}
			}
			return
		}
		for k := first; k < behind; k++ {
			for off, n := range v.tiles.Runs(k*size, size) {
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
	if v.tiles.L.Size == 0 {
		return false
	}
	if !v.interleaved() {
		at := v.tiles.Below(lo)
		return at < math.MaxInt64 && v.tiles.At(at) < hi
	}
	const most = 64 // copies looked at; more of them than that in one place cover it
	first, behind := v.copies(lo, hi)
	found := behind-first > most
	for k := first; k < min(behind, first+most) && !found; k++ {
		d := v.disp + k*v.tiles.L.Extent
		if all := v.tiles.L.Within(lo-d, hi-d, 1<<12, func(int64, int64, int64) bool {
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

// sweep cuts the window into parts, as far as all runs are known.
func (s *Scene) sweep() {
	var edges []edge
	for r, rr := range s.seen {
		for _, run := range rr.runs {
			if run[0] < s.known {
				edges = append(edges, edge{run[0], int32(r), false}, edge{min(run[0]+run[1], s.known), int32(r), true})
			}
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	var now []int // ranks, in order
	at, entries := int64(0), 0
	for i := 0; i < len(edges); {
		e := edges[i]
		s.part(at, e.at, now)
		if entries += len(now); entries > mostEntries {
			s.known = e.at
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
	s.part(at, s.known, now)
}

// part appends bytes [lo, hi), or makes the last part longer.
func (s *Scene) part(lo, hi int64, ranks []int) {
	if lo >= hi {
		return
	}
	if k := len(s.parts) - 1; k >= 0 && slices.Equal(s.parts[k].ranks, ranks) {
		s.parts[k].hi = hi
		return
	}
	s.parts = append(s.parts, stretch{lo, hi, slices.Clone(ranks)})
}

// Who sees the bytes of a cell; rank numbers are not negative.
const (
	nobody  = -1 - iota // a gap
	several             // different ranks, byte by byte
	shared              // an overlap
)

// owner tells who sees bytes of [lo, hi). A cell that reaches behind what is
// known is asked from every rank, and overlaps are not told from neighbours.
func (s *Scene) owner(lo, hi int64) int {
	who := nobody
	if hi > s.known {
		for _, v := range s.views {
			if v.sees(lo, hi) {
				if who != nobody {
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
	for i := s.find(lo); i < len(s.parts) && s.parts[i].lo < hi; i++ {
		switch ranks := s.parts[i].ranks; {
		case len(ranks) > 1:
			return shared
		case len(ranks) == 1 && who == nobody:
			who = ranks[0]
		case len(ranks) == 1 && who != ranks[0]:
			who = several
		}
	}
	return who
}

// find is the first part that ends behind byte at.
func (s *Scene) find(at int64) int {
	return sort.Search(len(s.parts), func(i int) bool { return s.parts[i].hi > at })
}
