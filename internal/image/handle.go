package image

import (
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/types"
)

// A Handle is one rank's view of a file that it opened, and its unpublished writes. Only
// that rank calls its methods; handles of one image may be used at the same time.
type Handle struct {
	im   *Image
	mark *mark // the adopted version; nil: it reads the newest one
	base int64 // it sees no bytes of the image from this offset on
	size int64 // size of the file as it sees it
	log  privateLog

	rules   Rules
	chaos   *chaos // nil: its rules have none
	atomic  bool
	direct  bool // every access goes to the image itself
	live    bool // it reads the newest version
	retired bool
	span    *span   // of the atomic access under way; others may wait for it
	placed  int64   // see Placed
	reach   int64   // unpublished size of a file without bytes; see Reach
	via     Backing // reads and writes its bytes; nil: the backing of the image does
}

// Via makes h use b in place of the backing of the image, for all bytes that h reads from
// the image or brings into it. b does the same as that backing, or fails. Overwritten bytes
// that the image keeps for other handles do not go through b, nor do changes of size.
func (h *Handle) Via(b Backing) { h.via = b }

// Space returns n bytes for the next [Handle.Write], which then need not copy them. They
// hold bytes of an earlier use, and belong to the handle again at the next call of any of
// its methods.
func (h *Handle) Space(n int64) []byte { return h.log.arena.space(int(max(n, 0))) }

// Write writes p to the bytes that at shows from packed position from on. The caller keeps
// p, unless [Handle.Space] returned it. In atomic mode the bytes are in the image when Write
// returns; otherwise only the handle sees them until it publishes them. Errors: ErrArg for
// offsets that a file cannot have; if bytes go to the backing at once, its errors. Then
// [Handle.Placed] returns how many bytes got there; the others are lost.
func (h *Handle) Write(at types.Tiling, from int64, p []byte) error {
	const op = "Write"
	if h.im == nil {
		return errClosed(op)
	}
	n := int64(len(p))
	if h.onePages() {
		if lo, ok := onePageRun(at, from, n); ok && h.writeOnePage(lo, p) {
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
	h.append(&r)
	h.wrote()
	return nil
}

// Placed returns how many packed bytes, from the first, the last Write brought
// into the image before it failed.
func (h *Handle) Placed() int64 { return h.placed }

func (h *Handle) append(r *record) {
	h.log.add(r, h.im.renewer != nil && h.via == nil)
	h.size = max(h.size, r.hi)
}

// writeRuns writes, run by run, through a tiling whose bytes are not in ascending order.
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
	for i := range recs {
		h.append(&recs[i])
	}
	h.wrote()
	return nil
}

// writeNow brings recs, the parts of one write, into the image, as one atomic access if the
// handle's accesses are atomic.
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
	whole := types.Part{}
	if r := &recs[0]; len(recs) == 1 && !r.flat() {
		whole = types.Part{At: r.at, From: r.from, N: int64(len(r.data))}
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

// writeEarly does the work of writeNow for a handle that does not see the newest version and
// so keeps its write in its log, too. Parts that the image did not accept are not in the
// log.
func (h *Handle) writeEarly(recs []record) error {
	p := h.im.begin(h)
	p.stage = true
	var err error
	for i := range recs {
		r, before := recs[i], p.placed
		if err = p.put(&r); err != nil {
			if n := p.placed - before; n > 0 {
				part := r.part(0, n)
				h.append(&part)
			}
			break
		}
		h.append(&r)
	}
	p.commit(-1)
	h.log.published = h.log.recs.n
	h.placed = p.placed
	return err
}

// hold takes the span for an atomic access to [lo, hi), or to some bytes in it.
func (h *Handle) hold(some types.Part, lo, hi int64, write bool) {
	if h.span == nil {
		h.span = new(span)
	}
	s := h.span
	s.lo, s.hi, s.write, s.onePage = lo, hi, write, false
	s.bytes = extent.Outline(&some, s.bytes[:0])
	h.im.spans.lock(s)
}

// Exchange calls [Handle.Flush] and then, even after an error, [Handle.Adopt]. h does not
// need its log any more, so no bytes are copied: the log and the image exchange memory.
func (h *Handle) Exchange() error {
	const op = "Exchange"
	if h.im == nil {
		return errClosed(op)
	}
	err := h.flush(true)
	h.Adopt()
	return failed(op, err)
}

// Adopt makes h see the newest version.
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
	im.join(h) // before the release, so that h is counted all the time
	im.release(old)
	gone := im.forgettable()
	im.mu.Unlock()
	im.forget(gone)
	h.log.dropPublished()
	h.size = max(h.base, h.log.end(), h.reach)
}

// Size returns the size of the file in bytes as h sees it: that of the version it adopted,
// or more if h itself wrote beyond it. In atomic mode, and under rules that read the image
// fresh, it is the newest size.
func (h *Handle) Size() int64 {
	if h.live && h.im != nil {
		return max(h.im.Size(), h.log.end())
	}
	return h.size
}

// Reach makes the file, as h sees it, at least n bytes long, like a write without bytes that
// ends there. It is published as writes are, or at once where they are.
func (h *Handle) Reach(n int64) {
	h.size = max(h.size, n)
	h.reach = max(h.reach, n)
	if h.Direct() {
		_ = h.flush(false) // no bytes, so no error
	}
}

// Resize does the part of h in a collective change of size: from here on h sees n bytes, and
// its unpublished writes beyond them are dropped. [Image.SetSize] changes the image.
func (h *Handle) Resize(n int64) {
	n = max(n, 0)
	h.base, h.size = min(h.base, n), n
	h.reach = min(h.reach, n)
	h.log.cut(n)
}

// SetAtomic turns atomic mode on or off. In atomic mode every access is one atomic access
// to the image itself, in some order with those of all other atomic handles, and reads see
// the newest bytes. The first atomic access publishes earlier writes of h. Turning atomic
// mode off adopts.
func (h *Handle) SetAtomic(on bool) {
	if h.im == nil || h.atomic == on {
		return
	}
	h.applyRules(on)
}

// Retire gives up the version that h has adopted, so that the image keeps no bytes for h any
// more. A closing handle calls it first: if all handles do so before they publish,
// publishing keeps nothing.
func (h *Handle) Retire() {
	if h.im == nil {
		return
	}
	h.retired = true
	if h.mark != nil && h.chaos == nil { // chaos compares with it when it publishes
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

// Close publishes the writes of h and gives h up; h cannot be used afterwards, even if Close
// returned an error. Errors: those of the backing, ErrFile for a handle that is closed.
func (h *Handle) Close() error {
	err := h.Publish()
	h.Abandon()
	return err
}

// Abandon gives h up without publishing: its unpublished writes are lost. h cannot be used
// afterwards.
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

// errClosed returns the error of using a closed handle.
func errClosed(op string) error {
	return extent.Fault(op, errclass.File, "IO-CLOSE-04", "the handle is closed")
}
