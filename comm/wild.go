package comm

import (
	"fmt"
	"slices"

	"github.com/commworld/commworld/internal/sched"
)

// In a world that explores its schedules, which message a receive from any
// source takes is not decided when one arrives but when no rank can go on: then
// all that could be taken are there, but for those that wait for the decision.
// Receives from one source are served at once, as everywhere, except that an
// older receive from any source comes first where both want a message.

// An openBox is the mailbox of a rank in such a world. Everything in it is in
// order of age. Only one rank runs at a time, and few messages are queued, so
// it is as plain as the rules: it is also what the hashed matcher is compared
// with.
type openBox struct {
	posted  []*transfer
	arrived []*transfer
	wild    []*wildcard // from any source: open, or decided
	sent    int64       // messages of this rank, to name them
}

// A wildcard is the question which message a receive or probe from any source
// takes.
type wildcard struct {
	*sched.Decision
	box  *openBox
	t    *transfer // nil once decided
	env  envelope
	text string
	had  []int32 // sources a message of which could have been taken
}

// String is what a deadlock report says about a rank that waits in a probe.
func (w *wildcard) String() string {
	if w.t != nil {
		return w.t.String()
	}
	return w.text
}

// Explain is that of the probe.
func (w *wildcard) Explain(to *sched.Waiting) {
	if w.t != nil {
		w.t.Explain(to)
	}
}

// Tell lets a probe report late answers.
func (w *wildcard) Tell(d *sched.Decision) { w.Decision = d }

// accepts says whether a receive of envelope e may take a message of envelope m.
func (e envelope) accepts(m envelope) bool {
	return e.context == m.context && (e.source == AnySource || e.source == m.source) && (e.tag == AnyTag || e.tag == m.tag)
}

// Answers are the oldest messages of each source that it accepts, if no older
// receive does. (P2P-04)
func (w *wildcard) Answers(to []sched.Answer) []sched.Answer {
	if w.t == nil {
		return to
	}
	w.had = w.had[:0]
	for _, m := range w.box.arrived {
		if !w.env.accepts(m.env) || slices.Contains(w.had, m.env.source) {
			continue
		}
		w.had = append(w.had, m.env.source)
		if !w.box.wanted(m, w.t) {
			to = append(to, sched.Answer{Pick: m.number, Since: m.sent})
		}
	}
	return to
}

// wanted says whether a receive older than t, which may be queued, accepts m.
func (x *openBox) wanted(m, t *transfer) bool {
	for _, r := range x.posted {
		if r == t {
			return false
		}
		if r.env.accepts(m.env) {
			return true
		}
	}
	return false
}

// lay puts what nobody has received where a world's end looks for it.
func (x *openBox) lay(to *matcher) {
	for _, m := range x.arrived {
		to.arrive(m)
	}
	x.arrived = nil
}

// find returns the message with a number.
func (x *openBox) find(number int64) *transfer {
	for _, m := range x.arrived {
		if m.number == number {
			return m
		}
	}
	return nil
}

// ask makes the question of a receive or probe.
func (x *openBox) ask(t *transfer) *wildcard {
	w := &wildcard{box: x, t: t, env: t.env}
	x.wild = append(x.wild, w)
	return w
}

// decided remembers w for messages that come too late.
func (w *wildcard) decided() {
	w.text = w.t.String()
	w.t = nil
}

// openBox returns the mailbox of a rank.
func (e *local) openBox(world int) *openBox {
	b := e.box(world)
	if b.open == nil {
		b.open = new(openBox)
	}
	return b.open
}

// sendOpen is send in a world that explores.
func (e *local) sendOpen(t *transfer) {
	if t.line == nil {
		t.line = t.comm.proc.line(3) // as in send
	}
	to := t.comm.core.peers().world(int(t.peer))
	b, own := e.box(to), e.openBox(t.comm.proc.thread.ID())
	x := e.openBox(to)
	own.sent++
	t.number = int64(t.comm.proc.thread.ID())<<40 | own.sent
	if t.comm.proc.log != nil {
		t.departs(to)
	}
	t.comm.proc.thread.Tick() // so that a poll can tell whether the message must be there
	t.sent, t.taken = t.comm.proc.thread.Now(), sched.Clock{}
	m := t
	if t.mode == ready && !slices.ContainsFunc(x.posted, func(r *transfer) bool { return r.env.accepts(t.env) }) {
		t.fault = unready(t)
		return
	}
	if size := t.data.size(); e.buffers(t, size) {
		m = t.buffered(size)
	} else {
		t.box = b
		t.open()
	}
	x.arrived = append(x.arrived, m)
	m.queued = inArrived
	for _, w := range x.wild {
		if w.t == nil && w.env.accepts(m.env) && !slices.Contains(w.had, m.env.source) {
			w.had = append(w.had, m.env.source)
			w.Late(m.number, m.sent)
		}
	}
	thread := e.univ.procs[to].thread
	thread.Touch()
	if b.probing != nil {
		b.probing = nil
		thread.Wake()
	}
	e.settle(x, sched.Clock{})
}

// receiveOpen is receive in a world that explores.
func (e *local) receiveOpen(t *transfer) {
	thread := t.comm.proc.thread
	x := e.openBox(thread.ID())
	t.box, t.taken = e.box(thread.ID()), thread.Now()
	t.open()
	t.queued = inPosted
	x.posted = append(x.posted, t)
	if t.env.source == AnySource {
		w := x.ask(t)
		w.Decision = thread.Open(w, func(pick int64, after sched.Clock) {
			w.decided()
			m := x.find(pick)
			x.withdraw(t)
			e.complete(x, t, m, after)
			e.settle(x, after)
		})
	}
	e.settle(x, sched.Clock{})
}

