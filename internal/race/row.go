package race

import "github.com/commworld/commworld/internal/extent"

// rows has a row for each of the last places of access.
type rows struct {
	all    [4]row
	latest extent.Pattern // the bytes of the last access, if it is collective and has one pattern; else N is 0
}

// A row has the accesses of a handle from one line of the program. Usually each call
// continues where the last one ended, so the calls need not be compared with other handles
// one by one. The handle looks ahead once and holds the bytes that it will reach if it
// continues; as long as it stays within them and no other handle touches them, nothing has
// to be judged, and a call costs a few comparisons and the handle's own lock.
//
// The held bytes are in the index as one footprint. Another handle whose access conflicts
// with it first ends the hold, and then sees the bytes that were really accessed. So the
// races found do not depend on the held bytes.
type row struct {
	site *site
	last [2]*footprint // newest, and the one before
	kept int32         // one more than the number of the site in the record; 0: not known

	// The state of the hold. The owner's fast path and a rank that ends the hold
	// synchronize by Tracker.mu; other ranks also hold Detector.mu.
	held  *footprint     // last[0], nil: nothing is held
	real  extent.Pattern // the part of it that was accessed
	limit int64          // end of the held bytes
	time  uint64         // of the last access
	call  uint32         // its number, see Access.Call

	wait, patience int // calls until the next try, after holds that did not pay
}

// extendHold handles an access of row r that continues in held bytes, or repeats one there. It
// reports whether the access needs no further check.
func (t *Tracker) extendHold(r *row, a *Access) bool {
	if a.Resize {
		return false
	}
	q, ok := extent.Single(&a.Bytes)
	if a.Short {
		q, ok = a.tail(), a.Bytes.N == 0
	}
	if !ok {
		return false
	}
	t.mu.Lock()
	if !a.Write && !a.Short && q.Hi() > t.minSize {
		t.includeHeld()
		ok = q.Hi() <= t.minSize
	}
	ok = ok && r.held != nil && t.sameTime(a, r.time) && r.take(q)
	if ok {
		if r.time, r.call = a.Time, uint32(a.Call); a.Call > 0 {
			t.rows.latest, t.at = q, int8(t.newest)
		}
	}
	t.mu.Unlock()
	return ok
}

// tail returns the pattern behind the end of the file on which a short read depends.
func (a *Access) tail() extent.Pattern {
	return extent.Pattern{Lo: a.EndsAt, Block: extent.MaxSize - a.EndsAt, N: 1}
}

// take adds q to the accessed bytes if q is held and follows them, and reports whether it
// did.
func (r *row) take(q extent.Pattern) bool {
	if r.held == nil {
		return false
	}
	if r.real.Covers(&q) || r.real.Includes(&q) {
		return true
	}
	next := r.real
	if !next.Extend(q) || next.Hi() > r.limit {
		return false
	}
	r.real = next
	return true
}

// find returns the row of a, nil if a belongs to none of the latest.
func (t *Tracker) find(a *Access) *row {
	if t.rows == nil {
		return nil
	}
	for i := range t.rows.all {
		if r := &t.rows.all[(t.newest+i)%len(t.rows.all)]; r.site != nil && r.site.sought == t.sought && r.site.made(a) {
			t.newest = (t.newest + i) % len(t.rows.all)
			return r
		}
	}
	return nil
}

// key returns what identifies the site of an access of a rank.
func (a *Access) key(rank int) siteKey {
	return siteKey{a.Op, a.Where, a.Line, a.View, int32(rank), a.Write, a.Atomic, a.Resize}
}

// made reports whether a comes from s.
func (s *site) made(a *Access) bool {
	return s.where == a.Where && s.write == a.Write && s.atomic == a.Atomic && s.resize == a.Resize &&
		s.op == a.Op && s.view == a.View && s.line == a.Line
}

// rowOf returns the row of a for its next footprint: r, which was found, or a new one if
// that is nil. Called with d.mu held.
func (t *Tracker) rowOf(r *row, a *Access) *row {
	if r != nil {
		t.endHold(r)
		return r
	}
	if t.rows == nil {
		t.rows = new(rows)
	}
	t.newest = (t.newest + len(t.rows.all) - 1) % len(t.rows.all) // replace about the least recently used one
	r = &t.rows.all[t.newest]
	t.endHold(r)
	*r = row{site: t.newSite(a.key(t.rank))}
	r.site.row = r
	return r
}

