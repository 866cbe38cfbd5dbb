package image

import (
	"io"
	"slices"
	"sync/atomic"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/extent"
)

// Memory is a backing in memory. It is sparse: it holds the pages that were
// written, and of those in which nothing but the first bytes was, no more than
// these. The zero value is not ready for use; see [NewMemory].
//
// It needs no locks of its own: its image keeps calls for the pages of one
// stripe apart, and each stripe has a map of its own.
type Memory struct {
	poison   byte
	size     atomic.Int64
	room     *atomic.Int64 // pages that may still be made; nil: any number
	reserved int64         // first pages that have room, made or not
	pages    [Stripes]map[int64][]byte
}

var (
	_ Pager    = (*Memory)(nil)
	_ Renewer  = (*Memory)(nil)
	_ Reserver = (*Memory)(nil)
	_ Poisoner = (*Memory)(nil)
)

// NewMemory returns an empty backing whose bytes read as poison until they are
// written.
func NewMemory(poison byte) *Memory { return &Memory{poison: poison} }

// Within lets m, which must be empty, make no more pages than room says, which
// others may use too: what finds none left fails with class NO_SPACE.
func (m *Memory) Within(room *atomic.Int64) { m.room = room }

// pageHead is how many bytes a page has at first, if no more are asked for. Most
// files of tests and explorations are shorter, and making a whole page for each
// would take longer than all that is done with it.
const pageHead = 1 << 10

// Whole pages are buffers of one size, and so recycled.
func newPage() []byte   { return takeBuffer(PageSize)[:PageSize] }
func freePage(p []byte) { giveBuffer(p) }

// Poison returns what never-written bytes read as.
func (m *Memory) Poison() byte { return m.poison }

// Size returns the number of bytes.
func (m *Memory) Size() int64 { return m.size.Load() }

// Sync does nothing: memory is all the storage there is.
func (m *Memory) Sync() error { return nil }

// Close does nothing: the bytes stay, to be used by another image.
func (m *Memory) Close() error { return nil }

// Page returns page i as far as it was written, or nil.
func (m *Memory) Page(i int64) []byte { return m.pages[stripeOf(i)][i] }

// Make returns page i, with n bytes at least, and makes it if need be.
func (m *Memory) Make(i, n int64, whole bool) ([]byte, error) {
	old := m.Page(i)
	if int64(len(old)) >= n && old != nil {
		return old, nil
	}
	if err := m.admit(i, old); err != nil {
		return nil, err
	}
	var p []byte
	if n <= pageHead {
		p = make([]byte, pageHead)
	} else {
		p = newPage()
	}
	if !whole {
		copy(p[copy(p, old):], poisonPage(m.poison))
	}
	m.set(i, p)
	return p, nil
}

// Renew puts page in the place of page i, and returns what was there.
func (m *Memory) Renew(i int64, page []byte) (old []byte, err error) {
	old = m.Page(i)
	if err := m.admit(i, old); err != nil {
		return nil, err
	}
	m.set(i, page)
	return old, nil
}

// admit takes room for page i, which is old until now.
func (m *Memory) admit(i int64, old []byte) error {
	if old == nil && i >= m.reserved && !m.take(1) {
		return extent.Fault("Make", errclass.NoSpace, "IO-DA-01", "there is no room for another page of %d bytes at byte %d", PageSize, i<<pageShift)
	}
	return nil
}

// take takes room for n pages.
func (m *Memory) take(n int64) bool {
	if m.room == nil {
		return true
	}
	for {
		free := m.room.Load()
		if free < n {
			return false
		}
		if m.room.CompareAndSwap(free, free-n) {
			return true
		}
	}
}

// give gives back the room of n pages.
func (m *Memory) give(n int64) {
	if m.room != nil {
		m.room.Add(n)
	}
}

// Reserve keeps room for the pages of the first n bytes, until the size is set to
// less.
func (m *Memory) Reserve(n int64) error {
	end := (n + PageSize - 1) >> pageShift
	need := end - m.reserved
	if m.room == nil || need <= 0 {
		return nil
	}
	for _, s := range m.pages {
		for i := range s {
			if m.reserved <= i && i < end {
				need--
			}
		}
	}
	if !m.take(need) {
		return extent.Fault("Reserve", errclass.NoSpace, "", "there is no room for the %d pages of %d bytes that the first %d bytes do not have yet", need, PageSize, n)
	}
	m.reserved = end
	return nil
}

func (m *Memory) set(i int64, p []byte) {
	s := &m.pages[stripeOf(i)]
	if *s == nil {
		*s = make(map[int64][]byte)
	}
	(*s)[i] = p
}

// Pages lists the pages made among [lo, hi).
func (m *Memory) Pages(lo, hi int64) (list []int64) {
	for _, s := range m.pages {
		for i := range s {
			if lo <= i && i < hi {
				list = append(list, i)
			}
		}
	}
	slices.Sort(list)
	return list
}

// SetSize cuts or grows.
func (m *Memory) SetSize(n int64) error {
	if old := m.size.Swap(n); n >= old {
		return nil
	}
	last, cut := n>>pageShift, n&(PageSize-1)
	for _, s := range m.pages {
		for i, p := range s {
			switch {
			case i > last || i == last && cut == 0:
				delete(s, i)
				m.drop(i, p)
			case i == last && cut < int64(len(p)):
				fill(p[cut:], m.poison)
			}
		}
	}
	m.release((n + PageSize - 1) >> pageShift)
	return nil
}

// drop lets page i go. What is reserved keeps its room; see release.
func (m *Memory) drop(i int64, page []byte) {
	freePage(page)
	if i >= m.reserved {
		m.give(1)
	}
}

// release gives back what is reserved behind the first pages.
func (m *Memory) release(first int64) {
	if first < m.reserved {
		m.give(m.reserved - first)
		m.reserved = first
	}
}

// ReadAt reads as [io.ReaderAt] does.
func (m *Memory) ReadAt(p []byte, off int64) (int, error) {
	n := int(min(int64(len(p)), max(0, m.Size()-off)))
	for done := 0; done < n; {
		at := off + int64(done)
		page, from := m.Page(at>>pageShift), at&(PageSize-1)
		if from >= int64(len(page)) {
			page = poisonPage(m.poison)
		}
		done += copy(p[done:n], page[from:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt writes as [io.WriterAt] does.
func (m *Memory) WriteAt(p []byte, off int64) (int, error) {
	for done := 0; done < len(p); {
		at := off + int64(done)
		from := at & (PageSize - 1)
		page, err := m.Make(at>>pageShift, min(PageSize, from+int64(len(p)-done)), false)
		if err != nil {
			return done, err
		}
		done += copy(page[from:], p[done:])
	}
	m.Grow(off + int64(len(p)))
	return len(p), nil
}

// Grow makes the size n at least.
func (m *Memory) Grow(n int64) {
	for {
		if size := m.Size(); size >= n || m.size.CompareAndSwap(size, n) {
			return
		}
	}
}

// Recycle drops all bytes, for a file that nobody can reach any more.
func (m *Memory) Recycle() {
	for k, s := range m.pages {
		for i, p := range s {
			m.drop(i, p)
		}
		m.pages[k] = nil
	}
	m.release(0)
	m.size.Store(0)
}