// settle serves the receives from one source that can be. after is the decision
// that made it possible, if one did.
func (e *local) settle(x *openBox, after sched.Clock) {
	for i := 0; i < len(x.posted); i++ {
		r := x.posted[i]
		if r.env.source == AnySource {
			continue
		}
		k := slices.IndexFunc(x.arrived, func(m *transfer) bool { return r.env.accepts(m.env) })
		if k < 0 || x.wanted(x.arrived[k], r) {
			continue
		}
		m := x.arrived[k]
		x.withdraw(r)
		e.complete(x, r, m, after)
		i = -1 // what it wanted may now be another's
	}
}

// complete moves message m to receive r, which is no longer queued.
func (e *local) complete(x *openBox, r, m *transfer, after sched.Clock) {
	x.withdraw(m)
	arrival := m.sent
	deliver(r, m, false)
	r.sent = arrival.After(after)
	r.comm.proc.thread.Touch()
	if m.eager {
		m.recycle()
	} else {
		m.taken = m.taken.After(r.taken).After(after)
		m.comm.proc.thread.Touch()
		m.finish()
	}
	r.finish()
}

// withdraw takes a transfer out of whichever queue it is in.
func (x *openBox) withdraw(t *transfer) bool {
	was := t.queued
	t.queued = inNone
	same := func(o *transfer) bool { return o == t }
	switch was {
	case inPosted:
		x.posted = slices.DeleteFunc(x.posted, same)
		for i, w := range x.wild {
			if w.t == t { // it will not be decided
				w.Close()
				x.wild = slices.Delete(x.wild, i, i+1)
				break
			}
		}
	case inArrived:
		x.arrived = slices.DeleteFunc(x.arrived, same)
	}
	return was != inNone
}

// probeOpen is probe in a world that explores.
func (e *local) probeOpen(t *transfer, wait, claim bool) (*transfer, error) {
	thread := t.comm.proc.thread
	x := e.openBox(thread.ID())
	w := x.ask(t)
	var pick int64
	var err error
	if wait {
		pick, err = thread.Ask(w)
	} else {
		pick, err = thread.Poll(w, w.env)
	}
	if err != nil {
		return nil, err
	}
	m := x.find(pick)
	w.decided()
	if m != nil {
		t.got, t.sent = probed(t, m), m.sent
		if claim {
			x.withdraw(m)
			m.queued, m.box = inHand, e.box(thread.ID())
		}
	}
	return m, nil
}

// whether is the question of a Test: is an operation complete?
type whether struct{ operation }

func (q whether) Explain(w *sched.Waiting) { explain(w, q.operation) }

func (q whether) Answers(to []sched.Answer) []sched.Answer {
	if near(q.operation) {
		to = append(to, sched.Answer{Since: since(q.operation)})
	}
	return to
}

// since is the clock of what completed an operation, if that is known.
func since(op operation) sched.Clock {
	if t, ok := op.(*transfer); ok {
		return t.learned()
	}
	return sched.Clock{}
}

// among is the question which of several operations a call completes.
type among struct {
	ops   []operation // nil where there is none
	call  string      // what a deadlock report says
	which answers
	all   bool     // one that is not done leaves no answer
	of    *several // while the rank waits
}

// answers says which sets of operations a call may complete when those are done.
type answers func(done []int, to []sched.Answer, op func(i int) sched.Clock) []sched.Answer

// mostOpen bounds how many requests a call may choose from when every choice is
// tried.
const mostOpen = 60

// ask lets the world choose which of its operations s finds done.
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
		pick, err := p.thread.Ask(q)
		s.chosen = q.chosen(pick)
		return err
	}
	pick, err := p.thread.Poll(q, s.reqs[0])
	if pick == sched.None {
		s.chosen = func(int) bool { return false }
	} else if !s.all {
		s.chosen = q.chosen(pick)
	}
	return err
}

// chosen says which operations a pick stands for.
func (q *among) chosen(pick int64) func(i int) bool {
	return func(i int) bool { return pick>>i&1 != 0 }
}

func (q *among) String() string { return q.call }

func (q *among) Explain(w *sched.Waiting) { q.of.Explain(w) }

func (q *among) Answers(to []sched.Answer) []sched.Answer {
	var done []int
	for i, op := range q.ops {
		if op != nil && near(op) {
			done = append(done, i)
		}
	}
	if len(done) == 0 || q.all && slices.ContainsFunc(q.ops, func(op operation) bool { return op != nil && !near(op) }) {
		return to
	}
	return q.which(done, to, func(i int) sched.Clock { return since(q.ops[i]) })
}

// anyOne is an answer for each operation that is done.
func anyOne(done []int, to []sched.Answer, op func(i int) sched.Clock) []sched.Answer {
	for _, i := range done {
		to = append(to, sched.Answer{Pick: 1 << i, Since: op(i)})
	}
	return to
}

// anySet is an answer for each set of operations that are done.
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

// everyOne is an answer if all operations are done.
func everyOne(done []int, to []sched.Answer, op func(i int) sched.Clock) []sched.Answer {
	a := sched.Answer{}
	for _, i := range done {
		a.Since = a.Since.Join(op(i))
	}
	return append(to, a)
}
