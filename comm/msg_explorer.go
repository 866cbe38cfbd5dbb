package comm

import (
	"slices"

	"github.com/commworld/commworld/internal/sched"
)

// explorer is the carrier of a world that explores. There the message that a receive from any
// source takes is chosen not when a message arrives but when no rank can continue: then all
// messages that it could take have arrived, except those that depend on the choice. Receives from
// one source are matched at once, as everywhere, except that an older receive from any source
// comes first if both match a message. Only one rank runs at a time.
type explorer struct {
	*local
	asked [][]*wildcard // by rank of the world: open, or decided
	sent  []int64       // by rank of the world: number of messages it has sent, to name them
	heads []*transfer   // space for a list of messages
}

func newExplorer(e *local) *explorer {
	return &explorer{local: e, asked: make([][]*wildcard, len(e.boxes)), sent: make([]int64, len(e.boxes))}
}

// send queues the message: the receive that it matches may have a choice.
func (e *explorer) send(t *transfer) (call *transfer) {
	to := t.comm.core.peers().world(int(t.peer))
	b := e.box(to)
	e.numberMessage(t)
	if t.comm.proc.log != nil {
		t.departs(to)
	}
	t.sent = t.comm.proc.thread.Publish(false)
	b.mu.Lock()
	if t.mode == ready {
		r := b.match.receiver(t.env)
		if r == nil || r.env.source == AnySource {
			t.comm.proc.thread.Sched().NoteUntried("whether " + t.String() + " finds its receive posted")
		}
		if r == nil {
			b.mu.Unlock()
			t.fault = unready(t)
			return t
		}
	}
	call = t
	if e.buffers(t) {
		call = t.buffered()
	}
	b.queue(t)
	e.arrived(b, t, to)
	return call
}

// receive asks which message t takes, or matches it if nothing is left to choose.
func (e *explorer) receive(t *transfer) {
	p := t.comm.proc
	if p.box == nil {
		p.box = e.box(p.thread.ID())
	}
	b := p.box
	t.taken = p.thread.Publish(false)
	b.mu.Lock()
	b.post(t)
	if t.env.source != AnySource {
		if m := b.match.message(t.env); m != nil {
			e.matchNow(b, m, sched.Clock{})
		}
		return
	}
	w := e.ask(t, b)
	w.Decision = p.thread.AskLater(w, func(pick int64, after sched.Clock) {
		e.complete(b, t, w.decided(pick), after)
		e.matchRest(b, after)
	})
	if !t.waits { // it may be cancelled
		w.Held()
	}
}

func (e *explorer) cancel(t *transfer) error {
	stopped := e.askCancel(t) != nil // as elsewhere, Cancel works in a world that has ended
	if t.done() {
		return nil // too late, or it moved nothing
	}
	e.close(t)
	if err := e.local.cancel(t); err != nil || stopped || !t.done() {
		return err
	}
	e.matchRest(t.box, t.comm.proc.thread.Clock())
	return nil
}

func (e *explorer) abandon(t *transfer) {
	e.close(t)
	e.local.abandon(t)
}

func (e *explorer) probe(t *transfer, wait, claim bool) (m *transfer, err error) {
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

// A wildcard is the question which message a receive from any source or a probe takes, or, for
// a Cancel of another receive or of a send, whether it has been matched.
type wildcard struct {
	*sched.Decision
	in      *explorer
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
func (e *explorer) ask(t *transfer, b *mailbox) *wildcard {
	w := &wildcard{in: e, box: b, t: t, env: t.env}
	of := &e.asked[t.comm.proc.thread.ID()]
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

// close ends the question of t, if it is a receive: it needs no decision any more.
func (e *explorer) close(t *transfer) {
	if t.sends {
		return
	}
	for _, w := range e.asked[t.comm.proc.thread.ID()] {
		if w.t == t && !w.over {
			w.Close()
			w.end()
		}
	}
}

// numberMessage names the message of t, a send in an exploring world.
func (e *explorer) numberMessage(t *transfer) {
	thread := t.comm.proc.thread
	sent := &e.sent[thread.ID()]
	*sent++
	t.number = int64(thread.ID())<<40 | *sent
	thread.Tick() // so that a poll finds out whether the message must have arrived
}

// arrived reports a message that has come to b, the mailbox of a rank, to those of its
// questions for which it comes too late, and matches it if nothing is left to choose.
func (e *explorer) arrived(b *mailbox, m *transfer, to int) {
	for _, w := range e.asked[to] {
		if w.over && w.env.accepts(m.env) && !slices.Contains(w.had, m.env.source) {
			w.had = append(w.had, m.env.source)
			w.Late(m.number, m.sent)
		}
	}
	e.univ.procs[to].thread.NoteProgress()
	e.matchNow(b, m, sched.Clock{})
}

// askCancel waits until the explorer has chosen whether a call to Cancel of t comes before
// or after the choice which message t takes, if t receives from any source. What else has
// been matched stays so: that Cancel comes before is not tried.
func (e *explorer) askCancel(t *transfer) error {
	thread := t.comm.proc.thread
	if thread.Sched().Ended(thread.ID()) { // a goroutine that the rank has left behind
		return sched.ErrEnded
	}
	of := &e.asked[thread.ID()]
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
func (e *explorer) holdCancel(w *wildcard) error {
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

// matchRest matches messages after a receive from any source has got one or was cancelled;
// after is the clock of that.
func (e *explorer) matchRest(b *mailbox, after sched.Clock) {
	for again := true; again; {
		again = false
		for _, m := range b.match.oldest(nil) {
			again = e.matchNow(b, m, after) || again // the next message may be wanted now
		}
	}
}

// matchNow matches m with a receive from one source, if m is the oldest message that the
// receive accepts and no older receive accepts it.
func (e *explorer) matchNow(b *mailbox, m *transfer, after sched.Clock) bool {
	r := b.match.receiver(m.env)
	if r == nil || r.env.source == AnySource || b.match.message(r.env) != m {
		return false
	}
	e.complete(b, r, m, after)
	return true
}

// complete moves message m to receive r; both are in b.
func (e *explorer) complete(b *mailbox, r, m *transfer, after sched.Clock) {
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
