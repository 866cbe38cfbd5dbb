package image

import (
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/types"
)

// Most small accesses to the image itself are near accesses: adjacent bytes of one page.
// Such an access is atomic while it holds the lock of the page. It needs no span, unless an
// access with a span is under way: that access takes page after page, so another access
// could see half of it. So a near access checks for spans when it has the lock, and if there
// is one, takes the general path. It also takes the general path if some handle has adopted
// a version, because a new version is necessary only then.

// onePages reports whether h may use the fast path for accesses to one page.
func (h *Handle) onePages() bool {
	return h.direct && h.im != nil && h.im.pager != nil && h.via == nil && h.log.recs.n == 0
}

// onePageRun returns the offset of n bytes from packed position from on, if they are one run
// within one page.
func onePageRun(at types.Tiling, from, n int64) (lo int64, ok bool) {
	switch {
	case n <= 0 || n > PageSize || from < 0 || from > extent.MaxSize || at.L == nil || at.Disp < 0 || at.Disp > extent.MaxSize:
		return 0, false
	case at.L == extent.BytesLayout:
		lo = at.Disp + from
	case at.L.Size > 0 && extent.Dense(at) && !extent.Far(at, from+n):
		lo = at.At(from)
	default:
		return 0, false
	}
	return lo, inPage(lo, n)
}

// writeOnePage writes p from offset lo on. It returns false if it wrote nothing, because some
// handle has adopted a version, or because of an error.
func (h *Handle) writeOnePage(lo int64, p []byte) bool {
	done, alone := h.im.writeOnePage(lo, p, false)
	if !alone {
		defer h.im.spans.unlock(h.holdOnePage(lo, int64(len(p)), true))
		done, _ = h.im.writeOnePage(lo, p, true)
	}
	return done && h.endWrite()
}

// endWrite ends a write of one page; it returns true. If some handle has adopted a version
// meanwhile, it begins a new version, because later writes need one.
func (h *Handle) endWrite() bool {
	if h.im.live.Load() > 0 {
		h.im.begin(nil).commit(-1)
	}
	h.log.arena.reset()
	return true
}

// readOnePage fills p with the bytes from offset lo on, as far as there are any, and returns
// how many there are.
func (h *Handle) readOnePage(lo int64, p []byte) int64 {
	n, alone := h.im.readOnePage(lo, p, false)
	if !alone {
		defer h.im.spans.unlock(h.holdOnePage(lo, int64(len(p)), false))
		n, _ = h.im.readOnePage(lo, p, true)
	}
	return n
}

// holdOnePage does the work of hold for an access to one page. It returns the span.
func (h *Handle) holdOnePage(lo, n int64, write bool) *span {
	if h.span == nil {
		h.span = new(span)
	}
	s := h.span
	s.lo, s.hi, s.write, s.onePage, s.bytes = lo, lo+n, write, true, s.bytes[:0]
	h.im.spans.lock(s)
	return s
}

// writeOnePage does the work of Handle.writeOnePage, with or without a held span. alone is
// false if it did nothing because it needs a span.
func (im *Image) writeOnePage(lo int64, p []byte, held bool) (done, alone bool) {
	s := im.stripe(lo >> pageShift)
	s.mu.Lock()
	defer s.mu.Unlock() // unlocks even if the backing ends the goroutine
	switch {
	case im.live.Load() > 0:
		return false, true
	case !held && im.spans.wide.Load() > 0:
		return false, false
	}
	from := lo & (PageSize - 1)
	mem, err := im.pager.Make(lo>>pageShift, from+int64(len(p)), len(p) == PageSize)
	if err != nil {
		return false, true
	}
	copy(mem[from:], p)
	if !im.dirty.Load() {
		im.dirty.Store(true)
	}
	if hi := lo + int64(len(p)); hi > im.sized.Load() {
		im.grow(hi)
	}
	return true, true
}

// grow makes the file at least n bytes long. The caller holds the lock of a page, and no
// call of SetSize holds a span, so no rank makes the file shorter.
func (im *Image) grow(n int64) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if n > im.size {
		im.pager.Grow(n)
		im.size = n
		im.sized.Store(n)
	}
}

// readOnePage does the work of Handle.readOnePage; see writeOnePage.
func (im *Image) readOnePage(lo int64, p []byte, held bool) (n int64, alone bool) {
	s := im.stripe(lo >> pageShift)
	s.mu.RLock()
	defer s.mu.RUnlock()
	if !held && im.spans.wide.Load() > 0 {
		return 0, false
	}
	n = max(0, min(int64(len(p)), im.sized.Load()-lo))
	from := lo & (PageSize - 1)
	im.copyPage(p[:n], lo>>pageShift, from)
	return n, true
}
