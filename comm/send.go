package comm

import (
	"github.com/commworld/commworld/errclass"
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
	if err := c.admit(op, buf, dst, tag, false); err != nil {
		return err
	}
	if dst == ProcNull {
		return nil
	}
	t := c.proc.take()
	defer c.proc.give(t)
	t.begin(c, op, true, buf, dst, tag)
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
	const op = "ISend"
	if err := c.admit(op, buf, dst, tag, false); err != nil {
		return nil, err
	}
	return c.start(op, true, buf, dst, tag)
}

// SendRecv sends and receives as if at the same time, so that ranks in a ring
// can exchange without deadlock. Errors: as Send and Recv. (P2P-03)
//
// MPI_Sendrecv
func (c *Comm) SendRecv(send types.Buffer, dst, sendTag int, recv types.Buffer, src, recvTag int) (Status, error) {
	const op = "SendRecv"
	if err := c.admit(op, send, dst, sendTag, false); err != nil {
		return Status{}, err
	}
	if err := c.admit(op, recv, src, recvTag, true); err != nil {
		return Status{}, err
	}
	in, err := c.start(op, false, recv, src, recvTag)
	if err != nil {
		return Status{}, err
	}
	out, err := c.start(op, true, send, dst, sendTag)
	if err != nil {
		c.proc.engine.await(&in.t) // the world is aborted: this takes the receive back
		return Status{}, err
	}
	st, err := in.Wait()
	if _, sent := out.Wait(); sent != nil {
		return st, sent
	}
	return st, err
}

// start hands over a checked transfer and returns its request.
func (c *Comm) start(op string, sends bool, buf types.Buffer, peer, tag int) (*Request, error) {
	q := &Request{active: true}
	q.t.begin(c, op, sends, buf, peer, tag)
	if err := c.proc.thread.Step(&q.t); err != nil {
		return nil, c.fail(op, err)
	}
	switch {
	case peer == ProcNull:
		q.t.status = emptyStatus(ProcNull)
		q.t.state.Store(complete)
	case sends:
		c.proc.engine.send(&q.t)
	default:
		c.proc.engine.receive(&q.t)
	}
	return q, nil
}

// admit checks the arguments of a call: communicator, buffer, rank, tag, in the
// order of the arguments. (P2P-08)
func (c *Comm) admit(op string, buf types.Buffer, peer, tag int, receives bool) error {
	if err := c.alive(op); err != nil {
		return err
	}
	if err := buf.Check(c.proc.arch); err != nil {
		return c.fail(op, faultOf(err, ErrBuffer, "P2P-08"))
	}
	if f := c.checkPeer(peer, tag, receives); f != nil {
		return c.fail(op, f)
	}
	if receives {
		if f := onePlaceEach(buf, c); f != nil {
			return c.fail(op, f)
		}
	}
	return nil
}

func (c *Comm) checkPeer(peer, tag int, receives bool) *fault {
	n := c.core.members.n
	if (peer < 0 || peer >= n) && peer != ProcNull && !(receives && peer == AnySource) {
		return broken(ErrRank, "P2P-08", "rank %s is none of the %d ranks of %s", special(peer), n, c.core.name)
	}
	if (tag < 0 || tag > MaxTag) && !(receives && tag == AnyTag) {
		return broken(ErrTag, "P2P-08", "tag %s is not between 0 and %d", special(tag), MaxTag)
	}
	return nil
}

// onePlaceEach reports a datatype that would receive two items in one place.
func onePlaceEach(buf types.Buffer, c *Comm) *fault {
	if buf.Count() == 0 || buf.Type().Predefined() {
		return nil
	}
	if l, err := buf.Type().Layout(c.proc.arch); err == nil && l.Overlaps() {
		return broken(errclass.Type, "P2P-08", "datatype %v stores a byte twice; a receive needs one place for each", buf.Type())
	}
	return nil
}
