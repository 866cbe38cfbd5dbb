package sched

import (
	"errors"
	"hash/fnv"
	"slices"
)

// The standard lets a rank leave most collective calls on files before other ranks have come
// to them. In an exploring world it does: it leaves with the result that the call has if all
// ranks come to it, none finds an error, and they agree. That is a promise. A run that breaks
// one is none of the program's, so it does not count, and the exploration begins again without
// that: ranks then stay in the calls of these lines until all have come, as in other worlds.
// The token of a run names the calls, so that a replay stays in them, too.
//
// A rank that stays may also keep others waiting for ever. If some run could not have been made
// with all ranks staying, the exploration goes on with runs in which all stay.

// A Call stands for the calls at one line of the program.
type Call struct {
	What string // empty for collective calls on files
	At   *Line
}

// A callID identifies a Call in all runs.
type callID uint32

// everyCall stands for all collective calls on files.
const everyCall callID = 0

func (c Call) id() callID {
	h := fnv.New32a()
	_, _ = h.Write([]byte(c.What + "\x00" + c.At.Place().String()))
	return max(callID(h.Sum32()), everyCall+1)
}

// A promise is what a rank relies on that has left a call early.
type promise struct {
	call Call
	kept func() bool
}

// errBroken ends a run that has broken a promise.
var errBroken = errors.New("a rank left a collective call that others did not make, or not in the same way")

// LeavesEarly reports whether a rank may leave a call before others have come.
func (s *Sched) LeavesEarly(call Call) bool {
	return s.run != nil && len(s.ranks) > 1 && !slices.Contains(s.run.stays, everyCall) && !s.Stays(call)
}

// Stays reports whether a rank has to stay in a call until all have come, because the call failed
// in another run or was not made by all.
func (s *Sched) Stays(call Call) bool {
	return s.run != nil && len(s.run.stays) > 0 && slices.Contains(s.run.stays, call.id()) // few runs look the line up
}

// Promise records that a rank has left a call early. kept is called when the run has ended.
func (s *Sched) Promise(call Call, kept func() bool) {
	s.run.promises = append(s.run.promises, promise{call, kept})
}

// Break ends a run in which ranks have left calls whose result is another one.
func (s *Sched) Break(calls ...Call) {
	for _, c := range calls {
		s.run.broken = append(s.run.broken, c.id())
	}
	s.Abort(errBroken)
}

// Broken reports whether a rank has left a call early that did not end as promised. All ranks
// have ended.
func (s *Sched) Broken() bool { return s.run != nil && len(s.run.breaches()) > 0 }

// breaches returns the calls that a rank should have stayed in. A run that was stopped from
// outside breaks no promise.
func (x *exploration) breaches() []callID {
	if len(x.broken) > 0 {
		return x.broken
	}
	var wrong *UncontrolledError
	switch cause := x.s.Cause(); {
	case errors.Is(cause, ErrAsleep), errors.Is(cause, ErrTooLong), errors.As(cause, &wrong), x.s.Over():
		return nil
	}
	for _, p := range x.promises {
		if !p.kept() {
			x.broken = append(x.broken, p.call.id())
		}
	}
	return x.broken
}

// stay begins the exploration again: ranks stay in these calls from now on.
func (x *Explorer) stay(calls ...callID) {
	x.stays = slices.Concat(x.stays, calls)
	slices.Sort(x.stays)
	x.stays = slices.Compact(x.stays)
	x.touched, x.grown = nil, false
	x.beginAgain()
}

// beginAgain plans all runs anew.
func (x *Explorer) beginAgain() {
	x.path = x.path[:0]
	x.checks, x.first = false, nil
	x.calls.forget()
}

// An arrival is the coming of a rank to a meeting of ranks in which they check a collective call
// on a file, whether it waits there or not.
type arrival struct {
	meeting int
	at      Clock
}

// A meetingID is a meeting with the number of its round.
type meetingID struct {
	at    any
	round uint
}

// NoteArrival records that r comes to a round of a meeting.
func (s *Sched) NoteArrival(r *Rank, meeting any, round uint) {
	x, m := s.run, meetingID{meeting, round}
	if x.meetings == nil {
		x.meetings, x.arrivals = map[meetingID]int{}, make([][]arrival, len(s.ranks))
	}
	id, known := x.meetings[m]
	if !known {
		id = len(x.meetings)
		x.meetings[m] = id
	}
	r.Tick()
	x.arrivals[r.id] = append(x.arrivals[r.id], arrival{id, r.Clock()})
}

// straight reports whether all ranks came to the same meetings in the same order, and none that
// comes to one knows that another has been there: the common case of crosses, without a graph.
func (x *exploration) straight() bool {
	for _, list := range x.arrivals {
		for k := range list {
			for q, others := range x.arrivals {
				if k >= len(others) || others[k].meeting != list[k].meeting || int(list[k].at.rank) != q && list[k].at.Covers(q, others[k].at.time) {
					return false
				}
			}
		}
	}
	return true
}

// crosses reports whether the ranks could not have made the run if each had stayed in its
// collective calls until all had come: then they may also end in a deadlock. It looks for a
// circle of meetings, each of which some rank had left before it, or one that knew of that, came
// to the next.
func (x *exploration) crosses() bool {
	if len(x.promises) == 0 || x.straight() {
		return false
	}
	after := make([][]int, len(x.meetings)) // by meeting: those that come after it
	for r, list := range x.arrivals {
		for k := range list {
			if k > 0 {
				after[list[k-1].meeting] = append(after[list[k-1].meeting], list[k].meeting)
			}
			for q, others := range x.arrivals {
				if q == r {
					continue
				}
				n, _ := slices.BinarySearchFunc(others, true, func(o arrival, _ bool) int {
					if list[k].at.Covers(q, o.at.time) {
						return -1
					}
					return 1
				})
				if n > 0 {
					after[others[n-1].meeting] = append(after[others[n-1].meeting], list[k].meeting)
				}
			}
		}
	}
	const unseen, open, done = 0, 1, 2
	state := make([]int, len(after))
	var circle func(m int) bool
	circle = func(m int) bool {
		state[m] = open
		for _, n := range after[m] {
			if state[n] == open || state[n] == unseen && circle(n) {
				return true
			}
		}
		state[m] = done
		return false
	}
	for m := range after {
		if state[m] == unseen && circle(m) {
			return true
		}
	}
	return false
}
