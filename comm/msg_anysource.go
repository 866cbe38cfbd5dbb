package comm

import (
	"slices"

	"github.com/commworld/commworld/internal/sched"
)

// In an exploring world, the message that a receive from any source takes is chosen not
// when a message arrives but when no rank can continue: then all messages that it could
// take have arrived, except those that depend on the choice. Receives from one source are
// matched at once, as everywhere, except that an older receive from any source comes first
// if both match a message.

// An openBox is the mailbox of a rank in an exploring world. All its lists are ordered by
// age. Only one rank runs at a time and few messages are queued, so it follows the rules
// directly; the hashed matcher is compared with it.
type openBox struct {
	posted  []*transfer
	arrived []*transfer
	wild    []*wildcard // receives from any source: open, or decided
	sent    int64       // number of messages sent by this rank, to name them
}

// A wildcard is the question which message a receive or probe from any source takes.
type wildcard struct {
	*sched.Decision
	box  *openBox
	t    *transfer // nil once decided
	env  envelope
	text string
	had  []int32 // sources whose message could have been taken
}

// String returns the text of a deadlock report for a rank that waits in a probe.
func (w *wildcard) String() string {
	if w.t != nil {
		return w.t.String()
	}
	return w.text
}

// Explain adds to a deadlock report what the probe waits for.
func (w *wildcard) Explain(to *sched.Waiting) {
	if w.t != nil {
		w.t.Explain(to)
	}
}

// SetDecision lets a probe report late answers.
func (w *wildcard) SetDecision(d *sched.Decision) { w.Decision = d }

// accepts reports whether a receive of envelope e may take a message of envelope m.
func (e envelope) accepts(m envelope) bool {
	return e.context == m.context && (e.source == AnySource || e.source == m.source) && (e.tag == AnyTag || e.tag == m.tag)
}

// Answers appends the oldest message of each source that the receive accepts, unless an
// older receive accepts it. (P2P-04)
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

// wanted reports whether a receive older than t, which may be queued, accepts m.
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

// lay moves messages that no rank has received to a matcher, where the end of the world
// looks for them.
func (x *openBox) lay(to *matcher) {
	for _, m := range x.arrived {
		to.arrive(m)
	}
	x.arrived = nil
}

// find returns the message with the given number.
func (x *openBox) find(number int64) *transfer {
	for _, m := range x.arrived {
		if m.number == number {
			return m
		}
	}
	return nil
}

// ask returns the question of a receive or probe.
func (x *openBox) ask(t *transfer) *wildcard {
	w := &wildcard{box: x, t: t, env: t.env}
	x.wild = append(x.wild, w)
	return w
}

// decided remembers w, for messages that come too late.
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

// sendOpen is send in an exploring world.
func (e *local) sendOpen(t *transfer) (call *transfer) {
	to := t.comm.core.peers().world(int(t.peer))
	b, own := e.box(to), e.openBox(t.comm.proc.thread.ID())
	x := e.openBox(to)
	own.sent++
	t.number = int64(t.comm.proc.thread.ID())<<40 | own.sent
	if t.comm.proc.log != nil {
		t.departs(to)
	}
	t.comm.proc.thread.Tick() // so that a poll finds out whether the message must have arrived
	t.sent, t.taken = t.comm.proc.thread.Now(), sched.Clock{}
	if t.mode == ready && !slices.ContainsFunc(x.posted, func(r *transfer) bool { return r.env.accepts(t.env) }) {
		t.fault = unready(t)
		return t
	}
	if call = t; e.buffers(t) {
		call = t.buffered()
	} else {
		t.box = b
		t.open()
	}
	x.arrived = append(x.arrived, t)
	t.queued = inArrived
	for _, w := range x.wild {
		if w.t == nil && w.env.accepts(t.env) && !slices.Contains(w.had, t.env.source) {
			w.had = append(w.had, t.env.source)
			w.Late(t.number, t.sent)
		}
	}
	thread := e.univ.procs[to].thread
	thread.Touch()
	if b.probing != nil {
		b.probing = nil
		thread.Wake()
	}
	e.matchAll(x, sched.Clock{})
	return call
}

// receiveOpen is receive in an exploring world.
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
			e.matchAll(x, after)
		})
	}
	e.matchAll(x, sched.Clock{})
}

// matchAll matches the receives from one source that have a message. after is the clock of
// the decision that made this possible, if there was one.
func (e *local) matchAll(x *openBox, after sched.Clock) {
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
		i = -1 // another receive may now want its message
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

// withdraw takes a transfer out of any queue it is in, and reports whether it was in one.
func (x *openBox) withdraw(t *transfer) bool {
	was := t.queued
	t.queued = inNone
	same := func(o *transfer) bool { return o == t }
	switch was {
	case inPosted:
		x.posted = slices.DeleteFunc(x.posted, same)
		for i, w := range x.wild {
			if w.t == t { // it needs no decision any more
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

// probeOpen is probe in an exploring world.
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
			m.queued, m.box = inClaimed, e.box(thread.ID())
		}
	}
	return m, nil
}

// mostOpen bounds how many requests a call may choose from when every choice is tried.
const mostOpen = 60
