package trace

import (
	"fmt"
	"slices"
)

// An Asked has the requests to the file system that a rank makes for a planned access.
type Asked struct {
	Access   any // the plan: the same value on all ranks of an access
	File     string
	Together bool // the ranks planned together: those with requests are aggregators
	Requests []Request
}

// A Request is a request to the file system, as planned.
type Request struct {
	Round    int
	Write    bool
	Off, Len int64
	Shares   []Share // of ranks whose bytes it carries
}

// A Share is how many bytes of a request a rank of the world sends or gets.
type Share struct {
	Rank  int
	Bytes int64
}

// An asked is an Asked with its time: from start, inside the call from begin to end.
type asked struct {
	Asked
	start      int64
	begin, end int64 // 0 while the call is under way
}

// Ask records the requests that carry out an access, when they are planned. The picture
// shows them between the planning and the end of the call, in equal parts, because the time
// at which each of them moved bytes depends on the consistency model.
func (l *Log) Ask(a Asked) {
	if l.Keeps() {
		l.asked = append(l.asked, asked{Asked: a, start: l.w.now()})
	}
}

// asks sets the call of the requests that were planned during it.
func (l *Log) asks(begin, end int64) {
	for i := len(l.asked) - 1; i >= 0 && l.asked[i].end == 0; i-- {
		l.asked[i].begin, l.asked[i].end = begin, end
		if i+1 < len(l.asked) && l.asked[i+1].start < end { // the next plan of the same call
			l.asked[i].end = l.asked[i+1].start
		}
	}
}

// lane is the row of the requests of a rank.
func (w *World) lane(rank int) int { return row(len(w.logs) + rank) }

// A change of the bytes in flight.
type flight struct{ at, requests, messages int64 }

// requests writes a row for each rank that made planned requests, arrows from the calls of
// the ranks whose bytes these carry, and the number of bytes in flight. last is the last
// number of an arrow.
func (w *World) requests(c *chrome, last int) {
	begins, some := w.accessBegins()
	if !some {
		return
	}
	var flights []flight
	for r := range w.logs {
		named := false
		for _, a := range w.logs[r].asked {
			n := int64(len(a.Requests))
			if a.end == 0 || n == 0 {
				continue
			}
			if !named {
				name := "requests of rank %d"
				if a.Together {
					name = "aggregator rank %d"
				}
				c.meta("thread_name", w.lane(r), "name", fmt.Sprintf(name, r))
				c.meta("thread_sort_index", w.lane(r), "sort_index", len(w.logs)+r)
				named = true
			}
			for i, q := range a.Requests {
				lo, hi := a.start+(a.end-a.start)*int64(i)/n, a.start+(a.end-a.start)*int64(i+1)/n
				op := "read"
				if q.Write {
					op = "write"
				}
				c.write(item{
					Phase: "X", Name: op, Group: "request", Pid: process, Tid: w.lane(r), Time: micros(lo), Dur: micros(hi - lo),
					Args: map[string]any{"file": a.File, "offset": q.Off, "bytes": q.Len, "round": q.Round, "planned": true},
				})
				flights = append(flights, flight{lo, q.Len, 0}, flight{hi, -q.Len, 0})
				for _, s := range q.Shares {
					begin, ok := begins[a.Access][s.Rank]
					if s.Rank == r || !ok || begin > lo {
						continue
					}
					last++
					args := map[string]any{"bytes": s.Bytes}
					c.write(item{Phase: "s", Name: "share", Group: "request", ID: last, Pid: process, Tid: row(s.Rank), Time: micros(begin), Args: args})
					c.write(item{Phase: "f", Bind: "e", Name: "share", Group: "request", ID: last, Pid: process, Tid: w.lane(r), Time: micros(lo), Args: args})
					flights = append(flights, flight{begin, 0, s.Bytes}, flight{lo, 0, -s.Bytes})
				}
			}
		}
	}
	c.flights(append(flights, w.messageFlights()...))
}

// accessBegins returns when the calls of each collective access began, by rank, and whether
// any access made requests.
func (w *World) accessBegins() (begins map[any]map[int]int64, requests bool) {
	begins = map[any]map[int]int64{}
	for r := range w.logs {
		for _, a := range w.logs[r].asked {
			requests = requests || len(a.Requests) > 0
			if a.end > 0 && a.Together {
				if begins[a.Access] == nil {
					begins[a.Access] = map[int]int64{}
				}
				begins[a.Access][r] = a.begin
			}
		}
	}
	return begins, requests
}

// messageFlights returns the times at which received messages were under way.
func (w *World) messageFlights() (all []flight) {
	sent := map[int64]*Event{}
	for r := range w.logs {
		for e := range w.logs[r].all() {
			if e.Kind == Out {
				sent[e.Message] = e
			}
		}
	}
	for r := range w.logs {
		for e := range w.logs[r].all() {
			if out := sent[e.Message]; e.Kind == In && out != nil {
				all = append(all, flight{out.Begin, 0, e.Bytes}, flight{max(e.Begin, out.Begin), 0, -e.Bytes})
			}
		}
	}
	return all
}

// flights writes the number of bytes in flight after each change.
func (c *chrome) flights(list []flight) {
	slices.SortStableFunc(list, func(a, b flight) int { return int(max(-1, min(1, a.at-b.at))) })
	var now flight
	for i, f := range list {
		now.requests += f.requests
		now.messages += f.messages
		if i+1 == len(list) || list[i+1].at != f.at {
			c.write(item{
				Phase: "C", Name: "bytes in flight", Pid: process, Tid: row(0), Time: micros(f.at),
				Args: map[string]any{"requests": now.requests, "messages": now.messages},
			})
		}
	}
}
