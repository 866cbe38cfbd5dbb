package sched

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// A Rendezvous is where the members of a group meet again and again, each
// laying down a value and leaving with everybody's.
//
// One word for all and one per member are all it takes: waking the members
// costs more than any tree of counters could save, up to a hundred thousand.
//
// A member that is released by an abort takes its arrival back, in the same
// word in which the last one to come completes the round. So one of the two
// wins: a round succeeds for all members or for none.
type Rendezvous struct {
	n       int
	once    sync.Once       // the tables, at the first use: many communicators never meet
	entered []atomic.Uint32 // by member: the round after the last it came to
	table   [2]table        // of even and odd rounds

	_     [64]byte
	state atomic.Uint64 // rounds completed, modulo 1<<32, then 32 bits of members that have come
	_     [56]byte
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
// before all have come, Meet returns the cause on all members and the round
// never completes; a round that did complete succeeds for all its members,
// whatever comes after. Where r cannot wait, as [Rank.Park] tells, it is as if
// it had not come. A slot that is filled twice in a round is a *SlotError for
// the second.
func (v *Rendezvous) Meet(r *Rank, slot int, why fmt.Stringer, val any) ([]any, error) {
	k, err := v.enter(r, slot, why, val, nil)
	if err != nil {
		return nil, err
	}
	for v.round() == k {
		if err := r.Park(why); err != nil && v.withdraw(k, slot) {
			return nil, err
		}
	}
	return v.table[k&1].vals, nil
}

// MeetWith is [Rendezvous.Meet], but the members leave with what join makes of
// all values, in the order of slots. The last member to come calls join, once,
// so that a meeting of n costs n steps and not n for every member; join must
// not wait, nor keep the slice. If join panics the round does not complete.
func (v *Rendezvous) MeetWith(r *Rank, slot int, why fmt.Stringer, val any, join func([]any) any) (any, error) {
	k, err := v.enter(r, slot, why, val, join)
	if err != nil {
		return nil, err
	}
	for v.round() == k {
		if err := r.Park(why); err != nil && v.withdraw(k, slot) {
			return nil, err
		}
	}
	return v.table[k&1].joined, nil
}

// enter fills the slot and returns the round; the last member completes it.
// Waiting is left to the caller: the stack of a rank that waits is what limits
// how many ranks fit into memory, and enter is not on it.
func (v *Rendezvous) enter(r *Rank, slot int, why fmt.Stringer, val any, join func([]any) any) (uint32, error) {
	if slot < 0 || slot >= v.n {
		return 0, &SlotError{slot, v.n}
	}
	if err := r.s.Cause(); err != nil {
		return 0, err
	}
	v.once.Do(v.init)
	k := v.round() // cannot move on before this slot is filled
	if !v.entered[slot].CompareAndSwap(k, k+1) {
		return 0, &SlotError{slot, v.n}
	}
	t := &v.table[k&1]
	t.vals[slot], t.who[slot] = val, r
	if come := uint32(v.state.Add(1)); int64(come) < int64(v.n) {
		return k, nil
	}
	if join != nil {
		v.conclude(k, slot, join)
	}
	v.complete(k, slot)
	_ = r.Step(why) // the meeting has taken place; an abort shows in the next call
	return k, nil
}

func (v *Rendezvous) init() {
	v.entered = make([]atomic.Uint32, v.n)
	for i := range v.table {
		v.table[i] = table{vals: make([]any, v.n), who: make([]*Rank, v.n)}
	}
}

// round is the number of the present round.
func (v *Rendezvous) round() uint32 { return uint32(v.state.Load() >> 32) }

// conclude joins what all have laid down. Members that are released meanwhile
// wait for the end of it, so a join that panics must take its arrival back.
func (v *Rendezvous) conclude(k uint32, slot int, join func([]any) any) {
	t, returned := &v.table[k&1], false
	defer func() {
		if !returned {
			v.state.Add(^uint64(0))
		}
	}()
	t.joined = join(t.vals)
	returned = true
}

// withdraw takes the arrival of a member back, which may then come again. It
// returns false if the round is complete. All having come, the last of them is
// about to complete it, and waits for nothing.
//
//go:noinline
func (v *Rendezvous) withdraw(k uint32, slot int) bool {
	for {
		now := v.state.Load()
		switch {
		case uint32(now>>32) != k:
			return false
		case int64(uint32(now)) == int64(v.n):
			runtime.Gosched()
		case v.state.CompareAndSwap(now, now-1):
			t := &v.table[k&1]
			t.vals[slot], t.who[slot] = nil, nil
			v.entered[slot].Store(k)
			return true
		}
	}
}

// complete opens the next round, then wakes the others. Those that are quick
// enter the next round meanwhile; they write into the other table.
func (v *Rendezvous) complete(k uint32, slot int) {
	v.state.Store(uint64(k+1) << 32)
	for i, r := range v.table[k&1].who {
		if i != slot {
			r.Wake()
		}
	}
}
