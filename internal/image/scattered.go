package image

import (
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/types"
)

// Bytes that are scattered in the program's memory go directly to pages of the image, or
// back, without being packed in between: packing would move all bytes of a large access
// through the processor's caches twice. It still is one access, with one span and one
// version. Bytes that are not in a page are packed, part by part.

// ReadParts reads n bytes as [Handle.Read] does, but in parts: take gets the k bytes from
// position pos on, in the memory that src describes. take is called under locks.
func (h *Handle) ReadParts(at types.Tiling, from, n int64, take func(src types.Place, pos, k int64)) (int64, error) {
	return h.read(at, from, n, nil, take)
}

// fetchParts does the work of fetch for ReadParts.
func (h *Handle) fetchParts(at types.Tiling, from, n int64, take func(src types.Place, pos, k int64)) (int64, error) {
	asOf, base := h.view()
	if h.via == nil && h.im.pager != nil && h.log.recs.n == 0 && extent.Ascending(at) && at.Until(base, from, n) == n {
		for pos := int64(0); pos < n; {
			k, lo, hi := inFirstPage(at, from+pos, n-pos)
			h.im.lend(types.Place{At: at, From: from + pos}, lo, hi, asOf, func(src types.Place) { take(src, pos, k) })
			pos += k
		}
		return n, nil
	}
	room := takeBuffer(PageSize)[:PageSize]
	defer giveBuffer(room)
	for pos := int64(0); pos < n; {
		part := room[:min(PageSize, n-pos)]
		k, err := h.fetch(at, from+pos, part)
		take(types.Place{Mem: part, At: extent.Flat()}, pos, k)
		if pos += k; err != nil {
			return pos, err
		}
	}
	return n, nil
}

// inFirstPage returns how many of n packed bytes from position from on of an ascending
// tiling are in one page, and the offsets where these begin and end.
func inFirstPage(at types.Tiling, from, n int64) (k, lo, hi int64) {
	lo = at.At(from)
	k = at.Until((lo>>pageShift+1)<<pageShift, from, n)
	return k, lo, at.At(from+k-1) + 1
}

// WriteParts writes n bytes as [Handle.Write] does, but in parts: put stores the k bytes
// from position pos on in the memory that dst describes. put is called under locks. If the
// bytes do not go directly into pages of the image, WriteParts returns false and has done
// nothing.
func (h *Handle) WriteParts(at types.Tiling, from, n int64, put func(dst types.Place, pos, k int64)) (ok bool, err error) {
	const op = "Write"
	if !h.onePages() || n <= 0 || extent.Check(op, at, from, n) != nil || !extent.Ascending(at) {
		return false, nil
	}
	lo, hi := at.At(from), at.At(from+n-1)+1
	if extent.InFile(op, lo, hi) != nil {
		return false, nil
	}
	some := types.Part{}
	if extent.Dense(at) {
		at, from = extent.Flat(), lo
	} else {
		some = types.Part{At: at, From: from, N: n}
	}
	h.hold(some, lo, hi, true)
	defer h.im.spans.unlock(h.span)
	p := h.im.begin(h)
	for pos := int64(0); err == nil && pos < n; {
		k, lo, hi := inFirstPage(at, from+pos, n-pos)
		err = p.putPart(types.Place{At: at, From: from + pos}, lo, hi, k, func(dst types.Place) { put(dst, pos, k) })
		pos += k
	}
	p.commit(-1)
	h.placed = p.placed
	return true, failed(op, err)
}

// putPart makes put store k bytes, which are in one page, from lo to hi.
func (p *publication) putPart(to types.Place, lo, hi, k int64, put func(dst types.Place)) error {
	if p.putFresh(&to, lo, hi, k, put) {
		return nil
	}
	room := takeBuffer(PageSize)[:k]
	defer giveBuffer(room)
	put(types.Place{Mem: room, At: extent.Flat()})
	return p.putPage(lo>>pageShift, &record{at: to.At, from: to.From, data: room, lo: lo, hi: hi}, k)
}

// putFresh does the work of putPart if the page exists or can be made, and no handle needs
// its old bytes.
func (p *publication) putFresh(to *types.Place, lo, hi, k int64, put func(dst types.Place)) bool {
	page := lo >> pageShift
	s := p.im.stripe(page)
	s.mu.Lock()
	defer s.mu.Unlock()
	if lo < p.im.keep(p.h) {
		return false
	}
	to.Base = page << pageShift
	mem, err := p.im.pager.Make(page, hi-to.Base, k == PageSize)
	if err != nil { // the general path reports the error
		return false
	}
	to.Mem = mem
	put(*to)
	p.placed += k
	p.end = max(p.end, hi)
	return true
}
