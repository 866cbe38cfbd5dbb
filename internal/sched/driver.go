package sched

import "fmt"

// A driver decides which ranks run when. It is the seam for ways to run a
// world; each driver owns the state words of the ranks.
//
// A rank calls park and end about itself and wake about another.
// A driver that finds no rank able to run while some have not ended calls
// Sched.deadlock, holding no lock.
type driver interface {
	// run runs the lives of all ranks and returns when they are over.
	run(body func(r *Rank) error)

	// relent takes back what steps r may make before others do.
	relent(r *Rank)
	// park returns when r was woken, or had been since it last parked, or the
	// world was aborted, and then it returns the cause. It is what every
	// waiting rank has on its stack, so it should be shallow.
	park(r *Rank, why fmt.Stringer) error
	// wake makes r able to run, wakeAll all of some ranks but one, which does it.
	// Those may be of other worlds, too: a program may have kept a handle.
	wake(r *Rank)
	wakeAll(who []*Rank, but int)
	// shared says what r waits for, nil if it does not wait. Another goroutine
	// than r's own asks.
	shared(r *Rank) *TwoWaitsError
	// end says that r will not run any more.
	end(r *Rank)
	// release makes every parked rank able to run, once the cause is set.
	release()

	// rouse sends every parked rank to tell about itself; see deadlock.go.
	rouse()
	// resume returns when r, having told, may go on: when done is closed.
	resume(r *Rank, done <-chan struct{})
}

// The states of a rank.
const (
	running uint32 = iota // or able to run; by turns: it has the turn
	token                 // running, and its next Park returns at once; not by turns
	ready                 // able to run, and not its turn
	parked                // waits to be woken
	shown                 // parked, and another goroutine looks what for; see twowaits.go
	ended
)
