package sched

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
)

// ErrEnded says that something of a rank was used after the rank had ended.
var ErrEnded = errors.New("the rank has ended, and what it had open with it")

// A Rank is the thread of control of one rank.
type Rank struct {
	s     *Sched
	drv   driver          // how it waits: that of the world, or busy
	why   fmt.Stringer    // what it waits for, or does next
	ch    chan struct{}   // capacity 1; made by the driver
	at    *Place          // where it says it is; see SetPlace
	lines *memory[*Place] // of places that were set before; nil: none are remembered
	id    int32
	state atomic.Uint32
	steps uint32 // that it may make in this turn without giving it away; its own, and set as it gets the turn
	woken bool   // by turns: it is listed to go on, or its next Park returns at once
	known *known // what its clock says about other ranks
	time  uint64 // its own
	told  uint64 // what that was when somebody asked last
	past  *history
	watch *Watch // nil: nobody counts its waits
	marks *marks // nil: none are kept

	chores *chores                 // nil: it has none
	asked  atomic.Pointer[inquiry] // by a goroutine that should not use it; see twowaits.go
}

// ID returns the rank's number in its world.
func (r *Rank) ID() int { return int(r.id) }

// Sched returns the world of the rank.
func (r *Rank) Sched() *Sched { return r.s }

// live is the rank's life. A panic of body becomes a *PanicError. A call of
// runtime.Goexit, which t.FailNow makes, becomes a *GoexitError, and live does
// not return then, because nothing stops a Goexit. Whatever error ends a rank
// also aborts its world.
func (r *Rank) live(body func(r *Rank) error) {
	var err error
	returned := false
	defer r.leave(&returned, &err)
	err = body(r)
	returned = true
}

// leave is deferred by live itself, because only so can it recover.
func (r *Rank) leave(returned *bool, err *error) {
	if !*returned {
		*err = r.crash(recover())
	}
	r.finish(*err)
}

// finish settles with the world before the driver hears that the rank ended:
// the other way round, the end of a failing rank could look like a deadlock.
func (r *Rank) finish(err error) {
	if err != nil {
		r.s.fail(r, err)
	}
	r.why = nil
	r.s.live.Add(-1)
	r.s.drv.end(r)
}

// Park waits until another rank calls Wake, or returns at once when one did so
// since the last Park. It may return nil without a Wake: callers loop on their
// condition. When the world is aborted it returns the cause; as a rank that has
// ended it returns [ErrEnded] at once.
//
// why is what a deadlock report shows and is formatted only then. Pass a
// pointer or a small value kept elsewhere, so that no memory is allocated.
func (r *Rank) Park(why fmt.Stringer) error {
	r.Yield()
	return r.ParkNow(why)
}

// Yield lets others run, where Park would do that first, because often one of
// them brings what the rank is about to wait for. Who looks again after Yield,
// and only then tells others to wake it and calls ParkNow, is spared both. A rank
// with chores, or whose waits are counted, waits at once.
func (r *Rank) Yield() {
	if r.polite() {
		runtime.Gosched()
	}
}

// polite reports whether the rank yields before it parks.
func (r *Rank) polite() bool {
	f, ok := r.drv.(*free)
	return ok && f.running.Load() <= f.polite
}

// Relent is for a rank that looks for something and has not found it: it may make
// no further step before others have had their chance.
func (r *Rank) Relent() {
	if r.chores != nil {
		r.catchUp()
	}
	runtime.Gosched() // to goroutines that are no ranks, too
	r.s.drv.relent(r)
}

// Alone reports whether every other rank waits or has ended, so that nothing happens in the
// world but what r does. Only r's own goroutine may ask; with chores it is never alone.
func (r *Rank) Alone() bool {
	if t := r.s.turns; t != nil {
		return r.chores == nil && len(t.ready) == 0 && !t.news.Load()
	}
	f, ok := r.s.drv.(*free)
	return ok && r.chores == nil && f.running.Load() == 1
}

// Ended reports whether a rank has ended.
func (s *Sched) Ended(rank int) bool { return s.ranks[rank].state.Load() == ended }

// ParkNow is Park without Yield.
func (r *Rank) ParkNow(why fmt.Stringer) error { return r.drv.park(r, why) }

// busy is the driver of a rank that has more to do when it waits.
type busy struct{ driver }

// park does what chores are due. When it has done some it does not wait: one that
// waits itself may have used up the Wake that the caller expects.
func (b *busy) park(r *Rank, why fmt.Stringer) error {
	if r.chores != nil && r.catchUp() {
		return nil
	}
	err := r.watch.count(b.driver, r, why)
	if err == nil && r.chores != nil {
		r.answer()
	}
	return err
}

// occupied says that chores or the watch of r have come or gone.
func (r *Rank) occupied() {
	r.drv = r.s.drv
	if r.chores != nil || r.watch != nil {
		r.drv = &r.s.busy
	}
}

// barred says why r cannot park now, nil if it can.
func (r *Rank) barred() error {
	switch r.state.Load() {
	case parked, shown:
		return r.Shared()
	case ended:
		return ErrEnded
	}
	return nil
}

// Wake makes r able to run. If r is not parked, its next Park returns at once;
// more than one such Wake counts as one. Any running rank may call it, and it
// never blocks. Make the condition true first, then wake.
func (r *Rank) Wake() { r.s.drv.wake(r) }

// Call is [Rank.Wake] for any goroutine: where ranks run by turns, r is made able
// to run when the turn is passed on.
func (r *Rank) Call() {
	if t := r.s.turns; t != nil {
		t.call(r)
		return
	}
	r.Wake()
}

// A ForeignError says that a rank was used while another had its turn. Ranks of
// a free world run at one time, so there it cannot be told.
type ForeignError struct {
	Used, Running int // ranks of the world
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("it belongs to rank %d of the world, but rank %d is running; each rank uses what it was given or made itself, from one goroutine at a time", e.Used, e.Running)
}

// Mine reports another rank's having the turn, as a *ForeignError, where ranks
// run by turns.
func (r *Rank) Mine() error {
	if t := r.s.turns; t != nil {
		return t.mine(r)
	}
	return nil
}

// Step is a point at which another rank may go first. In a free world it only
// looks whether the world was aborted and returns the cause.
func (r *Rank) Step(what fmt.Stringer) error {
	if r.chores != nil {
		r.persist()
	}
	if t := r.s.turns; t != nil && !t.more(r) {
		if err := r.Do(what); err != nil {
			return err
		}
		return r.step()
	}
	return r.s.Cause()
}

// Smooth reports whether [Rank.Step] has nothing to do and nobody to ask, so
// that it need not be called.
func (r *Rank) Smooth() bool {
	return r.chores == nil && r.s.turns == nil && r.s.cause.Load() == nil
}

// Stride is [Rank.Step] for a rank that need not say what it does: others may have
// gone first when it returns true. Otherwise Step is to be called.
func (r *Rank) Stride() bool {
	if r.chores != nil || r.s.cause.Load() != nil {
		return false
	}
	t := r.s.turns
	return t == nil || t.more(r) || t.stride(r)
}

// step is Step for what is not the rank's own doing.
func (r *Rank) step() error {
	if c := r.s.cause.Load(); c != nil {
		return *c
	}
	if t := r.s.turns; t != nil {
		return t.step(r)
	}
	return nil
}
