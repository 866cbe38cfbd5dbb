package consistency

import (
	"cmp"
	"maps"
	"slices"

	"github.com/commworld/commworld/internal/extent"
)

// Some things about a file can be told only at the end of a run: bytes that were
// read and that nobody wrote, then or later, and bytes of an older file that the
// run left behind what it wrote. Both are legal and seldom meant. What the
// detector remembers anyway says most of it; this keeps what it forgets on the
// way. It errs on one side: what is too scattered to be kept counts as written.
type hindsight struct {
	before  int64    // bytes that the file had, but for those cut off
	resized bool     // somebody has said how long the file is to be
	written coverage // by accesses that are forgotten
	short   []pastRead
	holes   []*HoleRead
	tailed  int64 // where what was read ends, as far as that is forgotten
	end     int64 // and what was written
	padding int64 // holes of so many bytes belong to items; see Padded
}

// A pastRead is bytes that were read from a place of the program.
type pastRead struct {
	site *site
	extent.Pattern
}

// mostShort bounds the reads kept apart because the file ended in them.
const mostShort = 1 << 12

// A HoleRead is a call that read bytes which nobody wrote in the run and which
// were not in the file before it. Calls from one line are one, whoever made them.
type HoleRead struct {
	By     Party // the lowest of the ranks
	Ranks  int   // how many ranks did it
	Lo, Hi int64 // the first of the bytes
	More   int   // stretches of such bytes behind them, on the rank that is named

	ranks map[int]bool
	found coverage
}

// A Leftover is the end of a file that was there before the run, behind all that
// the run wrote.
type Leftover struct {
	Written int64 // where what was written ends
	Size    int64 // where the file does
}

// keepShort remembers what a read got that found the end of the file: with its
// tail, which reaches to where no file does, it may be one extent.
func (t *Tracker) keepShort(s *site, a *Access) {
	h := t.d.after
	if h == nil || !a.Short || a.Resize || len(h.short)+len(t.list) > mostShort {
		return
	}
	for _, p := range t.list {
		h.short = append(h.short, pastRead{s, p})
	}
}

// sized notes a change of size.
func (h *hindsight) sized(a *Access) {
	if h != nil && a.EndsAt > 0 {
		h.resized = true
	}
}

// cut notes that the file was cut to size.
func (h *hindsight) cut(size int64) {
	if h != nil {
		h.resized, h.before = true, min(h.before, size)
	}
}

// hindsee takes over what the detector is about to forget: those reads come
// before whatever anybody may still write.
func (d *Detector) hindsee(gone []*footprint) {
	if d.after == nil || len(gone) == 0 {
		return
	}
	all := d.coverage()
	for _, e := range gone {
		d.after.look(all, e)
		if e.site.write && !e.site.resize {
			d.after.written.add(&e.Pattern)
			d.after.end = max(d.after.end, e.Hi())
		}
	}
}

// coverage is all bytes that were in the file or were written. Called with d.mu
// held.
func (d *Detector) coverage() *coverage {
	all := &coverage{runs: slices.Clone(d.after.written.runs)}
	all.add(&extent.Pattern{Block: d.after.before, N: 1})
	d.extents.each(func(e *footprint) {
		if e.site.write && !e.site.resize {
			all.add(&e.Pattern)
		}
	})
	all.merge()
	return all
}

// look tells of the bytes of e that nobody wrote, if e is a read.
func (h *hindsight) look(all *coverage, e *footprint) {
	if e.site.write || e.site.resize || e.Hi() >= extent.MaxSize { // the last also says how long the file is
		return
	}
	h.read(all, e.site, &e.Pattern)
}

func (h *hindsight) read(all *coverage, s *site, p *extent.Pattern) {
	h.tailed = max(h.tailed, p.Hi())
	found := all.gaps(p)
	if len(found) == 0 {
		return
	}
	by := s.describe()
	k := slices.IndexFunc(h.holes, func(o *HoleRead) bool { return o.By.line() == by.line() })
	if k < 0 {
		k = len(h.holes)
		h.holes = append(h.holes, &HoleRead{By: *by, ranks: map[int]bool{}})
	}
	o := h.holes[k]
	o.ranks[by.Rank] = true
	if by.Rank < o.By.Rank { // one for all, and always the same
		o.By, o.found = *by, coverage{}
	}
	if by.Rank == o.By.Rank {
		o.found.join(found)
	}
}

// settleAll makes every extent what was accessed. Called with d.mu held.
func (d *Detector) settleAll() {
	for t := range d.handles {
		t.settleAll()
	}
}