// restart makes the next access of every row begin a new footprint.
func (t *Tracker) restart() {
	for i := range t.used() {
		r := &t.rows.all[i]
		t.endHold(r)
		r.last, r.wait, r.patience = [2]*footprint{}, 0, 0
	}
}

// remembers reports whether an access may still become part of e.
func (t *Tracker) remembers(e *footprint) bool {
	for i := range t.used() {
		if t.rows.all[i].last[0] == e || t.rows.all[i].last[1] == e {
			return true
		}
	}
	return false
}

// used returns the rows of t, if there are any.
func (t *Tracker) used() []row {
	if t.rows == nil {
		return nil
	}
	return t.rows.all[:]
}

// endHolds ends the hold of every row of t. Called with d.mu held, by any rank.
func (t *Tracker) endHolds() {
	for i := range t.used() {
		t.endHold(&t.rows.all[i])
	}
}

// endHold ends the hold of a row of t: its footprint is cut to the accessed bytes. Called
// with d.mu held, by any rank.
func (t *Tracker) endHold(r *row) {
	if r.held == nil { // changed only with d.mu held
		return
	}
	t.mu.Lock()
	e, p, time, call := r.held, r.real, r.time, r.call
	r.held = nil
	t.mu.Unlock()
	if time != e.time && r.site.write {
		r.site.calls.add(p.Lo, p.Hi())
	}
	e.time, e.calls[1] = time, call
	if r.site.write && !r.site.resize {
		t.reach = max(t.reach, p.Hi())
	}
	t.d.extents.reshape(e, p)
}

// ahead is how many bytes or blocks a hold covers at least, if possible.
const ahead = 64

// hold looks ahead in the direction of r. It holds as many further bytes as were accessed,
// so that a long row looks ahead seldom, but at most up to the first byte of another
// handle's conflicting access. Called with d.mu held.
func (t *Tracker) hold(r *row, a *Access) {
	e := r.last[0]
	if e == nil || len(t.pending) > 0 {
		return
	}
	if r.wait > 0 {
		r.wait--
		return
	}
	next := e.Pattern
	if next.N > 1 {
		next.N = min(next.N+max(next.N, ahead), (extent.MaxSize-next.Lo-next.Block)/next.Stride)
	} else {
		next.Block += min(max(next.Block, ahead*min(a.Bytes.N, 1<<32)), extent.MaxSize-next.Hi())
	}
	t.clear(r.site, &next)
	if next.Hi() < e.Hi() {
		r.patience = min(2*r.patience+1, ahead)
		r.wait = r.patience
		return
	}
	if next.Hi() == e.Hi() { // enough for repetitions
		r.patience = min(2*r.patience+1, ahead)
		r.wait = r.patience
	} else {
		r.patience = 0
	}
	r.held, r.real, r.limit, r.time, r.call = e, e.Pattern, next.Hi(), e.time, e.calls[1]
	t.d.extents.reshape(e, next)
}

// clear shortens p, with which t continues from s, so that no access in p has to be judged.
// p then ends before the first byte of another handle's conflicting access, unless the order
// of the two is certain.
func (t *Tracker) clear(s *site, p *extent.Pattern) {
	end := int64(extent.MaxSize)
	t.d.extents.over(p, nil, func(e *footprint) {
		if e.seq.h == t || e.seq.gone || !(e.site.write || s.write) || e.orderedBefore(t) {
			return
		}
		if lo, _, ok := e.Common(p); ok {
			end = min(end, lo)
		}
	})
	switch {
	case end >= p.Hi():
	case p.N == 1:
		p.Block = end - p.Lo
	default:
		p.N = (end - p.Lo) / p.Stride
	}
}

// orderedBefore reports whether e certainly comes before all accesses of t until its next
// sync, and the syncs between them have been counted.
func (e *footprint) orderedBefore(t *Tracker) bool {
	if e.seq.end == 0 || !t.seq.start.covers(e.seq.h.rank, e.seq.end) {
		return false
	}
	a, b := e.seq.closing, t.seq.opening
	return (a == nil || a.needed) && (b == nil || b.needed)
}
