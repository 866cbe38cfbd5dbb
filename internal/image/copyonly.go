package image

import "github.com/commworld/commworld/internal/extent"

// Most small accesses of a program are alike: each continues where the last one ended, in a
// run of bytes within one page. WriteRun and ReadRun do the work of Write and Read for such
// accesses, and nothing for any others.

// WriteRun writes p to the bytes from offset lo on, as [Handle.Write] does, if the write
// needs only a copy. Otherwise it returns false and has done nothing. The caller keeps p.
func (h *Handle) WriteRun(lo int64, p []byte) bool {
	switch {
	case h.im == nil || !inPage(lo, int64(len(p))):
		return false
	case h.direct:
		return h.onePages() && h.writeOnePage(lo, p)
	case h.rules.Early || h.chaos != nil || !h.log.extend(lo, p):
		return false
	}
	h.size = max(h.size, lo+int64(len(p)))
	return true
}

// ReadRun fills p with the bytes from offset lo on, as [Handle.Read] does, if the read needs
// only a copy. Otherwise it returns false, and the caller must use Read.
func (h *Handle) ReadRun(lo int64, p []byte) bool {
	n := int64(len(p))
	switch {
	case h.im == nil || !inPage(lo, n):
		return false
	case h.direct:
		return h.onePages() && lo <= h.im.Size()-n && h.readOnePage(lo, p) == n
	case h.chaos != nil || h.log.recs.n > 0 || h.via != nil || h.im.pager == nil || lo > h.Size()-n:
		return false
	}
	asOf, base := h.view()
	got, err := h.im.load(nil, p, lo, asOf, base)
	return got == n && err == nil
}

// inPage reports whether n is positive and n bytes from offset lo on are in one page.
func inPage(lo, n int64) bool {
	return n > 0 && n <= PageSize && lo >= 0 && lo <= extent.MaxSize-n && lo>>pageShift == (lo+n-1)>>pageShift
}

// extend appends p to the last record, and reports whether it did. The record must be a run
// that p continues and that may still grow, with free memory behind it.
func (l *privateLog) extend(lo int64, p []byte) bool {
	r, c := l.last(), l.arena.chunk
	switch {
	case r == nil || r.hi != lo || r.at != extent.Flat():
		return false
	case r.page:
		return l.grow(lo, p)
	case cap(c)-len(c) < len(p) || lo&(PageSize-1) == 0 && l.reaches(lo, len(p)):
		return false
	}
	start := len(c) - len(r.data)
	if start < 0 || len(r.data) == 0 || &c[start] != &r.data[0] {
		return false
	}
	end := len(c) + len(p)
	c = c[:end]
	copy(c[end-len(p):], p)
	l.arena.chunk, r.data, r.hi = c, c[start:end:end], lo+int64(len(p))
	return true
}
