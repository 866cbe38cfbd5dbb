package comm

import (
	"github.com/commworld/commworld/internal/sched"
)

// A completed operation is a nonblocking message that was complete before its call
// returned: a send that was buffered or found its receive, or a receive that found its
// message. The record of the request keeps only its result and not its transfer, which is
// several times as large: so a window of messages stays in the nearest cache.
type completed record

// An ending is the result of a completed operation, and its description.
type ending struct {
	call      string
	peer, tag int32 // as the caller gave them
	got       receipt
	seen      sched.Clock // clock that the rank joins when it asks for the result
	sends     bool
	noStatus  bool // it has neither status nor clock: a send that was not synchronous
}

// setCompleted makes t, which is complete without a fault, the completed operation of r.
func (r *record) setCompleted(t *transfer) {
	x := &r.ending
	x.call, x.peer, x.tag, x.sends = t.call, t.peer, t.tag, t.sends
	if x.noStatus = t.sends && t.mode != synchronous && t.peer != ProcNull; !x.noStatus {
		x.got, x.seen = t.got, t.learned()
	}
	r.op = (*completed)(r)
}

// fill fills in the status st, which is zero, and joins the operation's clock into that of
// the rank.
func (x *ending) fill(st *Status, p *process) {
	if !x.noStatus {
		x.got.fill(st, p.arch)
		p.thread.Join(x.seen)
	}
}

// String returns the text of a report about a request that was never completed.
func (s *completed) String() string {
	x := &s.ending
	return (&transfer{call: x.call, comm: s.comm, sends: x.sends, peer: x.peer, tag: x.tag}).String()
}

func (s *completed) title() string { return s.ending.call }
func (s *completed) done() bool    { return true }
func (s *completed) expect() bool  { return false }
func (s *completed) abandon()      {}
func (s *completed) cancel() error { return nil } // too late: it is complete

func (s *completed) outcome(*sched.Line) (st Status, err error) {
	s.ending.fill(&st, s.comm.proc)
	return st, nil
}
