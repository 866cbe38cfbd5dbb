package image

import (
	"math"
	"sync/atomic"
)

// pending is the version number of a publication that is still under way.
const pending = math.MaxInt64

// A mark represents the handles that have adopted one version. The marks of an image form a
// list, oldest version first; a mark that no handle needs is removed.
type mark struct {
	version, size int64
	handles       int
	prev, next    *mark
}

// A publication is one version under construction: it gets its number when all its bytes
// are in the image, so no handle ever adopts half of a version.
type publication struct {
	im      *Image
	h       *Handle // the handle whose log it is; nil for a change of size
	gives   bool    // the handle does not need its records any more
	version atomic.Int64
	end     int64   // offset after the last byte written
	placed  int64   // packed bytes written, in the order of the records and of their bytes
	pages   []int64 // pages that keep bytes that it overwrote
	room    []byte  // memory for overwritten bytes
	rooms   [][]byte
	swapped bool  // overwritten bytes are in the memory of records
	stage   bool  // bytes may wait for their neighbours in the stage
	staged  bool  // the stage has the memory of records
	runs    []run // used by putRuns
}

func (im *Image) begin(h *Handle) *publication {
	p := &publication{im: im, h: h}
	p.version.Store(pending)
	return p
}

// join makes h adopt the newest version. Called with im.mu held.
func (im *Image) join(h *Handle) {
	m := im.newest
	if m == nil || m.version != im.head {
		m = &mark{version: im.head, size: im.size, prev: im.newest}
		if im.newest != nil {
			im.newest.next = m
		} else {
			im.oldest = m
		}
		im.newest = m
	}
	m.handles++
	h.mark, h.base = m, im.size
	im.live.Add(1)
	im.reach.Store(max(im.reach.Load(), im.size))
}

// release removes one handle from m. Called with im.mu held.
func (im *Image) release(m *mark) {
	im.live.Add(-1)
	if m.handles--; m.handles > 0 {
		return
	}
	if m.prev != nil {
		m.prev.next = m.next
	} else {
		im.oldest = m.next
	}
	if m.next != nil {
		m.next.prev = m.prev
	} else {
		im.newest = m.prev
	}
	switch {
	case im.oldest == nil:
		im.reach.Store(0)
	case im.oldest == im.newest:
		im.reach.Store(im.oldest.size)
	}
}

// keep returns the offset below which some handle other than h may still read the present
// bytes. It may be too high, but never too low.
func (im *Image) keep(h *Handle) int64 {
	live := im.live.Load()
	if h != nil && h.mark != nil {
		live--
	}
	if live <= 0 {
		return 0
	}
	return im.reach.Load()
}

// commit makes p the newest version. The file's size becomes size or, if size is negative,
// grows to include the written bytes.
func (p *publication) commit(size int64) {
	im := p.im
	im.dirty.Store(true) // only after all is written: a sync under way may miss it
	im.mu.Lock()
	if size < 0 {
		size = max(im.size, p.end)
	}
	if im.pager != nil {
		im.pager.Grow(size)
	}
	im.size = size
	im.sized.Store(size)
	im.head++
	p.version.Store(im.head)
	if p.pages != nil {
		im.history = append(im.history, p)
	}
	gone := im.forgettable()
	im.mu.Unlock()
	im.forget(gone)
}

// forgettable removes from the list the publications whose overwritten bytes no handle can
// need any more, and returns them. Called with im.mu held.
func (im *Image) forgettable() []*publication {
	n := 0
	for ; n < len(im.history); n++ {
		if im.oldest != nil && im.history[n].version.Load() > im.oldest.version {
			break
		}
	}
	gone := im.history[:n:n]
	im.history = im.history[n:]
	return gone
}

// forget drops the overwritten bytes of publications that forgettable returned.
func (im *Image) forget(gone []*publication) {
	if len(gone) == 0 {
		return
	}
	newest := gone[len(gone)-1].version.Load()
	seen := make(map[int64]bool)
	for _, p := range gone {
		for _, page := range p.pages {
			if !seen[page] {
				seen[page] = true
				im.stripe(page).forget(page, newest)
			}
		}
	}
	for _, p := range gone {
		for _, b := range p.rooms {
			giveBuffer(b)
		}
	}
	clear(gone)
}

// Version returns the number of the version that h sees, and of the newest. A live handle
// always sees the newest one.
func (h *Handle) Version() (seen, newest int64, live bool) {
	if h.im == nil {
		return 0, 0, false
	}
	h.im.mu.Lock()
	defer h.im.mu.Unlock()
	if h.mark == nil {
		return h.im.head, h.im.head, true
	}
	return h.mark.version, h.im.head, false
}
