package race

import (
	"slices"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
)

// A read that finds all of its bytes depends on the length of the file. If the file has that
// length only because of a write that is not ordered before the read, the read might also
// have been short: the two race, although they share no byte. So the detector does not use
// the number of bytes that a read returned, but the size that is certain: it follows from
// the initial size, the handle's own writes, and the writes of others before syncs that
// happened before the read. A read beyond that size is judged as a short read that ends
// there.

// StartsWith sets the size of the file before any rank touches it. Without it, complete
// reads depend on their bytes alone.
func (d *Detector) StartsWith(size int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sized, d.least, d.startSize = true, size, size
	if d.forgotten != nil {
		d.forgotten.before = size
	}
}

// A growth records that a rank had written up to hi when it synced a handle, or when it made a write
// that is visible without that, and that is forgotten.
type growth struct {
	rank    int
	end     uint64 // time of the sync or write
	hi      int64
	visible bool
}

// A cutAt is a size to which the file was cut, and identifies the footprints that existed
// then.
type cutAt struct {
	id   uint64 // of the newest footprint
	size int64
}

// Cut records that the file was given a size, possibly smaller, through the open of t: earlier
// writes no longer make it longer. Call it before any handle continues, once for all ranks
// that make the call; each of them reports its part as an [Access].
func (t *Tracker) Cut(size int64) {
	d := t.d
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forgotten.cut(d.extents.next, t.open, size)
	d.least = min(d.least, size)
	for i := range d.growths {
		d.growths[i].hi = min(d.growths[i].hi, size)
	}
	for h := range d.handles {
		h.restart() // later accesses get footprints of their own
		h.mu.Lock()
		h.minSize, h.reach, h.recordedReach = min(h.minSize, size), min(h.reach, size), min(h.recordedReach, size)
		h.mu.Unlock()
		for _, p := range h.pending {
			p.reach = min(p.reach, size)
		}
	}
	if d.profile.Visible() {
		for len(d.cuts) > 0 && d.cuts[len(d.cuts)-1].size >= size {
			d.cuts = d.cuts[:len(d.cuts)-1]
		}
		d.cuts = append(d.cuts, cutAt{d.extents.next, size})
	}
}

// end returns the end of the write e, after all cuts since.
func (d *Detector) end(e *footprint) int64 {
	for _, c := range d.cuts { // the smallest first
		if e.id&^1 <= c.id {
			return min(e.Hi(), c.size)
		}
	}
	return e.Hi()
}

// grown records the end of t's writes, at the end of a sequence of t.
func (t *Tracker) grown(time uint64) {
	if d := t.d; d.sized && t.reach > max(t.recordedReach, d.least) {
		t.recordedReach = t.reach
		d.growths = append(d.growths, growth{t.rank, time, t.reach, false})
	}
}

// outlives records how long a footprint that is forgotten made the file: it was visible before the
// write that covers it.
func (d *Detector) outlives(e *footprint) {
	if !d.sized || !d.profile.Visible() || !e.site.write || e.site.resize {
		return
	}
	g := growth{int(e.site.rank), e.time, d.end(e), true}
	if g.hi <= d.least || slices.ContainsFunc(d.growths, func(o growth) bool { return o.visible && o.rank == g.rank && o.end <= g.end && o.hi >= g.hi }) {
		return
	}
	d.growths = slices.DeleteFunc(d.growths, func(o growth) bool { return o.visible && o.rank == g.rank && o.end >= g.end && o.hi <= g.hi })
	d.growths = append(d.growths, g)
}

// forgetGrowths drops the growths that come before all open and later sequences, and
// includes them in the least size.
func (d *Detector) forgetGrowths(h *horizon) {
	kept := d.growths[:0]
	for _, g := range d.growths {
		if h.precedes(g.rank, g.end) {
			d.least = max(d.least, g.hi)
		} else {
			kept = append(kept, g)
		}
	}
	d.growths = kept
}

// updateMinSize updates t.minSize: the file has at least that size for t in every order of
// unordered accesses, whenever its own accesses under way take place. Called with d.mu held.
func (t *Tracker) updateMinSize(now *moment) {
	d := t.d
	if !d.sized {
		t.minSize = extent.MaxSize
		return
	}
	if !t.seq.asked {
		t.seq.asked = true
		for _, g := range d.growths {
			if t.seq.start.covers(g.rank, g.end) {
				t.minSize = max(t.minSize, g.hi)
			}
		}
	}
	if d.profile.Visible() { // every known write counts
		for _, g := range d.growths {
			if g.visible && now.covers(g.rank, g.end) {
				t.minSize = max(t.minSize, g.hi)
			}
		}
		d.extents.each(func(e *footprint) {
			if e.site.write && !e.site.resize && e.seq.h != t && e.time != underWay && now.covers(e.seq.h.rank, e.time) {
				t.minSize = max(t.minSize, d.end(e))
			}
		})
	}
	t.minSize = max(t.minSize, d.least, t.reach)
	t.includeHeld()
}

// LeastSize returns a lower bound of the file size for the handle, which holds in every
// order of unordered accesses, and the end of the handle's own writes; now is the clock of
// its rank.
func (t *Tracker) LeastSize(now consistency.Clock) (least, wrote int64) {
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	t.updateMinSize(&moment{rank: -1, clock: now}) // the clock covers its own rank, too
	wrote = t.reach
	for i := range t.used() {
		if r := &t.rows.all[i]; r.held != nil && r.site.write && !r.site.resize {
			wrote = max(wrote, r.real.Hi())
		}
	}
	return t.minSize, wrote
}

// includeHeld includes what t is writing in held rows. Called by its rank, with t.mu or d.mu
// held.
func (t *Tracker) includeHeld() {
	for i := range t.used() {
		if r := &t.rows.all[i]; r.held != nil && r.site.write && !r.site.resize {
			t.minSize = max(t.minSize, r.real.Hi())
		}
	}
}

// addSizeDependence makes a read, whose patterns are in t.list, depend on the size if its
// bytes may not all be there.
func (t *Tracker) addSizeDependence(a *Access, now *moment) {
	t.updateMinSize(now)
	size := t.minSize // with its own writes under way: a read beside one that grows the file does not race with it
	for _, p := range t.pending {
		size = max(size, p.reach)
	}
	missed := int64(extent.MaxSize)
	for i := range t.list {
		p := &t.list[i]
		if p.Hi() >= extent.MaxSize {
			return // it queries the size itself
		}
		if k, ok := p.Meets(size, extent.MaxSize); ok {
			missed = min(missed, max(size, p.Start(k)))
		}
	}
	switch {
	case missed == extent.MaxSize:
	case a.Short:
		a.EndsAt = min(a.EndsAt, missed)
	default:
		a.Short, a.EndsAt = true, missed
	}
}
