package comm

import (
	"cmp"
	"fmt"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// To says where a message goes: the rank, or ProcNull, and the tag.
type To struct{ Rank, Tag int }

// From says which messages a receive takes: the rank, AnySource or ProcNull, and
// the tag or AnyTag.
type From struct{ Rank, Tag int }

// SendRecv sends and receives as if at the same time, so that ranks in a ring
// can exchange without deadlock. The buffers must not share memory, which is looked
// for byte by byte up to 4096 pieces; one may be in the gaps of the other. Errors:
// as Send and Recv; ErrBuffer. (P2P-03)
//
// MPI_Sendrecv
func (c *Comm) SendRecv(send types.Buffer, to To, recv types.Buffer, from From) (Status, error) {
	const op = "SendRecv"
	if err := c.alive(op); err != nil {
		return Status{}, err
	}
	in, out := c.proc.take(), c.proc.take()
	defer c.proc.give(in)
	defer c.proc.give(out)
	if err := c.admit(op, out, &send, to.Rank, to.Tag, true); err != nil {
		return Status{}, err
	}
	if err := c.admit(op, in, &recv, from.Rank, from.Tag, false); err != nil {
		return Status{}, err
	}
	if f := in.apartFrom(out); f != nil {
		return Status{}, c.fail(op, f)
	}
	if c.proc.log != nil {
		defer in.logEnd(c.proc.log.Begin())
		defer in.arrived()
	}
	if err := c.proc.thread.Step(in); err != nil {
		return Status{}, c.fail(op, err)
	}
	out.line = c.proc.line(0)
	in.launch()
	out.launch()
	stop := c.proc.engine.await(in)
	if err := c.proc.engine.await(out); err != nil || stop != nil {
		return Status{}, c.fail(op, cmp.Or(stop, err))
	}
	err := in.result()
	return in.status(), err
}

// apartFrom returns a fault if t receives into the memory of its send.
func (t *transfer) apartFrom(send *transfer) *fault {
	if t.peer == ProcNull || send.peer == ProcNull || !t.data.shares(&parts{}, &send.data, &parts{}) {
		return nil
	}
	return broken(ErrBuffer, "P2P-03", "the buffers sent from and received into share memory; SendRecvReplace is for one buffer")
}

// SendRecvReplace is [Comm.SendRecv] with one buffer: what it holds is sent,
// and then what comes is received into it. Errors: as Send and Recv. (P2P-03)
//
// MPI_Sendrecv_replace
func (c *Comm) SendRecvReplace(buf types.Buffer, to To, from From) (Status, error) {
	x, err := c.exchange("SendRecvReplace", buf, to, buf, from, true)
	if err != nil {
		return Status{}, err
	}
	return x.Wait()
}

// ISendRecv starts [Comm.SendRecv] and returns one request for both; its Status
// is that of the receive. Both buffers must be left alone until it is complete.
// Errors: as Send and Recv. (P2P-03)
//
// MPI_Isendrecv
func (c *Comm) ISendRecv(send types.Buffer, to To, recv types.Buffer, from From) (*Request, error) {
	return c.exchange("ISendRecv", send, to, recv, from, false)
}

// ISendRecvReplace starts [Comm.SendRecvReplace]. Errors: as ISendRecv. (P2P-03)
//
// MPI_Isendrecv_replace
func (c *Comm) ISendRecvReplace(buf types.Buffer, to To, from From) (*Request, error) {
	return c.exchange("ISendRecvReplace", buf, to, buf, from, true)
}

// An exchange is a send and a receive under one request.
type exchange struct{ in, out transfer }

func (c *Comm) exchange(op string, send types.Buffer, to To, recv types.Buffer, from From, replace bool) (*Request, error) {
	if err := c.alive(op); err != nil {
		return nil, err
	}
	x := new(exchange)
	if err := c.admit(op, &x.out, &send, to.Rank, to.Tag, true); err != nil {
		return nil, err
	}
	if err := c.admit(op, &x.in, &recv, from.Rank, from.Tag, false); err != nil {
		return nil, err
	}
	if f := x.in.apartFrom(&x.out); f != nil && !replace {
		return nil, c.fail(op, f)
	}
	if err := c.proc.thread.Step(x); err != nil {
		return nil, c.fail(op, err)
	}
	if d := &x.out.data; replace && to.Rank != ProcNull {
		packed := make([]byte, d.size())
		d.pack(packed)
		x.out.data = data{}
		x.out.data.packedAs(&x.in.data, packed)
	}
	q := c.request(x)
	q.line = c.proc.line(0)
	x.out.line = q.line
	x.in.watch()
	x.out.watch()
	x.in.launch()
	x.out.launch()
	return q, nil
}

func (x *exchange) String() string {
	return fmt.Sprintf("%s %s, %s on %s", x.in.call, x.out.route(), x.in.route(), x.in.comm.label())
}

// Explain adds to a deadlock report what x still waits for.
func (x *exchange) Explain(w *sched.Waiting) {
	var open []any
	for _, t := range []*transfer{&x.in, &x.out} {
		if !t.done() {
			open = append(open, t)
		}
	}
	explain(w, open...)
}

func (x *exchange) title() string { return x.in.call }

func (x *exchange) done() bool { return x.in.done() && x.out.done() }

// expect requests that both wake the rank, which then checks both again.
func (x *exchange) expect() bool {
	in, out := x.in.expect(), x.out.expect()
	return in || out
}

func (x *exchange) outcome(line *sched.Line) (Status, error) {
	_, err := x.out.outcome(line)
	st, err2 := x.in.outcome(line)
	return st, cmp.Or(err2, err)
}

func (x *exchange) abandon() {
	for _, t := range []*transfer{&x.in, &x.out} {
		if !t.done() {
			t.abandon()
		}
	}
}
