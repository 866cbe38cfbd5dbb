package image

import (
	"cmp"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/sched"
)

// An Image is the published content of a file, shared by all opens of it. Its methods may
// be called from many ranks at once. Use one Image for one file.
type Image struct {
	backing Backing
	pager   Pager   // the backing, if it lends pages
	renewer Renewer // the pager, if it accepts new pages
	poison  []byte
	stage   *stage // nil: bytes go to the backing at once

	live  atomic.Int64 // number of handles that have adopted a version
	reach atomic.Int64 // no such handle sees bytes of the image from this offset on
	dirty atomic.Bool  // some written bytes are not synced yet

	sized atomic.Int64 // copy of size, for readers without the lock
	opens atomic.Int64 // number of opens of handles under chaos

	syncing sched.Mutex // held while the backing syncs
	spans   spans
	first   stripe                          // the stripe of page 0 and of others
	others  atomic.Pointer[[Stripes]stripe] // all stripes but the first; nil until one is needed

	// Locks are taken in the order spans, stripes, mu.
	mu             sched.Mutex
	head, size     int64 // newest version, and size of the file in it
	oldest, newest *mark
	history        []*publication // publications that keep overwritten bytes, oldest first
}

// NewImage returns the image of the file that b keeps.
func NewImage(b Backing) *Image {
	im := &Image{backing: b, size: b.Size()}
	im.sized.Store(im.size)
	im.pager, _ = b.(Pager)
	im.renewer, _ = b.(Renewer)
	if im.pager == nil {
		im.stage = new(stage)
	}
	poison := byte(Poison)
	if p, ok := b.(Poisoner); ok {
		poison = p.Poison()
	}
	im.poison = poisonPage(poison)
	return im
}

// Open returns a new handle that has adopted the newest version.
func (im *Image) Open() *Handle {
	h := &Handle{im: im}
	im.mu.Lock()
	defer im.mu.Unlock()
	im.join(h)
	h.size = h.base
	return h
}

// Size returns the size of the file in the newest version.
func (im *Image) Size() int64 { return im.sized.Load() }

// Poison returns the value of bytes that were never written.
func (im *Image) Poison() byte { return im.poison[0] }

// ReadAt reads published bytes as [io.ReaderAt] does.
func (im *Image) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, extent.Fault("ReadAt", errclass.Arg, "IO-DA-03", "offset %d is negative", off)
	}
	n := min(int64(len(p)), max(0, im.Size()-off))
	if got, err := im.load(nil, p[:n], off, pending, extent.MaxSize); err != nil {
		return int(got), failed("ReadAt", err)
	}
	if n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

// SetSize cuts the file to n bytes, or lengthens it to n bytes, with undefined new bytes.
// That makes a new version, which handles see when they adopt it; each handle that takes
// part calls [Handle.Resize] first. Errors: ErrArg, those of the backing.
func (im *Image) SetSize(n int64) error {
	const op = "SetSize"
	if err := extent.InFile(op, 0, n); err != nil {
		return err
	}
	all := &span{lo: 0, hi: extent.MaxSize, write: true}
	im.spans.lock(all)
	defer im.spans.unlock(all)
	p := im.begin(nil)
	err := func() error {
		im.lock(^lockSet(0))
		defer im.unlock(^lockSet(0)) // unlocks even if the backing ends the goroutine
		if err := im.drainLocked(); err != nil {
			return err
		}
		if err := p.rememberTail(n); err != nil {
			return err
		}
		return im.backing.SetSize(n)
	}()
	if err != nil {
		p.withdraw()
		return failed(op, err)
	}
	p.commit(n)
	return nil
}

// Reserve allocates space for the first n bytes, even beyond the size, if the backing is a
// [Reserver]; otherwise it does nothing. Errors: ErrArg, those of the backing.
func (im *Image) Reserve(n int64) error {
	const op = "Reserve"
	if err := extent.InFile(op, 0, n); err != nil {
		return err
	}
	r, ok := im.backing.(Reserver)
	if !ok {
		return nil
	}
	im.lock(^lockSet(0))
	defer im.unlock(^lockSet(0)) // unlocks even if the backing ends the goroutine
	return failed(op, r.Reserve(n))
}

