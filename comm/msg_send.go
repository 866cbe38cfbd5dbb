package comm

import "github.com/commworld/commworld/types"

// Send sends buf to rank dst of the communicator; it returns when buf may be used again. A
// message of up to [LaunchOptions.Eager] bytes is buffered if its receive is not posted
// yet; a longer one waits for its receive. Errors: ErrComm, ErrBuffer, ErrCount, ErrType,
// ErrRank, ErrTag. (P2P-01, P2P-08)
//
// MPI_Send
func (c *Comm) Send(buf types.Buffer, dst, tag int) error {
	if _, ok := c.sendFast("Send", &buf, dst, tag, false); ok {
		return nil
	}
	_, err := c.transferAndWait("Send", standard, &buf, dst, tag, true)
	return err
}

// transferAndWait is a call that moves one message and waits for it. Neither it nor what it calls
// has deferred calls: they would cost a short message a tenth of its time. If a panic
// prevents giving the transfer back, it is garbage collected.
func (c *Comm) transferAndWait(op string, m mode, buf *types.Buffer, peer, tag int, sends bool) (Status, error) {
	t, err := c.admitted(op, buf, peer, tag, sends)
	if err != nil {
		return Status{}, err
	}
	if peer == ProcNull {
		c.proc.give(t)
		return emptyStatus(ProcNull), nil
	}
	l := c.proc.log
	mark := l.Begin()
	t.waits = true
	err = t.start(m)
	if err == nil && !t.completion.done() {
		err = c.proc.engine.await(t)
	}
	if err != nil {
		err = c.fail(op, err)
	} else {
		err = t.result()
		if l != nil {
			t.arrived()
		}
	}
	if l != nil {
		t.logEnd(mark)
	}
	st := t.status()
	c.proc.give(t)
	return st, err
}

// ISend starts [Comm.Send] and returns a request for it; buf must be left
// alone until the request is complete. Errors: as Send, at once.
//
// MPI_Isend
func (c *Comm) ISend(buf types.Buffer, dst, tag int) (*Request, error) {
	if line, ok := c.sendFast("ISend", &buf, dst, tag, true); ok {
		t := c.proc.take()
		t.begin(c, "ISend", true, dst, tag)
		return t.request(line), nil
	}
	return c.startTransfer("ISend", standard, &buf, dst, tag, true)
}

// startTransfer is a call that starts to move one message, and returns its request.
func (c *Comm) startTransfer(op string, m mode, buf *types.Buffer, peer, tag int, sends bool) (*Request, error) {
	t, err := c.admitted(op, buf, peer, tag, sends)
	if err != nil {
		return nil, err
	}
	if l := c.proc.log; l != nil {
		defer t.started(l.Begin())
	}
	t.line = c.proc.line(0)
	t.watch()
	if err := t.start(m); err != nil {
		return nil, c.fail(op, err)
	}
	return t.request(t.line), nil
}

// start begins to send or receive by t, whose arguments admit has checked.
func (t *transfer) start(m mode) error {
	if err := t.comm.proc.thread.Step(t); err != nil {
		return err
	}
	if m != standard && t.peer != ProcNull {
		if err := t.takeMode(m); err != nil {
			return err
		}
	}
	t.launch()
	return nil
}

// launch passes t to the carrier.
func (t *transfer) launch() {
	t.comm.proc.polls = 0
	switch {
	case t.peer == ProcNull:
		t.got = receipt{source: ProcNull, tag: AnyTag}
	case t.sends:
		t.comm.proc.engine.send(t)
	default:
		t.comm.proc.engine.receive(t)
	}
}

// admitted returns the transfer of a call, whose communicator and arguments it has checked.
func (c *Comm) admitted(op string, buf *types.Buffer, peer, tag int, sends bool) (*transfer, error) {
	if err := c.alive(op); err != nil {
		return nil, err
	}
	t := c.proc.take()
	if err := c.admit(op, t, buf, peer, tag, sends); err != nil {
		c.proc.give(t)
		return nil, err
	}
	return t, nil
}

// admit checks the arguments of a call on a living communicator, in their order, and fills
// in t, its transfer. (P2P-08)
func (c *Comm) admit(op string, t *transfer, buf *types.Buffer, peer, tag int, sends bool) error {
	if err := t.data.take(buf, c.proc.arch); err != nil {
		return c.fail(op, faultOf(err, ErrBuffer, "P2P-08"))
	}
	if t.data.typ == inPlace {
		return c.fail(op, broken(ErrBuffer, "P2P-08", "InPlace is for collective calls that have another buffer; give the buffer of the message"))
	}
	if f := c.checkPeer(peer, tag, !sends); f != nil {
		return c.fail(op, f)
	}
	if !sends {
		if f := t.data.onePlaceEach(t.data.count); f != nil {
			return c.fail(op, f)
		}
	} else if t.data.plain { // the next message may take the fast path
		c.proc.lastType, c.proc.lastUnit = t.data.typ, t.data.unit
	}
	t.begin(c, op, sends, peer, tag)
	return nil
}

func (c *Comm) checkPeer(peer, tag int, receives bool) *fault {
	n := c.core.peers().n
	if (peer < 0 || peer >= n) && peer != ProcNull && !(receives && peer == AnySource) {
		return broken(ErrRank, "P2P-08", "rank %s is none of the %d ranks of %s", special(peer), n, c.core.name)
	}
	if (tag < 0 || tag > MaxTag) && !(receives && tag == AnyTag) {
		return broken(ErrTag, "P2P-08", "tag %s is not between 0 and %d", specialTag(tag), MaxTag)
	}
	return nil
}

// onePlaceEach returns a fault if n copies of the datatype would receive two items in one
// place. Contiguous data cannot.
func (d *data) onePlaceEach(n int64) *fault {
	if !d.shareBytes(n) {
		return nil
	}
	return broken(ErrType, "P2P-08", "%d x %v store a byte twice; a receive needs one place for each item", n, d.typ)
}

// shareBytes reports whether n copies of the datatype share a byte.
func (d *data) shareBytes(n int64) bool {
	if !d.laid {
		return false
	}
	l, err := d.typ.Layout(d.arch)
	return err == nil && l.OverlapsIn(n)
}
