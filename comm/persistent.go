package comm

import "errors"

// Start starts a persistent request, which must be inactive; its buffer must be
// left alone until it is complete. Errors: ErrRequest, and ErrBuffer for a
// buffered send without room. (P2P-06)
//
// MPI_Start
func (q *Request) Start() error {
	const op = "Start"
	switch {
	case q == nil || q.cycle == nil:
		return noComm.fail(op, broken(ErrRequest, "P2P-06", "the request is not a persistent one; SendInit and its like make those"))
	case q.freed:
		return q.comm.fail(op, broken(ErrRequest, "P2P-06", "the request has been freed"))
	case q.active:
		return q.comm.fail(op, broken(ErrRequest, "P2P-06", "%v is under way since its last Start; complete it first", q.op))
	}
	if err := q.comm.alive(op); err != nil {
		return err
	}
	if err := q.cycle.start(); err != nil {
		return q.comm.fail(op, err)
	}
	q.active = true
	return nil
}

// StartAll starts persistent requests in turn. If one cannot be, the others are
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

// persistent makes an inactive request of an operation that y starts.
func (c *Comm) persistent(op operation, y cycle) *Request {
	q := &Request{op: op, comm: c}
	q.persist(y)
	return q
}

func (q *Request) persist(y cycle) {
	q.cycle, q.line = y, q.comm.proc.line()
	q.comm.proc.enlist(q)
}
