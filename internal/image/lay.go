package image

import "github.com/commworld/commworld/internal/extent"

// Where the image has pages, long runs of bytes are copied into pages already when
// they are written: buffers that begin and end where a page of the file does. One
// that is full takes the place of that page when it is published, and nothing is
// copied then. What is short lies in the arena, close together: a page is begun
// for a run of so many bytes only, so that at most half of a log's memory is empty.

// lay appends a copy of p, which belongs at offset lo.
func (l *log) lay(lo int64, p []byte) {
	long := l.reaches(lo, len(p))
	for len(p) > 0 {
		n := len(p)
		if long {
			n = int(min(int64(n), PageSize-lo&(PageSize-1)))
		}
		switch {
		case l.grow(lo, p[:n]):
		case long && lo&(PageSize-1) == 0:
			page := newPage()
			l.append(record{extent.Flat(), lo, page[:copy(page, p)], lo, lo + int64(n), true})
		default:
			l.copied(record{at: extent.Flat(), from: lo, data: p[:n], lo: lo, hi: lo + int64(n)})
		}
		lo, p = lo+int64(n), p[n:]
	}
}

// reaches reports whether n bytes from offset lo on end a run that is worth pages.
func (l *log) reaches(lo int64, n int) bool {
	start := lo
	if l.follows(lo) {
		start = l.start
	}
	return lo+int64(n)-start >= PageSize
}

// grow makes p, which belongs at offset lo, part of the last record if that is a
// page that has room there.
func (l *log) grow(lo int64, p []byte) bool {
	r := l.last()
	if r == nil || !r.page || r.hi != lo || cap(r.data)-len(r.data) < len(p) {
		return false
	}
	r.data, r.hi = append(r.data, p...), lo+int64(len(p))
	return true
}

// long reports a record whose first run has a whole page at least.
func (r *record) long() bool {
	if len(r.data) < PageSize {
		return false
	}
	for _, n := range r.at.Runs(r.from, int64(len(r.data))) {
		return n >= PageSize
	}
	return false
}

// layRuns is lay for the long ones among the runs of r, and for the others
// copied.
func (l *log) layRuns(r *record) {
	short, pos := r.from, r.from
	rest := func() {
		if short < pos {
			l.copied(r.part(short-r.from, pos-r.from))
		}
	}
	for off, n := range r.at.Runs(r.from, int64(len(r.data))) {
		if n >= PageSize {
			rest()
			l.lay(off, r.data[pos-r.from:pos-r.from+n])
			short = pos + n
		}
		pos += n
	}
	rest()
}
