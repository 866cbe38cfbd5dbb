package sched

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// free lets all ranks run at once. A rank is one atomic word; the world adds
// one counter of the ranks that run. Whoever wakes a rank counts it before
// letting it go, and is counted itself meanwhile. So a counter of zero is a
// deadlock and nothing else: there is no moment at which a wake-up is under way
// and nobody is counted.
type free struct {
	s      *Sched
	polite int64    // yield before parking while at most so many ranks run; see newFree
	_      [48]byte // the counter is written by everyone, the rest read by everyone

	running atomic.Int64
	_       [56]byte
}

// newFree has ranks yield, once, before they park, because often another brings
// what the rank waits for, and a yield is cheaper than a sleep and a wake-up: 1.6
// times in a hand-off and in meetings of up to 16 ranks. With many running ranks on
// more than one core the yields get into each other's way and cost twice as much as
// they save, hence the limit. Spinning instead is still faster on an idle machine
// and ruinous on a busy one.
func newFree(s *Sched) *free {
	f := &free{s: s, polite: 16}
	if runtime.GOMAXPROCS(0) == 1 {
		f.polite = int64(len(s.ranks))
	}
	f.running.Store(int64(len(s.ranks)))
	return f
}

// run makes the channels here and not at the first wait, where the stack is
// deepest: the allocator would not fit into what is left of two kilobytes, and
// the stack of every rank would double.
func (f *free) run(body func(r *Rank) error) {
	var lives errgroup.Group
	for i := range f.s.ranks {
		r := &f.s.ranks[i]
		r.ch = make(chan struct{}, 1)
	}
	for i := range f.s.ranks {
		lives.Go(func() error {
			f.s.ranks[i].live(body)
			return nil // the world has the errors of all ranks, not only the first
		})
	}
	_ = lives.Wait()
}

func (f *free) resume(_ *Rank, done <-chan struct{}) { <-done }

func (f *free) relent(*Rank) {}

func (f *free) park(r *Rank, why fmt.Stringer) error {
	if c := f.s.cause.Load(); c != nil {
		return *c
	}
	for !r.state.CompareAndSwap(running, parked) {
		if r.state.CompareAndSwap(token, running) {
			return f.s.Cause()
		}
		if err := r.barred(); err != nil {
			return err
		}
	}
	r.why = why // now that nobody else waits as r
	for {
		// An abort sets the cause and then looks for parked ranks; this rank parks
		// and then looks for the cause. One of the two sees the other.
		if c := f.s.cause.Load(); c != nil && r.state.CompareAndSwap(parked, running) {
			return *c
		}
		f.descend(1)
		<-r.ch
		if f.s.report.Load() != nil {
			r.tell()
		}
		if r.asked.Load() == nil || !r.confess() {
			return f.s.Cause()
		}
	}
}

func (f *free) wake(r *Rank) {
	if rise(r) {
		f.running.Add(1)
		r.ch <- struct{}{}
	}
}

// wakeAll counts all ranks at once before it lets the first one go, and then takes
// those off that had not parked: the counter is what processors contend for.
func (f *free) wakeAll(who []*Rank, but int) {
	counted := int64(len(who))
	f.running.Add(counted)
	for i, r := range who {
		switch {
		case i == but:
		case r.s != f.s:
			r.Wake()
		case rise(r):
			counted--
			r.ch <- struct{}{}
		}
	}
	f.descend(counted)
}

// rise makes r's state that of a rank that was woken, and reports whether it has
// to be counted and let go.
func rise(r *Rank) bool {
	for {
		switch r.state.Load() {
		case running:
			if r.state.CompareAndSwap(running, token) {
				return false
			}
		case parked:
			if r.state.CompareAndSwap(parked, running) {
				return true
			}
		default:
			return false
		}
	}
}

// descend counts ranks that do not run any more, or never did.
func (f *free) descend(ranks int64) {
	if f.running.Add(-ranks) == 0 && f.s.live.Load() > 0 {
		f.s.deadlock()
	}
}

func (f *free) end(r *Rank) {
	r.state.Store(ended)
	f.descend(1)
}

func (f *free) release() {
	for i := range f.s.ranks {
		if r := &f.s.ranks[i]; r.state.Load() == parked {
			f.wake(r)
		}
	}
}

func (f *free) rouse() { f.release() }
