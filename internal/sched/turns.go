package sched

import (
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"sync"
)

// A picker chooses who runs next: an index into ready, which is not empty. The
// order of ready depends on nothing but earlier choices and what the ranks
// did, so a picker that is a function of its own history makes a whole run
// repeatable.
type picker interface {
	pick(ready []*Rank) int
}

// turns runs one rank at a time. The rank whose turn it is passes the turn on
// when it starts, steps, parks or ends.
type turns struct {
	s    *Sched
	pick picker

	mu     sync.Mutex // only an abort from outside ever contends
	ready  []*Rank    // able to run, without the one whose turn it is
	begun  bool
	active *Rank // whose turn it is; nil before the start and when nobody can run
}

func newTurns(s *Sched, p picker) *turns {
	t := &turns{s: s, pick: p, ready: make([]*Rank, len(s.ranks))}
	for i := range s.ranks {
		s.ranks[i].ch = make(chan struct{}, 1)
		t.ready[i] = &s.ranks[i]
	}
	return t
}

// next takes the rank whose turn comes out of ready. The lock is held.
func (t *turns) next() *Rank {
	t.active = nil
	if n := len(t.ready); n > 0 {
		i := t.pick.pick(t.ready)
		t.active = t.ready[i]
		t.ready[i] = t.ready[n-1]
		t.ready = t.ready[:n-1]
	}
	return t.active
}

// start lets the first rank that arrives draw who begins. All ranks take part
// in that draw, also those whose goroutines have yet to arrive.
func (t *turns) start(r *Rank) {
	t.mu.Lock()
	if !t.begun {
		t.begun = true
		t.next().ch <- struct{}{}
	}
	t.mu.Unlock()
	r.wait()
}

func (t *turns) step(r *Rank, what fmt.Stringer) error {
	t.mu.Lock()
	if t.active != r { // another goroutine of a rank that waits: not a turn to give away
		t.mu.Unlock()
		return nil
	}
	r.why = what
	t.ready = append(t.ready, r)
	t.pass(r)
	return t.s.Cause()
}

func (t *turns) park(r *Rank, why fmt.Stringer) error {
	t.mu.Lock()
	// An abort from outside sets the cause and then takes the lock to look for
	// parked ranks, so this look is late enough.
	if err := t.s.Cause(); err != nil || t.active != r {
		barred := r.barred()
		t.mu.Unlock()
		return cmp.Or(err, barred, ErrTwoWaits)
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
	if next == r {
		return
	}
	if next != nil {
		next.ch <- struct{}{}
	} else {
		t.s.deadlock()
	}
	r.wait()
}

func (t *turns) wake(r *Rank) {
	t.mu.Lock()
	defer t.mu.Unlock()
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
	r.state.Store(ended)
	next := t.next()
	t.mu.Unlock()
	if next != nil {
		next.ch <- struct{}{}
	} else if t.s.live.Load() > 0 {
		t.s.deadlock()
	}
}

// release readies the parked ranks. When an abort from outside meets the
// moment at which the last rank parks, nobody has the turn: then it is given.
func (t *turns) release() {
	t.mu.Lock()
	for i := range t.s.ranks {
		if r := &t.s.ranks[i]; r.state.Load() == parked {
			r.state.Store(running)
			t.ready = append(t.ready, r)
		}
	}
	var next *Rank
	if t.begun && t.active == nil {
		next = t.next()
	}
	t.mu.Unlock()
	if next != nil {
		next.ch <- struct{}{}
	}
}

// rouse leaves the states alone: a rank that tells still waits for its turn.
func (t *turns) rouse() {
	for i := range t.s.ranks {
		if r := &t.s.ranks[i]; r.state.Load() == parked {
			r.ch <- struct{}{}
		}
	}
}

func (t *turns) resume(r *Rank) { r.wait() }

// random picks by a seed. The generator and the way it is narrowed are fixed
// here: a seed means the same run under every version of Go.
type random struct{ src *rand.PCG }

func newRandomPicker(seed uint64) random {
	return random{rand.NewPCG(seed, 0x9e3779b97f4a7c15)}
}

func (p random) pick(ready []*Rank) int {
	if len(ready) == 1 {
		return 0
	}
	i, _ := bits.Mul64(p.src.Uint64(), uint64(len(ready)))
	return int(i)
}
