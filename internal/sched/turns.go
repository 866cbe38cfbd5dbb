package sched

import (
	"cmp"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// turns runs one rank at a time. The rank whose turn it is passes the turn on
// when it steps, parks or ends; see crew for how.
//
// What only the rank with the turn touches, or the loop while no rank has it, takes
// no lock. Goroutines from outside leave word.
type turns struct {
	s     *Sched
	pick  picker
	crew  *crew
	ready []*Rank // able to run, without the one whose turn it is
	turn  int     // the rank whose it is plus one, or 0 when nobody can run

	news   atomic.Bool // ranks were called, or the world was aborted
	mu     sync.Mutex
	called []*Rank // since that was looked at
}

// holder is whoever runs if the caller does not: the rank whose turn it is, or
// the loop.
func (t *turns) holder() *coroutine { return &t.crew.all[t.turn] }

// on reports whether it is r's turn. Any goroutine may ask.
func (t *turns) on(r *Rank) bool { return r.state.Load() == running }

func newTurns(s *Sched, p picker) *turns {
	t := &turns{s: s, pick: p, ready: make([]*Rank, len(s.ranks))}
	for i := range s.ranks {
		t.ready[i] = &s.ranks[i]
		t.ready[i].state.Store(ready)
	}
	return t
}

func (t *turns) run(body func(r *Rank) error) {
	t.crew = new(crew)
	if x := t.s.explorer(); x != nil {
		t.crew = &x.crew
	}
	done := make(chan struct{})
	go func() { // the caller's goroutine may be locked to a thread, and then has no way to change places
		t.crew.fill(len(t.s.ranks))
		for i := range t.s.ranks {
			co := &t.crew.all[1+i]
			co.rank, co.body = &t.s.ranks[i], body
		}
		t.loop(done)
	}()
	<-done
}

// loop gives the turn to a rank whenever none has it. A rank that left by
// runtime.Goexit may take its goroutine along in the end; it goes on on another
// then.
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
		switch {
		case t.next() != nil:
			t.crew.all[0].change(t.holder())
		case t.s.cause.Load() != nil:
			t.hear() // whoever aborted the world may not have told yet
		case t.s.run != nil && t.s.run.decide():
		default:
			t.s.deadlock()
		}
	}
	t.crew.dismiss(!t.crew.kept)
	over = true
	close(done)
}

// wait gives the processor away until the rank's turn comes, or it is to report
// what it waits for in a deadlock.
func (t *turns) wait(r *Rank) {
	t.crew.all[1+r.id].change(t.holder())
	t.heed(r)
}

// heed has r, which gets up, report a deadlock if there is one.
func (t *turns) heed(r *Rank) {
	if t.s.report.Load() != nil {
		r.tell()
	}
}

// next takes the rank whose turn comes out of ready.
func (t *turns) next() *Rank {
	if t.news.Load() {
		t.hear()
	}
	n := len(t.ready)
	if n == 0 {
		t.turn = 0
		return nil
	}
	i, steps := t.pick.pick(t.ready)
	r := t.ready[i]
	t.ready[i] = t.ready[n-1]
	t.ready = t.ready[:n-1]
	r.steps = steps
	t.turn = int(r.id) + 1
	switch r.state.Load() {
	case running: // and stays so
	case ready:
		r.state.Store(running)
	default:
		r.woken = false
		for !r.state.CompareAndSwap(parked, running) {
			runtime.Gosched() // somebody looks what it has waited for
		}
	}
	return r
}

// hear wakes ranks that were called from outside and, in an aborted world, those
// that are parked.
func (t *turns) hear() {
	t.news.Store(false) // before looking: what comes later says so again
	t.mu.Lock()
	for _, r := range t.called {
		t.wake(r)
	}
	t.called = t.called[:0]
	t.mu.Unlock()
	if t.s.cause.Load() == nil {
		return
	}
	for i := range t.s.ranks {
		if r := &t.s.ranks[i]; r.Parked() {
			t.wake(r)
		}
	}
}

// more counts a step of the rank, if it has the turn and may make more of them
// before others do, or there are no others.
func (t *turns) more(r *Rank) bool {
	switch {
	case !t.on(r):
		return false
	case r.steps > 0:
		r.steps--
		return true
	}
	return len(t.ready) == 0 && t.s.run == nil && !t.news.Load()
}

func (t *turns) step(r *Rank) error {
	switch {
	case !t.on(r): // another goroutine of a rank that waits: not a turn to give away
		return nil
	case t.s.run != nil: // only choices matter
		return t.s.Cause()
	case t.more(r):
		return nil
	}
	t.ready = append(t.ready, r)
	if t.next() != r {
		r.state.Store(ready)
		t.wait(r)
	}
	return t.s.Cause()
}

// stride is step where that is all there is to do, and reports whether it was.
func (t *turns) stride(r *Rank) bool {
	return t.on(r) && t.s.run == nil && t.step(r) == nil
}

// mine reports that another rank than r has the turn. That nobody has it says
// nothing: ranks may have ended or wait, and a goroutine go on.
func (t *turns) mine(r *Rank) error {
	if t.on(r) || t.s.cause.Load() != nil {
		return nil
	}
	for i := range t.s.ranks {
		if t.on(&t.s.ranks[i]) {
			return &ForeignError{Used: int(r.id), Running: i}
		}
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
		p.relent(r)
	}
}

func (t *turns) park(r *Rank, why fmt.Stringer) error {
	if err := t.s.Cause(); err != nil || !t.on(r) {
		return cmp.Or(err, r.barred(), ErrTwoWaits)
	}
	r.why = why
	if r.woken {
		r.woken = false
		return t.step(r)
	}
	r.state.Store(parked)
	if t.next() == r { // which hears of an abort
		return t.s.Cause()
	}
	if place := t.crew.all[1+r.id].goTo(t.holder()); place.yields { // wait, written out: see Meeting
		place.resume()
	} else {
		place.yield(struct{}{})
	}
	t.heed(r)
	return t.s.Cause()
}

func (t *turns) wake(r *Rank) {
	if r.woken || r.state.Load() == ended {
		return
	}
	r.woken = true
	if r.Parked() {
		t.ready = append(t.ready, r)
	}
}

func (t *turns) wakeAll(who []*Rank, but int) {
	for i, r := range who {
		switch {
		case i == but:
		case r.s != t.s:
			r.Call()
		default:
			t.wake(r)
		}
	}
}

// call is wake by a goroutine that need not have the turn.
func (t *turns) call(r *Rank) {
	t.mu.Lock()
	t.called = append(t.called, r)
	t.mu.Unlock()
	t.news.Store(true)
}

// end passes the turn on. A rank that ends while another goroutine of its makes a
// call waits until that has its turn back.
func (t *turns) end(r *Rank) {
	for !t.on(r) {
		runtime.Gosched()
	}
	r.state.Store(ended)
	t.next()
}

// release leaves word that the world is aborted.
func (t *turns) release() { t.news.Store(true) }

// rouse leaves the states alone: a rank that tells still waits for its turn.
// It runs in the loop, nobody's turn being under way.
func (t *turns) rouse() {
	for i := range t.s.ranks {
		if t.s.ranks[i].Parked() {
			t.crew.all[0].change(&t.crew.all[1+i])
		}
	}
}

func (t *turns) resume(r *Rank, _ <-chan struct{}) {
	if !t.on(r) {
		t.wait(r)
	}
}
