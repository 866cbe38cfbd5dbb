package consistency

import "github.com/commworld/commworld/types"

// page returns the bytes of page i of a backing with pages.
func (im *Image) page(i int64) []byte {
	if p := im.pager.Page(i); p != nil {
		return p
	}
	return im.poison
}

// load fills p with the bytes from offset off on as they were at version asOf.
// Bytes from base on did not exist then; they are poison. They pass via unless
// that is nil.
func (im *Image) load(via Backing, p []byte, off, asOf, base int64) error {
	n := min(int64(len(p)), max(0, base-off))
	fill(p[n:], im.poison[0])
	p = p[:n]
	switch {
	case via != nil:
		return im.loadFile(via, p, off, asOf)
	case im.pager == nil:
		return im.loadFile(im.backing, p, off, asOf)
	}
	for len(p) > 0 {
		page := off >> pageShift
		start := page << pageShift
		n := min(int64(len(p)), start+PageSize-off)
		s := im.stripe(page)
		s.mu.RLock()
		copy(p[:n], im.page(page)[off-start:])
		if s.undo != nil {
			s.rewind(page, p[:n], off, asOf)
		}
		s.mu.RUnlock()
		p, off = p[n:], off+n
	}
	return nil
}

// loadFile is load from a backing without pages, by one call.
func (im *Image) loadFile(from Backing, p []byte, off, asOf int64) error {
	end := off + int64(len(p))
	set := stripesOf(off, end)
	im.rlock(set)
	defer im.runlock(set)
	if err := readFull(from, p, off, im.poison[0]); err != nil {
		return err
	}
	for lo := off; lo < end; {
		page := lo >> pageShift
		hi := min(end, (page+1)<<pageShift)
		im.stripe(page).rewind(page, p[lo-off:hi-off], lo, asOf)
		lo = hi
	}
	return nil
}

// gather is load for packed bytes from position from on of an ascending tiling.
func (im *Image) gather(via Backing, p []byte, at types.Tiling, from, asOf, base int64) error {
	n := at.Until(base, from, int64(len(p)))
	fill(p[n:], im.poison[0])
	r := record{at: at, from: from, data: p[:n]}
	if n > 0 {
		r.lo, r.hi = at.At(from), at.At(from+n-1)+1
	}
	if via != nil || im.pager == nil {
		return im.gatherFile(via, &r, asOf)
	}
	for pos := from; pos < r.end(); {
		part, page := r.pagePart(pos)
		im.gatherPage(page, &part, asOf)
		pos = part.end()
	}
	return nil
}

// gatherPage fills r, which lies in one page.
func (im *Image) gatherPage(page int64, r *record, asOf int64) {
	s := im.stripe(page)
	s.mu.RLock()
	defer s.mu.RUnlock()
	mem, base := im.page(page), page<<pageShift
	if s.changed(page, r.lo, r.hi, asOf) {
		scratch := takeBuffer(PageSize)[:r.hi-r.lo]
		defer giveBuffer(scratch)
		copy(scratch, mem[r.lo-base:])
		s.rewind(page, scratch, r.lo, asOf)
		mem, base = scratch, r.lo
	}
	r.at.Gather(r.data, mem, base, r.from)
}

// window is how much of a file is read at a time to pick bytes out of it.
const window = 8 * PageSize

// gatherFile fills r from a backing without pages. It reads what lies between
// as well, to spare calls.
func (im *Image) gatherFile(via Backing, r *record, asOf int64) error {
	if len(r.data) == 0 {
		return nil
	}
	scratch := takeBuffer(int(min(window, r.hi-r.lo)))
	defer giveBuffer(scratch)
	return windows(r, window, func(part *record) error {
		mem := scratch[:part.hi-part.lo]
		if err := im.load(via, mem, part.lo, asOf, MaxSize); err != nil {
			return err
		}
		r.at.Gather(part.data, mem, part.lo, part.from)
		return nil
	})
}

// windows cuts r into parts no wider than size and calls f for each.
func windows(r *record, size int64, f func(part *record) error) error {
	for pos := r.from; pos < r.end(); {
		lo := r.at.At(pos)
		n := r.at.Until(lo+size, pos, r.end()-pos)
		part := record{r.at, pos, r.data[pos-r.from : pos-r.from+n], lo, r.at.At(pos+n-1) + 1}
		if err := f(&part); err != nil {
			return err
		}
		pos += n
	}
	return nil
}
