package comm

import (
	"time"

	"github.com/commworld/commworld/internal/engine"
)

// take stores in t the status that the library reports.
func (t *transfer) take(e engine.Status) {
	t.got = receipt{}
	if e.Cancelled || !t.sends {
		t.got = receipt{int32(e.Source), int32(e.Tag), e.Bytes}
	}
	if e.Cancelled {
		t.got.bytes |= cancelled
	}
}

// logStart logs a transfer before the library gets it.
func (t *transfer) logStart() {
	if t.sends {
		t.departs(t.comm.core.peers().world(int(t.peer)))
	} else {
		t.number = t.comm.proc.log.Number()
	}
}

// logPassed logs that the library gets t; what it returns logs that the library returns.
func (t *transfer) logPassed() func() {
	l := t.comm.proc.log
	if l == nil {
		return func() {}
	}
	t.logStart()
	if !t.waits {
		return func() {}
	}
	from := time.Now()
	return func() { l.Await(from) }
}

func (e *far) send(t *transfer) *transfer {
	n, way := t.comm.core.native, engine.Mode(t.mode)
	defer t.logPassed()()
	if t.waits {
		t.fault = refused(n.Send(way, t.data.native(), int(t.peer), int(t.tag)))
	} else {
		e.storeRequest(t)(n.StartSend(way, t.data.native(), int(t.peer), int(t.tag)))
	}
	return t
}

func (e *far) receive(t *transfer) {
	n := t.comm.core.native
	defer t.logPassed()()
	if t.waits {
		t.ended(n.Recv(t.data.native(), int(t.peer), int(t.tag)))
	} else {
		e.storeRequest(t)(n.StartRecv(t.data.native(), int(t.peer), int(t.tag)))
	}
}

func (e *far) receiveClaimed(t, m *transfer) {
	t.number = m.number // a probe has already numbered it
	e.storeRequest(t)(m.native.(engine.Message).Receive(t.data.native()))
}

// storeRequest returns a function that stores the request of t, which the engine has
// started.
func (e *far) storeRequest(t *transfer) func(engine.Request, error) {
	return func(r engine.Request, err error) {
		if t.fault = refused(err); t.fault == nil {
			t.native = r
			t.open()
		}
	}
}

// done makes progress if an engine has the message, and reports whether t is complete.
func (t *transfer) done() bool {
	if t.completion.done() {
		return true
	}
	r, ok := t.native.(engine.Request)
	if !ok {
		return false
	}
	st, done, err := r.Test()
	if done || err != nil {
		t.ended(st, err)
	}
	return t.completion.done()
}

// expect implements operation; an engine wakes no rank.
func (t *transfer) expect() bool { return t.native == nil && t.completion.expect() }

func (t *transfer) ended(st engine.Status, err error) {
	t.native = nil
	t.take(st)
	t.fixBools()
	t.fault = refused(err)
	if t.fault != nil && t.fault.Class == ErrTruncate && t.data.short {
		t.fault = t.tooShortFar(t.fault)
	}
	t.completion.end()
}

// tooShortFar adds to f, by which a library refuses a message, that the memory of the receive
// holds less than its count. The library does not say how long the message is. (P2P-09)
func (t *transfer) tooShortFar(f *fault) *fault {
	d := &t.data
	held, _ := d.typ.Signature().ItemsIn(d.held(), d.arch)
	return broken(f.Class, "P2P-09", "%w: the memory of the receive, %d bytes, holds %d items, fewer than its count, %s", f.Err, len(d.buf.Mem()), held, describe(d.whole()))
}

// fixBools converts what the library stored to Go's bool values, where they differ.
func (t *transfer) fixBools() {
	if !t.sends {
		t.data.fixBools()
	}
}

func (d *data) fixBools() {
	if d.laid {
		d.buf.FixBools(d.arch)
	}
}

func (e *far) await(t *transfer) error { return t.comm.proc.awaitEngine(t) }

// abandon leaves t to the library: its job ends with this process.
func (e *far) abandon(*transfer) {}

func (e *far) cancel(t *transfer) error {
	r, ok := t.native.(engine.Request)
	if !ok {
		return nil
	}
	if f := refused(r.Cancel()); f != nil {
		return f
	}
	return nil
}

func (e *far) probe(t *transfer, wait, claim bool) (*transfer, error) {
	l := t.comm.proc.log
	if l != nil && wait {
		defer l.Await(time.Now())
	}
	st, m, found, err := t.comm.core.native.Probe(int(t.peer), int(t.tag), wait, claim)
	switch f := refused(err); {
	case f != nil:
		return nil, f
	case !found:
		return nil, nil
	}
	t.take(st)
	made := &transfer{rare: rare{native: m}}
	if l != nil && claim {
		made.number = l.Number()
	}
	return made, nil
}

// pair and part are for partitioned messages, which are refused earlier.
func (e *far) pair(*partitioned) {}
func (e *far) part(*partitioned) {}

// unreceived reports nothing: the messages belong to the library.
func (e *far) unreceived(func(int, error)) {}
