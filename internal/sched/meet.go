package sched

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// A Meeting is where the members of a group meet again and again, each laying
// down a value and leaving with what is made of everybody's. A member's k-th
// arrival belongs to round k, whether it waits for the others ([Meeting.Meet],
// [Meeting.MeetWith]) or not ([Meeting.Arrive]); so a member may be any number
// of rounds ahead, and rounds are complete in their order, because nobody comes
// to a round before it came to the one before.
//
// One word for a round and two per member are all it takes: waking the members
// costs more than any tree of counters could save, up to a hundred thousand.
// As long as nobody is ahead, two rounds take turns and nothing is allocated.
//
// A rank that goes on after it has waited returns from all that it has on its stack,
// and processors guess wrong where that leads: a call less between the program and
// the wait saves a twentieth of a meeting. So both ways to wait are written out.
//
// A member that is released by an abort takes its arrival back, in the same
// word in which the last one to come completes the round. So one of the two
// wins: a round succeeds for all members or for none.
type Meeting[T any] struct {
	n     int
	sure  bool      // members come one at a time; see NewOrderly
	once  sync.Once // the tables, at the first use: many communicators never meet
	seats []seat[T]
	start round[T] // before the first; nobody meets in it
}

// A Rendezvous is a [Meeting] of values of any kind.
type Rendezvous = Meeting[any]

// A seat is what a member has to itself.
type seat[T any] struct {
	busy atomic.Bool  // the member is coming, or waits
	open atomic.Int32 // rounds it came to by Arrive and has not left yet
	last *round[T]    // it came to by Arrive, or left
	in   *round[T]    // the member is parked in it, else nil
}

// A round is complete when all members have come. Its table is used again for
// the round after the next if by then all members have left it.
type round[T any] struct {
	state  atomic.Uint64 // members that have come, those of them who had not left all rounds before, whether complete
	_      [56]byte
	vals   []T
	who    []*Rank
	joined any // what a join made of vals
	next   atomic.Pointer[round[T]]
	absent atomic.Pointer[[]int] // for the report of a deadlock; see absent.go
}

// The parts of a round's state.
const (
	come     = 1<<32 - 1
	behind   = 1 << 32 // one member
	laggards = 1<<63 - 1<<32
	met      = 1 << 63
)

// A SlotError says that a member met in a place that is not its own: outside
// the group, or taken just now by another that waits or comes.
type SlotError struct{ Slot, Members int }

// Error gives the slot and the number of members.
func (e *SlotError) Error() string {
	if e.Slot < 0 || e.Slot >= e.Members {
		return fmt.Sprintf("internal: slot %d in a meeting of %d", e.Slot, e.Members)
	}
	return fmt.Sprintf("rank %d of %d is in such a call already: its handle is used by another rank or a second goroutine at the same time", e.Slot, e.Members)
}

// NewMeeting makes a meeting point of n members, n at least 1.
func NewMeeting[T any](n int) *Meeting[T] { return &Meeting[T]{n: n} }

// NewOrderly is NewMeeting for callers that see to it themselves that a member
// comes by one goroutine at a time: that is an atomic exchange on the way in and
// one on the way out, which they need not pay twice.
func NewOrderly[T any](n int) *Meeting[T] { return &Meeting[T]{n: n, sure: true} }

// NewRendezvous is [NewMeeting] for values of any kind.
func NewRendezvous(n int) *Rendezvous { return NewMeeting[any](n) }

// Meet lays down val for slot, waits until all slots of this round are filled
// and returns all values in the order of slots. The slice stays valid until
// the next Meet of this slot returns, and must not be written.
//
// r is the calling rank and why what it waits in. When the world is aborted
// before all have come, Meet returns the cause on all members and the round
// never completes; a round that did complete succeeds for all its members,
// whatever comes after. Where r cannot wait, as [Rank.Park] tells, it is as if
// it had not come. A slot whose member waits already is a *SlotError.
func (v *Meeting[T]) Meet(r *Rank, slot int, why fmt.Stringer, val T) ([]T, error) {
	s, in, err := v.come(r, slot, why, val, nil)
	if err != nil {
		return nil, err
	}
	if !in.complete() && r.polite() {
		runtime.Gosched() // in small worlds the others have come then: no need to park
	}
	for !in.complete() {
		s.in = in
		err := r.ParkNow(why)
		s.in = nil
		if err != nil && in.withdraw() {
			v.rise(s)
			return nil, err
		}
	}
	v.leave(s, in)
	return in.vals, nil
}

