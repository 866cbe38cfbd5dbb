package sched

import (
	"cmp"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
)

// turns runs one rank at a time. The rank whose turn it is passes the turn on
// when it steps, parks or ends.
//
// Ranks are coroutines: each runs on its own goroutine, which hands the
// processor over directly. That takes a quarter of what a channel takes, and
// lets a seeded world keep up with a free one. The rank that gives its turn away
// resumes the next one itself, if that is suspended; so resumed ranks form a
// chain, and a turn that goes to a rank further down gets there by suspending
// those above it. Two ranks that take turns thus pay one switch each time, and
// any number never more than the two that going through a loop would take.
type turns struct {
	s    *Sched
	pick picker
	co   coroutines // by rank

	mu    sync.Mutex    // only an abort from outside ever contends
	ready []*Rank       // able to run, without the one whose turn it is
	turn  atomic.Uint32 // the rank whose it is plus one, or 0 when nobody can run
}

// active returns the rank whose turn it is, nil when nobody can run.
func (t *turns) active() *Rank {
	if id := t.turn.Load(); id > 0 {
		return &t.s.ranks[id-1]
	}
	return nil
}

// on reports whether it is r's turn.
func (t *turns) on(r *Rank) bool { return t.turn.Load() == uint32(r.id)+1 }

// A coroutine runs from a call of resume to the next call of yield.
//
// Between two runs of an exploration it is kept, suspended: a new one would
// begin with a small stack, and growing that takes longer than many a rank lives.
type coroutine struct {
	resume func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	rank   *Rank               // that lives when it is resumed next
	body   func(r *Rank) error // of it
	kept   bool                // for the next run
	chain  bool                // it has been resumed and not suspended since
	left   bool                // by runtime.Goexit
}

func newCoroutine(kept bool) *coroutine {
	co := &coroutine{kept: kept}
	co.resume, co.stop = iter.Pull(func(yield func(struct{}) bool) {
		co.yield = yield
		defer func() {
			if co.left { // and would take along whoever resumed it: only the loop can bear that
				yield(struct{}{})
			}
		}()
		if kept {
			makeRoom()
		}
		for again := true; again; again = co.kept && yield(struct{}{}) {
			co.left = true
			co.rank.live(co.body)
			co.left, co.rank, co.body = false, nil, nil
		}
	})
	return co
}

// makeRoom lets the stack grow once, while there is next to nothing on it:
// growing from step to step under deep calls took a tenth of the time of
// explorations that end after two or three runs.
//
//go:noinline
func makeRoom() {
	var room [8 << 10]byte
	touch(&room)
}

//go:noinline
func touch(room *[8 << 10]byte) { room[0] = 1 }

// coroutines are kept from run to run; those that are gone are nil.
type coroutines []*coroutine

// of returns n of them, all ready.
func (cs *coroutines) of(n int) coroutines {
	if len(*cs) != n {
		cs.end()
		*cs = make(coroutines, n)
	}
	cs.renew(true)
	return *cs
}

func (cs coroutines) renew(kept bool) {
	for i, co := range cs {
		if co == nil {
			cs[i] = newCoroutine(kept)
		}
	}
}

// end ends the goroutines.
func (cs *coroutines) end() {
	for _, co := range *cs {
		if co != nil {
			co.stop()
		}
	}
	*cs = nil
}

// run resumes the coroutine until it suspends itself.
func (co *coroutine) run() {
	co.chain = true
	co.resume()
	co.chain = false
}

func newTurns(s *Sched, p picker) *turns {
	t := &turns{s: s, pick: p, ready: make([]*Rank, len(s.ranks))}
	for i := range s.ranks {
		t.ready[i] = &s.ranks[i]
	}
	return t
}

func (t *turns) run(body func(r *Rank) error) {
	if x := t.s.explorer(); x != nil {
		t.co = x.kept.of(len(t.s.ranks))
	} else {
		t.co = make(coroutines, len(t.s.ranks))
		t.co.renew(false)
	}
	for i, co := range t.co {
		co.rank, co.body = &t.s.ranks[i], body
	}
	done := make(chan struct{})
	go t.loop(done)
	<-done
}

// loop gives the turn to a rank whenever none has it. In the end it resumes the
// ranks that left by runtime.Goexit, each of which takes the goroutine with it
// that does so; the loop then goes on on another.
func (t *turns) loop(done chan struct{}) {
	over := false
	defer func() {
		if !over {
			go t.loop(done)
		}
	}()
	if t.s.run != nil { // what decides goes deeper than what passes the turn on
		makeRoom()
	}
	for t.s.live.Load() > 0 {
		r := t.active() // written by whoever had the turn, and that has come back
		if r == nil {
			t.mu.Lock()
			r = t.next()
			t.mu.Unlock()
		}
		switch {
		case r != nil:
			t.co[r.id].run()
		case t.s.cause.Load() != nil:
			t.release() // whoever aborted the world may not have come to it yet
		case t.s.run != nil && t.s.run.decide():
		default:
			t.s.deadlock()
		}
	}
	for i, co := range t.co {
		if co != nil && co.left {
			co.left = false
			t.co[i] = nil
			co.resume()
		}
	}
	over = true
	close(done)
}

