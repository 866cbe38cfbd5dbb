package race

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
)

// forgottenAccesses keeps forgotten accesses that two findings need at the end of a run: reads of
// bytes that no rank wrote, then or later, and bytes of an older file after the last byte
// that the run wrote. Both are legal, but probably not what you meant. Data too scattered to
// be kept counts as written, so a finding may be missed but is never wrong.
type forgottenAccesses struct {
	before  int64     // bytes that the file had at the start, without those cut off
	cuts    []openCut // by id; before never grows
	resized bool      // a call has set the size of the file
	written coverage  // by forgotten accesses
	short   []lineRead
	holes   []*holeRead
	tailed  int64 // end of the forgotten reads
	end     int64 // end of the forgotten writes
	padding int64 // holes of this size belong to items; see Padded
}

// A lineRead has bytes that one line of the program read.
type lineRead struct {
	site *site
	extent.Pattern
	before int64 // what the file still had from before the run
}

// An openCut is a change of size through an open that left the file before bytes from before
// the run. Reads of the open with newer footprints depend on it.
type openCut struct {
	id     uint64 // of the newest footprint
	open   any
	before int64
}

const (
	mostShort = 1 << 12 // short reads that are kept one by one
	mostCuts  = 1 << 12 // changes of size that are kept; of others a handle learns by its next sync
)

// A holeRead is a [consistency.HoleRead] under construction.
type holeRead struct {
	by    consistency.Party
	ranks map[int]bool
	found coverage
}

// keepShort remembers the bytes of a read that reached the end of the file: its footprint
// may include the tail after the end.
func (t *Tracker) keepShort(s *site, a *Access) {
	h := t.d.forgotten
	if h == nil || !a.Short || a.Resize || len(h.short)+len(t.list) > mostShort {
		return
	}
	for _, p := range t.list {
		h.short = append(h.short, lineRead{s, p, h.beforeRead(t.seq, t.d.extents.next+1)})
	}
}

// sized records a change of size.
func (h *forgottenAccesses) sized(a *Access) {
	if h != nil && a.EndsAt > 0 {
		h.resized = true
	}
}

// cut records that the file was cut to size through an open, when the newest footprint was id.
func (h *forgottenAccesses) cut(id uint64, open any, size int64) {
	if h == nil {
		return
	}
	h.resized, h.before = true, min(h.before, size)
	k := len(h.cuts) - 1
	if again := k >= 0 && h.cuts[k].open == open && h.cuts[k].before == h.before; !again && k+1 < mostCuts {
		h.cuts = append(h.cuts, openCut{id, open, h.before})
	}
}

// now returns how many bytes the file still has from before the run.
func (h *forgottenAccesses) now() int64 {
	if h == nil {
		return 0
	}
	return h.before
}

// beforeRead returns how many bytes from before the run the file had when a read of sequence s
// with footprint id was made. What is cut through another open need not be gone for the
// handle before its next sync.
func (h *forgottenAccesses) beforeRead(s *sequence, id uint64) int64 {
	k, _ := slices.BinarySearchFunc(h.cuts, id, func(c openCut, id uint64) int { return cmp.Compare(c.id, id) })
	for k--; k >= 0; k-- {
		if c := &h.cuts[k]; c.open == s.h.open { // the newest is the least
			return min(s.before, c.before)
		}
	}
	return s.before
}

// keepForgotten takes over the footprints that the detector is about to forget: those reads
// come before all further writes.
func (d *Detector) keepForgotten(gone []*footprint) {
	if d.forgotten == nil || len(gone) == 0 {
		return
	}
	all := d.coverage()
	for _, e := range gone {
		d.forgotten.findHoles(all, e)
		if e.site.write && !e.site.resize {
			d.forgotten.written.add(&e.Pattern)
			d.forgotten.end = max(d.forgotten.end, e.Hi())
		}
	}
}

// coverage returns all bytes that were in the file or were written. Called with d.mu held.
func (d *Detector) coverage() *coverage {
	all := &coverage{runs: slices.Clone(d.forgotten.written.runs)}
	all.add(&extent.Pattern{Block: d.forgotten.before, N: 1})
	d.extents.each(func(e *footprint) {
		if e.site.write && !e.site.resize {
			all.add(&e.Pattern)
		}
	})
	all.merge()
	return all
}

// readOf returns the read that e is.
func (h *forgottenAccesses) readOf(e *footprint) lineRead {
	return lineRead{e.site, e.Pattern, h.beforeRead(e.seq, e.id&^1)}
}

// findHoles records the bytes of e that no rank wrote, if e is a read.
func (h *forgottenAccesses) findHoles(all *coverage, e *footprint) {
	if e.site.write || e.site.resize || e.Hi() >= extent.MaxSize { // the last condition: a read up to the end of the file
		return
	}
	h.read(all, h.readOf(e))
}

