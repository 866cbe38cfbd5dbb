package sched

import (
	"errors"
	"fmt"
	"runtime"
)

// ErrTwoWaits reports that two goroutines used the same rank at the same time. The error is
// a *TwoWaitsError.
var ErrTwoWaits = errors.New("a rank is one thread of control, but two of its goroutines use it at the same time")

// A TwoWaitsError reports that a goroutine used a rank while another one waited as that
// rank: two goroutines of the rank that do not take turns, or another rank that uses an
// object that is not its own.
type TwoWaitsError struct {
	Rank  int    // number in the world
	Why   string // the call in which it waits, such as "Recv from 3 tag 7"; empty if it does not wait
	Place Place  // the line of the program that made that call
	Other Place  // the line that the other goroutine was at
}

// Error names both lines.
func (e *TwoWaitsError) Error() string {
	does := "waits in " + e.Why
	if e.Why == "" {
		does = "is in a call"
	}
	return fmt.Sprintf("rank %d of the world %s%s, while another goroutine makes this call%s; a rank is one thread of control: its goroutines must take turns, and no other rank may use its objects",
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

// Waits reports whether the rank waits, so that the caller is not the goroutine of that
// rank. It is one load.
func (r *Rank) Waits() bool { return r.state.Load() >= parked }

// CheckWait returns a *TwoWaitsError if a goroutine waits as the rank, so that no other may
// use it; otherwise nil.
func (s *Sched) CheckWait(rank int) error {
	if r := &s.ranks[rank]; r.Waits() {
		return r.twoWaits()
	}
	return nil
}

// twoWaits returns the error of a goroutine that uses r while another one waits as r, nil if
// none waits any more.
func (r *Rank) twoWaits() error {
	if found := r.s.drv.sharedWait(r); found != nil {
		found.Other = Caller()
		return found
	}
	return nil
}

// An inquiry is a question to a waiting rank, from a goroutine that should not use it: what
// does it wait for, and where? Only the waiting goroutine can walk its stack, so it is
// woken, answers and waits again.
type inquiry struct {
	found TwoWaitsError
	woke  bool // the inquiry woke the rank, which nothing else had woken
	done  chan struct{}
}

func (f *free) sharedWait(r *Rank) *TwoWaitsError {
	q := &inquiry{done: make(chan struct{})}
	for !r.asked.CompareAndSwap(nil, q) {
		if !r.Waits() {
			return nil
		}
		runtime.Gosched() // a third goroutine asks
	}
	f.running.Add(1) // first, because the caller is not counted and a goroutine that wakes r from now on does not count r
	if r.state.CompareAndSwap(parked, running) {
		q.woke = true
		r.ch <- struct{}{}
	} else {
		f.uncount(1)
		if r.asked.CompareAndSwap(q, nil) {
			return nil // woken meanwhile, by what it waited for
		}
	}
	<-q.done
	return &q.found
}

// answerInquiry answers an inquiry, if there is still one, and reports whether r continues
// to wait: it does unless something else has woken it.
//
//go:noinline
func (r *Rank) answerInquiry() (again bool) {
	q := r.asked.Swap(nil)
	if q == nil {
		return false
	}
	q.found = TwoWaitsError{Rank: r.ID(), Why: reason(r.why), Place: r.Place()}
	again = q.woke && r.state.CompareAndSwap(running, parked)
	close(q.done)
	return again
}

// sharedWait does not ask r for its line: the caller may have the turn that r would need to
// answer. A rank that wakes r waits until sharedWait has read the state.
func (t *turns) sharedWait(r *Rank) *TwoWaitsError {
	for !r.state.CompareAndSwap(parked, shown) {
		if !r.Waits() {
			return nil
		}
		runtime.Gosched() // a third goroutine reads it
	}
	why := r.why
	r.state.Store(parked)
	return &TwoWaitsError{Rank: r.ID(), Why: reason(why)}
}