// MeetWith is [Meeting.Meet], but the members leave with what join makes of
// all values, in the order of slots. The last member to come calls join, once,
// so that a meeting of n costs n steps and not n for every member. join must
// not wait; it may keep the slice for as long as the member that waited in this
// round, or one that has not left it, makes sure that it is not written again:
// see Meet and [Arrival.Leave]. If join panics the round does not complete.
func (v *Meeting[T]) MeetWith(r *Rank, slot int, why fmt.Stringer, val T, join func([]T) any) (any, error) {
	s, in, err := v.come(r, slot, why, val, join)
	if err != nil {
		return nil, err
	}
	if !in.complete() && r.polite() {
		runtime.Gosched() // in small worlds the others have come then: no need to park
	}
	for !in.complete() {
		s.in = in
		err := r.ParkNow(why)
		s.in = nil
		if err != nil && in.withdraw() {
			v.rise(s)
			return nil, err
		}
	}
	v.leave(s, in)
	return in.joined, nil
}

func (v *Meeting[T]) init() {
	v.seats = make([]seat[T], v.n)
	for i := range v.seats {
		v.seats[i].last = &v.start
	}
}

// leave gives the seat up, whose member has done with all rounds up to in,
// except those that are open.
func (v *Meeting[T]) leave(s *seat[T], in *round[T]) {
	s.last = in
	v.rise(s)
}

// rise lets the member come again.
func (v *Meeting[T]) rise(s *seat[T]) {
	if !v.sure {
		s.busy.Store(false)
	}
}

// come takes the seat of a member and fills its slot in the next round, which the
// last member to come completes. The seat stays busy. Waiting is left to the
// caller: the stack of a rank that waits is what limits how many ranks fit into
// memory, and come is not on it.
//
// why is nil if the member does not wait.
func (v *Meeting[T]) come(r *Rank, slot int, why fmt.Stringer, val T, join func([]T) any) (*seat[T], *round[T], error) {
	if r.s.run != nil && why != nil {
		if err := r.s.run.note(r, why); err != nil {
			return nil, nil, err
		}
	}
	if slot < 0 || slot >= v.n {
		return nil, nil, &SlotError{slot, v.n}
	}
	if c := r.s.cause.Load(); c != nil {
		return nil, nil, *c
	}
	v.once.Do(v.init)
	s := &v.seats[slot]
	if !v.sure && !s.busy.CompareAndSwap(false, true) {
		return nil, nil, &SlotError{slot, v.n}
	}
	in := s.last.next.Load()
	if in == nil {
		in = s.last.follow(v.n)
	}
	in.vals[slot], in.who[slot] = val, r
	one := uint64(1)
	if s.open.Load() > 0 {
		one += behind
	}
	if now := in.state.Add(one); int64(now&come) == int64(v.n) {
		v.finish(s, in, slot, now, join)
		if why != nil {
			_ = r.step() // the meeting has taken place; an abort shows in the next call
		}
	}
	return s, in, nil
}

// finish completes a round to which all members have come, which is its state now;
// s and slot are those of the last one.
func (v *Meeting[T]) finish(s *seat[T], in *round[T], slot int, now uint64, join func([]T) any) {
	if join != nil {
		v.conclude(in, s, join)
	}
	if now&laggards == 0 {
		in.reuse(s.last)
	}
	in.state.Or(met)
	in.who[slot].s.drv.wakeAll(in.who, slot)
}

// follow makes the round after this one, unless another member has just done so.
func (in *round[T]) follow(n int) *round[T] {
	next := &round[T]{vals: make([]T, n), who: make([]*Rank, n)}
	if in.next.CompareAndSwap(nil, next) {
		return next
	}
	return in.next.Load()
}

// reuse makes the round before this one the round after it. All members have
// come to this one, none was behind, so nobody is in the one before any more.
func (in *round[T]) reuse(before *round[T]) {
	if before.vals == nil || in.next.Load() != nil {
		return
	}
	before.joined = nil
	before.state.Store(0)
	before.next.Store(nil)
	in.next.CompareAndSwap(nil, before)
}

// complete reports whether all members have come.
func (in *round[T]) complete() bool { return in.state.Load()&met != 0 }

// conclude joins what all have laid down. Members that are released meanwhile
// wait for the end of it, so a join that panics must take its arrival back.
func (v *Meeting[T]) conclude(in *round[T], s *seat[T], join func([]T) any) {
	returned := false
	defer func() {
		if !returned {
			in.state.Add(^uint64(0))
			v.rise(s)
		}
	}()
	in.joined = join(in.vals)
	returned = true
}

// withdraw takes the arrival of a member back. It returns false if the round
// is complete. All having come, the last of them is about to complete it, and
// waits for nothing.
//
//go:noinline
func (in *round[T]) withdraw() bool {
	for {
		now := in.state.Load()
		switch {
		case now&met != 0:
			return false
		case int64(now&come) == int64(len(in.vals)):
			runtime.Gosched()
		case in.state.CompareAndSwap(now, now-1):
			return true
		}
	}
}