func (h *forgottenAccesses) read(all *coverage, r lineRead) {
	h.tailed = max(h.tailed, r.Hi())
	found := slices.DeleteFunc(all.gaps(&r.Pattern), func(gap extent.Range) bool { return gap.Hi <= r.before })
	if len(found) == 0 {
		return
	}
	for i := range found {
		found[i].Lo = max(found[i].Lo, r.before)
	}
	by := r.site.describe()
	k := slices.IndexFunc(h.holes, func(o *holeRead) bool { return lineOfParty(&o.by) == lineOfParty(by) })
	if k < 0 {
		k = len(h.holes)
		h.holes = append(h.holes, &holeRead{by: *by, ranks: map[int]bool{}})
	}
	o := h.holes[k]
	o.ranks[by.Rank] = true
	if by.Rank < o.by.Rank { // one rank for all, and always the same one
		o.by, o.found = *by, coverage{}
	}
	if by.Rank == o.by.Rank {
		o.found.join(found)
	}
}

// endHolds cuts every footprint to the bytes that were really accessed. Called with d.mu
// held.
func (d *Detector) endHolds() {
	for t := range d.handles {
		t.endHolds()
	}
}

// HoleReads returns the reads of bytes that no rank has written, by rank and byte. Call it
// at the end of a run. It is empty without KeepForgotten in the options.
func (d *Detector) HoleReads() []consistency.HoleRead {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.forgotten == nil || !d.sized {
		return nil
	}
	d.endHolds()
	h := *d.forgotten // a copy: another call starts from the same state
	h.holes = nil
	for _, o := range d.forgotten.holes {
		c := *o
		c.ranks, c.found.runs = maps.Clone(o.ranks), slices.Clone(o.found.runs)
		h.holes = append(h.holes, &c)
	}
	all := d.coverage()
	seen := map[lineRead]bool{}
	d.extents.each(func(e *footprint) {
		if !e.site.write {
			seen[h.readOf(e)] = true
		}
		h.findHoles(all, e)
	})
	for _, r := range d.forgotten.short {
		if !seen[r] {
			seen[r] = true
			h.read(all, r)
		}
	}
	list := make([]consistency.HoleRead, len(h.holes))
	for i, o := range h.holes {
		o.found.merge()
		first := o.found.runs[0]
		list[i] = consistency.HoleRead{By: o.by, Ranks: len(o.ranks), Lo: first.Lo, Hi: first.Hi, More: len(o.found.runs) - 1}
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return cmp.Or(cmp.Compare(a.By.Rank, b.By.Rank), cmp.Compare(a.Lo, b.Lo),
			cmp.Compare(a.By.Place.String(), b.By.Place.String()), cmp.Compare(a.By.Op, b.By.Op)) < 0
	})
	return list
}

// Leftover returns the end of the file that is left from before the run: the run wrote only
// before that end, and no rank changed the size or read there. Call it at the end of a run.
// It needs KeepForgotten in the options.
func (d *Detector) Leftover() (l consistency.Leftover, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.forgotten
	if h == nil || h.resized {
		return l, false
	}
	d.endHolds()
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
	return consistency.Leftover{Written: end, Size: h.before}, end > 0 && end < h.before && read <= end
}

// coverage is a set of bytes. It may contain more bytes than were added, never fewer.
type coverage struct {
	runs  []extent.Range
	limit int // number of runs at which to tidy
}

const (
	mostRuns   = 1 << 16 // runs of a coverage; with more, everything between the first and the last counts
	mostBlocks = 1 << 12 // blocks of a pattern that are added one by one; with more, its span counts
)

// add adds the bytes of p to c.
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

// join adds runs to c.
func (c *coverage) join(runs []extent.Range) {
	c.runs = append(c.runs, runs...)
	c.tidy()
}

// tidy reduces the number of runs when there are many.
func (c *coverage) tidy() {
	if len(c.runs) >= max(c.limit, 1024) {
		c.merge()
		c.limit = 2 * len(c.runs)
	}
}

// merge sorts the runs and joins those that touch.
func (c *coverage) merge() {
	kept := joined(c.runs)
	if len(kept) > mostRuns {
		kept = append(kept[:0], extent.Range{Lo: kept[0].Lo, Hi: kept[len(kept)-1].Hi})
	}
	c.runs = kept
}

// joined sorts runs and joins those that touch, in place.
func joined(runs []extent.Range) []extent.Range {
	sort.Slice(runs, func(i, j int) bool { return runs[i].Lo < runs[j].Lo })
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

// gaps returns the ranges of p that are not in c, which is sorted. For a pattern of very
// many blocks it checks only the first ones.
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
