package sched

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
)

// ErrEnded reports that a rank, or an object of it, was used after the rank had ended.
var ErrEnded = errors.New("the rank has ended, and what it had open with it")

// A Rank is the thread of control of one rank.
type Rank struct {
	s         *Sched
	drv       driver        // how it waits: the driver of the world, or busy
	why       fmt.Stringer  // what it waits for, or does next
	ch        chan struct{} // capacity 1; created by the driver
	at        *Place        // where it is, if SetPlace says so
	lines     *memory       // places that SetPlace gave before; nil: none are remembered
	id        int32
	place     int32 // by turns: its index among the ready ranks, if it is one of them
	state     atomic.Uint32
	steps     uint32 // steps it may still make in this turn; only the rank writes it, and the driver as it gets the turn
	woken     bool   // by turns: it is listed to continue, or its next Park returns at once
	known     *known // what its clock says about other ranks
	time      uint64 // its own time
	published uint64 // its own time when Now was called last
	deps      *history
	watch     *Watch // nil: its waits are not counted
	marks     *marks // nil: no marks are kept

	tasks *tasks                  // nil: it has none
	asked atomic.Pointer[inquiry] // by a goroutine that should not use the rank; see twowaits.go
}

// ID returns the rank's number in its world.
func (r *Rank) ID() int { return int(r.id) }

// Sched returns the world of the rank.
func (r *Rank) Sched() *Sched { return r.s }

// live runs body as the rank and returns its error. A panic of body becomes a *PanicError.
// A call of runtime.Goexit, as by t.FailNow, becomes a *GoexitError; live does not return
// then, because a Goexit cannot be stopped. Any error that ends a rank also aborts its
// world.
func (r *Rank) live(body func(r *Rank) error) {
	var err error
	returned := false
	defer r.leave(&returned, &err)
	err = body(r)
	returned = true
}

// leave is deferred by live itself, because only then can it recover.
func (r *Rank) leave(returned *bool, err *error) {
	if !*returned {
		*err = r.crash(recover())
	}
	r.finish(*err)
}

// finish updates the world before the driver learns that the rank ended: otherwise the end
// of a failing rank could look like a deadlock.
func (r *Rank) finish(err error) {
	if err != nil {
		r.s.fail(r, err)
	}
	r.why = nil
	r.s.live.Add(-1)
	r.s.drv.end(r)
}

// Park waits until another rank calls Wake, or returns at once if one has done so since the
// last Park. It may return nil without a Wake, so callers loop on their condition. When the
// world is aborted it returns the cause; for a rank that has ended it returns [ErrEnded] at
// once.
//
// why is the reason that a deadlock report shows; it is formatted only then. Pass a pointer
// or a small value kept elsewhere, so that no memory is allocated.
func (r *Rank) Park(why fmt.Stringer) error { return r.drv.park(r, why) }

// YieldProcessor lets other ranks run before the rank parks, where that is cheaper than
// parking: often one of them then does what the rank waits for. A caller that checks its
// condition again, and only then asks others to wake it and parks, saves both. If ranks run
// by turns, the rank has tasks, or its waits are counted, YieldProcessor does nothing.
func (r *Rank) YieldProcessor() {
	if r.yieldsFirst() {
		runtime.Gosched()
	}
}

// yieldsFirst reports whether the rank yields before it parks.
func (r *Rank) yieldsFirst() bool {
	f, ok := r.drv.(*free)
	return ok && f.running.Load() <= f.yieldLimit
}

// YieldTurn gives up the rest of the rank's turn: others run at its next step. A rank calls
// it when it has looked for something and not found it. It reports whether every other rank
// waits or has ended and r has no background work to do, so that only r can change anything
// in the world.
func (r *Rank) YieldTurn() (alone bool) {
	if r.tasks != nil {
		r.catchUp()
	}
	runtime.Gosched() // to goroutines that are not ranks, too
	r.s.drv.yieldTurn(r)
	return r.alone()
}

