package image

import (
	"iter"

	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/types"
)

// Publish makes everything written through h a new version of the image, which the backing
// syncs. Other handles see it when they adopt; h continues to see its own writes, and keeps
// them until it adopts. If it fails, records that are already in the image stay there and
// the others stay in the log for a later call; bytes of the image that the backing did not
// accept stay with the image, for its next sync. Errors: those of the backing.
func (h *Handle) Publish() error {
	const op = "Publish"
	if h.im == nil {
		return errClosed(op)
	}
	if err := h.flush(false); err != nil {
		return failed(op, err)
	}
	return failed(op, h.im.sync())
}

// Flush is [Handle.Publish] without the sync: the writes of h are in the image; [Image.Drain]
// brings those that are still missing to a backing without pages. All are on the device when
// [Image.Sync] returns. Ranks that meet anyway sync once for all of them.
func (h *Handle) Flush() error {
	const op = "Flush"
	if h.im == nil {
		return errClosed(op)
	}
	return failed(op, h.flush(false))
}

// Pending reports whether h has unpublished writes.
func (h *Handle) Pending() bool { return h.log.pending() || h.reach > 0 }

// Unpublished returns the bytes of the unpublished writes, one part for each of their records.
func (h *Handle) Unpublished() iter.Seq[types.Part] { return h.written(h.log.published) }

// Written returns the bytes of all writes since h last adopted what others published, one part for
// each of their records. Unless reads see each new version, they find them.
func (h *Handle) Written() iter.Seq[types.Part] { return h.written(0) }

// written returns the bytes of records from number from on.
func (h *Handle) written(from int) iter.Seq[types.Part] {
	return func(yield func(types.Part) bool) {
		for i := from; i < h.log.recs.n; i++ {
			r := h.log.recs.at(i)
			p := types.Part{At: r.at, From: r.from, N: int64(len(r.data))}
			if r.flat() {
				p.At, p.From = extent.Flat(), r.lo
			}
			if !yield(p) {
				return
			}
		}
	}
}

// flush does the work of Publish without the sync. adopts says that h adopts next.
func (h *Handle) flush(adopts bool) error {
	l := &h.log
	if !h.Pending() {
		return nil
	}
	p := h.im.begin(h)
	p.end, h.reach = h.reach, 0
	p.stage = true
	gives, put := adopts || h.mark == nil, p.put
	if h.chaos != nil {
		put = p.putMixed // it publishes parts, so their memory cannot be exchanged
	} else {
		p.gives = gives
	}
	var err error
	for err == nil && l.pending() {
		r, before := l.recs.at(l.published), p.placed
		switch err = put(r); {
		case err == nil:
			l.published++
		case p.swapped: // the memory of published records may hold other bytes now
			*r = r.part(p.placed-before, int64(len(r.data)))
		}
	}
	if p.swapped || p.staged {
		chunks := l.arena.release()
		switch {
		case err != nil: // they contain records
		case p.staged:
			h.im.stage.keepChunks(chunks)
		default:
			p.rooms = append(p.rooms, chunks...)
		}
	}
	p.commit(-1)
	if gives {
		l.dropPublished()
	}
	return err
}

// put scatters r into the image. If an error stops it halfway, the bytes written until then
// stay.
func (p *publication) put(r *record) error {
	if p.im.pager != nil && p.via() == nil {
		return p.putPages(r)
	}
	if r.flat() {
		return p.putRun(r.lo, r.data)
	}
	return p.putRuns(r)
}

// via returns the backing that writes the bytes of p in place of the image's backing; nil if
// there is none.
func (p *publication) via() Backing {
	if p.h == nil {
		return nil
	}
	return p.h.via
}

// putRun writes adjacent bytes to a backing without pages, with one call.
func (p *publication) putRun(off int64, b []byte) error {
	im, hi := p.im, off+int64(len(b))
	set := stripesOf(off, hi)
	im.lock(set)
	defer im.unlock(set)
	if end := min(hi, im.keep(p.h)); off < end {
		if err := p.rememberFile(off, end); err != nil {
			return err
		}
	}
	if p.stages(int64(len(b))) {
		p.putStage(record{at: extent.Flat(), from: off, data: b, lo: off, hi: hi})
		return nil
	}
	return p.writeRun(off, b)
}

// writeRun writes adjacent bytes whose old bytes have been kept.
func (p *publication) writeRun(off int64, b []byte) error {
	to := p.via()
	if to == nil {
		to = p.im.backing
	}
	n, err := writeFull(to, b, off)
	p.placed += n
	if err != nil { // a store may return 0 for a call that failed halfway
		n = max(n, min(p.im.backing.Size()-off, int64(len(b))))
	}
	p.end = max(p.end, off+n)
	p.im.stage.cover(off, b[:n])
	return err
}

// A run is adjacent bytes of a file.
type run struct{ off, n int64 }

// putRuns writes r, which consists of many runs, to a backing without pages. Unless they are
// staged, each run is one call: the bytes between belong to others and are never written
// back. Runs in one page are written under one lock.
func (p *publication) putRuns(r *record) error {
	group, from := p.runs[:0], r.from
	flush := func() error {
		defer func() { group = group[:0] }()
		return p.putGroup(r, from, group)
	}
	pos := r.from
	for off, n := range r.at.Runs(r.from, int64(len(r.data))) {
		long := off>>pageShift != (off+n-1)>>pageShift
		if k := len(group); k > 0 && (long || group[k-1].off>>pageShift != off>>pageShift) {
			if err := flush(); err != nil {
				return err
			}
		}
		if long {
			if err := p.putRun(off, r.data[pos-r.from:pos-r.from+n]); err != nil {
				return err
			}
		} else if group = append(group, run{off, n}); len(group) == 1 {
			from = pos
		}
		pos += n
	}
	p.runs = group
	return flush()
}

