package sched

import (
	"sync"
	"sync/atomic"
)

// Options say how the ranks of a world run. With the zero value they run freely, in
// parallel.
type Options struct {
	// Schedule decides which rank runs when. With any but the zero Schedule, ranks run one
	// at a time: the same program under the same schedule runs the same way, for any
	// GOMAXPROCS.
	Schedule Schedule

	// Seeded and Seed are short for the schedule Random(Seed).
	Seeded bool
	Seed   uint64

	// Explorer, if set, makes the choices of the run in place of Schedule.
	Explorer *Explorer

	// Polls is how often a poll may find nothing although there is something, as long as
	// the rank's situation does not change; 0 means once. See [Rank.Ask].
	Polls int

	// NoClocks turns vector clocks off.
	NoClocks bool

	// Ended, if set, is called when a deadlock is about to be reported. If it returns an
	// error, that is the true cause: a rank may have seen the event that ends the world
	// from outside, and left the others, before [Sched.Abort] was called.
	Ended func() error

	// Idle, if set, is called when ranks run by turns and all wait, before that counts as a
	// deadlock. It may wake some, and reports whether it did.
	Idle func() bool

	// OnAbort, if set, is called once, when the world is aborted and before any
	// rank learns of it.
	OnAbort func(cause error)
}

// A Sched runs the ranks of one world.
type Sched struct {
	ranks   []Rank
	drv     driver
	busy    busy   // the driver for ranks that have other work to do when they wait
	turns   *turns // drv if ranks run by turns, otherwise nil
	onAbort func(error)
	outside func() error // Options.Ended
	idle    func() bool  // Options.Idle

	noClocks bool
	polls    int
	schedule Schedule
	reversed bool
	run      *exploration // of an exploring world, else nil

	cause  atomic.Pointer[error]  // set once
	report atomic.Pointer[report] // set once, at a deadlock
	live   atomic.Int64           // ranks that have not ended

	mu       sync.Mutex // orders abort, deadlock and failures; leaf
	failures []*RankError
}

// New returns a world of n ranks, n at least 1, for [Sched.Run].
func New(n int, o Options) *Sched {
	s := &Sched{ranks: make([]Rank, n), onAbort: o.OnAbort, outside: o.Ended, idle: o.Idle, noClocks: o.NoClocks, polls: max(o.Polls, 1)}
	for i := range s.ranks {
		s.ranks[i].s, s.ranks[i].id = s, int32(i)
	}
	s.live.Store(int64(n))
	if o.Seeded {
		o.Schedule = Random(o.Seed)
	}
	if o.Explorer != nil {
		o.Schedule = Choices()
		s.run = newExploration(s, o.Explorer)
		o.Explorer.begin(s.run)
		for i := range s.ranks {
			s.ranks[i].lines = &o.Explorer.lines
		}
	} else if o.Schedule.kind == chosen {
		s.run = newExploration(s, &given{list: o.Schedule.choices})
		s.run.stays = o.Schedule.stays
	}
	if s.run != nil {
		s.noClocks = false // polls need them
	}
	s.schedule, s.reversed = o.Schedule, o.Schedule.kind == reverseRobin
	if s.schedule.Free() {
		s.drv = newFree(s)
	} else {
		p := s.schedule.picker(n)
		if o.Explorer != nil && o.Explorer.Checks() {
			p = highest{}
			s.reversed = true
		}
		s.turns = newTurns(s, p)
		s.drv = s.turns
	}
	s.busy.driver = s.drv
	for i := range s.ranks {
		s.ranks[i].drv = s.drv
	}
	return s
}

// Token returns the schedule of the world as one word, "free" if it has none.
// [ParseSchedule] reads it, to replay the run.
func (s *Sched) Token() string {
	if s.run != nil {
		return s.run.token()
	}
	return s.schedule.String()
}

// Switches returns how often another rank made the next visible operation of an explored run: the
// fewer, the easier it is to follow.
func (s *Sched) Switches() int {
	if s.run == nil {
		return 0
	}
	return s.run.switches()
}

// Run runs body as every rank of the world and returns when all have ended. In
// a free world the ranks are goroutines, otherwise coroutines of one. An error,
// a panic or a runtime.Goexit of body ends the world; see [Sched.Cause] and
// [Sched.Failures]. Run is called once.
func (s *Sched) Run(body func(r *Rank) error) {
	s.drv.run(body)
	if s.run != nil && s.Cause() == nil {
		if err := s.run.unused(); err != nil {
			s.Abort(err)
		}
	}
}

// Controlled reports whether the world decides which rank runs when, so that a run can be
// repeated.
func (s *Sched) Controlled() bool { return !s.schedule.Free() }

// Reversed reports whether the ranks take turns in the opposite order: under
// [ReverseRobin], and in the run by which an [Explorer] checks the first one.
func (s *Sched) Reversed() bool { return s.reversed }

// Len returns the number of ranks.
func (s *Sched) Len() int { return len(s.ranks) }

// Rank returns rank i of the world.
func (s *Sched) Rank(i int) *Rank { return &s.ranks[i] }

// Cause returns why the world was aborted, nil if it was not.
func (s *Sched) Cause() error {
	if p := s.cause.Load(); p != nil {
		return *p
	}
	return nil
}

// Over reports whether the context in which the world runs has ended.
func (s *Sched) Over() bool { return s.outside != nil && s.outside() != nil }

// Abort ends the world: every parked rank is released with cause, and so is every rank that
// parks or steps from now on. The first cause wins; a deadlock that is being reported
// counts as first. Any goroutine may call it.
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
