package image

import "github.com/commworld/commworld/internal/extent"

// If the image has pages, writing already copies long runs of bytes into pages of the log:
// buffers that begin and end where a page of the file does. When the log is published, a
// full page takes the place of the page of the file and nothing is copied again. Short runs
// are stored in the arena, close together: a page is begun only for a run of a minimum
// length, so at most half of a log's memory is empty.

// lay appends copies of long runs of r, whose offset in the file is r.lo, in pages.
func (l *privateLog) lay(r *record) {
	lo, p := r.lo, r.data
	for len(p) > 0 {
		n := int(min(int64(len(p)), PageSize-lo&(PageSize-1)))
		if !l.grow(lo, p[:n]) {
			part := record{at: extent.Flat(), from: lo, data: p[:n], lo: lo, hi: lo + int64(n)}
			if lo&(PageSize-1) == 0 {
				page := newPage()
				part.data, part.page = page[:copy(page, p)], true
				l.append(&part)
			} else {
				l.copied(&part)
			}
		}
		lo, p = lo+int64(n), p[n:]
	}
}

// reaches reports whether n bytes from offset lo on complete a run that is long enough for
// pages.
func (l *privateLog) reaches(lo int64, n int) bool {
	start := lo
	if l.follows(lo) {
		start = l.start
	}
	return lo+int64(n)-start >= PageSize
}

// grow appends p, whose offset is lo, to the last record if that is a page with room for
// it, and reports whether it did.
func (l *privateLog) grow(lo int64, p []byte) bool {
	r := l.last()
	if r == nil || !r.page || r.hi != lo || cap(r.data)-len(r.data) < len(p) {
		return false
	}
	r.data, r.hi = append(r.data, p...), lo+int64(len(p))
	return true
}

// long reports whether the first run of a record contains a whole page.
func (r *record) long() bool {
	if len(r.data) < PageSize {
		return false
	}
	for _, n := range r.at.Runs(r.from, int64(len(r.data))) {
		return n >= PageSize
	}
	return false
}

// layRuns calls lay for the long runs of r, and copies the others.
func (l *privateLog) layRuns(r *record) {
	short, pos := r.from, r.from
	rest := func() {
		if short < pos {
			part := r.part(short-r.from, pos-r.from)
			l.copied(&part)
		}
	}
	for off, n := range r.at.Runs(r.from, int64(len(r.data))) {
		if n >= PageSize {
			rest()
			l.lay(&record{lo: off, data: r.data[pos-r.from : pos-r.from+n]})
			short = pos + n
		}
		pos += n
	}
	rest()
}
