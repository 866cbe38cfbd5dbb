package comm

import (
	"fmt"
	"slices"

	"github.com/commworld/commworld/internal/sched"
)

// whether is the question of a Test: is the operation complete?
type whether struct{ operation }

func (q whether) Explain(w *sched.Waiting) { explain(w, q.operation) }

func (q whether) Answers(to []sched.Answer) []sched.Answer {
	if canComplete(q.operation) {
		to = append(to, sched.Answer{Since: since(q.operation)})
	}
	return to
}

func (e *explorer) look(q *Request) (may bool, err error) {
	pick, err := q.comm.proc.thread.Ask(whether{q.op}, (*asked)(q))
	return pick != sched.None, err
}

func (e *explorer) lookAtPart(x *partitioned, i int) (may bool, err error) {
	part := partition{x, i}
	pick, err := x.comm.proc.thread.Ask(part, part)
	return pick != sched.None, err
}

func (e *explorer) lookAtAny(s *several, p *process, which answers, _ bool) error {
	return s.ask(p, which, true)
}

func (e *explorer) waitAny(s *several, p *process, which answers) error {
	return s.ask(p, which, false)
}

// since returns the clock of the event that completed an operation, if known.
func since(op operation) sched.Clock {
	switch o := op.(type) {
	case *transfer:
		return o.learned()
	case *external:
		if w, ok := o.work.(foreseer); ok && !o.finished {
			return w.Since()
		}
	}
	return sched.Clock{}
}

// among is the question which of several operations a call completes.
type among struct {
	ops   []operation // nil in place of one that does not take part
	call  string      // text of a deadlock report
	which answers
	all   bool     // the call needs all operations: if one is not done there is no answer
	of    *several // set while the rank waits
}

// answers appends the sets of operations that a call may complete when the given ones are
// done.
type answers func(done []int, to []sched.Answer, op func(i int) sched.Clock) []sched.Answer

// mostOpen bounds how many requests a call may choose from when every choice is tried.
const mostOpen = 60

// ask lets the explorer choose which of its operations s finds done.
func (s *several) ask(p *process, which answers, poll bool) error {
	q := &among{ops: make([]operation, len(s.reqs)), call: s.String(), which: which, all: s.all, of: s}
	for i, r := range s.reqs {
		if r.pending() {
			q.ops[i] = r.op
		}
	}
	if len(q.ops) > mostOpen && !s.all {
		return fmt.Errorf("exploring %s of %d requests: at most %d can be chosen from", s.call, len(q.ops), mostOpen)
	}
	if !poll {
		pick, err := p.thread.Ask(q, nil)
		s.chosen = q.chosen(pick)
		return err
	}
	pick, err := p.thread.Ask(q, s.reqs[0])
	if pick == sched.None {
		s.chosen = func(int) bool { return false }
	} else if !s.all {
		s.chosen = q.chosen(pick)
	}
	return err
}

// chosen returns a function that reports whether a pick includes operation i.
func (q *among) chosen(pick int64) func(i int) bool {
	return func(i int) bool { return pick>>i&1 != 0 }
}

func (q *among) String() string { return q.call }

func (q *among) Explain(w *sched.Waiting) { q.of.Explain(w) }

func (q *among) Answers(to []sched.Answer) []sched.Answer {
	var done []int
	for i, op := range q.ops {
		if op != nil && canComplete(op) {
			done = append(done, i)
		}
	}
	if len(done) == 0 || q.all && slices.ContainsFunc(q.ops, func(op operation) bool { return op != nil && !canComplete(op) }) {
		return to
	}
	return q.which(done, to, func(i int) sched.Clock { return since(q.ops[i]) })
}

// anyOne appends an answer for each operation that is done.
func anyOne(done []int, to []sched.Answer, op func(i int) sched.Clock) []sched.Answer {
	for _, i := range done {
		to = append(to, sched.Answer{Pick: 1 << i, Since: op(i)})
	}
	return to
}

// anySet appends an answer for each set of operations that are done.
func anySet(done []int, to []sched.Answer, op func(i int) sched.Clock) []sched.Answer {
	for set := 1; set < 1<<len(done); set++ {
		a := sched.Answer{}
		for k, i := range done {
			if set>>k&1 != 0 {
				a.Pick |= 1 << i
				a.Since = op(i).After(a.Since)
			}
		}
		to = append(to, a)
	}
	return to
}

// everyOne appends one answer if all operations are done.
func everyOne(done []int, to []sched.Answer, op func(i int) sched.Clock) []sched.Answer {
	a := sched.Answer{}
	for _, i := range done {
		a.Since = a.Since.Join(op(i))
	}
	return append(to, a)
}
