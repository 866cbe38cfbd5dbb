package comm

import (
	"iter"
	"slices"
	"time"

	"github.com/commworld/commworld/tools/internal/measure"
)

// A floor is the minimum time of a row without messages: its switches between ranks on
// one core, or its copies, or the same steps with only a locked queue between two
// goroutines.
type floor struct {
	row
	what string
	bare func(count int) // does a step of row count times
}

func floors() []*floor {
	return []*floor{
		{row{name: "8 B half round trip, in all", verb: "pingpong", arg: 8, ranks: 2, per: 2}, "switches", func(n int) { switches(1, n) }},
		{row{name: "64 KiB half round trip, in all", verb: "pingpong", arg: 64 << 10, ranks: 2, per: 2}, "copies", func(n int) { copies(64<<10, n) }},
		{row{name: "8 B ISend/IRecv, in all", verb: "window", arg: 8, ranks: 2, per: window}, "bare", func(n int) { exchange(n, atOnce) }},
		{row{name: "8 B Send/Recv, in all", verb: "stream", arg: 8, ranks: 2, per: window}, "bare", func(n int) { exchange(n, inRow(window)) }},
		{row{name: "barrier, 16 ranks, in all", verb: "barrier", ranks: 16, per: 1}, "switches", func(n int) { switches(16, n) }},
		{row{name: "barrier, 64 ranks, in all", verb: "barrier", ranks: 64, per: 1}, "switches", func(n int) { switches(64, n) }},
		{row{name: "allreduce, 16 ranks, in all", verb: "allreduce", arg: 1, ranks: 16, per: 1}, "switches", func(n int) { switches(16, n) }},
		{row{name: "allreduce, 64 ranks, in all", verb: "allreduce", arg: 1, ranks: 64, per: 1}, "switches", func(n int) { switches(64, n) }},
	}
}

// switches switches to each of some coroutines and back, repeatedly: Go has no cheaper
// switch. For comparison: goroutines that count each other in and yield until all have come
// took three times as long as our barrier on two cores, because all that yield share one
// queue.
func switches(members, count int) {
	next := make([]func() (struct{}, bool), members)
	for i := range next {
		resume, stop := iter.Pull(func(yield func(struct{}) bool) {
			for yield(struct{}{}) {
			}
		})
		defer stop()
		next[i] = resume
	}
	for range count {
		for _, resume := range next {
			resume()
		}
	}
}

// copies copies a number of messages there and back, each from the buffer that was read
// last into the one that was written last, as ranks do that answer each other.
func copies(size, count int) {
	var bufs [4][]byte
	for i := range bufs {
		bufs[i] = slices.Repeat([]byte{byte(i)}, size)
	}
	for range count {
		copy(bufs[1], bufs[0])
		copy(bufs[3], bufs[2])
	}
}

// time returns the time of one step in seconds.
func (f *floor) time(seconds float64) (float64, error) {
	return measure.Step(seconds, func(count int) (float64, error) {
		begin := time.Now()
		f.bare(count)
		return time.Since(begin).Seconds(), nil
	}, measure.Alone)
}
