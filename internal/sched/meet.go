package sched

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// A Meeting is where the members of a group meet again and again: each brings a value and
// leaves with a result made from the values of all. The k-th arrival of a member belongs to
// round k, whether it waits for the others ([Meeting.MeetWith]) or not
// ([Meeting.Arrive]). So a member may be any number of rounds ahead. Rounds complete in
// order, because no rank comes to a round before it came to the one before.
//
// The state is one word for each round and two for each member. A tree of counters would
// save less than waking the members costs, up to a hundred thousand of them. As long as no
// rank is ahead, two rounds are used in turn and nothing is allocated.
//
// A member that an abort releases takes its arrival back, in the same word in which the
// last member completes the round. One of the two wins: a round succeeds for all members or
// for none.
type Meeting[T any] struct {
	n          int
	oneAtATime bool      // the caller makes sure that a member comes by one goroutine at a time; see NewOrderly
	once       sync.Once // creates the tables at the first use: many communicators never meet
	seats      []seat[T]
	start      round[T] // before the first round; no rank meets in it
}

// A Rendezvous is a [Meeting] of values of any type.
type Rendezvous = Meeting[any]

// A seat is the state of one member.
type seat[T any] struct {
	busy atomic.Bool  // the member is coming, or waits
	open atomic.Int32 // rounds it joined by Arrive and has not left yet
	last *round[T]    // the last round it joined by Arrive, or left
	in   *round[T]    // the round in which the member is parked, else nil
}

// A round is complete when all members have come. Its table is reused for the round after
// the next if all members have left it by then.
type round[T any] struct {
	state  atomic.Uint64 // counts members that have come, and those of them that had not left all earlier rounds; and the flag of a complete round
	_      [56]byte
	vals   []T
	who    []*Rank
	joined any // result of join
	next   atomic.Pointer[round[T]]
	absent atomic.Pointer[[]int] // for a deadlock report; see absent.go
}

// The parts of the state of a round.
const (
	come     = 1<<32 - 1
	behind   = 1 << 32 // one member
	laggards = 1<<63 - 1<<32
	met      = 1 << 63
)

// A SlotError reports that a member met in a slot that is not its own: outside the group,
// or in use by another goroutine.
type SlotError struct{ Slot, Members int }

// Error gives the slot and the number of members.
func (e *SlotError) Error() string {
	if e.Slot < 0 || e.Slot >= e.Members {
		return fmt.Sprintf("internal: slot %d in a meeting of %d", e.Slot, e.Members)
	}
	return fmt.Sprintf("rank %d of %d is in such a call already: its handle is used by another rank or a second goroutine at the same time", e.Slot, e.Members)
}

// NewMeeting returns a meeting point of n members, n at least 1.
func NewMeeting[T any](n int) *Meeting[T] { return &Meeting[T]{n: n} }

// NewOrderly is NewMeeting for callers that make sure that a member comes by one goroutine
// at a time. It saves the two atomic exchanges of the check.
func NewOrderly[T any](n int) *Meeting[T] { return &Meeting[T]{n: n, oneAtATime: true} }

// NewRendezvous is [NewMeeting] for values of any type.
func NewRendezvous(n int) *Rendezvous { return NewMeeting[any](n) }

// MeetWith brings val for slot, waits until all slots of this round are filled and returns
// the result of join for all values, in the order of slots. The last member to come calls
// join, once, so that a meeting of n members costs n steps and not n for every member. join
// must not wait. It may keep the slice as long as a member of this round prevents its reuse,
// which happens when all have come to the next round and left this one; see also
// [Arrival.Leave]. If join panics the round does not complete.
//
// r is the calling rank and why the reason that a deadlock report shows. When the world is
// aborted before all have come, MeetWith returns the cause on all members and the round
// never completes. A round that did complete succeeds for all its members, whatever happens
// afterwards. Where r cannot wait (see [Rank.Park]) MeetWith returns that error and the
// member has not come. If the member of the slot waits already, the error is a *SlotError.
func (v *Meeting[T]) MeetWith(r *Rank, slot int, why fmt.Stringer, val T, join func([]T) any) (any, error) {
	s, in, err := v.come(r, slot, why, val, join)
	if err != nil {
		return nil, err
	}
	if !in.complete() && r.yieldsFirst() {
		runtime.Gosched() // in small worlds the others have come by then: no need to park
	}
	for !in.complete() {
		s.in = in
		err := r.Park(why)
		s.in = nil
		if err != nil && in.withdraw() {
			v.freeSeat(s)
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

// leave frees the seat of a member that is done with all rounds up to in, except the open
// ones.
func (v *Meeting[T]) leave(s *seat[T], in *round[T]) {
	s.last = in
	v.freeSeat(s)
}

// freeSeat lets the member come again.
func (v *Meeting[T]) freeSeat(s *seat[T]) {
	if !v.oneAtATime {
		s.busy.Store(false)
	}
}

// come takes the seat of a member and fills its slot in the next round, which the last
// member completes. The seat stays taken. The caller waits, not come, so that come is not
// on the stack of a waiting rank: those stacks limit how many ranks fit into memory.
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
	if !v.oneAtATime && !s.busy.CompareAndSwap(false, true) {
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
			_ = r.step() // the round is complete; an abort shows in the next call
		}
	}
	return s, in, nil
}

// finish completes a round to which all members have come; now is its state, s and slot
// belong to the last member.
func (v *Meeting[T]) finish(s *seat[T], in *round[T], slot int, now uint64, join func([]T) any) {
	if join != nil {
		v.joinValues(in, s, join)
	}
	if now&laggards == 0 {
		in.reuse(s.last)
	}
	in.state.Or(met)
	in.who[slot].s.drv.wakeAll(in.who, slot)
}

// follow creates the round after this one, unless another member has just done so.
func (in *round[T]) follow(n int) *round[T] {
	next := &round[T]{vals: make([]T, n), who: make([]*Rank, n)}
	if in.next.CompareAndSwap(nil, next) {
		return next
	}
	return in.next.Load()
}

// reuse makes before, the round before this one, the round after it. All members have come
// to this round and none was behind, so no rank is still in before.
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

// joinValues calls join for the values of all members. Members that are released meanwhile
// wait until it ends, so if join panics it must take its arrival back.
func (v *Meeting[T]) joinValues(in *round[T], s *seat[T], join func([]T) any) {
	returned := false
	defer func() {
		if !returned {
			in.state.Add(^uint64(0))
			v.freeSeat(s)
		}
	}()
	in.joined = join(in.vals)
	returned = true
}

// withdraw takes the arrival of a member back. It returns false if the round is complete,
// or if all members have come, because the last of them is then completing it.
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
