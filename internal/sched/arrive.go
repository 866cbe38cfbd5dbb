package sched

// An Arrival is a member's part in one round of a [Meeting] that it joined without waiting.
// The member leaves the round once: by [Arrival.Leave] when the round is complete, or by
// [Arrival.Withdraw] when the world is aborted. Before that it may join further rounds. The
// zero Arrival belongs to no round.
type Arrival[T any] struct {
	seat *seat[T]
	in   *round[T]
}

// Arrive joins the next round of its member with the value val for slot, as MeetWith does,
// and returns at once. All members of a round must pass the same join; only the join of the
// last member to come is called, whether that member waits or not.
//
// When the round is complete every member is woken, whatever it waits for, so a rank may
// wait for several things in one Park:
//
//	a, err := v.Arrive(r, slot, val, join)
//	for !a.Complete() {
//		if err := r.Park(why); err != nil && a.Withdraw() {
//			return err
//		}
//	}
//	use(a.Leave())
//
// In an aborted world Arrive returns the cause. For a rank that has ended it returns
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

// Complete reports whether all members have come. It is true if a belongs to no round.
func (a *Arrival[T]) Complete() bool { return a.in == nil || a.in.complete() }

// Joined returns the result of join for a complete round, before the member leaves it. It
// returns nil if a belongs to no round.
func (a *Arrival[T]) Joined() any {
	if a.in == nil || !a.in.complete() {
		return nil
	}
	return a.in.joined
}

// Leave ends the member's part in a complete round and returns the result of join. A slice
// that join kept may be reused after the last member that needs it has left.
func (a *Arrival[T]) Leave() any {
	if a.in == nil {
		return nil
	}
	joined := a.in.joined
	a.seat.open.Add(-1)
	*a = Arrival[T]{}
	return joined
}

// Withdraw takes the arrival back, so that the round never completes, and reports whether
// it did. It returns false for a complete round, which the member leaves by Leave. Use it
// only when the world ends: the member has then left all its later rounds, too.
func (a *Arrival[T]) Withdraw() bool {
	if a.in == nil || !a.in.withdraw() {
		return false
	}
	*a = Arrival[T]{} // the round stays open: its tables are not used again
	return true
}
