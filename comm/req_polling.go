package comm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/sched"
)

// mostPolls is how often in a row a rank may poll for an event that only ended ranks could
// cause, while no other rank can run. Tests set it lower.
var mostPolls = 1 << 22

// polledInVain lets others run after a poll that found what not complete. A loop of such
// polls ends as a deadlock if nothing else can happen in the world and what can never
// complete. An error is the cause of an abort.
func (p *process) polledInVain(what fmt.Stringer) error {
	alone := p.thread.YieldTurn()
	if now := p.thread.Clock().Time(); !alone || p.polledAt != now {
		p.polls, p.polledAt = 0, now
		return nil
	}
	p.polls++
	last := p.polls >= mostPolls
	if !last && uint32(p.polls)*0x9e3779b1>>26 != 0 { // checking at one poll in 64 is enough, unless this may be the last one
		return nil
	}
	if p.local() == nil || !p.neverComes(what) {
		p.polls = 0
		return nil
	}
	if !last {
		return nil
	}
	p.polls = 0
	return p.thread.Park(polling{what})
}

// neverComes reports whether the polled object, a message or requests, needs another rank,
// and all ranks that could help have ended.
func (p *process) neverComes(what any) bool {
	switch x := what.(type) {
	case *transfer:
		return !slices.ContainsFunc(x.waitsFor(), p.canAnswer)
	case *several:
		pending := func(q *Request) bool { return q.pending() && !p.neverComes(q.op) }
		if !x.all {
			return !slices.ContainsFunc(x.reqs, pending)
		}
		return slices.ContainsFunc(x.reqs, func(q *Request) bool { return q.open() && p.neverComes(q.op) })
	case *exchange:
		return !x.in.done() && p.neverComes(x.in) || !x.out.done() && p.neverComes(x.out)
	case sched.Explainer: // partitions, and collective calls, which need all of the ranks that they name
		var w sched.Waiting
		x.Explain(&w)
		return slices.ContainsFunc(w.For, p.thread.Sched().Ended)
	}
	return false
}

// canAnswer reports whether a rank may still do something for p, which polls in a loop.
func (p *process) canAnswer(rank int) bool {
	return rank != p.thread.ID() && !p.thread.Sched().Ended(rank)
}

// polling is the wait of a rank that polls in a loop.
type polling struct{ what fmt.Stringer }

// String completes the sentence "waits in ...".
func (x polling) String() string {
	switch w := x.what.(type) {
	case *several:
		return "a loop that calls " + w.String()
	case *transfer:
		if strings.HasSuffix(w.call, "Probe") {
			return "a loop that calls " + w.String()
		}
	}
	return "a loop that tests " + x.what.String()
}

func (x polling) Explain(w *sched.Waiting) { explain(w, x.what) }
