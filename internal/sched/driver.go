package sched

import "fmt"

// A driver decides which ranks run when. Each way to run a world is a driver; it owns the
// state words of the ranks.
//
// A rank calls park and end for itself and wake for another rank. A driver calls
// Sched.deadlock, holding no lock, when no rank can run and some have not ended.
type driver interface {
	// run runs body for all ranks and returns when all have ended.
	run(body func(r *Rank) error)

	// yieldTurn ends the series of steps that r may make before other ranks run.
	yieldTurn(r *Rank)
	// park returns nil when r is woken or was woken since it last parked, and the cause
	// when the world is aborted. It is on the stack of every waiting rank, so it should use
	// little stack.
	park(r *Rank, why fmt.Stringer) error
	// wake makes r able to run; wakeAll does so for all of the given ranks but one. The
	// calling rank does it. The ranks may belong to other worlds, too: a program may have
	// kept a handle.
	wake(r *Rank)
	wakeAll(who []*Rank, but int)
	// sharedWait returns what r waits for, nil if it does not wait. A goroutine other than
	// r's own calls it.
	sharedWait(r *Rank) *TwoWaitsError
	// end records that r will not run any more.
	end(r *Rank)
	// release makes every parked rank able to run. The cause of the abort is set before.
	release()

	// reportAll makes every parked rank add itself to the deadlock report; see deadlock.go.
	reportAll()
	// resume returns when done is closed and r, which has reported, may continue.
	resume(r *Rank, done <-chan struct{})
}

// The states of a rank.
const (
	running uint32 = iota // running or able to run; by turns: r has the turn
	token                 // running, and the next Park of r returns at once; not used by turns
	ready                 // able to run, but another rank has the turn
	ended
	parked // waits to be woken
	shown  // parked, while another goroutine reads what it waits for; see twowaits.go
)
