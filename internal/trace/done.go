package trace

import (
	"cmp"
	"slices"

	"github.com/commworld/commworld/internal/sched"
)

// A Done is a call that has returned, with its position in the order of the run. Calls have
// one if the world keeps clocks.
type Done struct {
	*Event
	Rank   int
	Before []int // by rank: how many of its calls happened before this one or are it

	Time  uint64      // of the rank, when the call had returned
	Clock sched.Clock // what the rank knew then

	Sent, Received []int64 // the numbers of messages
}

// Calls returns the calls of all ranks, in the order in which they returned. All ranks have
// ended.
func (w *World) Calls() (all []*Done) {
	began := make([][]uint64, len(w.logs)) // of each call, the first time that other ranks' clocks can include
	for rank := range w.logs {
		first, last := uint64(0), &Done{}
		d := &Done{Rank: rank}
		for e := range w.logs[rank].all() {
			if e.time > 0 {
				d.Time, d.Clock = e.time, e.clock
				first = cmp.Or(first, e.time)
			}
			switch e.Kind {
			case Out:
				d.Sent = append(d.Sent, e.Message)
			case In:
				d.Received = append(d.Received, e.Message)
			case Slice:
				if d.Event = e; d.Time == 0 { // no time that other ranks' clocks can include
					d.Time, d.Clock = last.Time, last.Clock
				}
				began[rank] = append(began[rank], cmp.Or(first, d.Time))
				all = append(all, d)
				last, d, first = d, &Done{Rank: rank}, 0
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *Done) int { return cmp.Compare(a.End, b.End) })
	number := make([]int, len(w.logs))
	for _, d := range all {
		number[d.Rank]++
		d.Before = make([]int, len(w.logs))
		for rank, time := range d.Clock.Times() {
			d.Before[rank] = upTo(began[rank], time)
		}
		d.Before[d.Rank] = number[d.Rank]
	}
	return all
}

// Text describes the call. It leaves out the file or communicator if all calls use the same
// one.
func (e *Event) Text() string { return oneLine(e.sentence()) }
