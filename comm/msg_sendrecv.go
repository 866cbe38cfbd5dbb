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
	var x exchange
	defer x.close()
	if err := x.admit(c, op, &send, to, &recv, from, false); err != nil {
		return Status{}, err
	}
	if c.proc.log != nil {
		defer x.in.logEnd(c.proc.log.Begin())
		defer x.in.arrived()
	}
	if err := c.proc.thread.Step(x.in); err != nil {
		return Status{}, c.fail(op, err)
	}
	x.out.line = c.proc.line(0)
	x.launch()
	stop := c.proc.engine.await(x.in)
	if err := c.proc.engine.await(x.out); err != nil || stop != nil {
		return Status{}, c.fail(op, cmp.Or(stop, err))
	}
	err := x.in.result()
	return x.in.status(), err
}

// SendRecvReplace is [Comm.SendRecv] with one buffer: it sends the contents of buf, and
// then receives into buf. Errors: as Send and Recv. (P2P-03)
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
type exchange struct{ in, out *transfer }

// admit checks the arguments of a call and takes the transfers of x.
func (x *exchange) admit(c *Comm, op string, send *types.Buffer, to To, recv *types.Buffer, from From, replace bool) (err error) {
	if x.out, err = c.admitted(op, send, to.Rank, to.Tag, true); err != nil {
		return err
	}
	if x.in, err = c.admitted(op, recv, from.Rank, from.Tag, false); err != nil {
		return err
	}
	if to.Rank == ProcNull || from.Rank == ProcNull || replace || !x.in.data.shares(&parts{}, &x.out.data, &parts{}) {
		return nil
	}
	return c.fail(op, broken(ErrBuffer, "P2P-03", "the buffers sent from and received into share memory; SendRecvReplace is for one buffer"))
}

// launch passes both to the carrier, the receive first.
func (x *exchange) launch() {
	x.in.launch()
	x.out = x.out.launch()
}

// close gives back the transfers; see closer.
func (x *exchange) close() error {
	for _, t := range []*transfer{x.in, x.out} {
		if t != nil {
			t.comm.proc.give(t)
		}
	}
	return nil
}

func (c *Comm) exchange(op string, send types.Buffer, to To, recv types.Buffer, from From, replace bool) (*Request, error) {
	x := new(exchange)
	if err := x.admit(c, op, &send, to, &recv, from, replace); err != nil {
		return nil, err
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
	line := c.proc.line(0)
	x.out.line = line
	for _, t := range []*transfer{x.in, x.out} {
		if f := t.watch(); f != nil {
			x.in.unwatch()
			return nil, c.fail(op, f)
		}
	}
	q := c.request(x)
	q.line = line
	x.launch()
	return q, nil
}

func (x *exchange) String() string {
	return fmt.Sprintf("%s %s, %s on %s", x.in.call, x.out.route(), x.in.route(), x.in.comm.label())
}

// Explain adds to a deadlock report what x still waits for.
func (x *exchange) Explain(w *sched.Waiting) {
	var open []any
	for _, t := range []*transfer{x.in, x.out} {
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
	for _, t := range []*transfer{x.in, x.out} {
		if !t.done() {
			t.abandon()
		}
	}
}
