package image

import (
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/types"
)

// copyPage fills p with the bytes of page i of a backing with pages, from byte from of the
// page on. Bytes that were never written are poison.
func (im *Image) copyPage(p []byte, i, from int64) {
	known := im.pager.Page(i)
	n := 0
	if from < int64(len(known)) {
		n = copy(p, known[from:])
	}
	copy(p[n:], im.poison)
}

// load fills p with the bytes from offset off on as of version asOf. Bytes from base on did
// not exist then; they are poison. via reads the bytes, unless it is nil. load returns how
// many bytes it read, from the first.
func (im *Image) load(via Backing, p []byte, off, asOf, base int64) (int64, error) {
	all, there := int64(len(p)), min(int64(len(p)), max(0, base-off))
	beyond := p[there:]
	p = p[:there]
	if via == nil && im.pager == nil {
		via = im.backing
	}
	if via != nil {
		if n, err := im.loadFile(via, p, off, asOf); err != nil {
			return n, err
		}
		fill(beyond, im.poison[0])
		return all, nil
	}
	fill(beyond, im.poison[0])
	for len(p) > 0 {
		page := off >> pageShift
		start := page << pageShift
		n := min(int64(len(p)), start+PageSize-off)
		s := im.stripe(page)
		s.mu.RLock()
		im.copyPage(p[:n], page, off-start)
		if s.undo != nil {
			s.rewind(page, p[:n], off, asOf)
		}
		s.mu.RUnlock()
		p, off = p[n:], off+n
	}
	return all, nil
}

// loadFile does the work of load for a backing without pages, with one call.
func (im *Image) loadFile(from Backing, p []byte, off, asOf int64) (int64, error) {
	end := off + int64(len(p))
	set := stripesOf(off, end)
	im.rlock(set)
	defer im.runlock(set)
	n, err := readFull(from, p, off, im.poison[0])
	im.stage.overlay(p[:n], off)
	end = off + n
	for lo := off; lo < end; {
		page := lo >> pageShift
		hi := min(end, (page+1)<<pageShift)
		im.stripe(page).rewind(page, p[lo-off:hi-off], lo, asOf)
		lo = hi
	}
	return n, err
}

// gather loads packed bytes of an ascending tiling, from position from on.
func (im *Image) gather(via Backing, p []byte, at types.Tiling, from, asOf, base int64) (int64, error) {
	n := at.Until(base, from, int64(len(p)))
	r := record{at: at, from: from, data: p[:n]}
	if n > 0 {
		r.lo, r.hi = at.At(from), at.At(from+n-1)+1
	}
	if via != nil || im.pager == nil {
		if n, err := im.gatherFile(via, &r, asOf); err != nil {
			return n, err
		}
		fill(p[n:], im.poison[0])
		return int64(len(p)), nil
	}
	fill(p[n:], im.poison[0])
	for pos := from; pos < r.end(); {
		part, _ := r.pagePart(pos)
		im.gatherPage(&part, asOf)
		pos = part.end()
	}
	return int64(len(p)), nil
}

// gatherPage fills r, which is in one page.
func (im *Image) gatherPage(r *record, asOf int64) {
	im.lend(types.Place{At: r.at, From: r.from}, r.lo, r.hi, asOf, func(src types.Place) {
		src.At.Gather(r.data, src.Mem, src.Base, src.From)
	})
}

// lend calls take with the memory of the bytes from lo to hi, which are in one page, as of
// version asOf.
func (im *Image) lend(of types.Place, lo, hi, asOf int64, take func(src types.Place)) {
	page := lo >> pageShift
	s := im.stripe(page)
	s.mu.RLock()
	defer s.mu.RUnlock()
	of.Base = page << pageShift
	if of.Mem = im.pager.Page(page); of.Mem == nil {
		of.Mem = im.poison
	}
	changed := s.changed(page, lo, hi, asOf)
	if changed || int64(len(of.Mem)) < hi-of.Base {
		scratch := takeBuffer(PageSize)[:hi-lo]
		defer giveBuffer(scratch)
		im.copyPage(scratch, page, lo-of.Base)
		if changed {
			s.rewind(page, scratch, lo, asOf)
		}
		of.Mem, of.Base = scratch, lo
	}
	take(of)
}

// window is how many bytes of a file are read at a time to gather scattered bytes.
const window = 8 * PageSize

// gatherFile fills r from a backing without pages. It also reads the bytes in between, to
// save calls.
func (im *Image) gatherFile(via Backing, r *record, asOf int64) (int64, error) {
	if len(r.data) == 0 {
		return 0, nil
	}
	scratch := takeBuffer(int(min(window, r.hi-r.lo)))
	defer giveBuffer(scratch)
	return windows(r, window, func(part *record) (int64, error) {
		mem := scratch[:part.hi-part.lo]
		n, err := im.load(via, mem, part.lo, asOf, extent.MaxSize)
		return part.pick(mem[:n]), err
	})
}

// pick copies the bytes of r out of mem, which holds the file from r.lo on, and returns how
// many there are.
func (r *record) pick(mem []byte) int64 {
	_, to := r.within(r.lo, r.lo+int64(len(mem)))
	r.at.Gather(r.data[:to-r.from], mem, r.lo, r.from)
	return to - r.from
}

// windows cuts r into parts no wider than size and calls f for each. f returns how many
// packed bytes it read, and windows returns the sum.
func windows(r *record, size int64, f func(part *record) (int64, error)) (int64, error) {
	for pos := r.from; pos < r.end(); {
		lo := r.at.At(pos)
		n := r.at.Until(lo+size, pos, r.end()-pos)
		part := record{at: r.at, from: pos, data: r.data[pos-r.from : pos-r.from+n], lo: lo, hi: r.at.At(pos+n-1) + 1}
		if got, err := f(&part); err != nil {
			return pos - r.from + got, err
		}
		pos += n
	}
	return int64(len(r.data)), nil
}
