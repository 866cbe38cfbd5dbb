package comm

import (
	"cmp"
	"slices"

	"github.com/commworld/commworld/internal/sched"
)

// unmatched lists the messages in the mailbox of the rank of t, a receive that waits for
// another one, those most like that one first. No receive of the rank matches them. It
// is for the report of a deadlock, when no rank runs.
func (e *local) unmatched(t *transfer) []sched.Unreceived {
	b := e.boxes[t.comm.proc.thread.ID()].Load()
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.putBack()
	heads, count := b.match.oldest(), (*transfer).row
	if b.open != nil {
		rows := map[envelope]int{}
		for _, m := range b.open.arrived {
			if rows[m.env]++; rows[m.env] == 1 {
				heads = append(heads, m)
			}
		}
		count = func(m *transfer) int { return rows[m.env] }
	}
	slices.SortStableFunc(heads, func(a, b *transfer) int { // not by age: it would make different reports of one deadlock
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
		list[i] = sched.Unreceived{Source: int(m.env.source), Tag: int(m.env.tag), Comm: name, Count: count(m), Place: m.line.Place()}
	}
	return list
}

// unlike says how far a message of envelope m is from what a receive of e takes.
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
