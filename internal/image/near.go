package image

import (
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/types"
)

// Most small accesses to the image itself are near: adjacent bytes of one page.
// Such an access is a whole as long as it holds the lock of the page, and needs
// no span of its own, unless one with a span is under way: that one takes page
// after page, and whoever saw half of it would find out from the next page. So a
// near access looks whether there is one when it has the lock, and if so takes
// the long way. It writes no version: only those that have adopted one need
// another, and then it takes the long way too.

// nears reports whether accesses of h may be near.
func (h *Handle) nears() bool {
	return h.direct && h.im != nil && h.im.pager != nil && h.via == nil && h.log.recs.n == 0
}

// nearRun returns where n bytes from packed position from on lie if they are one
// run within one page.
func nearRun(at types.Tiling, from, n int64) (lo int64, ok bool) {
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

// writeNear writes p from offset lo on. It returns false if it did not, because
// some handle has adopted a version, or because of an error.
func (h *Handle) writeNear(lo int64, p []byte) bool {
	done, alone := h.im.writeNear(lo, p, false)
	if !alone {
		defer h.im.spans.unlock(h.holdNear(lo, int64(len(p)), true))
		done, _ = h.im.writeNear(lo, p, true)
	}
	return done && h.wroteNear()
}

// wroteNear returns true. Somebody may have adopted a version meanwhile: what was
// written after that needs another one.
func (h *Handle) wroteNear() bool {
	if h.im.live.Load() > 0 {
		h.im.begin(nil).commit(-1)
	}
	h.log.arena.reset()
	return true
}

// readNear fills p with the bytes from offset lo on, as far as there are any,
// and returns how many there are.
func (h *Handle) readNear(lo int64, p []byte) int64 {
	n, alone := h.im.readNear(lo, p, false)
	if !alone {
		defer h.im.spans.unlock(h.holdNear(lo, int64(len(p)), false))
		n, _ = h.im.readNear(lo, p, true)
	}
	return n
}

// holdNear is hold for a near access. It returns the span.
func (h *Handle) holdNear(lo, n int64, write bool) *span {
	if h.span == nil {
		h.span = new(span)
	}
	s := h.span
	s.lo, s.hi, s.write, s.near, s.bytes = lo, lo+n, write, true, s.bytes[:0]
	h.im.spans.lock(s)
	return s
}

// writeNear is that of a handle, which holds a span or not. alone is false if it
// did nothing because it needs one.
func (im *Image) writeNear(lo int64, p []byte, held bool) (done, alone bool) {
	s := im.stripe(lo >> pageShift)
	s.mu.Lock()
	defer s.mu.Unlock() // even if the backing ends the goroutine
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

// grow makes the file n bytes long at least. The lock of a page is held, and no
// span of SetSize, so that nobody makes it shorter.
func (im *Image) grow(n int64) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if n > im.size {
		im.pager.Grow(n)
		im.size = n
		im.sized.Store(n)
	}
}

// readNear is that of a handle; see writeNear.
func (im *Image) readNear(lo int64, p []byte, held bool) (n int64, alone bool) {
	s := im.stripe(lo >> pageShift)
	s.mu.RLock()
	defer s.mu.RUnlock()
	if !held && im.spans.wide.Load() > 0 {
		return 0, false
	}
	n = max(0, min(int64(len(p)), im.sized.Load()-lo))
	from := lo & (PageSize - 1)
	copy(p[:n], im.page(lo>>pageShift, from+n)[from:])
	return n, true
}
