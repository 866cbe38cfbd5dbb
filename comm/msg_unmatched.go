package comm

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/commworld/commworld/internal/sched"
)

// unmatched lists the messages in the mailbox of the rank of t, a receive that waits for
// another message; those that differ least come first. No receive of the rank matches them.
// A deadlock report calls it, while no rank runs.
func (e *local) unmatched(t *transfer) []sched.Unreceived {
	b := e.boxes[t.comm.proc.thread.ID()].Load()
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	heads := b.oldest()
	slices.SortStableFunc(heads, func(a, b *transfer) int { // not by age: then reports of one deadlock would differ
		return cmp.Or(cmp.Compare(t.env.unlike(a.env), t.env.unlike(b.env)), cmp.Compare(a.env.source, b.env.source), cmp.Compare(a.env.tag, b.env.tag))
	})
	list := make([]sched.Unreceived, len(heads))
	for i, m := range heads {
		name := m.comm.core.name
		if m.env.context == t.env.context {
			name = t.comm.label()
		} else if name == t.comm.label() {
			name = "another communicator called " + name
		}
		list[i] = sched.Unreceived{Source: int(m.env.source), Tag: int(m.env.tag), Comm: name, Count: m.row(), Place: m.line.Place()}
	}
	return list
}

// A delivery describes the messages of one sender, tag and communicator that no rank has
// received.
type delivery struct {
	to    []int // receiving ranks of the communicator, in their order in the world
	count int   // number of messages
	place sched.Place
}

// deliveries returns the messages in all mailboxes. A deadlock report calls it, while no
// rank runs; the first call computes the result.
func (e *local) deliveries() map[envelope]*delivery {
	e.found.Do(func() {
		e.delivered = map[envelope]*delivery{}
		for i := range e.boxes {
			if b := e.boxes[i].Load(); b != nil {
				b.deliveries(i, e.delivered)
			}
		}
	})
	return e.delivered
}

// deliveries adds the messages of b, the mailbox of a rank of the world, to all.
func (b *mailbox) deliveries(world int, all map[envelope]*delivery) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.oldest() {
		d := all[m.env]
		if d == nil {
			d = &delivery{place: m.line.Place()}
			all[m.env] = d
		}
		d.to, d.count = append(d.to, m.comm.core.peers().find(world)), d.count+m.row()
	}
}

// elsewhere returns a text that names the other ranks to which the message was sent that t,
// a receive of one source and tag, waits for; empty if there is none.
func (e *local) elsewhere(t *transfer) string {
	d := e.deliveries()[t.env]
	if d == nil {
		return ""
	}
	text, sent, has := "a message", "sent", "has"
	if d.count > 1 {
		text, sent, has = strconv.Itoa(d.count)+" messages", "the first sent", "have"
	}
	slices.Sort(d.to)
	text += fmt.Sprintf(" from rank %d with tag %d on %s for %s", t.env.source, t.env.tag, t.comm.label(), sched.RankList(d.to))
	if at := d.place.String(); at != "" {
		text += " (" + sent + " at " + at + ")"
	}
	return text + " " + has + " not been received"
}

// unlike returns how far a message of envelope m is from what a receive of e takes.
func (e envelope) unlike(m envelope) (steps int) {
	if e.context != m.context {
		steps += 4
	}
	if e.source != AnySource && e.source != m.source {
		steps += 2
	}
	if e.tag != AnyTag && e.tag != m.tag {
		steps++
	}
	return steps
}
