package comm

import "github.com/commworld/commworld/internal/sched"

// Probe waits for a message that Recv with these arguments would receive, and
// returns the Status it would return. The message stays. Errors: ErrComm,
// ErrRank, ErrTag. (P2P-05)
//
// MPI_Probe
func (c *Comm) Probe(src, tag int) (Status, error) {
	st, _, err := c.look("Probe", src, tag, true, false)
	return st, err
}

// IProbe is [Comm.Probe] without waiting; ok is false if there is no such
// message now. Errors: ErrComm, ErrRank, ErrTag. (P2P-05)
//
// MPI_Iprobe
func (c *Comm) IProbe(src, tag int) (st Status, ok bool, err error) {
	st, m, err := c.look("IProbe", src, tag, false, false)
	return st, m != nil, err
}

// look probes for a message; m is the one found, or noMessage.
func (c *Comm) look(op string, src, tag int, wait, claim bool) (st Status, m *transfer, err error) {
	if err := c.alive(op); err != nil {
		return Status{}, nil, err
	}
	if f := c.checkPeer(src, tag, true); f != nil {
		return Status{}, nil, c.fail(op, f)
	}
	if src == ProcNull {
		return emptyStatus(ProcNull), noMessage, nil
	}
	t := c.proc.take()
	defer c.proc.give(t)
	t.data.count = 0 // left from its last use
	t.begin(c, op, false, src, tag)
	if err := c.proc.thread.Step(t); err != nil {
		return Status{}, nil, c.fail(op, err)
	}
	mark := c.proc.log.Begin()
	m, err = c.proc.engine.probe(t, wait, claim)
	if c.proc.log != nil && (wait || m != nil) {
		t.logEnd(mark)
	}
	switch {
	case err != nil:
		return Status{}, nil, c.fail(op, err)
	case m == nil:
		if err := c.proc.polledInVain(t); err != nil {
			return Status{}, nil, c.fail(op, err)
		}
		return Status{}, nil, nil
	}
	c.proc.thread.Join(t.sent) // a message cannot be found before it is sent
	return t.status(), m, nil
}

// noMessage is the message that probes of ProcNull find.
var noMessage = new(transfer)

// A probing is a probe that its rank waits for together with other operations.
type probing struct{ t *transfer }

// probing returns a request that is complete when a probe with these arguments would find a message.
// It is for port.AwaitAny alone.
func (c *Comm) probing(op string, src, tag int) (*Request, error) {
	if err := c.alive(op); err != nil {
		return nil, err
	}
	if f := c.checkPeer(src, tag, true); f != nil {
		return nil, c.fail(op, f)
	}
	t := new(transfer)
	t.begin(c, op, false, src, tag)
	q := &Request{record: &record{op: probing{t}, comm: c, active: true}}
	q.owner = q
	return q, nil
}

func (x probing) String() string { return x.t.String() }

func (x probing) Explain(w *sched.Waiting) { x.t.Explain(w) }

func (x probing) done() bool { return x.found(nil) }

func (x probing) expect() bool { return !x.found(x.t.comm.proc.thread) }

// found reports whether there is a message; else the next one that comes wakes thread.
func (x probing) found(thread *sched.Rank) bool {
	e := x.t.comm.proc.local()
	if e == nil || x.t.peer == ProcNull {
		return true // the probe itself answers
	}
	b := e.box(x.t.comm.proc.thread.ID())
	b.mu.Lock()
	defer b.mu.Unlock()
	b.putBack()
	there := b.match.message(x.t.env) != nil
	if !there && thread != nil {
		b.probing = thread
	}
	return there
}

func (x probing) outcome(*sched.Line) (Status, error) { return Status{}, nil }
func (x probing) abandon()                            {}
