package comm

import (
	"errors"
	"fmt"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/trace"
)

// departs logs that t is sent to a rank of the world, before the clock is read.
func (t *transfer) departs(to int) {
	l := t.comm.proc.log
	if n := l.CountSend(to, t.data.size()); t.number == 0 {
		t.number = n
	}
	if r := l.Recorder(); r != nil {
		r.Send(l.Rank(), to, t.data.size(), t.number, l.Place())
	}
	if l.Keeps() {
		e := t.event()
		e.Kind, e.Message, e.Far = trace.Out, t.number, to
		l.Point(e)
	}
}

// arrived logs that t has received a message, if it has.
func (t *transfer) arrived() {
	l := t.comm.proc.log
	if t.sends || t.number == 0 || t.got.bytes < 0 {
		return
	}
	l.CountReceive(t.got.bytes)
	if r := l.Recorder(); r != nil {
		r.Receive(l.Rank(), t.number, l.Place())
	}
	if l.Keeps() {
		e := t.event()
		e.Kind, e.Peer, e.Tag, e.Bytes, e.Message = trace.In, int(t.got.source), int(t.got.tag), t.got.bytes, t.number
		if t.comm.core.native != nil {
			e.Far = t.comm.core.peers().world(e.Peer)
		}
		l.Point(e)
	}
	t.number = 0
}

// logEnd logs the end of the call of t, which began at m.
func (t *transfer) logEnd(m trace.Mark) {
	l := t.comm.proc.log
	if !l.Keeps() {
		return
	}
	e := t.event()
	switch {
	case t.fault != nil:
		e.Failed = t.fault.Class.Error()
	case !t.done():
		e.Failed = trace.Ended
	case !t.sends && t.peer != ProcNull:
		e.Peer, e.Tag, e.Bytes = int(t.got.source), int(t.got.tag), t.got.bytes
	}
	l.End(m, e)
}

// event returns the call of t as the log keeps it. A rank that completes t may be running
// at the same time.
func (t *transfer) event() trace.Event {
	e := trace.Plain("message", t.call, t.comm.label())
	e.Peer, e.Tag = int(t.peer), int(t.tag)
	if t.sends {
		e.Bytes = t.data.size()
	}
	return e
}

// logEnd logs the end of a call that began at m and started or completed q.
func (q *Request) logEnd(l *trace.Log, call string, m trace.Mark, err error) {
	if !l.Keeps() {
		return
	}
	e := trace.Plain("wait", call, "")
	if q != nil && q.record != nil && q.comm != nil {
		e.Object = q.comm.label()
		switch t, ok := q.op.(*transfer); {
		case q.op == nil:
		case !ok:
			e.Detail = q.op.String()
		case call == t.call:
			e = t.event()
		default:
			e.Detail = t.String()
		}
	}
	e.Failed = failureOf(err)
	l.End(m, e)
}

// started logs the end of the call that started t and began at m.
func (t *transfer) started(m trace.Mark) {
	(&Request{record: &record{op: t, comm: t.comm}}).logEnd(t.comm.proc.log, t.call, m, nil)
}

// waitLogged is Wait with a log.
func (q *Request) waitLogged(l *trace.Log) (st Status, err error) {
	m := l.Begin()
	if err = q.await(); err != nil {
		err = q.give(err)
	} else {
		st, err = q.complete()
	}
	q.logEnd(l, "Wait", m, err)
	return st, err
}

// logEnd logs the end of a call on several requests. A poll that found nothing is not
// logged.
func (s *several) logEnd() {
	done := 0
	for _, q := range s.reqs {
		if q != nil && !q.pending() {
			done++
		}
	}
	if done == 0 {
		return
	}
	e := trace.Plain("wait", s.call, "")
	e.Detail = fmt.Sprintf("%d of %d requests are complete", done, len(s.reqs))
	s.log.End(s.mark, e)
}

// completed logs that the operation of a request has ended.
func (p *process) completed(op operation) {
	switch x := op.(type) {
	case *transfer:
		x.arrived()
	case *exchange:
		x.in.arrived()
	case *partitioned:
		if !x.sends && x.peer != ProcNull {
			p.log.CountReceive(x.data.size())
			if r := p.log.Recorder(); r != nil {
				r.Receive(p.log.Rank(), partMessage{x.channel, x.round}, p.log.Place())
			}
		}
	case *call:
		x.left(x.fate.errorOf(x))
	case *creation:
		x.left(x.fate.errorOf(x.call))
	}
}

