package sched

import "runtime"

// OnThread runs body as the rank r, on an OS thread that runs nothing else and ends with body.
// It returns the error of body, or one for a panic or a runtime.Goexit of body. The goroutine of
// the rank calls it, and continues when body has ended.
//
// By turns, a locked goroutine cannot switch between coroutines: the runtime refuses it. So
// the rank's coroutine switches for it.
func OnThread(r *Rank, body func() error) (err error) {
	b := &bridge{slots: make(chan *coroutine), back: make(chan struct{})}
	if t := r.s.turns; t != nil {
		co := &t.pool.all[1+r.id]
		co.bridge = b
		defer func() { co.bridge = nil }()
	}
	go func() {
		runtime.LockOSThread()
		defer close(b.slots)
		returned := false
		defer func() {
			if !returned {
				err = r.crash(recover())
			}
		}()
		err = body()
		returned = true
	}()
	for slot := range b.slots {
		slot.enter()
		b.back <- struct{}{}
	}
	return err
}

// A bridge connects the coroutine of a rank to the locked goroutine that is the rank.
type bridge struct {
	slots chan *coroutine // that the coroutine is to enter; closed when the goroutine ends
	back  chan struct{}   // the coroutine was resumed
}

// enter suspends the locked goroutine until a switch resumes its coroutine.
func (b *bridge) enter(slot *coroutine) {
	b.slots <- slot
	<-b.back
}
