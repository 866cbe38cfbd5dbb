package comm

import (
	"errors"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// SendInit makes a persistent request of [Comm.ISend]: it is inactive until
// Start, which sends what buf holds then; when completed it is inactive again,
// until Free. Errors: as ISend. (P2P-06)
//
// MPI_Send_init
func (c *Comm) SendInit(buf types.Buffer, dst, tag int) (*Request, error) {
	return c.prepare("SendInit", standard, buf, dst, tag, true)
}

// SSendInit is [Comm.SendInit] of ISSend. (P2P-06)
//
// MPI_Ssend_init
func (c *Comm) SSendInit(buf types.Buffer, dst, tag int) (*Request, error) {
	return c.prepare("SSendInit", synchronous, buf, dst, tag, true)
}

// BSendInit is [Comm.SendInit] of IBSend; Start needs room in the attached
// buffer. (P2P-06)
//
// MPI_Bsend_init
func (c *Comm) BSendInit(buf types.Buffer, dst, tag int) (*Request, error) {
	return c.prepare("BSendInit", buffered, buf, dst, tag, true)
}

// RSendInit is [Comm.SendInit] of IRSend. (P2P-06)
//
// MPI_Rsend_init
func (c *Comm) RSendInit(buf types.Buffer, dst, tag int) (*Request, error) {
	return c.prepare("RSendInit", ready, buf, dst, tag, true)
}

// RecvInit makes a persistent request of [Comm.IRecv]; see [Comm.SendInit].
// Errors: as IRecv. (P2P-06)
//
// MPI_Recv_init
func (c *Comm) RecvInit(buf types.Buffer, src, tag int) (*Request, error) {
	return c.prepare("RecvInit", standard, buf, src, tag, false)
}

// Start starts a persistent request, which must be inactive; its buffer must be
// left alone until it is complete. Errors: ErrRequest, and ErrBuffer for a
// buffered send without room. (P2P-06)
//
// MPI_Start
func (q *Request) Start() error {
	const op = "Start"
	if err := q.copied(op); err != nil {
		return err
	}
	switch {
	case q == nil || q.record == nil || q.cycle == nil:
		return noComm.fail(op, broken(ErrRequest, "P2P-06", "the request is not a persistent one; SendInit and its like make those"))
	case q.freed:
		return q.comm.fail(op, broken(ErrRequest, "P2P-06", "the request has been freed"))
	case q.active:
		return q.comm.fail(op, broken(ErrRequest, "P2P-06", "%v is under way since its last Start; complete it first", q.op))
	}
	if err := q.comm.alive(op); err != nil {
		return err
	}
	started, err := q.cycle.start()
	if err != nil {
		return q.comm.fail(op, err)
	}
	q.op, q.active = started, true
	return nil
}

// StartAll starts persistent requests in order. If one cannot be started, the others are
// started all the same. Errors: as Start, joined. (P2P-06)
//
// MPI_Startall
func StartAll(reqs ...*Request) error {
	var errs []error
	for _, q := range reqs {
		errs = append(errs, q.Start())
	}
	return errors.Join(errs...)
}

// persistent returns an inactive request of an operation that y starts.
func (c *Comm) persistent(op operation, y cycle) *Request {
	q := &Request{record: &record{op: op, comm: c}}
	q.persist(y)
	return q
}

func (q *Request) persist(y cycle) {
	q.owner, q.cycle, q.line = q, y, q.comm.proc.thread.NoteLine(sched.AnyDepth)
	q.comm.proc.enlist(q.record)
}

// A repeat is the cycle of a persistent message.
type repeat struct {
	t    *transfer
	mode mode
}

func (c *Comm) prepare(op string, m mode, buf types.Buffer, peer, tag int, sends bool) (*Request, error) {
	t, err := c.admitted(op, &buf, peer, tag, sends)
	if err != nil {
		return nil, err
	}
	return c.persistent(t, &repeat{t, m}), nil
}

func (y *repeat) start() (operation, error) {
	t := y.t
	t.rare = rare{}
	t.begin(t.comm, t.call, t.sends, int(t.peer), int(t.tag))
	t.line = t.comm.proc.line(1) // of Start
	if f := t.watch(); f != nil {
		return nil, f
	}
	t, err := t.start(y.mode)
	y.t = t
	if err != nil {
		t.unwatch()
	}
	return t, err
}
