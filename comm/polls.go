package comm

import (
	"fmt"
	"slices"

	"github.com/commworld/commworld/internal/sched"
)

// mostPolls is how often in a row a rank may look for what only ranks that have ended
// could bring, while no other rank can run. Tests set it lower.
var mostPolls = 1 << 22

// lookedInVain lets others run after a look at what that found it not complete. A loop of
// such looks ends as a deadlock if nothing but the loop can happen in the world and what
// it looks for can never come. An error is the cause of an abort.
func (p *process) lookedInVain(what fmt.Stringer) error {
	p.thread.Relent()
	if !p.thread.Alone() {
		p.polls = 0
		return nil
	}
	if p.polls++; p.polls < mostPolls {
		return nil
	}
	p.polls = 0
	if _, ok := p.engine.(*local); !ok || !p.neverComes(what) {
		return nil
	}
	return p.thread.ParkNow(polling{what})
}

// neverComes reports whether only ranks that have ended could complete what a rank looks
// at: a message or requests.
func (p *process) neverComes(what any) bool {
	switch x := what.(type) {
	case *transfer:
		return !slices.ContainsFunc(x.waitsFor(), func(rank int) bool { return !p.thread.Sched().Ended(rank) })
	case *several:
		pending := func(q *Request) bool { return q.pending() && !p.neverComes(q.op) }
		if !x.all {
			return !slices.ContainsFunc(x.reqs, pending)
		}
		return slices.ContainsFunc(x.reqs, func(q *Request) bool { return q.open() && p.neverComes(q.op) })
	}
	return false
}

// polling is what a rank looks at in a loop, as a reason to wait.
type polling struct{ what fmt.Stringer }

func (x polling) String() string { return "a loop that looks for " + x.what.String() }

func (x polling) Explain(w *sched.Waiting) { explain(w, x.what) }
