package image

import (
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/types"
)

// Read fills p with the bytes that at shows from packed position from on, and returns how
// many there are before the end of the file as h sees it; the rest of p does not change.
// Errors: those of the backing, with the number of bytes that were read before it failed.
func (h *Handle) Read(at types.Tiling, from int64, p []byte) (int64, error) {
	n := int64(len(p))
	if h.onePages() {
		if lo, ok := onePageRun(at, from, n); ok {
			return h.readOnePage(lo, p), nil
		}
	}
	return h.read(at, from, n, p, nil)
}

// read does the work of Read for n bytes into p or, if take is not nil, that of
// [Handle.ReadParts].
func (h *Handle) read(at types.Tiling, from, n int64, p []byte, take func(src types.Place, pos, k int64)) (got int64, err error) {
	const op = "Read"
	if h.im == nil {
		return 0, errClosed(op)
	}
	if err := extent.Check(op, at, from, n); err != nil || n == 0 {
		return 0, err
	}
	h.peek()
	if h.direct {
		if err := h.flush(false); err != nil {
			return 0, failed(op, err)
		}
		lo, hi := at.Span(from, n)
		some := types.Part{}
		if extent.Ascending(at) && hi-lo > n {
			some = types.Part{At: at, From: from, N: n}
		}
		h.hold(some, lo, hi, false)
		defer h.im.spans.unlock(h.span)
	}
	n = at.Until(h.Size(), from, n)
	switch {
	case n == 0:
		return 0, nil
	case take != nil:
		got, err = h.fetchParts(at, from, n, take)
	default:
		got, err = h.fetch(at, from, p[:n])
	}
	return got, failed(op, err)
}

// fetch reads bytes before the end of the file.
func (h *Handle) fetch(at types.Tiling, from int64, p []byte) (int64, error) {
	n := int64(len(p))
	if !extent.Ascending(at) {
		done := int64(0)
		for off, n := range at.Runs(from, n) {
			if got, err := h.fetchRun(off, p[done:done+n]); err != nil {
				return done + got, err
			}
			done += n
		}
		return done, nil
	}
	r := record{at: at, from: from, data: p, lo: at.At(from), hi: at.At(from+n-1) + 1}
	if r.flat() {
		return h.fetchRun(r.lo, p)
	}
	return h.fetchStrided(&r)
}

// view returns the version of the image that h reads, and the offset at which that version
// ends.
func (h *Handle) view() (asOf, base int64) {
	if h.mark == nil {
		return pending, extent.MaxSize
	}
	return h.mark.version, h.base
}

// fetchRun fills p with the bytes from offset lo on.
func (h *Handle) fetchRun(lo int64, p []byte) (n int64, err error) {
	n = int64(len(p))
	hits := h.log.over(lo, lo+n)
	if k := len(hits) - 1; k < 0 || !h.log.covered(hits[k], lo, lo+n) {
		asOf, base := h.view()
		n, err = h.im.load(h.via, p, lo, asOf, base)
	}
	for _, hit := range hits {
		h.log.overlay(hit, p[:n], lo)
	}
	return n, err
}

// fetchStrided fills r, whose bytes are not adjacent.
func (h *Handle) fetchStrided(r *record) (n int64, err error) {
	n = int64(len(r.data))
	hits := h.log.over(r.lo, r.hi)
	asOf, base := h.view()
	for _, hit := range hits {
		if h.log.recs.at(hit.rec).at != r.at {
			return h.fetchWindows(r)
		}
	}
	// The log's part was written through the same view: its packed bytes are exactly the
	// requested ones.
	if k := len(hits) - 1; k < 0 || !h.log.recs.at(hits[k].rec).packs(r) {
		n, err = h.im.gather(h.via, r.data, r.at, r.from, asOf, base)
	}
	for _, hit := range hits {
		own := h.log.recs.at(hit.rec)
		from, to := max(r.from, own.from), min(r.from+n, own.end())
		if from < to {
			copy(r.data[from-r.from:to-r.from], own.data[from-own.from:])
		}
	}
	return n, err
}

// packs reports whether r, of the same tiling, contains all packed bytes of o.
func (r *record) packs(o *record) bool { return r.from <= o.from && o.end() <= r.end() }

// fetchWindows fills r from ranges of the file, each assembled first.
func (h *Handle) fetchWindows(r *record) (int64, error) {
	asOf, base := h.view()
	scratch := takeBuffer(int(min(PageSize, r.hi-r.lo)))
	defer giveBuffer(scratch)
	return windows(r, PageSize, func(part *record) (int64, error) {
		mem := scratch[:part.hi-part.lo]
		n, err := h.im.load(h.via, mem, part.lo, asOf, base)
		mem = mem[:n]
		for _, hit := range h.log.over(part.lo, part.hi) {
			h.log.overlay(hit, mem, part.lo)
		}
		return part.pick(mem), err
	})
}
