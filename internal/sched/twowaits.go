package sched

import (
	"errors"
	"fmt"
	"runtime"
)

// ErrTwoWaits says that two goroutines used the same rank at one time. The error
// is a *TwoWaitsError.
var ErrTwoWaits = errors.New("a rank is one thread of control, but two of its goroutines use it at the same time")

// A TwoWaitsError says that a goroutine came to use a rank while another was
// waiting as that rank: two goroutines of the rank that do not take turns, or
// another rank that uses what is not its own.
type TwoWaitsError struct {
	Rank  int    // of the world
	Why   string // what it waits in, such as "Recv from 3 tag 7"; empty if it does not wait
	Place Place  // the line of the program that made that call
	Other Place  // the line that the other goroutine was at
}

// Error names both lines.
func (e *TwoWaitsError) Error() string {
	does := "waits in " + e.Why
	if e.Why == "" {
		does = "is in a call"
	}
	return fmt.Sprintf("rank %d of the world %s%s, while another goroutine makes this call%s; a rank is one thread of control: its goroutines must take turns, and no other rank may use what is its own",
		e.Rank, does, at(e.Place), at(e.Other))
}

func at(p Place) string {
	if s := p.String(); s != "" {
		return " at " + s
	}
	return ""
}

// Is says that e is ErrTwoWaits.
func (e *TwoWaitsError) Is(target error) bool { return target == ErrTwoWaits }

// Parked reports whether the rank waits, which the caller then does not do as
// that rank. It is one load.
func (r *Rank) Parked() bool {
	s := r.state.Load()
	return s == parked || s == shown
}

// Shared is the error of a goroutine that uses r while another waits as r, nil if
// none does any more.
func (r *Rank) Shared() error {
	if found := r.s.drv.shared(r); found != nil {
		found.Other = Caller()
		return found
	}
	return nil
}

// An inquiry is the question of a goroutine that finds its rank waiting: for
// what, and where? Nobody but the goroutine that waits can walk its stack, so
// it is woken, answers and waits again.
type inquiry struct {
	found TwoWaitsError
	woke  bool // the rank, which nobody else had woken
	done  chan struct{}
}

func (f *free) shared(r *Rank) *TwoWaitsError {
	q := &inquiry{done: make(chan struct{})}
	for !r.asked.CompareAndSwap(nil, q) {
		if !r.Parked() {
			return nil
		}
		runtime.Gosched() // a third goroutine asks
	}
	f.running.Add(1) // first: nobody counts the caller, and who wakes r from now on does not count it
	if r.state.CompareAndSwap(parked, running) {
		q.woke = true
		r.ch <- struct{}{}
	} else {
		f.descend(1)
		if r.asked.CompareAndSwap(q, nil) {
			return nil // woken meanwhile, by what it waited for
		}
	}
	<-q.done
	return &q.found
}

// confess answers an inquiry, if there is one still, and reports whether r waits
// on: it does if nothing else has woken it.
//
//go:noinline
func (r *Rank) confess() (again bool) {
	q := r.asked.Swap(nil)
	if q == nil {
		return false
	}
	q.found = TwoWaitsError{Rank: r.ID(), Why: reason(r.why), Place: r.Place()}
	again = q.woke && r.state.CompareAndSwap(running, parked)
	close(q.done)
	return again
}

// shared cannot ask for the line: the caller may have the turn that r would need
// to answer. Who wakes r waits until it has looked.
func (t *turns) shared(r *Rank) *TwoWaitsError {
	for !r.state.CompareAndSwap(parked, shown) {
		if !r.Parked() {
			return nil
		}
		runtime.Gosched() // a third goroutine looks
	}
	why := r.why
	r.state.Store(parked)
	return &TwoWaitsError{Rank: r.ID(), Why: reason(why)}
}
