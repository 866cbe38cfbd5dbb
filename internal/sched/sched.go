package sched

import (
	"sync"
	"sync/atomic"
)

// Options say how the ranks of a world run. The zero value lets them run
// freely, in parallel.
type Options struct {
	// Seeded runs one rank at a time; whenever a rank starts, ends, parks or
	// makes a step, Seed decides who continues. The same program under the same
	// seed runs the same way, whatever GOMAXPROCS is.
	Seeded bool
	Seed   uint64

	// NoClocks turns vector clocks off: ranks then know nothing of each other.
	NoClocks bool

	// OnAbort, if set, is called once, when the world is aborted and before any
	// rank learns of it.
	OnAbort func(cause error)
}

// A Sched runs the ranks of one world.
type Sched struct {
	ranks   []Rank
	drv     driver
	onAbort func(error)

	noClocks bool

	cause  atomic.Pointer[error]  // set once
	report atomic.Pointer[report] // set once, at a deadlock
	live   atomic.Int64           // ranks that have not ended

	mu       sync.Mutex // orders abort, deadlock and failures; leaf
	failures []*RankError
}

// New makes a world of n ranks, n at least 1. All of them count as running
// from now on: a world is not deadlocked while a rank has yet to enter Main.
func New(n int, o Options) *Sched {
	s := &Sched{ranks: make([]Rank, n), onAbort: o.OnAbort, noClocks: o.NoClocks}
	for i := range s.ranks {
		s.ranks[i].s, s.ranks[i].id = s, int32(i)
	}
	s.live.Store(int64(n))
	if o.Seeded {
		s.drv = newTurns(s, newRandomPicker(o.Seed))
	} else {
		s.drv = newFree(s)
	}
	return s
}

// Len returns the number of ranks.
func (s *Sched) Len() int { return len(s.ranks) }

// Rank returns rank i of the world.
func (s *Sched) Rank(i int) *Rank { return &s.ranks[i] }

// Cause returns why the world was aborted, or nil while it was not.
func (s *Sched) Cause() error {
	if p := s.cause.Load(); p != nil {
		return *p
	}
	return nil
}

// Abort ends the world: every parked rank is released with cause, and so is
// every rank that parks or steps from now on. The first cause wins, and a
// deadlock that is being reported counts as first. Any goroutine may call it.
func (s *Sched) Abort(cause error) {
	s.mu.Lock()
	first := s.cause.Load() == nil && s.report.Load() == nil
	if first {
		s.cause.Store(&cause)
	}
	s.mu.Unlock()
	if first {
		s.announce(cause)
		s.drv.release()
	}
}

func (s *Sched) announce(cause error) {
	if s.onAbort != nil {
		s.onAbort(cause)
	}
}
