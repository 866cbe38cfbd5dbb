package comm

import (
	"cmp"

	"github.com/commworld/commworld/types"
)

// Send sends buf to rank dst of the communicator; it returns when buf may be
// used again. A message of up to [LaunchOptions.Eager] bytes is buffered if its
// receive is not posted yet, a longer one waits for it. Errors: ErrComm,
// ErrBuffer, ErrCount, ErrType, ErrRank, ErrTag. (P2P-01, P2P-08)
//
// MPI_Send
func (c *Comm) Send(buf types.Buffer, dst, tag int) error {
	const op = "Send"
	if err := c.alive(op); err != nil {
		return err
	}
	t := c.proc.take()
	defer c.proc.give(t)
	if err := c.admit(op, t, buf, dst, tag, true); err != nil || dst == ProcNull {
		return err
	}
	if err := c.proc.thread.Step(t); err != nil {
		return c.fail(op, err)
	}
	c.proc.engine.send(t)
	if err := c.proc.engine.await(t); err != nil {
		return c.fail(op, err)
	}
	return nil
}

// ISend starts [Comm.Send] and returns a request for it; buf must be left
// alone until the request is complete. Errors: as Send, at once.
//
// MPI_Isend
func (c *Comm) ISend(buf types.Buffer, dst, tag int) (*Request, error) {
	return c.start("ISend", buf, dst, tag, true)
}

// SendRecv sends and receives as if at the same time, so that ranks in a ring
// can exchange without deadlock. Errors: as Send and Recv. (P2P-03)
//
// MPI_Sendrecv
func (c *Comm) SendRecv(send types.Buffer, dst, sendTag int, recv types.Buffer, src, recvTag int) (Status, error) {
	const op = "SendRecv"
	if err := c.alive(op); err != nil {
		return Status{}, err
	}
	in, out := c.proc.take(), new(transfer)
	defer c.proc.give(in)
	if err := c.admit(op, out, send, dst, sendTag, true); err != nil {
		return Status{}, err
	}
	if err := c.admit(op, in, recv, src, recvTag, false); err != nil {
		return Status{}, err
	}
	if err := c.proc.thread.Step(in); err != nil {
		return Status{}, c.fail(op, err)
	}
	in.launch()
	out.launch()
	stop := c.proc.engine.await(in)
	if err := c.proc.engine.await(out); err != nil || stop != nil {
		return Status{}, c.fail(op, cmp.Or(stop, err))
	}
	return in.outcome()
}

// start checks and hands over a transfer, and returns its request.
func (c *Comm) start(op string, buf types.Buffer, peer, tag int, sends bool) (*Request, error) {
	if err := c.alive(op); err != nil {
		return nil, err
	}
	q := &Request{comm: c, active: true}
	if err := c.admit(op, &q.t, buf, peer, tag, sends); err != nil {
		return nil, err
	}
	if err := c.proc.thread.Step(&q.t); err != nil {
		return nil, c.fail(op, err)
	}
	q.op = &q.t
	c.proc.enlist(q)
	q.t.launch()
	return q, nil
}

// launch hands t to the engine.
func (t *transfer) launch() {
	switch {
	case t.peer == ProcNull:
		t.status = emptyStatus(ProcNull)
	case t.sends:
		t.comm.proc.engine.send(t)
	default:
		t.comm.proc.engine.receive(t)
	}
}

// admit checks the arguments of a call on a living communicator, in their
// order, and makes t its transfer. (P2P-08)
func (c *Comm) admit(op string, t *transfer, buf types.Buffer, peer, tag int, sends bool) error {
	if err := t.data.take(buf, c.proc.arch); err != nil {
		return c.fail(op, faultOf(err, ErrBuffer, "P2P-08"))
	}
	if f := c.checkPeer(peer, tag, !sends); f != nil {
		return c.fail(op, f)
	}
	if !sends {
		if f := t.data.onePlaceEach(); f != nil {
			return c.fail(op, f)
		}
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
		return broken(ErrTag, "P2P-08", "tag %s is not between 0 and %d", special(tag), MaxTag)
	}
	return nil
}

// onePlaceEach reports a datatype that would receive two items in one place.
func (d *data) onePlaceEach() *fault {
	if !d.laid {
		return nil
	}
	if l, err := d.typ.Layout(d.arch); err == nil && l.Overlaps() {
		return broken(ErrType, "P2P-08", "datatype %v stores a byte twice; a receive needs one place for each", d.typ)
	}
	return nil
}
