package script

import (
	"slices"
	"sort"

	"github.com/commworld/commworld/consistency"
)

// Links say which events of a run are connected: messages, meetings and the
// happens-before order. Events are named by their index in [Report.Log].
type Links struct {
	// Messages are pairs of events, the sending one and the receiving one: of messages and
	// of the parts of collectives with a root.
	Messages [][2]int

	// Meetings are the events of one collective call each; Barrier says whether the
	// call orders its ranks, as a barrier does and a file's collective call does not.
	Meetings []Meeting

	// Clocks has for each event how many events of each rank happened before it, the
	// event itself included.
	Clocks [][]int
}

// A Meeting is the events of the ranks that made one collective call together.
type Meeting struct {
	Barrier bool
	Events  []int
}

// Before reports whether event a happened before event b, or equals it.
func (l *Links) Before(r *Report, a, b int) bool {
	e := r.Log[a]
	return l.Clocks[a][e.Rank] <= l.Clocks[b][e.Rank]
}

// Links returns the connections between the events of the report of a [Run].
func (r *Report) Links() *Links {
	l, c := r.connections()
	l.Clocks = make([][]int, len(r.Log))
	r.clocks(l, c)
	return l
}

// connections are the marks of a run: which events send, receive and meet.
type connections struct {
	sends    map[mark]int
	receives [][]mark
	barriers []mark
	meets    map[mark][]int
}

// connections returns Links without the clocks, and what the clocks depend on.
func (r *Report) connections() (*Links, *connections) {
	l := &Links{}
	sends, meets, calls := map[mark]int{}, map[mark][]int{}, map[mark][]int{}
	barriers, receives := make([]mark, len(r.Log)), make([][]mark, len(r.Log))
	var order, callOrder []mark // of first appearance
	for i, e := range r.Log {
		arrived := map[mark]bool{}
		for _, s := range e.did {
			switch s.do {
			case consistency.DoSend:
				sends[s.what] = i
			case consistency.DoRecv:
				receives[i] = append(receives[i], s.what)
			case consistency.DoBarrier:
				if meets[s.what] == nil {
					order = append(order, s.what)
				}
				meets[s.what] = append(meets[s.what], i)
				barriers[i] = s.what
			case consistency.DoArrive:
				arrived[s.what] = true
			case consistency.DoLeave:
				if arrived[s.what] { // not started by one statement and completed by another
					if calls[s.what] == nil {
						callOrder = append(callOrder, s.what)
					}
					calls[s.what] = append(calls[s.what], i)
				}
			}
		}
	}
	for i, all := range receives {
		for _, m := range all {
			if from, ok := sends[m]; ok {
				l.Messages = append(l.Messages, [2]int{from, i})
			}
		}
	}
	for _, m := range order {
		l.Meetings = append(l.Meetings, Meeting{true, meets[m]})
	}
	for _, m := range callOrder {
		l.Meetings = append(l.Meetings, Meeting{false, calls[m]})
	}
	sort.SliceStable(l.Meetings, func(i, j int) bool { return l.Meetings[i].Events[0] < l.Meetings[j].Events[0] })
	// A collective call of a file is one meeting when it begins and another when it returns.
	l.Meetings = slices.CompactFunc(l.Meetings, func(a, b Meeting) bool { return slices.Equal(a.Events, b.Events) })
	return l, &connections{sends, receives, barriers, meets}
}

// clocks fills in Clocks. A rank that leaves a barrier has seen the events of all members
// before it; a receiver has seen those of the sender.
func (r *Report) clocks(l *Links, c *connections) {
	sends, receives, barriers, meets := c.sends, c.receives, c.barriers, c.meets
	previous := make([]int, len(r.Log)) // event of the same rank, -1: none
	ordinal := make([]int, len(r.Log))  // among those of its rank, from 1
	last, count := slices.Repeat([]int{-1}, r.Script.Ranks), make([]int, r.Script.Ranks)
	for i, e := range r.Log {
		previous[i], last[e.Rank] = last[e.Rank], i
		count[e.Rank]++
		ordinal[i] = count[e.Rank]
	}
	joint := map[mark][]int{} // of barriers
	var of func(i int) []int
	join := func(clock []int, i int) {
		if i >= 0 {
			for q, n := range of(i) {
				clock[q] = max(clock[q], n)
			}
		}
	}
	of = func(i int) []int {
		if l.Clocks[i] != nil {
			return l.Clocks[i]
		}
		clock := make([]int, r.Script.Ranks)
		join(clock, previous[i])
		if all := meets[barriers[i]]; all != nil {
			if joint[barriers[i]] == nil {
				joint[barriers[i]] = make([]int, r.Script.Ranks)
				for _, j := range all {
					join(joint[barriers[i]], previous[j])
				}
			}
			copy(clock, joint[barriers[i]])
		}
		for _, m := range receives[i] {
			if from, ok := sends[m]; ok {
				// A sender may return later than the receiver: only its events before the send count.
				join(clock, previous[from])
				rank := r.Log[from].Rank
				clock[rank] = max(clock[rank], ordinal[from])
			}
		}
		clock[r.Log[i].Rank] = ordinal[i]
		l.Clocks[i] = clock
		return clock
	}
	for i := range r.Log {
		of(i)
	}
}
