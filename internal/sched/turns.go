package sched

import (
	"cmp"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// turns runs one rank at a time. The rank that has the turn passes it on when it steps,
// parks or ends; coroutinePool does the switch.
//
// Data that only the rank with the turn uses, or the loop while no rank has it, needs no
// lock. Goroutines outside the ranks set outsideNews.
type turns struct {
	s     *Sched
	pick  picker
	pool  *coroutinePool
	ready []*Rank // ranks that are able to run, without the one that has the turn
	turn  int     // the rank that has the turn plus one, or 0 when no rank can run

	outsideNews atomic.Bool // ranks were called, or the world was aborted
	mu          sync.Mutex
	called      []*Rank // ranks called since the last look
}

// holder returns the coroutine of the rank that has the turn, or of the loop. It runs if
// the caller does not.
func (t *turns) holder() *coroutine { return &t.pool.all[t.turn] }

// on reports whether r has the turn. Any goroutine may call it.
func (t *turns) on(r *Rank) bool { return r.state.Load() == running }

func newTurns(s *Sched, p picker) *turns {
	t := &turns{s: s, pick: p, ready: make([]*Rank, len(s.ranks))}
	for i := range s.ranks {
		t.ready[i] = &s.ranks[i]
		t.ready[i].place = int32(i)
		t.ready[i].state.Store(ready)
	}
	return t
}

func (t *turns) run(body func(r *Rank) error) {
	t.pool = new(coroutinePool)
	if x := t.s.explorer(); x != nil {
		t.pool = &x.pool
	}
	done := make(chan struct{})
	go func() { // the caller's goroutine may be locked to a thread, and then cannot switch
		t.pool.fill(len(t.s.ranks))
		for i := range t.s.ranks {
			co := &t.pool.all[1+i]
			co.rank, co.body = &t.s.ranks[i], body
		}
		t.loop(done)
	}()
	<-done
}

// loop gives the turn to a rank whenever no rank has it. A rank that left by runtime.Goexit
// may end the goroutine of the loop, too; the loop then continues on another one.
func (t *turns) loop(done chan struct{}) {
	over := false
	defer func() {
		if !over {
			go t.loop(done)
		}
	}()
	if t.s.run != nil { // the decision uses more stack than passing the turn does
		growStack()
	}
	for t.s.live.Load() > 0 {
		switch {
		case t.next() != nil:
			t.pool.all[0].switchTo(t.holder())
		case t.s.cause.Load() != nil:
			t.wakeCalled() // the abort may not have woken this rank yet
		case t.s.run != nil && t.s.run.decide():
		case t.s.idle != nil && t.s.idle():
		default:
			t.s.deadlock()
		}
	}
	if t.s.run != nil {
		t.s.run.end()
	}
	t.pool.endGoroutines(!t.pool.keepsGoroutines)
	over = true
	close(done)
}

// wait switches to the holder of the turn until r has the turn, or must report itself in a
// deadlock.
func (t *turns) wait(r *Rank) {
	t.pool.all[1+r.id].switchTo(t.holder())
	t.reportIfDeadlocked(r)
}

// reportIfDeadlocked makes r, which has just continued, report itself if there is a
// deadlock.
func (t *turns) reportIfDeadlocked(r *Rank) {
	if t.s.report.Load() != nil {
		r.reportWait()
	}
}

func (t *turns) addReady(r *Rank) {
	r.place = int32(len(t.ready))
	t.ready = append(t.ready, r)
}

// next removes the rank that gets the turn from ready and returns it.
func (t *turns) next() *Rank {
	if t.outsideNews.Load() {
		t.wakeCalled()
	}
	n := len(t.ready)
	if n == 0 {
		t.turn = 0
		return nil
	}
	i, steps := t.pick.pick(t.ready)
	r := t.ready[i]
	t.ready[i] = t.ready[n-1]
	t.ready[i].place = int32(i)
	t.ready = t.ready[:n-1]
	r.steps = steps
	t.turn = int(r.id) + 1
	switch r.state.Load() {
	case running: // and it stays running
	case ready:
		r.state.Store(running)
	default:
		r.woken = false
		for !r.state.CompareAndSwap(parked, running) {
			runtime.Gosched() // another goroutine reads what the rank has waited for
		}
	}
	return r
}

// wakeCalled wakes ranks that were called from outside and, in an aborted world, all parked
// ranks.
func (t *turns) wakeCalled() {
	t.outsideNews.Store(false) // reset before the check: later news set it again
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
		if r := &t.s.ranks[i]; r.Waits() {
			t.wake(r)
		}
	}
}