// name returns the kind of call that the log counts k as.
func (k *call) name() trace.Call {
	if k.made != nil && k.made.call != "" {
		return trace.Call{Name: k.made.call}
	}
	switch {
	case k.called() == started:
		return trace.Call{Prefix: "I", Name: k.routine.name}
	case k.form == lasting && k.line != nil: // a start of a prepared call
		return trace.Call{Name: k.routine.name, Suffix: " by Start"}
	case k.form == lasting:
		return trace.Call{Name: k.routine.name, Suffix: "Init"}
	}
	return trace.Call{Name: k.routine.name}
}

// given returns how many bytes k's rank brings.
func (k *call) given() int64 {
	if k.sends.how != apart {
		return k.send.size()
	}
	sum := int64(0)
	for i := range k.sends.each {
		sum += k.sends.each[i].size()
	}
	return sum
}

// logs returns the log for k, nil if k is not to be logged. A part of another call, such as
// the communicator of a file, is logged by that call.
func (k *call) logs() *trace.Log {
	if k.made != nil && k.made.outer.into != nil {
		return nil
	}
	return k.comm.proc.log
}

// entered logs that the rank comes to k, before the clock is read.
func (k *call) entered() trace.Mark {
	l := k.logs()
	if l == nil {
		return trace.Mark{}
	}
	m := l.Begin()
	if k.form == started || k.form == lasting && k.line != nil {
		k.record(l, trace.Started)
	}
	if !l.Keeps() {
		return m
	}
	e := k.event()
	e.Kind = trace.Enter
	l.Point(e)
	return m
}

// left logs that k is complete.
func (k *call) left(err error) {
	l := k.logs()
	if l == nil {
		return
	}
	if err == nil {
		l.CountCall(k.name(), k.given())
		if half := trace.Both; k.form == waiting || k.line == nil {
			k.record(l, half)
		} else {
			k.record(l, trace.Finished)
		}
	}
	if l.Keeps() {
		e := k.event()
		e.Kind, e.Failed = trace.Leave, failureOf(err)
		l.Point(e)
	}
}

// record passes the call, or one half of it, to the recorder of the ranks' calls.
func (k *call) record(l *trace.Log, half trace.Half) {
	r := l.Recorder()
	if r == nil {
		return
	}
	hub := k.comm.hub()
	m := trace.Meeting{
		Half: half, Name: k.routine.name, Across: k.comm.core.inter != nil, Bytes: k.given(), Round: roundKey{hub, k.round, k.session != nil, k.starts},
		Party: trace.Party{Key: hub, Ranks: func() []int {
			ranks := make([]int, hub.seats())
			for i := range ranks {
				ranks[i] = hub.rankAt(i)
			}
			return ranks
		}},
	}
	if k.rooted && k.comm.core.inter == nil {
		m.Root = hub.rankAt(k.root)
	}
	r.Meet(l.Rank(), &m, l.Place())
}

// A roundKey identifies one collective call for all its ranks.
type roundKey struct {
	hub    *core
	round  int
	again  bool // it is started by a request, and round is the round of its Init call
	starts int
}

// A partMessage identifies one message: that of one round of a partitioned send.
type partMessage struct {
	channel *channel
	round   int
}

// logEnd logs the end of the call.
func (k *call) logEnd(m trace.Mark, err error) {
	if l := k.logs(); l.Keeps() {
		e := k.event()
		e.Failed = failureOf(err)
		l.End(m, e)
	}
}

// event returns k as the log keeps it.
func (k *call) event() trace.Event {
	e := trace.Plain("collective", k.name().String(), k.comm.label())
	e.Bytes = k.given()
	if k.rooted {
		e.Root = k.root
	}
	return e
}

// failureOf returns the class of an error as one word.
func failureOf(err error) string {
	var f *fault
	var e *errclass.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &f) && f.Rule != "":
		return f.Class.Error()
	case errors.As(err, &e) && e.Rule != "":
		return e.Class.Error()
	}
	return trace.Ended
}
