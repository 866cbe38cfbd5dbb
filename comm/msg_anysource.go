package comm

import (
	"slices"

	"github.com/commworld/commworld/internal/sched"
)

// In an exploring world, the message that a receive from any source takes is chosen not
// when a message arrives but when no rank can continue: then all messages that it could
// take have arrived, except those that depend on the choice. Receives from one source are
// matched at once, as everywhere, except that an older receive from any source comes first
// if both match a message. Only one rank runs at a time.

// questions are those of an exploring world about messages.
type questions struct {
	asked [][]*wildcard // by rank of the world: open, or decided
	sent  []int64       // by rank of the world: number of messages it has sent, to name them
	heads []*transfer   // space for a list of messages
}

// A wildcard is the question which message a receive from any source or a probe takes, or, for
// a Cancel of another receive or of a send, whether it has been matched.
type wildcard struct {
	*sched.Decision
	in      *questions
	box     *mailbox
	t       *transfer // may be in use for another call once w is over
	env     envelope
	over    bool    // it is decided, or needs no decision any more
	text    string  // of t, then
	had     []int32 // sources whose message could have been taken
	cancels bool    // it is the question of a Cancel
}

// String returns the text of a deadlock report for a rank that waits in a probe.
func (w *wildcard) String() string {
	if w.over {
		return w.text
	}
	return w.t.String()
}

// Explain adds to a deadlock report what the probe waits for.
func (w *wildcard) Explain(to *sched.Waiting) {
	if !w.over {
		w.t.Explain(to)
	}
}

// SetDecision lets a probe report late answers.
func (w *wildcard) SetDecision(d *sched.Decision) { w.Decision = d }

// accepts reports whether a receive of envelope e may take a message of envelope m.
func (e envelope) accepts(m envelope) bool { return e == m.as(e.shape()) }

// Answers appends the oldest message of each source that the receive accepts, unless an
// older receive accepts it; for a Cancel, the message that was matched. (P2P-04)
func (w *wildcard) Answers(to []sched.Answer) []sched.Answer {
	switch {
	case w.over || w.cancels && !w.t.done():
		return to
	case w.cancels:
		return append(to, sched.Answer{Pick: w.t.number, Since: w.t.learned()})
	}
	w.had = w.had[:0]
	w.in.heads = w.box.match.oldest(w.in.heads[:0])
	for _, m := range w.in.heads {
		if !w.env.accepts(m.env) || slices.Contains(w.had, m.env.source) {
			continue
		}
		w.had = append(w.had, m.env.source)
		if r := w.box.match.receiver(m.env); r == nil || r == w.t {
			to = append(to, sched.Answer{Pick: m.number, Since: m.sent})
		}
	}
	return to
}

// ask returns the question of t, a receive or probe.
func (e *local) ask(t *transfer, b *mailbox) *wildcard {
	w := &wildcard{in: e.questions, box: b, t: t, env: t.env}
	of := &e.questions.asked[t.comm.proc.thread.ID()]
	*of = append(*of, w)
	return w
}

// decided returns the message of the answer, which is among the oldest; nil if there is none.
func (w *wildcard) decided(pick int64) *transfer {
	w.end()
	for _, m := range w.box.match.oldest(w.in.heads[:0]) {
		if m.number == pick {
			return m
		}
	}
	return nil
}

// end ends w as a question. It stays for messages that come too late.
func (w *wildcard) end() { w.text, w.over = w.t.String(), true }

// close ends the question of t, which needs no decision any more.
func (x *questions) close(t *transfer) {
	for _, w := range x.asked[t.comm.proc.thread.ID()] {
		if w.t == t && !w.over {
			w.Close()
			w.end()
		}
	}
}

// numberMessage names the message of t, a send in an exploring world.
func (e *local) numberMessage(t *transfer) {
	thread := t.comm.proc.thread
	sent := &e.questions.sent[thread.ID()]
	*sent++
	t.number = int64(thread.ID())<<40 | *sent
	thread.Tick() // so that a poll finds out whether the message must have arrived
}

// exploreArrival reports a message that has come to b, the mailbox of a rank, to those of its
// questions for which it comes too late, and matches it if nothing is left to choose.
func (e *local) exploreArrival(b *mailbox, m *transfer, to int) {
	for _, w := range e.questions.asked[to] {
		if w.over && w.env.accepts(m.env) && !slices.Contains(w.had, m.env.source) {
			w.had = append(w.had, m.env.source)
			w.Late(m.number, m.sent)
		}
	}
	e.univ.procs[to].thread.NoteProgress()
	e.matchNow(b, m, sched.Clock{})
}