// rememberTail keeps the bytes that cutting the file at n removes.
func (p *publication) rememberTail(n int64) error {
	im := p.im
	end := im.keep(nil)
	if im.pager != nil {
		for _, page := range im.pager.Pages(n>>pageShift, (end+PageSize-1)>>pageShift) {
			base := page << pageShift
			if lo, hi := max(n, base), min(end, base+PageSize); lo < hi {
				room := p.undoBuffer(hi-lo, PageSize)
				im.copyPage(room, page, lo-base)
				p.rememberRun(lo, room)
			}
		}
		return nil
	}
	end = min(end, im.backing.Size())
	sparse, _ := im.backing.(Sparse)
	for lo := n; lo < end; {
		if sparse != nil {
			if lo = max(lo, sparse.NextData(lo)); lo >= end {
				break
			}
		}
		hi := min(end, lo&^(PageSize-1)+PageSize)
		if err := p.rememberFile(lo, hi); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// withdraw drops the bytes that p kept, before it has changed anything.
func (p *publication) withdraw() {
	for _, page := range p.pages {
		p.im.stripe(page).withdraw(page, p)
	}
	p.pages = nil
}

// Sync makes the backing bring its bytes to the storage device. Errors: those of the
// backing.
func (im *Image) Sync() error { return failed("Sync", im.sync()) }

// Walk calls f with the bytes of the newest version, in ascending order and without bytes
// that, as far as the backing knows, were never written; it returns the size. It does not
// include bytes that ranks publish during the walk. f must not keep p. Errors: those of the
// backing and of f.
func (im *Image) Walk(f func(p []byte, off int64) error) (int64, error) {
	const op = "Walk"
	all := &span{lo: 0, hi: extent.MaxSize}
	im.spans.lock(all)                 // no access can change the size
	if err := im.drain(); err != nil { // the backing knows where its holes are
		im.spans.unlock(all)
		return 0, failed(op, err)
	}
	h := im.Open()
	var pages []int64
	if im.pager != nil {
		im.lock(^lockSet(0))
		pages = im.pager.Pages(0, (h.base+PageSize-1)>>pageShift)
		im.unlock(^lockSet(0))
	}
	sparse, _ := im.backing.(Sparse)
	im.spans.unlock(all)
	defer h.Abandon()
	buf := takeBuffer(PageSize)
	defer giveBuffer(buf)
	for off := int64(0); off < h.base; off = off&^(PageSize-1) + PageSize {
		switch {
		case im.pager != nil && len(pages) == 0:
			return h.base, nil
		case im.pager != nil:
			off, pages = pages[0]<<pageShift, pages[1:]
		case sparse != nil:
			if off = max(off, sparse.NextData(off)&^(PageSize-1)); off >= h.base {
				return h.base, nil
			}
		}
		p := buf[:min(PageSize, h.base-off)]
		if _, err := im.load(nil, p, off, h.mark.version, h.base); err != nil {
			return 0, failed(op, err)
		}
		if err := f(p, off); err != nil {
			return 0, failed(op, err)
		}
	}
	return h.base, nil
}

// sync brings the bytes written so far to the backing, and makes the backing sync them.
func (im *Image) sync() error {
	im.syncing.Lock()
	defer im.syncing.Unlock()
	if !im.dirty.Swap(false) {
		return nil
	}
	err := im.drain()
	if err == nil {
		err = im.backing.Sync()
	}
	if err != nil {
		im.dirty.Store(true)
	}
	return err
}

// Close syncs and closes the backing. No handle may be in use. Errors: those
// of the backing.
func (im *Image) Close() error {
	err, end := im.sync(), im.backing.Close()
	if err != nil && end != nil {
		err = fmt.Errorf("%w; and then %w", err, end)
	}
	return failed("Close", cmp.Or(err, end))
}
