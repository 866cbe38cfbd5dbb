package consistency

import "github.com/commworld/commworld/internal/extent"

// A read that finds all of its bytes there has learned that the file is so long.
// Where that is due to a write that nothing orders before the read, the read
// would have been short had the write come later: they race, although they share
// no byte. So what a read returned does not say what it depends on; how long the
// file is for sure does. That is the size with which it began, what the handle
// itself wrote, and what others wrote before syncs that come before. A read
// beyond is judged as one that ends there.

// StartsWith says how long the file is before anybody in this run has touched
// it. Without it whole reads are taken to depend on their bytes alone.
func (d *Detector) StartsWith(size int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sized, d.least, d.startSize = true, size, size
	if d.after != nil {
		d.after.before = size
	}
}

// A growth says that what a rank had written when it synced a handle reaches to
// hi.
type growth struct {
	rank int
	end  uint64 // time of the sync
	hi   int64
}

// A cutAt is a size to which the file was cut, and the extents there were then.
type cutAt struct {
	id   uint64 // of the newest
	size int64
}

// Cut says that the file was given a size, which may be less than it had:
// nothing that was told of before makes it longer. It is to be said before any
// handle goes on, once for all ranks that make the call; each of them tells of its
// part as an [Access].
func (d *Detector) Cut(size int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.after.cut(size)
	d.least = min(d.least, size)
	for i := range d.growths {
		d.growths[i].hi = min(d.growths[i].hi, size)
	}
	for t := range d.handles {
		t.restart() // what is written from now on is told apart from what was
		t.mu.Lock()
		t.sure, t.reach, t.told = min(t.sure, size), min(t.reach, size), min(t.told, size)
		t.mu.Unlock()
	}
	if d.profile.visible {
		for len(d.cuts) > 0 && d.cuts[len(d.cuts)-1].size >= size {
			d.cuts = d.cuts[:len(d.cuts)-1]
		}
		d.cuts = append(d.cuts, cutAt{d.extents.next, size})
	}
}

// end is where what e wrote ends, as far as no cut since has taken it away.
func (d *Detector) end(e *footprint) int64 {
	for _, c := range d.cuts { // the smallest first
		if e.id&^1 <= c.id {
			return min(e.Hi(), c.size)
		}
	}
	return e.Hi()
}

// grown notes at the end of a sequence of t how far t has written.
func (t *Tracker) grown(time uint64) {
	if d := t.d; d.sized && t.reach > max(t.told, d.least) {
		t.told = t.reach
		d.growths = append(d.growths, growth{t.rank, time, t.reach})
	}
}

// forgetGrowths makes growths that come before everything part of the least
// size.
func (d *Detector) forgetGrowths() {
	kept := d.growths[:0]
	for _, g := range d.growths {
		if d.past(g.rank, g.end, nil) {
			d.least = max(d.least, g.hi)
		} else {
			kept = append(kept, g)
		}
	}
	d.growths = kept
}

// settleSure brings t.sure up to date: the file is so long for t, whatever comes
// first of what nothing orders. Called with d.mu held.
func (t *Tracker) settleSure(now *moment) {
	d := t.d
	if !d.sized {
		t.sure = extent.MaxSize
		return
	}
	if !t.seq.asked {
		t.seq.asked = true
		for _, g := range d.growths {
			if t.seq.start.covers(g.rank, g.end) {
				t.sure = max(t.sure, g.hi)
			}
		}
	}
	if d.profile.visible { // what was heard of is there
		d.extents.each(func(e *footprint) {
			if e.site.write && !e.site.resize && e.seq.h != t && e.time != underWay && now.covers(e.seq.h.rank, e.time) {
				t.sure = max(t.sure, d.end(e))
			}
		})
	}
	t.sure = max(t.sure, d.least, t.reach)
	t.seeHeld()
}

// LeastSize returns how long the file is at least for the handle, whatever comes
// first of what nothing orders, and how long the handle itself made it; now is the
// clock of its rank.
func (t *Tracker) LeastSize(now Clock) (least, wrote int64) {
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	t.settleSure(&moment{rank: -1, clock: now}) // which covers what its own rank did, too
	wrote = t.reach
	for i := range t.used() {
		if r := &t.rows[i]; r.held != nil && r.site.write && !r.site.resize {
			wrote = max(wrote, r.real.Hi())
		}
	}
	return t.sure, wrote
}

// seeHeld adds what t is writing in rows that are held. Called by its rank, with
// t.mu or d.mu held.
func (t *Tracker) seeHeld() {
	for i := range t.used() {
		if r := &t.rows[i]; r.held != nil && r.site.write && !r.site.resize {
			t.sure = max(t.sure, r.real.Hi())
		}
	}
}

// doubt makes a read, whose patterns are in t.list, one that depends on the size
// if its bytes may not all be there.
func (t *Tracker) doubt(a *Access, now *moment) {
	t.settleSure(now)
	missed := int64(extent.MaxSize)
	for i := range t.list {
		p := &t.list[i]
		if p.Hi() >= extent.MaxSize {
			return // it asks for the size itself
		}
		if k, ok := p.Meets(t.sure, extent.MaxSize); ok {
			missed = min(missed, max(t.sure, p.Start(k)))
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