// exploreCancel waits until the explorer has chosen whether a call to Cancel of t comes before
// or after the choice which message t takes, if t receives from any source. What else has
// been matched stays so: that Cancel comes before is not tried.
func (e *local) exploreCancel(t *transfer) error {
	thread := t.comm.proc.thread
	if thread.Sched().Ended(thread.ID()) { // a goroutine that the rank has left behind
		return sched.ErrEnded
	}
	of := &e.questions.asked[thread.ID()]
	switch {
	case t.peer == ProcNull, t.got.bytes < 0, t.sends && t.number == 0: // a buffered send: Cancel has no effect
		return nil
	case !t.sends && t.env.source == AnySource:
		for _, w := range slices.Backward(*of) { // the last one is about this use of t
			if w.t == t && !w.cancels {
				return e.holdCancel(w)
			}
		}
	}
	w := e.ask(t, nil)
	w.cancels = true
	pick, err := thread.Ask(w, t)
	if err == nil && (pick == sched.None && t.done() || t.sends) {
		thread.Sched().NoteUntried("whether Cancel of " + t.String() + " comes before or after it is matched")
	}
	w.end()
	if err != nil || t.done() || t.sends {
		*of = slices.DeleteFunc(*of, func(o *wildcard) bool { return o == w }) // no message can come too late for it
	}
	return err
}

// holdCancel lets the explorer order a Cancel with the choice w. The choice comes first if the
// rank knows of a message to take.
func (e *local) holdCancel(w *wildcard) error {
	thread := w.t.comm.proc.thread
	_, err := thread.Ask(sched.Ways{Stringer: w.t, On: w.Held(), Count: func() int {
		for _, a := range w.Answers(nil) {
			if thread.Clock().CoversEvent(a.Since) {
				return 0
			}
		}
		return 1
	}}, nil)
	return err
}

// exploreReceive asks which message t takes, a receive that has been posted in b, or matches
// it if nothing is left to choose.
func (e *local) exploreReceive(b *mailbox, t *transfer) {
	if t.env.source == AnySource {
		w := e.ask(t, b)
		w.Decision = t.comm.proc.thread.AskLater(w, func(pick int64, after sched.Clock) {
			e.complete(b, t, w.decided(pick), after)
			e.matchRest(b, after)
		})
		if !t.waits { // it may be cancelled
			w.Held()
		}
	} else if m := b.match.message(t.env); m != nil {
		e.matchNow(b, m, sched.Clock{})
	}
}

// matchRest matches messages after a receive from any source has got one or was cancelled;
// after is the clock of that.
func (e *local) matchRest(b *mailbox, after sched.Clock) {
	for again := true; again; {
		again = false
		for _, m := range b.match.oldest(nil) {
			again = e.matchNow(b, m, after) || again // the next message may be wanted now
		}
	}
}

// matchNow matches m with a receive from one source, if m is the oldest message that the
// receive accepts and no older receive accepts it.
func (e *local) matchNow(b *mailbox, m *transfer, after sched.Clock) bool {
	r := b.match.receiver(m.env)
	if r == nil || r.env.source == AnySource || b.match.message(r.env) != m {
		return false
	}
	e.complete(b, r, m, after)
	return true
}

// complete moves message m to receive r; both are in b.
func (e *local) complete(b *mailbox, r, m *transfer, after sched.Clock) {
	b.match.withdraw(r)
	b.match.withdraw(m)
	deliver(r, m, false)
	r.sent = r.sent.After(after)
	r.comm.proc.thread.NoteProgress()
	if !m.eager {
		m.taken = m.taken.After(r.taken).After(after)
		m.comm.proc.thread.NoteProgress()
	}
	m.received()
	r.finish()
}

// exploreProbe is probe in an exploring world.
func (e *local) exploreProbe(t *transfer, wait, claim bool) (m *transfer, err error) {
	thread := t.comm.proc.thread
	b := e.box(thread.ID())
	w := e.ask(t, b)
	var pick int64
	if wait {
		pick, err = thread.Ask(w, nil)
	} else {
		pick, err = thread.Ask(w, w.env)
	}
	if err != nil {
		return nil, err
	}
	if m = w.decided(pick); m != nil {
		b.found(t, m, claim)
	}
	return m, nil
}

// mostOpen bounds how many requests a call may choose from when every choice is tried.
const mostOpen = 60
