package image

import (
	"math/rand/v2"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/types"
)

// A Handle is what one rank sees of a file that it opened, and what it wrote.
// Its methods are called by that rank only; handles of one image may be used at
// the same time.
type Handle struct {
	im   *Image
	mark *mark // the version it has adopted; nil: it reads the newest
	base int64 // it sees no bytes of the image from here on
	size int64 // of the file, as it sees it
	log  log

	rules   Rules
	dice    *rand.Rand // under chaos
	atomic  bool
	direct  bool // every access is one to the image itself
	live    bool // it reads the newest version
	retired bool
	span    *span          // of the atomic access under way; others may be waiting for it
	placed  int64          // see Placed
	kept    map[int64]bool // see Kept
	via     Backing        // what its own bytes pass; nil: as those of others
}

// Via has all bytes that h reads from the image or brings into it pass b, which
// reads and writes what the backing of the image does, or fails. The past that
// the image keeps for others does not pass it, nor do changes of size.
func (h *Handle) Via(b Backing) { h.via = b }

// Space returns n bytes for the next [Handle.Write], of which nothing need be
// copied then. They hold what is left over from earlier use, and are the handle's
// again at the next call of any of its methods.
func (h *Handle) Space(n int64) []byte { return h.log.arena.space(int(max(n, 0))) }

// Write writes p to the bytes that at shows from packed position from on. p stays
// the caller's, unless it is of [Handle.Space]. In atomic mode the bytes
// are in the image when Write returns; else they are the handle's own until it
// publishes them. Errors: ErrArg for bytes outside of what a file can hold;
// where bytes go to the image at once those of the backing, and then
// [Handle.Placed] tells how many are there and the others are forgotten.
func (h *Handle) Write(at types.Tiling, from int64, p []byte) error {
	const op = "Write"
	if h.im == nil {
		return errClosed(op)
	}
	n := int64(len(p))
	if h.nears() {
		if lo, ok := nearRun(at, from, n); ok && h.writeNear(lo, p) {
			return nil
		}
	}
	if err := extent.Check(op, at, from, n); err != nil || n == 0 {
		return err
	}
	if !extent.Ascending(at) {
		return h.writeRuns(op, at, from, p)
	}
	r := record{at: at, from: from, data: p, lo: at.At(from), hi: at.At(from+n-1) + 1}
	if err := extent.InFile(op, r.lo, r.hi); err != nil {
		return err
	}
	if extent.Dense(at) {
		r.at, r.from = extent.Flat(), r.lo
	}
	if h.Direct() {
		return failed(op, h.writeNow([]record{r}))
	}
	h.append(r)
	h.wrote()
	return nil
}

// Placed returns how many packed bytes, from the first, the last Write brought
// into the image before it failed.
func (h *Handle) Placed() int64 { return h.placed }

func (h *Handle) append(r record) {
	h.log.add(r, h.im.renewer != nil && h.via == nil)
	h.size = max(h.size, r.hi)
}

// writeRuns writes through a tiling whose bytes do not ascend, run by run.
func (h *Handle) writeRuns(op string, at types.Tiling, from int64, p []byte) error {
	var recs []record
	for off, n := range at.Runs(from, int64(len(p))) {
		if err := extent.InFile(op, off, off+n); err != nil {
			return err
		}
		recs = append(recs, record{at: extent.Flat(), from: off, data: p[:n:n], lo: off, hi: off + n})
		p = p[n:]
	}
	if h.Direct() {
		return failed(op, h.writeNow(recs))
	}
	for _, r := range recs {
		h.append(r)
	}
	h.wrote()
	return nil
}

// writeNow brings recs, the parts of one write, into the image: as a whole, if
// every access is one to the image.
func (h *Handle) writeNow(recs []record) error {
	h.placed = 0
	if err := h.flush(false); err != nil {
		return err
	}
	if !h.direct {
		return h.writeEarly(recs)
	}
	lo, hi := recs[0].lo, recs[0].hi
	for _, r := range recs[1:] {
		lo, hi = min(lo, r.lo), max(hi, r.hi)
	}
	whole := extent.Stretch{}
	if r := &recs[0]; len(recs) == 1 && !r.flat() {
		whole = extent.Stretch{At: r.at, From: r.from, N: int64(len(r.data))}
	}
	h.hold(whole, lo, hi, true)
	defer h.im.spans.unlock(h.span)
	defer h.log.arena.reset()
	p := h.im.begin(h)
	var err error
	for i := range recs {
		if err = p.put(&recs[i]); err != nil {
			break
		}
	}
	p.commit(-1)
	h.placed = p.placed
	return err
}

