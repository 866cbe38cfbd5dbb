package sched

import "fmt"

// An Arrival is a member's part in one round of a [Meeting] to which it came
// without waiting. The member leaves the round once, by [Arrival.Leave] when it
// is complete or by [Arrival.Withdraw] when the world is aborted; until then it
// may come to further rounds. The zero Arrival is of no round.
type Arrival[T any] struct {
	seat *seat[T]
	in   *round[T]
}

// Arrive lays down val for slot in the next round of its member, as MeetWith
// does, and returns at once. All members of a round give the same join, or one
// that finds out that they do not: the last to come has its own called, whether
// it waits or not.
//
// When the round is complete every member is woken, whatever it waits for, so a
// rank may wait for several things in one Park:
//
//	a, err := v.Arrive(r, slot, val, join)
//	for !a.Complete() {
//		if err := r.Park(why); err != nil && a.Withdraw() {
//			return err
//		}
//	}
//	use(a.Leave())
//
// In an aborted world Arrive returns the cause, as a rank that has ended
// [ErrEnded].
func (v *Meeting[T]) Arrive(r *Rank, slot int, val T, join func([]T) any) (Arrival[T], error) {
	if r.state.Load() == ended {
		return Arrival[T]{}, ErrEnded
	}
	s, in, err := v.come(r, slot, nil, val, join)
	if err != nil {
		return Arrival[T]{}, err
	}
	s.open.Add(1)
	v.leave(s, in)
	return Arrival[T]{s, in}, nil
}

// Complete reports whether all members have come, or a is of no round.
func (a *Arrival[T]) Complete() bool { return a.in == nil || a.in.complete() }

// Joined returns what join made of a complete round, before the member leaves
// it, and nil if a is of no round.
func (a *Arrival[T]) Joined() any {
	if a.in == nil || !a.in.complete() {
		return nil
	}
	return a.in.joined
}

// Leave ends the member's part in a complete round and returns what join made
// of it. A slice that join kept may be written again after the last member that
// needs it has left.
func (a *Arrival[T]) Leave() any {
	if a.in == nil {
		return nil
	}
	joined := a.in.joined
	a.seat.open.Add(-1)
	*a = Arrival[T]{}
	return joined
}

// Withdraw takes the arrival back, so that the round never completes, and
// reports whether it did: a complete round is left by Leave. It is for the end
// of the world only. The member has left all its later rounds as well then.
func (a *Arrival[T]) Withdraw() bool {
	if a.in == nil || !a.in.withdraw() {
		return false
	}
	*a = Arrival[T]{} // the round stays open: its tables are not used again
	return true
}

// Await waits until the round is complete, leaves it and returns what join made
// of it. When the world is aborted before, it withdraws and returns the cause.
func (a *Arrival[T]) Await(r *Rank, why fmt.Stringer) (any, error) {
	for !a.Complete() {
		if err := r.Park(why); err != nil && a.Withdraw() {
			return nil, err
		}
	}
	return a.Leave(), nil
}
