package sched

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// A Rendezvous is where the members of a group meet again and again, each
// laying down a value and leaving with everybody's.
//
// One counter and one word per member are all it takes: waking the members
// costs more than any tree of counters could save, up to a hundred thousand.
type Rendezvous struct {
	n       int
	once    sync.Once // the tables, at the first use: many communicators never meet
	entered []atomic.Uint64
	table   [2]table // of even and odd rounds

	_       [64]byte
	arrived atomic.Int64
	_       [56]byte
	round   atomic.Uint64 // rounds completed
}

// A table holds one round. A member may write into the table of round k+2,
// which is that of round k, only after round k+1 is complete, and then all
// members have done with round k.
type table struct {
	vals   []any
	who    []*Rank
	joined any // what MeetWith made of vals
}

// A SlotError says that a member met in a place that is not its own: outside
// the group, or taken in this round already.
type SlotError struct{ Slot, Members int }

// Error gives the slot and the number of members.
func (e *SlotError) Error() string {
	if e.Slot < 0 || e.Slot >= e.Members {
		return fmt.Sprintf("internal: slot %d in a meeting of %d", e.Slot, e.Members)
	}
	return fmt.Sprintf("internal: slot %d of a meeting of %d is taken: two members meet as one", e.Slot, e.Members)
}

// NewRendezvous makes a meeting point of n members, n at least 1.
func NewRendezvous(n int) *Rendezvous { return &Rendezvous{n: n} }

// Meet lays down val for slot, waits until all slots of this round are filled
// and returns all values in the order of slots. The slice stays valid until
// the next Meet of this slot returns, and must not be written.
//
// r is the calling rank and why what it waits in. When the world is aborted
// before all have come, Meet returns the cause and the round never completes;
// a round that did complete succeeds for all its members, whatever comes after. A slot that is filled
// twice in a round is a *SlotError for the second.
func (v *Rendezvous) Meet(r *Rank, slot int, why fmt.Stringer, val any) ([]any, error) {
	k, err := v.enter(r, slot, why, val, nil)
	if err != nil {
		return nil, err
	}
	for v.round.Load() == k {
		if err := r.Park(why); err != nil && v.round.Load() == k {
			return nil, err
		}
	}
	return v.table[k&1].vals, nil
}

// MeetWith is [Rendezvous.Meet], but the members leave with what join makes of
// all values, in the order of slots. The last member to come calls join, once,
// so that a meeting of n costs n steps and not n for every member; join must
// not wait, nor keep the slice.
func (v *Rendezvous) MeetWith(r *Rank, slot int, why fmt.Stringer, val any, join func([]any) any) (any, error) {
	k, err := v.enter(r, slot, why, val, join)
	if err != nil {
		return nil, err
	}
	for v.round.Load() == k {
		if err := r.Park(why); err != nil && v.round.Load() == k {
			return nil, err
		}
	}
	return v.table[k&1].joined, nil
}

// enter fills the slot and returns the round; the last member completes it.
// Waiting is left to the caller: the stack of a rank that waits is what limits
// how many ranks fit into memory, and enter is not on it.
func (v *Rendezvous) enter(r *Rank, slot int, why fmt.Stringer, val any, join func([]any) any) (uint64, error) {
	if slot < 0 || slot >= v.n {
		return 0, &SlotError{slot, v.n}
	}
	if err := r.s.Cause(); err != nil {
		return 0, err
	}
	v.once.Do(v.init)
	k := v.round.Load() // cannot move on before this slot is filled
	if !v.entered[slot].CompareAndSwap(k, k+1) {
		return 0, &SlotError{slot, v.n}
	}
	t := &v.table[k&1]
	t.vals[slot], t.who[slot] = val, r
	if v.arrived.Add(1) < int64(v.n) {
		return k, nil
	}
	if join != nil {
		t.joined = join(t.vals)
	}
	v.complete(t, slot)
	_ = r.Step(why) // the meeting has taken place; an abort shows in the next call
	return k, nil
}

func (v *Rendezvous) init() {
	v.entered = make([]atomic.Uint64, v.n)
	for i := range v.table {
		v.table[i] = table{vals: make([]any, v.n), who: make([]*Rank, v.n)}
	}
}

// complete opens the next round, then wakes the others. Those that are quick
// enter the next round meanwhile; they write into the other table.
func (v *Rendezvous) complete(t *table, slot int) {
	v.arrived.Store(0)
	v.round.Add(1)
	for i, r := range t.who {
		if i != slot {
			r.Wake()
		}
	}
}
