package image

import (
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/types"
)

// A record is one write: packed bytes and their place in the file. It covers some or all
// bytes of [lo, hi), in ascending order.
type record struct {
	at     types.Tiling
	from   int64 // packed position of data[0]
	data   []byte
	lo, hi int64
	page   bool // data is a page of the log: one run that starts where a page of the file starts
}

// flat reports whether the record is one run of bytes.
func (r *record) flat() bool { return r.hi-r.lo == int64(len(r.data)) }

// end returns the packed position after the last byte.
func (r *record) end() int64 { return r.from + int64(len(r.data)) }

// within returns the range of packed bytes of r that are in [lo, hi).
func (r *record) within(lo, hi int64) (from, to int64) {
	if r.flat() {
		return r.from + min(max(lo-r.lo, 0), r.hi-r.lo), r.from + min(max(hi-r.lo, 0), r.hi-r.lo)
	}
	n := int64(len(r.data))
	if lo > r.lo {
		from = r.at.Until(lo, r.from, n)
	}
	if to = n; hi < r.hi {
		to = r.at.Until(hi, r.from, n)
	}
	return r.from + from, r.from + to
}

// overlay copies the bytes of r over mem, which holds file bytes from lo on.
func (r *record) overlay(mem []byte, lo int64) {
	hi := lo + int64(len(mem))
	if r.lo >= hi || r.hi <= lo {
		return
	}
	if r.flat() {
		skip := max(0, lo-r.lo)
		copy(mem[max(0, r.lo-lo):], r.data[skip:])
		return
	}
	from, to := r.within(lo, hi)
	if from < to {
		r.at.Scatter(mem, lo, r.data[from-r.from:to-r.from], from)
	}
}

// cut drops the bytes of r from offset n on.
func (r *record) cut(n int64) {
	if r.hi <= n {
		return
	}
	_, to := r.within(0, n)
	r.data = r.data[: to-r.from : to-r.from]
	if len(r.data) > 0 {
		r.hi = r.at.At(to-1) + 1
	}
}

// A privateLog holds the writes of a handle since it last adopted, in program order.
type privateLog struct {
	recs records
	// published counts the records, from the first, that are already in the image, in a
	// version that the handle has not adopted yet.
	published int
	start     int64 // beginning of the run of bytes that the last records form
	arena     arena
	index     *index // of recs, as far as a read needed it
	hits      []hit  // the last result of over
}

// add appends r if space returned its bytes, or else a copy of r. If paged is true, long
// runs are copied into pages.
func (l *privateLog) add(r *record, paged bool) {
	switch {
	case l.arena.owns(r.data):
		l.join(r)
	case paged && r.at == extent.Flat():
		switch {
		case l.reaches(r.lo, len(r.data)):
			l.lay(r)
		case !l.grow(r.lo, r.data):
			l.copied(r)
		}
	case paged && r.long():
		l.layRuns(r)
	default:
		l.copied(r)
	}
}

// copied appends a copy of r, which it changes.
func (l *privateLog) copied(r *record) {
	p := l.arena.space(len(r.data))
	copy(p, r.data)
	r.data = p
	l.join(r)
}

// join appends a record whose bytes are in the arena. If it continues the record before, it
// becomes part of that, so a file written piece by piece leaves one record.
func (l *privateLog) join(r *record) {
	if last := l.last(); last != nil && last.at == r.at && last.end() == r.from {
		if joined, ok := l.arena.grow(last.data, r.data); ok {
			last.data, last.hi = joined, r.hi
			return
		}
	}
	l.append(r)
}

func (l *privateLog) append(r *record) {
	if !r.flat() {
		l.start = r.hi
	} else if !l.follows(r.lo) {
		l.start = r.lo
	}
	l.recs.add(*r)
}

// last returns the last record if it may still grow, nil otherwise.
func (l *privateLog) last() *record {
	k := l.recs.n - 1
	if k < l.published || l.index != nil && k < l.index.next {
		return nil
	}
	return l.recs.at(k)
}

// follows reports whether lo is the end of the last record.
func (l *privateLog) follows(lo int64) bool {
	return l.recs.n > 0 && l.recs.at(l.recs.n-1).hi == lo
}

// pending reports whether there is anything to publish.
func (l *privateLog) pending() bool { return l.published < l.recs.n }

// end returns the offset after the last unpublished byte.
func (l *privateLog) end() int64 {
	end := int64(0)
	for i := l.published; i < l.recs.n; i++ {
		end = max(end, l.recs.at(i).hi)
	}
	return end
}

// cut drops all bytes from offset n on.
func (l *privateLog) cut(n int64) {
	kept, published := 0, 0
	for i := range l.recs.n {
		r := *l.recs.at(i)
		if r.cut(n); len(r.data) == 0 {
			continue
		}
		if i < l.published {
			published++
		}
		*l.recs.at(kept) = r
		kept++
	}
	l.recs.cutTo(kept)
	l.published, l.index = published, nil
}

// dropPublished removes the records that are in the image.
func (l *privateLog) dropPublished() {
	if l.published == 0 {
		return
	}
	for i := range l.published {
		if r := l.recs.at(i); r.page {
			freePage(r.data)
		}
	}
	rest := l.recs.n - l.published
	for i := range rest {
		*l.recs.at(i) = *l.recs.at(l.published + i)
	}
	l.recs.cutTo(rest)
	l.published, l.index = 0, nil
	if rest == 0 {
		l.arena.reset()
	}
}

// over returns the pieces of the log that may have bytes in [lo, hi), in the order of
// writing: later ones cover earlier ones. The next call reuses the slice.
func (l *privateLog) over(lo, hi int64) []hit {
	const few = 8
	hits := l.hits[:0]
	if l.recs.n > few {
		hits = l.search(hits, lo, hi)
	} else {
		hits = l.scan(hits, lo, hi)
	}
	l.hits = hits
	return hits
}

// scan does the work of over for a short log.
func (l *privateLog) scan(hits []hit, lo, hi int64) []hit {
	for i := range l.recs.n {
		if r := l.recs.at(i); r.lo < hi && lo < r.hi {
			hits = append(hits, hit{i, r.lo, r.hi})
		}
	}
	return hits
}

// covered reports whether a hit has all bytes from lo to hi.
func (l *privateLog) covered(h hit, lo, hi int64) bool {
	return l.recs.at(h.rec).flat() && h.lo <= lo && hi <= h.hi
}
