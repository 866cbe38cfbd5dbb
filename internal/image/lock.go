package image

import (
	"math/bits"
	"sync/atomic"

	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/sched"
)

// A stripe protects the pages that stripeOf assigns to it: their bytes in the backing and
// their overwritten bytes.
type stripe struct {
	mu   sched.RWMutex
	undo map[int64][]undo // overwritten bytes of each page, in order
	_    [40]byte         // keeps two stripes in different cache lines
}

// lockSet is a set of stripes. Ranks take them in ascending order, so no two ranks ever
// wait for each other.
type lockSet uint64

// stripeOf returns the stripe of a page. Any 64 pages in a row have different stripes, and
// so have pages that are a power of two apart: otherwise ranks that go through neighbouring
// parts of a file side by side would contend for one stripe all the way.
func stripeOf(page int64) int64 {
	return (page ^ int64(uint64(page>>6)*0x9E3779B97F4A7C15>>58)) & (Stripes - 1)
}

// stripesOf returns the stripes of the pages of bytes [lo, hi).
func stripesOf(lo, hi int64) (set lockSet) {
	if hi <= lo {
		return 0
	}
	first, last := lo>>pageShift, (hi-1)>>pageShift
	if last-first >= 2*Stripes-2 { // a whole row of 64 pages is in the range
		return ^lockSet(0)
	}
	for page := first; page <= last; page++ {
		set |= 1 << stripeOf(page)
	}
	return set
}

// each calls f on every stripe of the set, in ascending order.
func (im *Image) each(set lockSet, f func(*stripe)) {
	for ; set != 0; set &= set - 1 {
		f(im.stripeAt(int64(bits.TrailingZeros64(uint64(set)))))
	}
}

func (im *Image) lock(set lockSet)    { im.each(set, func(s *stripe) { s.mu.Lock() }) }
func (im *Image) unlock(set lockSet)  { im.each(set, func(s *stripe) { s.mu.Unlock() }) }
func (im *Image) rlock(set lockSet)   { im.each(set, func(s *stripe) { s.mu.RLock() }) }
func (im *Image) runlock(set lockSet) { im.each(set, func(s *stripe) { s.mu.RUnlock() }) }

func (im *Image) stripe(page int64) *stripe { return im.stripeAt(stripeOf(page)) }

// stripeAt returns stripe i. All but the first are made together, when one of them is
// needed: most files have one page, and 4 KiB of locks would be most of their memory.
func (im *Image) stripeAt(i int64) *stripe {
	if i == 0 {
		return &im.first
	}
	all := im.others.Load()
	if all == nil {
		im.others.CompareAndSwap(nil, new([Stripes]stripe))
		all = im.others.Load()
	}
	return &all[i]
}

// A span is a range of bytes, or some bytes in it, that an atomic access has locked.
type span struct {
	lo, hi  int64
	write   bool
	onePage bool             // an access to one page, under the page's lock; see onepage.go
	bytes   []extent.Pattern // its bytes; empty: all
	mu      sched.Mutex      // locked as long as the span is held
}

// spans orders conflicting atomic accesses (CONS-C5). An access holds all its bytes while
// it copies them. Page locks alone would not be enough: an access takes many of them, one
// after the other.
type spans struct {
	mu   sched.Mutex
	held []*span
	wide atomic.Int32 // spans of more than one page that are held or waited for
}

// lock waits until s conflicts with no held span, and then holds it.
func (l *spans) lock(s *span) {
	if !s.onePage {
		l.wide.Add(1)
	}
	s.mu.Lock()
	for {
		l.mu.Lock()
		other := l.conflict(s)
		if other == nil {
			l.held = append(l.held, s)
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		other.wait()
	}
}

func (l *spans) conflict(s *span) *span {
	for _, o := range l.held {
		if o.lo < s.hi && s.lo < o.hi && (o.write || s.write) && o.meets(s) {
			return o
		}
	}
	return nil
}

// manyPairs bounds the pairs of patterns that are compared while no other access can take a
// span.
const manyPairs = 1 << 12

// meets reports whether s and o, whose ranges overlap, may have bytes in common.
func (s *span) meets(o *span) bool {
	if len(s.bytes)*len(o.bytes) > manyPairs {
		return true
	}
	a, b := s.bytes, o.bytes
	whole := [2]extent.Pattern{{Lo: s.lo, Block: s.hi - s.lo, N: 1}, {Lo: o.lo, Block: o.hi - o.lo, N: 1}}
	if len(a) == 0 {
		a = whole[:1]
	}
	if len(b) == 0 {
		b = whole[1:]
	}
	for i := range a {
		for k := range b {
			if _, _, ok := a[i].Common(&b[k]); ok {
				return true
			}
		}
	}
	return false
}

func (l *spans) unlock(s *span) {
	l.mu.Lock()
	for i, o := range l.held {
		if o == s {
			last := len(l.held) - 1
			l.held[i], l.held[last] = l.held[last], nil
			l.held = l.held[:last]
			break
		}
	}
	l.mu.Unlock()
	if !s.onePage {
		l.wide.Add(-1)
	}
	s.mu.Unlock()
}

// wait returns when s has been released at least once. It may be held again by then, for
// another access, so the caller must check again.
func (s *span) wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
}
