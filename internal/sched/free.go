package sched

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// free lets all ranks run at once. The state of a rank is one atomic word; the world adds
// one counter of running ranks. The goroutine that wakes a rank counts that rank before it
// lets it continue, and is itself counted meanwhile. So a counter of zero always means a
// deadlock: at no moment is a wake-up under way and not counted.
type free struct {
	s          *Sched
	yieldLimit int64    // ranks yield before parking while at most so many run; see newFree
	_          [48]byte // keeps the counter, which all ranks write, off the cache line of the rest

	running atomic.Int64
	_       [56]byte
}

// newFree makes ranks yield once before they park: often another rank then does what the
// rank waits for, and a yield is cheaper than parking and waking. A meeting of 64 to 1,024
// ranks takes half to three quarters of the time by it. In larger crowds a rank that has
// yielded finds that others are still missing, and has yielded for nothing: meetings of
// 100,000 take twice the time, hence the limit. Spinning would be faster on an idle machine
// and much slower on a busy one.
func newFree(s *Sched) *free {
	f := &free{s: s, yieldLimit: 1024}
	if runtime.GOMAXPROCS(0) == 1 {
		f.yieldLimit = int64(len(s.ranks))
	}
	f.running.Store(int64(len(s.ranks)))
	return f
}

// run creates the channels of all ranks here and not at their first wait: at that point the
// stack is deepest, the allocator would not fit into the rest of two kilobytes, and the
// stack of every rank would double.
func (f *free) run(body func(r *Rank) error) {
	var lives errgroup.Group
	for i := range f.s.ranks {
		r := &f.s.ranks[i]
		r.ch = make(chan struct{}, 1)
	}
	for i := range f.s.ranks {
		lives.Go(func() error {
			f.s.ranks[i].live(body)
			return nil // the world keeps the errors of all ranks, not only the first
		})
	}
	_ = lives.Wait()
}

func (f *free) resume(_ *Rank, done <-chan struct{}) { <-done }

func (f *free) yieldTurn(*Rank) {}

func (f *free) park(r *Rank, why fmt.Stringer) error {
	if c := f.s.cause.Load(); c != nil {
		return *c
	}
	for !r.state.CompareAndSwap(running, parked) {
		if r.state.CompareAndSwap(token, running) {
			return f.s.Cause()
		}
		if err := r.parkError(); err != nil {
			return err
		}
	}
	r.why = why // set after the check that no other goroutine waits as r
	for {
		// An abort sets the cause and then looks for parked ranks; this rank parks and then
		// reads the cause. One of the two sees the other.
		if c := f.s.cause.Load(); c != nil && r.state.CompareAndSwap(parked, running) {
			return *c
		}
		f.uncount(1)
		<-r.ch
		if f.s.report.Load() != nil {
			r.reportWait()
		}
		if r.asked.Load() == nil || !r.answerInquiry() {
			return f.s.Cause()
		}
	}
}

func (f *free) wake(r *Rank) {
	if markWoken(r) {
		f.running.Add(1)
		r.ch <- struct{}{}
	}
}

// wakeAll counts all ranks before it lets the first one continue, and then uncounts those
// that were not parked, because processors contend for the counter.
func (f *free) wakeAll(who []*Rank, but int) {
	counted := int64(len(who))
	f.running.Add(counted)
	for i, r := range who {
		switch {
		case i == but:
		case r.s != f.s:
			r.Wake()
		case markWoken(r):
			counted--
			r.ch <- struct{}{}
		}
	}
	f.uncount(counted)
}

// markWoken sets r's state to that of a woken rank, and reports whether r was parked and so
// must be counted and released.
func markWoken(r *Rank) bool {
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

// uncount subtracts ranks that no longer run, or never did, from the counter.
func (f *free) uncount(ranks int64) {
	if f.running.Add(-ranks) == 0 && f.s.live.Load() > 0 {
		f.s.deadlock()
	}
}

func (f *free) end(r *Rank) {
	r.state.Store(ended)
	f.uncount(1)
}

func (f *free) release() {
	for i := range f.s.ranks {
		if r := &f.s.ranks[i]; r.state.Load() == parked {
			f.wake(r)
		}
	}
}

func (f *free) reportAll() { f.release() }