// mayStep counts a step of the rank and reports whether it keeps the turn: it may make more
// steps before others do, or there are no others.
func (t *turns) mayStep(r *Rank) bool {
	switch {
	case !t.on(r):
		return false
	case r.steps > 0:
		r.steps--
		return true
	}
	return len(t.ready) == 0 && t.s.run == nil && !t.outsideNews.Load()
}

func (t *turns) step(r *Rank) error {
	switch {
	case !t.on(r): // another goroutine of a waiting rank: it has no turn to pass on
		return nil
	case t.s.run != nil: // only choices matter
		return t.s.Cause()
	case t.mayStep(r):
		return nil
	}
	t.addReady(r)
	if t.next() != r {
		r.state.Store(ready)
		t.wait(r)
	}
	return t.s.Cause()
}

// checkTurn returns an error if another rank than r has the turn. That no rank has it is no
// error: ranks may have ended or wait while a goroutine continues.
func (t *turns) checkTurn(r *Rank) error {
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

// yieldTurn takes back the remaining steps of the rank, and its priority.
func (t *turns) yieldTurn(r *Rank) {
	if !t.on(r) {
		return
	}
	r.steps = 0
	if p, ok := t.pick.(*byPriority); ok {
		p.fallBehind(r)
	}
}

func (t *turns) park(r *Rank, why fmt.Stringer) error {
	if err := t.s.Cause(); err != nil || !t.on(r) {
		return cmp.Or(err, r.parkError(), ErrTwoWaits)
	}
	r.why = why
	if r.woken {
		r.woken = false
		return t.step(r)
	}
	r.state.Store(parked)
	if t.next() == r { // which notices an abort
		return t.s.Cause()
	}
	co := &t.pool.all[1+r.id]
	if place := co.prepareSwitch(t.holder()); co.bridge != nil { // wait, written out: see Meeting
		co.bridge.enter(place)
	} else if place.yields {
		place.resume()
	} else {
		place.yield(struct{}{})
	}
	t.reportIfDeadlocked(r)
	return t.s.Cause()
}

func (t *turns) wake(r *Rank) {
	if r.woken || r.state.Load() == ended {
		return
	}
	r.woken = true
	if r.Waits() {
		t.addReady(r)
	}
}

func (t *turns) wakeAll(who []*Rank, but int) {
	for i, r := range who {
		switch {
		case i == but:
		case r.s != t.s:
			r.s.WakeFromOutside(r)
		default:
			t.wake(r)
		}
	}
}

// wakeFromOutside is wake for a goroutine that need not have the turn.
func (t *turns) wakeFromOutside(r *Rank) {
	t.mu.Lock()
	t.called = append(t.called, r)
	t.mu.Unlock()
	t.outsideNews.Store(true)
}

// end passes the turn on. If a rank ends while another goroutine of it makes a call, end
// waits until that call has its turn back.
func (t *turns) end(r *Rank) {
	for !t.on(r) {
		runtime.Gosched()
	}
	r.state.Store(ended)
	t.next()
}

// release records that the world is aborted; the loop wakes the ranks.
func (t *turns) release() { t.outsideNews.Store(true) }

// reportAll does not change the states: a rank that reports still waits for its turn. It
// runs in the loop, while no rank has the turn.
func (t *turns) reportAll() {
	for i := range t.s.ranks {
		if t.s.ranks[i].Waits() {
			t.pool.all[0].switchTo(&t.pool.all[1+i])
		}
	}
}

func (t *turns) resume(r *Rank, _ <-chan struct{}) {
	if !t.on(r) {
		t.wait(r)
	}
}