func (r *Rank) alone() bool {
	if t := r.s.turns; t != nil {
		return len(t.ready) == 0 && !t.outsideNews.Load() && r.idle()
	}
	f, ok := r.s.drv.(*free)
	return ok && f.running.Load() == 1 && r.idle()
}

// idle reports whether r has no background work to do now.
func (r *Rank) idle() bool { return r.tasks == nil || !r.catchUp() }

// Ended reports whether a rank has ended.
func (s *Sched) Ended(rank int) bool { return s.ranks[rank].state.Load() == ended }

// busy is the driver of a rank that has other work to do before it waits.
type busy struct{ driver }

// park does the tasks that are due. If it has done some it does not wait: a task that waits
// itself may have used up the Wake that the caller expects.
func (b *busy) park(r *Rank, why fmt.Stringer) error {
	if r.tasks != nil && r.catchUp() {
		return nil
	}
	err := r.watch.count(b.driver, r, why)
	if err == nil && r.tasks != nil {
		r.answer()
	}
	return err
}

// chooseDriver sets the driver of r after its tasks or its watch have changed.
func (r *Rank) chooseDriver() {
	r.drv = r.s.drv
	if r.tasks != nil || r.watch != nil {
		r.drv = &r.s.busy
	}
}

// parkError returns why r cannot park now, nil if it can.
func (r *Rank) parkError() error {
	switch r.state.Load() {
	case parked, shown:
		return r.s.CheckWait(r.ID())
	case ended:
		return ErrEnded
	}
	return nil
}

// Wake makes r able to run. If r is not parked, its next Park returns at once; several such
// Wakes count as one. Any running rank may call it, and it never blocks. Make the condition
// true first, then call Wake.
func (r *Rank) Wake() { r.s.drv.wake(r) }

// WakeFromOutside is [Rank.Wake] for any goroutine. Where ranks run by turns, r becomes able
// to run when the turn is passed on.
func (s *Sched) WakeFromOutside(r *Rank) {
	if t := s.turns; t != nil {
		t.wakeFromOutside(r)
		return
	}
	r.Wake()
}

// A ForeignError reports that a rank was used while another rank had the turn. In a free
// world, where ranks run at the same time, this cannot be detected.
type ForeignError struct {
	Used, Running int // ranks of the world
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("it belongs to rank %d of the world, but rank %d is running; each rank uses what it was given or made itself, from one goroutine at a time", e.Used, e.Running)
}

// CheckTurn returns a *ForeignError if ranks run by turns and another rank has the turn,
// otherwise nil. what is a call that neither steps nor asks: an exploring world compares it
// with that of other runs, and ends if it differs. If what is nil, there is none to compare.
func (r *Rank) CheckTurn(what fmt.Stringer) error {
	if r.s.turns == nil {
		return nil
	}
	if err := r.s.turns.checkTurn(r); err != nil || what == nil || r.s.run == nil {
		return err
	}
	return r.s.run.note(r, what)
}

// Step is a point at which another rank may run first. In a free world it only checks
// whether the world was aborted, and returns the cause. what describes the call; it may be
// nil unless the rank is [Rank.Exploring].
func (r *Rank) Step(what fmt.Stringer) error {
	if r.tasks != nil {
		r.doLateTasks()
	}
	switch t := r.s.turns; {
	case t == nil || t.mayStep(r):
		return r.s.Cause()
	case r.s.run == nil && t.on(r) && r.s.cause.Load() == nil: // short messages do this step
		return t.step(r)
	}
	if err := r.CheckTurn(what); err != nil {
		return err
	}
	return r.step()
}

// CanSkipStep reports whether [Rank.Step] would do nothing and ask nothing, so that the
// caller may leave it out.
func (r *Rank) CanSkipStep() bool {
	return r.tasks == nil && r.s.turns == nil && r.s.cause.Load() == nil
}

// step is Step without a record of the act: for steps that the rank's own program did not
// cause.
func (r *Rank) step() error {
	if c := r.s.cause.Load(); c != nil {
		return *c
	}
	if t := r.s.turns; t != nil {
		return t.step(r)
	}
	return nil
}