// putGroup writes runs that are in one page: those of r from packed position from on.
func (p *publication) putGroup(r *record, from int64, group []run) error {
	if len(group) == 0 {
		return nil
	}
	last := group[len(group)-1]
	part := record{at: r.at, from: from, lo: group[0].off, hi: last.off + last.n}
	for _, g := range group {
		part.data = r.data[from-r.from : int64(len(part.data))+from-r.from+g.n]
	}
	s := p.im.stripe(part.lo >> pageShift)
	s.mu.Lock()
	defer s.mu.Unlock()
	if end := p.im.keep(p.h); part.lo < end {
		if err := p.rememberGroup(part, end); err != nil {
			return err
		}
	}
	if p.stages(int64(len(part.data))) {
		p.putStage(part)
		return nil
	}
	rest := part.data
	for _, g := range group {
		if err := p.writeRun(g.off, rest[:g.n]); err != nil {
			return err
		}
		rest = rest[g.n:]
	}
	return nil
}

// rememberGroup keeps the bytes below end that r, in one page of a backing without pages,
// will overwrite.
func (p *publication) rememberGroup(r record, end int64) error {
	r.cut(end)
	scratch := takeBuffer(PageSize)[:r.hi-r.lo]
	defer giveBuffer(scratch)
	if _, err := readFull(p.im.backing, scratch, r.lo, p.im.poison[0]); err != nil {
		return err
	}
	p.im.stage.overlay(scratch, r.lo)
	room := p.undoBuffer(int64(len(r.data)), PageSize)
	r.at.Gather(room, scratch, r.lo, r.from)
	p.remember(r.lo>>pageShift, r, room)
	return nil
}

// putPages scatters r page by page.
func (p *publication) putPages(r *record) error {
	if r.page {
		return p.putPage(r.lo>>pageShift, r, int64(len(r.data)))
	}
	for pos, end := r.from, r.end(); pos < end; {
		part, page := r.pagePart(pos)
		if err := p.putPage(page, &part, end-pos); err != nil {
			return err
		}
		pos = part.end()
	}
	return nil
}

// pagePart returns the part of r from packed position pos on that is in one page, and that
// page.
func (r *record) pagePart(pos int64) (record, int64) {
	if r.flat() {
		lo := r.lo + pos - r.from
		page := lo >> pageShift
		hi := min(r.hi, (page+1)<<pageShift)
		return record{at: r.at, from: pos, data: r.data[lo-r.lo : hi-r.lo], lo: lo, hi: hi}, page
	}
	lo := r.at.At(pos)
	page := lo >> pageShift
	n := r.at.Until((page+1)<<pageShift, pos, r.end()-pos)
	hi := r.at.At(pos+n-1) + 1
	return record{at: r.at, from: pos, data: r.data[pos-r.from : pos-r.from+n], lo: lo, hi: hi}, page
}

// putPage scatters r, which is in one page; r is the first part of more bytes.
func (p *publication) putPage(page int64, r *record, more int64) error {
	im, base := p.im, page<<pageShift
	s := im.stripe(page)
	s.mu.Lock()
	defer s.mu.Unlock()
	end := im.keep(p.h)
	old := im.pager.Page(page)
	if im.renewer != nil && len(r.data) == PageSize && (old == nil || len(old) == PageSize) && (r.page && p.gives || r.lo < end) {
		if err := p.renewPage(page, r, end); err != nil {
			return err
		}
	} else {
		mem, err := im.pager.Make(page, r.hi-base, len(r.data) == PageSize && r.lo >= end)
		if err != nil {
			return err
		}
		if r.lo < end {
			p.replace(page, old != nil, mem, r, end, more)
		} else {
			r.overlay(mem, base)
		}
	}
	p.placed += int64(len(r.data))
	p.end = max(p.end, r.hi)
	return nil
}

// renewPage replaces a page that r covers completely by another one: by r's own page if it
// may be given away, else by a copy. Old bytes below end are kept, because some handle may
// need them.
func (p *publication) renewPage(page int64, r *record, end int64) error {
	given := r.page && p.gives
	mem := r.data
	if !given {
		mem = newPage()
		copy(mem, r.data)
	}
	old, err := p.im.renewer.Renew(page, mem)
	if err != nil {
		return err
	}
	r.page = r.page && !given
	switch {
	case r.lo >= end:
		freePage(old)
		return nil
	case old == nil:
		old = p.im.poison // a page of poison is never written, so it can be lent
	default:
		p.rooms = append(p.rooms, old)
	}
	p.remember(page, record{at: extent.Flat(), from: r.lo, lo: r.lo, hi: r.hi}, old)
	return nil
}

// replace copies r over mem, the bytes of its page, and keeps those below end that it
// overwrites. known says that those bytes may differ from poison.
func (p *publication) replace(page int64, known bool, mem []byte, r *record, end, more int64) {
	old, base := *r, page<<pageShift
	old.cut(end)
	n := int64(len(old.data))
	switch {
	case !known:
		p.remember(page, old, p.im.poison[:n])
		r.overlay(mem, base)
	case p.gives: // exchanges the new bytes with the old ones
		scratch := takeBuffer(PageSize)[:n]
		defer giveBuffer(scratch)
		old.at.Gather(scratch, mem, base, old.from)
		r.overlay(mem, base)
		copy(old.data, scratch)
		p.remember(page, old, old.data)
		if !r.page {
			p.swapped = true
			return
		}
		p.rooms, r.page = append(p.rooms, r.data), false
	default:
		room := p.undoBuffer(n, more)
		old.at.Gather(room, mem, base, old.from)
		p.remember(page, old, room)
		r.overlay(mem, base)
	}
}
