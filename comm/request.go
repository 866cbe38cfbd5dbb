package comm

import "errors"

// A Request is an operation under way. The rank that started it completes it,
// by Wait or a Test that returns true; the Request is then inactive, and so is
// a nil one: waiting for it returns at once.
//
// MPI_Request
type Request struct {
	t      transfer
	active bool
}

// Wait waits for the operation to complete and returns what it did. Errors:
// those of the operation.
//
// MPI_Wait
func (q *Request) Wait() (Status, error) {
	if q == nil || !q.active {
		return emptyStatus(AnySource), nil
	}
	q.active = false
	if err := q.t.comm.proc.engine.await(&q.t); err != nil {
		return Status{}, q.t.comm.fail(q.t.call, err)
	}
	return q.t.outcome()
}

// Test is Wait if the operation is complete; ok is false if it is not yet.
// Errors: those of the operation.
//
// MPI_Test
func (q *Request) Test() (st Status, ok bool, err error) {
	if q == nil || !q.active {
		return emptyStatus(AnySource), true, nil
	}
	ok, err = q.t.comm.proc.engine.test(&q.t)
	if err != nil {
		q.active = false
		return Status{}, false, q.t.comm.fail(q.t.call, err)
	}
	if !ok && q.t.comm.core.univ.ended.Load() {
		_, err = q.Wait() // nobody will complete it: a loop of Tests would never end
		return Status{}, false, err
	}
	if !ok {
		return Status{}, false, nil
	}
	q.active = false
	st, err = q.t.outcome()
	return st, true, err
}

// WaitAll waits for all operations and returns what each did. If some failed
// the error is of class ErrInStatus and holds theirs. (ERR-08)
//
// MPI_Waitall
func WaitAll(reqs ...*Request) ([]Status, error) {
	sts := make([]Status, len(reqs))
	var failed []error
	var owner *Comm
	for i, q := range reqs {
		var err error
		if sts[i], err = q.Wait(); err != nil {
			failed, owner = append(failed, err), q.t.comm
		}
	}
	if failed == nil {
		return sts, nil
	}
	return sts, owner.fail("WaitAll", &fault{ErrInStatus, "ERR-08", errors.Join(failed...)})
}
