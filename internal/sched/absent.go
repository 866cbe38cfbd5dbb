package sched

// Absent returns the members that have not yet come to the round in which the member of
// slot is parked, in the order of their slots, each named by name. It returns nil if that
// member is not parked in a round, or if all members have come. A deadlock report calls it,
// while no rank runs. All callers of one round get the same list and must not write to it.
func (v *Meeting[T]) Absent(slot int, name func(slot int) int) []int {
	if slot < 0 || slot >= len(v.seats) {
		return nil
	}
	return v.absentFrom(v.seats[slot].in, name)
}

// AbsentFrom is [Meeting.Absent] for the round of an arrival.
func (v *Meeting[T]) AbsentFrom(a *Arrival[T], name func(slot int) int) []int {
	return v.absentFrom(a.in, name)
}

func (v *Meeting[T]) absentFrom(in *round[T], name func(slot int) int) []int {
	if in == nil || in.complete() {
		return nil
	}
	if known := in.absent.Load(); known != nil {
		return *known
	}
	came := map[*round[T]]bool{} // a member that has come to this round has come to all earlier ones
	for r := in; r != nil; r = r.next.Load() {
		came[r] = true
	}
	var list []int
	for i := range v.seats {
		if s := &v.seats[i]; !came[s.in] && !came[s.last] {
			list = append(list, name(i))
		}
	}
	in.absent.CompareAndSwap(nil, &list)
	return *in.absent.Load()
}
