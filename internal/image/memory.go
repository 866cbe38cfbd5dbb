package image

import (
	"io"
	"slices"
	"sync/atomic"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/extent"
)

// Memory is a backing in memory. It is sparse: it holds only pages that were written, and of
// each page only the bytes up to the last written one. The zero value is not ready for use;
// see [NewMemory].
//
// It needs no locks of its own: its image never makes two calls for the pages of one stripe
// at once, and each stripe has its own map.
type Memory struct {
	poison   byte
	size     atomic.Int64
	room     *atomic.Int64 // pages that may still be made; nil: no limit
	reserved int64         // number of first pages whose space is reserved, made or not
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

// Within limits the pages that m, which must be empty, can make to the count in room, which
// other memories may share. When no page is left, calls fail with class NO_SPACE.
func (m *Memory) Within(room *atomic.Int64) { m.room = room }

// pageHead is the initial length of a page, if no more is asked for. Most files of tests and
// explorations are shorter, and making a whole page for such a file would take longer than
// the rest of the work on it.
const pageHead = 1 << 10

// newPage returns a whole page: all are buffers of one size, so they can be recycled.
func newPage() []byte   { return takeBuffer(PageSize)[:PageSize] }
func freePage(p []byte) { giveBuffer(p) }

// Poison returns the value of bytes that were never written.
func (m *Memory) Poison() byte { return m.poison }

// Size returns the number of bytes.
func (m *Memory) Size() int64 { return m.size.Load() }

// Sync does nothing: there is no other storage than memory.
func (m *Memory) Sync() error { return nil }

// Close does nothing: the bytes stay, for another image.
func (m *Memory) Close() error { return nil }

// Page returns the written part of page i, or nil.
func (m *Memory) Page(i int64) []byte { return m.pages[stripeOf(i)][i] }

// Make returns page i with at least n bytes, and makes it if necessary.
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

// Renew makes page the new page i, and returns the old one.
func (m *Memory) Renew(i int64, page []byte) (old []byte, err error) {
	old = m.Page(i)
	if err := m.admit(i, old); err != nil {
		return nil, err
	}
	m.set(i, page)
	return old, nil
}

// admit takes space for page i, whose old bytes are old.
func (m *Memory) admit(i int64, old []byte) error {
	if old == nil && i >= m.reserved && !m.take(1) {
		return extent.Fault("Make", errclass.NoSpace, "IO-DA-01", "there is no room for another page of %d bytes at byte %d", PageSize, i<<pageShift)
	}
	return nil
}

// take takes space for n pages, and reports whether there was enough.
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

// give returns the space of n pages.
func (m *Memory) give(n int64) {
	if m.room != nil {
		m.room.Add(n)
	}
}

// Reserve takes space for the pages of the first n bytes, until the size is set to less.
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

// Pages lists the existing pages in [lo, hi).
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

// SetSize cuts or lengthens the file.
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

// drop removes page i. Reserved space is kept; see release.
func (m *Memory) drop(i int64, page []byte) {
	freePage(page)
	if i >= m.reserved {
		m.give(1)
	}
}

// release gives back the space that is reserved behind the first pages.
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

// Grow makes the size at least n.
func (m *Memory) Grow(n int64) {
	for {
		if size := m.Size(); size >= n || m.size.CompareAndSwap(size, n) {
			return
		}
	}
}

// Recycle drops all bytes, for a file that can no longer be reached.
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