// HoleReads returns the reads of bytes that nobody has written, by rank and
// byte. It is meant for the end of a run, and empty unless the options ask for
// hindsight.
func (d *Detector) HoleReads() []HoleRead {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.after == nil || !d.sized {
		return nil
	}
	d.settleAll()
	h := *d.after // asked again, it starts from here again
	h.holes = nil
	for _, o := range d.after.holes {
		c := *o
		c.ranks, c.found.runs = maps.Clone(o.ranks), slices.Clone(o.found.runs)
		h.holes = append(h.holes, &c)
	}
	all := d.coverage()
	seen := map[pastRead]bool{}
	d.extents.each(func(e *footprint) {
		if !e.site.write {
			seen[pastRead{e.site, e.Pattern}] = true
		}
		h.look(all, e)
	})
	for _, r := range d.after.short {
		if !seen[r] {
			seen[r] = true
			h.read(all, r.site, &r.Pattern)
		}
	}
	list := make([]HoleRead, len(h.holes))
	for i, o := range h.holes {
		o.found.merge()
		first := o.found.runs[0]
		list[i] = HoleRead{By: o.By, Ranks: len(o.ranks), Lo: first.Lo, Hi: first.Hi, More: len(o.found.runs) - 1}
	}
	slices.SortFunc(list, func(a, b HoleRead) int {
		return cmp.Or(cmp.Compare(a.By.Rank, b.By.Rank), cmp.Compare(a.Lo, b.Lo),
			cmp.Compare(a.By.Place.String(), b.By.Place.String()), cmp.Compare(a.By.Op, b.By.Op))
	})
	return list
}

// Leftover returns the end of the file that is left over from before the run: the
// run wrote, all of it before that end, and nobody changed the size or read
// there. It is meant for the end of a run, and needs the hindsight of the options.
func (d *Detector) Leftover() (l Leftover, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.after
	if h == nil || h.resized {
		return l, false
	}
	d.settleAll()
	end, read := h.end, h.tailed
	d.extents.each(func(e *footprint) {
		switch {
		case e.site.resize:
		case e.site.write:
			end = max(end, e.Hi())
		default:
			read = max(read, e.Hi())
		}
	})
	return Leftover{end, h.before}, end > 0 && end < h.before && read <= end
}

// coverage is a set of bytes, never smaller than what was added to it.
type coverage struct {
	runs  []extent.Range
	limit int // runs at which to tidy up
}

const (
	mostRuns   = 1 << 16 // of a coverage; with more, all between the first and the last counts
	mostBlocks = 1 << 12 // of a pattern that is looked at block by block; with more, its span counts
)

// add makes the bytes of p part of c.
func (c *coverage) add(p *extent.Pattern) {
	if p.Block <= 0 {
		return
	}
	if p.N > mostBlocks {
		c.runs = append(c.runs, extent.Range{Lo: p.Lo, Hi: p.Hi()})
	} else {
		for i := range p.N {
			c.runs = append(c.runs, extent.Range{Lo: p.Start(i), Hi: p.Start(i) + p.Block})
		}
	}
	c.tidy()
}

// join makes runs part of c.
func (c *coverage) join(runs []extent.Range) {
	c.runs = append(c.runs, runs...)
	c.tidy()
}

// tidy keeps c small.
func (c *coverage) tidy() {
	if len(c.runs) >= max(c.limit, 1024) {
		c.merge()
		c.limit = 2 * len(c.runs)
	}
}

// merge brings the runs into order and joins those that touch.
func (c *coverage) merge() {
	kept := joined(c.runs)
	if len(kept) > mostRuns {
		kept = append(kept[:0], extent.Range{Lo: kept[0].Lo, Hi: kept[len(kept)-1].Hi})
	}
	c.runs = kept
}

// joined brings runs into order and joins those that touch, in place.
func joined(runs []extent.Range) []extent.Range {
	slices.SortFunc(runs, func(a, b extent.Range) int { return cmp.Compare(a.Lo, b.Lo) })
	kept := runs[:0]
	for _, r := range runs {
		if k := len(kept) - 1; k >= 0 && r.Lo <= kept[k].Hi {
			kept[k].Hi = max(kept[k].Hi, r.Hi)
		} else {
			kept = append(kept, r)
		}
	}
	return kept
}

// gaps returns the stretches of p that are not in c, which is in order. Of a
// pattern of very many blocks it looks at the first.
func (c *coverage) gaps(p *extent.Pattern) (gaps []extent.Range) {
	for i := range min(p.N, mostBlocks) {
		from, end := p.Start(i), p.Start(i)+p.Block
		k, _ := slices.BinarySearchFunc(c.runs, from, func(r extent.Range, at int64) int {
			if r.Hi <= at {
				return -1
			}
			return 1
		})
		for ; from < end; k++ {
			next := extent.Range{Lo: end, Hi: end}
			if k < len(c.runs) {
				next = c.runs[k]
			}
			if lo := min(next.Lo, end); from < lo {
				gaps = append(gaps, extent.Range{Lo: from, Hi: lo})
			}
			from = next.Hi
		}
	}
	return gaps
}
