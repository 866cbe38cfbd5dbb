package comm

import (
	"errors"
	"fmt"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/trace"
)

// Log is where the calling rank's log is kept, nil if there is none or c is
// nil. For packages above this one.
func (c *Comm) Log() *trace.Log {
	if c.null() {
		return nil
	}
	return c.proc.log
}

// departs tells the log that t leaves for a rank of the world, before its clock
// is taken.
func (t *transfer) departs(to int) {
	l := t.comm.proc.log
	if n := l.CountSend(to, t.data.size()); t.number == 0 {
		t.number = n
	}
	if l.Keeps() {
		e := t.event()
		e.Kind, e.Message, e.Far = trace.Out, t.number, to
		l.Point(e)
	}
}

// arrived tells the log that the rank has received by t, if it has.
func (t *transfer) arrived() {
	l := t.comm.proc.log
	if t.sends || t.number == 0 || t.got.bytes < 0 {
		return
	}
	l.CountReceive(t.got.bytes)
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

// told tells the log that the call of t, which began at m, returns.
func (t *transfer) told(m trace.Mark) {
	l := t.comm.proc.log
	if !l.Keeps() {
		return
	}
	e := t.event()
	switch {
	case t.fault != nil:
		e.Failed = t.fault.class.Error()
	case !t.done():
		e.Failed = trace.Ended
	case !t.sends && t.peer != ProcNull:
		e.Peer, e.Tag, e.Bytes = int(t.got.source), int(t.got.tag), t.got.bytes
	}
	l.End(m, e)
}

// event is the call of t as the log keeps it. Whoever completes t may be doing so.
func (t *transfer) event() trace.Event {
	e := trace.Plain("message", t.call, t.comm.label())
	e.Peer, e.Tag = int(t.peer), int(t.tag)
	if t.sends {
		e.Bytes = t.data.size()
	}
	return e
}

// told tells the log that a call returns which began at m and started q, or
// completed it.
func (q *Request) told(l *trace.Log, call string, m trace.Mark, err error) {
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

// started tells the log that the call returns which started t, and began at m.
func (t *transfer) started(m trace.Mark) {
	(&Request{record: &record{op: t, comm: t.comm}}).told(t.comm.proc.log, t.call, m, nil)
}

// waitTold is Wait with a log.
func (q *Request) waitTold(l *trace.Log) (st Status, err error) {
	m := l.Begin()
	if err = q.await(); err != nil {
		err = q.give(err)
	} else {
		st, err = q.complete()
	}
	q.told(l, "Wait", m, err)
	return st, err
}

// told tells the log of a call on several requests that returns. One that
// looked and found nothing is not worth telling.
func (s *several) told() {
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

// completed tells the log that the operation of a request has ended.
func (p *process) completed(op operation) {
	switch x := op.(type) {
	case *transfer:
		x.arrived()
	case *exchange:
		x.in.arrived()
	case *partitioned:
		if !x.sends && x.peer != ProcNull {
			p.log.CountReceive(x.data.size())
		}
	case *call:
		x.left(x.fate.tell(x))
	case *founding:
		x.left(x.fate.tell(x.call))
	}
}

// name is k as the log counts it.
func (k *call) name() trace.Call {
	if k.made != nil && k.made.call != "" {
		return trace.Call{Name: k.made.call}
	}
	switch {
	case k.form == started:
		return trace.Call{Prefix: "I", Name: k.routine.name}
	case k.form == lasting && k.line != nil: // prepared before, now started
		return trace.Call{Name: k.routine.name, Suffix: " by Start"}
	case k.form == lasting:
		return trace.Call{Name: k.routine.name, Suffix: "Init"}
	}
	return trace.Call{Name: k.routine.name}
}

// given is how many bytes k's rank brings.
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

// logs returns where to tell of k. What is part of another call, as the
// communicator of a file, that call tells of.
func (k *call) logs() *trace.Log {
	if k.made != nil && k.made.outer.into != nil {
		return nil
	}
	return k.comm.proc.log
}

// entered tells the log that the rank comes to k, before its clock is taken.
func (k *call) entered() trace.Mark {
	l := k.logs()
	if !l.Keeps() {
		return trace.Mark{}
	}
	m := l.Begin()
	e := k.event()
	e.Kind = trace.Enter
	l.Point(e)
	return m
}

// left tells the log that k is complete.
func (k *call) left(err error) {
	l := k.logs()
	if l == nil {
		return
	}
	if err == nil {
		l.CountCall(k.name(), k.given())
	}
	if l.Keeps() {
		e := k.event()
		e.Kind, e.Failed = trace.Leave, failureOf(err)
		l.Point(e)
	}
}

// told tells the log that the call returns.
func (k *call) told(m trace.Mark, err error) {
	if l := k.logs(); l.Keeps() {
		e := k.event()
		e.Failed = failureOf(err)
		l.End(m, e)
	}
}

// event is k as the log keeps it.
func (k *call) event() trace.Event {
	e := trace.Plain("collective", k.name().String(), k.comm.label())
	e.Bytes = k.given()
	if k.rooted {
		e.Root = k.root
	}
	return e
}

// failureOf is an error in a word.
func failureOf(err error) string {
	var f *fault
	var e *errclass.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &f) && f.rule != "":
		return f.class.Error()
	case errors.As(err, &e) && e.Rule != "":
		return e.Class.Error()
	}
	return trace.Ended
}