// wait gives the processor away until the rank's turn comes. When that is
// because of a deadlock, the rank reports what it waited for first.
func (t *turns) wait(r *Rank) {
	for !t.on(r) {
		if next := t.active(); next != nil && !t.co[next.id].chain {
			t.co[next.id].run()
		} else {
			t.co[r.id].yield(struct{}{})
			break
		}
	}
	if t.s.report.Load() != nil {
		r.tell()
	}
}

// next takes the rank whose turn comes out of ready. The lock is held.
func (t *turns) next() *Rank {
	n := len(t.ready)
	if n == 0 {
		t.turn.Store(0)
		return nil
	}
	i, steps := t.pick.pick(t.ready)
	r := t.ready[i]
	t.ready[i] = t.ready[n-1]
	t.ready = t.ready[:n-1]
	r.steps = steps
	if !t.on(r) { // a load is cheaper than a store that others must see
		t.turn.Store(uint32(r.id) + 1)
	}
	return r
}

// more counts a step of the rank, if it has the turn and may make more of them
// before others do.
func (t *turns) more(r *Rank) bool {
	if !t.on(r) || r.steps == 0 {
		return false
	}
	r.steps--
	return true
}

func (t *turns) step(r *Rank, what fmt.Stringer) error {
	switch {
	case !t.on(r): // another goroutine of a rank that waits: not a turn to give away
		return nil
	case t.s.run != nil: // only choices matter
		return t.s.Cause()
	case t.more(r):
		return nil
	}
	t.mu.Lock()
	if !t.on(r) { // meanwhile
		t.mu.Unlock()
		return nil
	}
	r.why = what
	t.ready = append(t.ready, r)
	t.pass(r)
	return t.s.Cause()
}

// mine reports that another rank than r has the turn. That nobody has it says
// nothing: ranks may have ended or wait, and a goroutine go on.
func (t *turns) mine(r *Rank) error {
	if t.on(r) {
		return nil
	}
	if a := t.active(); a != nil && t.s.cause.Load() == nil {
		return &ForeignError{Used: int(r.id), Running: int(a.id)}
	}
	return nil
}

// relent takes back what steps the rank may make before others do, and what
// priority it has.
func (t *turns) relent(r *Rank) {
	if !t.on(r) {
		return
	}
	r.steps = 0
	if p, ok := t.pick.(*byPriority); ok {
		t.mu.Lock()
		p.relent(r)
		t.mu.Unlock()
	}
}

func (t *turns) park(r *Rank, why fmt.Stringer) error {
	t.mu.Lock()
	// An abort from outside sets the cause and then takes the lock to look for
	// parked ranks, so this look is late enough.
	if err := t.s.Cause(); err != nil || !t.on(r) {
		t.mu.Unlock()
		return cmp.Or(err, r.barred(), ErrTwoWaits)
	}
	r.why = why
	if r.state.Load() == token {
		r.state.Store(running)
		t.ready = append(t.ready, r)
	} else {
		r.state.Store(parked)
	}
	t.pass(r)
	return t.s.Cause()
}

// pass ends r's turn and waits for its next one. The lock is held, and given up.
func (t *turns) pass(r *Rank) {
	next := t.next()
	t.mu.Unlock()
	if next != r {
		t.wait(r)
	}
}

func (t *turns) wake(r *Rank) {
	t.mu.Lock()
	t.rise(r)
	t.mu.Unlock()
}

func (t *turns) wakeAll(who []*Rank, but int) {
	foreign := false
	t.mu.Lock()
	for i, r := range who {
		if r.s != t.s {
			foreign = true
		} else if i != but {
			t.rise(r)
		}
	}
	t.mu.Unlock()
	for i := 0; foreign && i < len(who); i++ {
		if who[i].s != t.s {
			who[i].Wake() // without our lock: its world has one, too
		}
	}
}

// rise is wake. The lock is held.
func (t *turns) rise(r *Rank) {
	switch r.state.Load() {
	case running:
		r.state.Store(token)
	case parked:
		r.state.Store(running)
		t.ready = append(t.ready, r)
	}
}

func (t *turns) end(r *Rank) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.state.Store(ended)
	t.next()
}

// release readies the parked ranks.
func (t *turns) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.s.ranks {
		if r := &t.s.ranks[i]; r.state.Load() == parked {
			r.state.Store(running)
			t.ready = append(t.ready, r)
		}
	}
}

// rouse leaves the states alone: a rank that tells still waits for its turn.
// It runs in the loop, nobody's turn being under way.
func (t *turns) rouse() {
	for i := range t.s.ranks {
		if r := &t.s.ranks[i]; r.state.Load() == parked {
			t.co[i].run()
		}
	}
}

func (t *turns) resume(r *Rank, _ <-chan struct{}) { t.wait(r) }