// writeEarly is writeNow for a handle that does not see the newest version, and
// so finds what it wrote in its log. What the image did not take is not there.
func (h *Handle) writeEarly(recs []record) error {
	p := h.im.begin(h)
	var err error
	for i := range recs {
		r, before := recs[i], p.placed
		if err = p.put(&r); err != nil {
			if n := p.placed - before; n > 0 {
				h.append(r.part(0, n))
			}
			break
		}
		h.append(r)
	}
	p.commit(-1)
	h.log.published = h.log.recs.n
	h.placed = p.placed
	return err
}

// hold takes the span of an atomic access to [lo, hi), or to some bytes there.
func (h *Handle) hold(some extent.Stretch, lo, hi int64, write bool) {
	if h.span == nil {
		h.span = new(span)
	}
	s := h.span
	s.lo, s.hi, s.write, s.near = lo, hi, write, false
	s.bytes = some.Outline(s.bytes[:0])
	h.im.spans.lock(s)
}

// Exchange is [Handle.Flush] and, whatever came of it, [Handle.Adopt]. Since h has
// no need of its log any more, what it wrote need not be copied: memory of the log
// and of the image change hands.
func (h *Handle) Exchange() error {
	const op = "Exchange"
	if h.im == nil {
		return errClosed(op)
	}
	err := h.flush(true)
	h.Adopt()
	return failed(op, err)
}

// Adopt makes the newest version the one that h sees.
func (h *Handle) Adopt() {
	if h.im == nil || h.mark == nil {
		return
	}
	im := h.im
	im.mu.Lock()
	if h.mark.version == im.head {
		im.mu.Unlock()
		return
	}
	old := h.mark
	im.join(h) // first, so that h counts all the time
	im.release(old)
	gone := im.forgettable()
	im.mu.Unlock()
	im.forget(gone)
	h.log.dropPublished()
	h.size = max(h.base, h.log.end())
}

// Size returns the size of the file in bytes as h sees it: what it was in the
// version it adopted, or more if h itself wrote beyond that. In atomic mode, and
// under models that look at the image at every read, it is the newest size.
func (h *Handle) Size() int64 {
	if h.live && h.im != nil {
		return max(h.im.Size(), h.log.end())
	}
	return h.size
}

// Resize is the part of h in a collective change of size: from here on h sees
// n bytes, and what it wrote beyond them and did not publish is gone.
// [Image.SetSize] changes the image.
func (h *Handle) Resize(n int64) {
	n = max(n, 0)
	h.base, h.size = min(h.base, n), n
	h.log.cut(n)
}

// SetAtomic turns atomic mode on or off. In atomic mode every access is one
// whole access to the image itself, in some order with those of all other
// atomic handles, and reads see what is newest. What h wrote before and did not
// publish is published by its first atomic access. Turning it off adopts.
func (h *Handle) SetAtomic(on bool) {
	if h.im == nil || h.atomic == on {
		return
	}
	h.settle(on)
}

// Retire gives up the version that h has adopted, so that nothing is
// remembered for it any more. A closing handle does that first: if all do
// before they publish, publishing remembers nothing.
func (h *Handle) Retire() {
	if h.im == nil {
		return
	}
	h.retired = true
	if h.mark != nil && h.dice == nil { // chaos compares with it when it publishes
		h.release()
	}
}

// release gives up the version that h has adopted.
func (h *Handle) release() {
	im := h.im
	im.mu.Lock()
	im.release(h.mark)
	h.mark = nil
	gone := im.forgettable()
	im.mu.Unlock()
	im.forget(gone)
}

// Close publishes what h wrote and gives it up; h cannot be used afterwards,
// whatever Close returned. Errors: those of the backing, ErrFile for a handle
// that is closed.
func (h *Handle) Close() error {
	err := h.Publish()
	h.Abandon()
	return err
}

// Abandon gives h up without publishing: what it wrote since it last did is
// lost. h cannot be used afterwards.
func (h *Handle) Abandon() {
	if h.im != nil {
		h.Retire()
		if h.mark != nil {
			h.release()
		}
		h.log.arena.reset()
		*h = Handle{}
	}
}

// errClosed is the error of using a closed handle.
func errClosed(op string) error {
	return extent.Fault(op, errclass.File, "IO-CLOSE-04", "the handle is closed")
}
