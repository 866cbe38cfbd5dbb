package comm

import (
	"github.com/commworld/commworld/internal/sched"
)

// A settled operation is a nonblocking message that was complete before its
// call returned: a send that was buffered or found its receive, a receive that
// found its message. Of its transfer, which is several times as large, only its
// result is left, in the record of the request: so a window of messages stays
// in the nearest cache until the program asks for it.
type settled record

// An ending is what a settled operation did, and what it was.
type ending struct {
	call      string
	peer, tag int32 // as the caller gave them
	got       receipt
	seen      sched.Clock // what the rank knows once it asks
	sends     bool
	mute      bool // there is neither status nor clock: a send that was not synchronous
}

// settle makes t, which is complete without a fault, a settled operation of r.
func (r *record) settle(t *transfer) {
	x := &r.ending
	x.call, x.peer, x.tag, x.sends = t.call, t.peer, t.tag, t.sends
	if x.mute = t.sends && t.mode != synchronous && t.peer != ProcNull; !x.mute {
		x.got, x.seen = t.got, t.learned()
	}
	r.op = (*settled)(r)
}

// tell makes st, which is zero, the status, and what happened before known to the
// rank.
func (x *ending) tell(st *Status, p *process) {
	if !x.mute {
		x.got.fill(st, p.arch)
		p.thread.Join(x.seen)
	}
}

// String is what a report says about a request that nobody completed.
func (s *settled) String() string {
	x := &s.ending
	return (&transfer{call: x.call, comm: s.comm, sends: x.sends, peer: x.peer, tag: x.tag}).String()
}

func (s *settled) title() string { return s.ending.call }
func (s *settled) done() bool    { return true }
func (s *settled) expect() bool  { return false }
func (s *settled) abandon()      {}
func (s *settled) cancel() error { return nil } // too late

func (s *settled) outcome(*sched.Line) (st Status, err error) {
	s.ending.tell(&st, s.comm.proc)
	return st, nil
}

// messages returns the rank of reqs if they are plain messages of one,
// which is what most calls on several requests are about.
func messages(reqs []*Request) *process {
	var p *process
	for _, q := range reqs {
		if !q.pending() || q.cycle != nil {
			return nil
		}
		switch q.op.(type) {
		case *transfer, *settled:
		default:
			return nil
		}
		if p == nil {
			p = q.comm.proc
		} else if q.comm.proc != p {
			return nil
		}
	}
	if p == nil || !p.plain || p.taken() || p.thread.Mine() != nil {
		return nil
	}
	return p
}

// waitMessages is WaitAll of messages.
func (p *process) waitMessages(reqs []*Request) ([]Status, error) {
	p.settle()
	if stop := p.awaitMessages(reqs); stop != nil {
		return (&several{call: "WaitAll", reqs: reqs}).completeAll(stop)
	}
	sts := make([]Status, len(reqs))
	var f failures
	for i, q := range reqs {
		if !q.pending() { // it is there twice
			sts[i] = emptyStatus(AnySource)
			continue
		}
		t, ok := q.op.(*transfer)
		switch {
		case !ok:
			q.finish(&sts[i], p)
		case t.fault == nil && t.guard == nil: // what unhandled does then
			t.learn()
			t.fill(&sts[i])
			p.delist(q.record)
			p.reclaim(q)
			p.give(t)
		default:
			c := q.comm
			var err error
			sts[i], err = c.unhandled(q, false)
			f.note(&sts[i], c, err)
		}
	}
	return sts, f.err("WaitAll")
}

// awaitMessages is awaitAll of messages.
func (p *process) awaitMessages(reqs []*Request) (stop error) {
	var s *several // once there is something to wait for
	for i := len(reqs) - 1; i >= 0 && stop == nil; i-- {
		t, ok := reqs[i].op.(*transfer)
		if !ok || t.completion.done() {
			continue
		}
		if s == nil {
			s = p.waits("WaitAll", reqs, true)
		}
		p.thread.Yield()
		for stop == nil && !t.completion.done() {
			if t.expect() {
				stop = p.thread.ParkNow(s)
			}
		}
	}
	if s != nil {
		s.finish()
	}
	return stop
}

// slab is how many requests are made at a time: what a window of messages
// needs. A complete one has no record, so all that one of them keeps alive is
// words.
const slab = 64

// fresh makes the request of a message where messages are plain; it loses its
// record when it is complete. A transfer that is done with is given back at once.
func (p *process) fresh(t *transfer) *Request {
	q := p.unused()
	if t.completion.done() && t.fault == nil && t.guard == nil { // in this order: until it is done others may touch it
		q.settle(t)
		q.stand(t.comm, q.op)
		p.give(t)
	} else {
		q.stand(t.comm, t)
	}
	return q
}

// unused returns a request that nobody has, with a record.
func (p *process) unused() *Request {
	if len(p.blank) == 0 {
		p.blanks = min(2*p.blanks+1, slab)
		p.blank = make([]Request, p.blanks)
	}
	q := &p.blank[0]
	p.blank = p.blank[1:]
	q.record = p.record()
	return q
}

// record returns a spare record, or a new one; reclaim takes the one of q, which
// is complete and delisted, for another request.
func (p *process) record() *record {
	r := p.records
	if r == nil {
		return new(record)
	}
	p.records, r.next = r.next, nil
	p.recorded--
	return r
}

func (p *process) reclaim(q *Request) {
	r := q.record
	q.record = nil
	r.active, r.op, r.line = false, nil, nil
	if p.recorded < mostSpare {
		r.next, p.records = p.records, r
		p.recorded++
	}
}
