package sched

import "slices"

// A Chore is something that a rank has started and that others may be waiting
// for: the rank goes on with it also while it waits for something else, and so
// ranks that complete what they started in different orders, or in between other
// calls, do not wait for each other for ever.
//
// A rank looks after its chores when it is about to park, and parks only if none
// is due; after a poll that found nothing; and now and then when it steps. What
// makes a chore due has to wake the rank, as the completion of a meeting does
// that it came to by [Meeting.Arrive].
//
// In a world that explores, whether a rank finds a chore due when it is about to
// park depends on the order in which ranks ran, and that is no choice. There a
// chore is done when no rank can run and nothing is left to choose but to poll in
// vain: what holds then is a function of the choices. So chores are late, and
// what a program that needs them could do if they came earlier is not explored.
type Chore interface {
	// Due reports whether the rank can go on. In a world that explores it is also
	// asked while no rank runs.
	Due() bool

	// Do goes on, after which the chore is not due. The rank calls it and holds
	// no lock.
	Do()
}

// chores are those of one rank, which alone touches them while it runs.
type chores struct {
	list   []Chore // oldest first
	called Chore   // is to be done now; see [exploration.call]
	busy   bool    // one is being done, and may wait itself
	steps  int     // since the last was done
}

// patience is after how many steps a rank does its chores: one that polls by
// other means than ours, such as reading a file again and again, keeps nobody
// waiting for ever, and one that does not poll is done with its work first.
const patience = 64

// Chore adds to what r has to do. Only r's own goroutine may call it.
func (r *Rank) Chore(c Chore) {
	if r.chores == nil {
		r.chores = new(chores)
		r.occupied()
	}
	r.chores.list = append(r.chores.list, c)
}

// Unchore says that c is done with, if it is a chore at all.
func (r *Rank) Unchore(c Chore) {
	cs := r.chores
	if cs == nil {
		return
	}
	cs.list = slices.DeleteFunc(cs.list, func(o Chore) bool { return o == c })
	if len(cs.list) == 0 && !cs.busy {
		r.chores = nil
		r.occupied()
	}
}

// due returns the oldest chore that can be done, nil if there is none.
func (cs *chores) due() Chore {
	for _, c := range cs.list {
		if c.Due() {
			return c
		}
	}
	return nil
}

// do does a chore. Others wait until it is done, wherever it waits: two halves of
// one file's work must not get into each other.
func (r *Rank) do(c Chore) {
	cs := r.chores
	cs.busy = true
	defer func() {
		cs.busy, cs.steps = false, 0
		if len(cs.list) == 0 {
			r.chores = nil
			r.occupied()
		}
	}()
	c.Do()
}

// catchUp does the chores that are due, and reports whether there were any.
//
//go:noinline
func (r *Rank) catchUp() bool {
	if r.s.run != nil || r.s.Cause() != nil || r.barred() != nil || r.Mine() != nil {
		return false
	}
	found := false
	for r.chores != nil && !r.chores.busy {
		c := r.chores.due()
		if c == nil {
			break
		}
		r.do(c)
		found = true
	}
	return found
}

// persist is catchUp for a rank that does not wait.
//
//go:noinline
func (r *Rank) persist() {
	if r.chores.steps++; r.chores.steps >= patience {
		r.chores.steps = 0
		r.catchUp()
	}
}

// call has every parked rank do a chore that is due, and reports whether there
// are any. No rank runs.
func (x *exploration) call() bool {
	found := false
	for i := range x.s.ranks {
		r := &x.s.ranks[i]
		if cs := r.chores; cs != nil && !cs.busy && r.state.Load() == parked {
			if cs.called = cs.due(); cs.called != nil {
				r.Wake()
				found = true
			}
		}
	}
	return found
}

// answer does the chore that the rank was called to.
func (r *Rank) answer() {
	if cs := r.chores; cs.called != nil {
		c := cs.called
		cs.called = nil
		r.do(c)
	}
}
