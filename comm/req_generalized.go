package comm

import (
	"sync/atomic"

	"github.com/commworld/commworld/internal/sched"
)

// A GRequest holds the functions of a generalized request. They run in calls on the
// request, may be nil, and may call this package, but not for their own request. A panic
// becomes an error. (GREQ-01)
//
// MPI_Grequest_query_function, MPI_Grequest_free_function, MPI_Grequest_cancel_function
type GRequest struct {
	// Query fills in the Status once the operation is complete, whenever a call asks for
	// it. That call returns its error.
	Query func(st *Status) error

	// Free is called once, when the operation is complete and the request has been given
	// back.
	Free func() error

	// Cancel is called by [Request.Cancel]; complete reports whether the operation was
	// already complete. To end the operation, Cancel calls GRequestComplete, and Query
	// calls SetCancelled.
	Cancel func(complete bool) error
}

// GRequestStart makes a request for an operation of the program's own, which
// GRequestComplete completes. (GREQ-01)
//
// MPI_Grequest_start
func (c *Comm) GRequestStart(g GRequest) (*Request, error) {
	if err := c.alive("GRequestStart"); err != nil {
		return nil, err
	}
	x := &grequest{GRequest: g, comm: c}
	x.open()
	x.left.Store(2)
	q := c.request(x)
	q.line = c.proc.thread.NoteLine(sched.AnyDepth)
	return q, nil
}

// GRequestComplete marks the operation of a generalized request as complete. Any rank of
// the world may call it, while the world runs. Errors: ErrRequest if q is not a generalized
// request or complete already, and the error of the Free function if the request was freed
// before. (GREQ-01)
//
// MPI_Grequest_complete
func (q *Request) GRequestComplete() error {
	const op = "GRequestComplete"
	if err := q.copied(op); err != nil {
		return err
	}
	var x *grequest
	if q != nil && q.record != nil {
		x, _ = q.op.(*grequest)
	}
	switch {
	case x == nil:
		return noComm.fail(op, broken(ErrRequest, "GREQ-01", "not a generalized request; GRequestStart makes one"))
	case x.ended.Swap(true):
		return x.comm.fail(op, broken(ErrRequest, "GREQ-01", "the operation is complete already"))
	}
	err := x.release() // before a waiting rank does it
	if atomic.SwapUint32(&x.state, complete) == awaited {
		x.comm.proc.thread.Sched().WakeFromOutside(x.comm.proc.thread) // the caller may not be a rank's own goroutine
	}
	return err
}

// grequest is the operation of a generalized request.
type grequest struct {
	GRequest
	completion
	comm  *Comm
	ended atomic.Bool // completed by the program

	asking, ending bool         // Query, or Cancel, is running
	left           atomic.Int32 // events until Free: completion, and the end of the request
}

func (x *grequest) String() string { return "GRequest on " + x.comm.label() }
func (x *grequest) title() string  { return "GRequestStart" }

func (x *grequest) outcome(*sched.Line) (Status, error) {
	st := emptyStatus(AnySource)
	if x.Query == nil {
		return st, nil
	}
	err := x.once(&x.asking, "Query", func() error { return x.Query(&st) })
	return st, err
}

func (x *grequest) close() error { return x.release() }

func (x *grequest) detach() error { return x.release() }

func (x *grequest) abandon() {}

func (x *grequest) cancel() error {
	if x.Cancel == nil {
		return nil
	}
	return x.once(&x.ending, "Cancel", func() error { return x.Cancel(x.done()) })
}

// release is called when the operation is complete, and when its request ends; the second
// call runs Free.
func (x *grequest) release() error {
	if x.left.Add(-1) > 0 || x.Free == nil {
		return nil
	}
	return x.call("Free", x.Free)
}

// once is call for a function that must not call itself.
func (x *grequest) once(running *bool, name string, f func() error) error {
	if *running {
		return x.comm.errorOf("GRequest."+name, broken(ErrRequest, "GREQ-01", "the function calls itself: it waits for, tests or cancels its own request"))
	}
	*running = true
	defer func() { *running = false }()
	return x.call(name, f)
}

// call runs a function of the program and makes a panic an error.
func (x *grequest) call(name string, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = x.comm.errorOf("GRequest."+name, broken(ErrOther, "GREQ-01", "the function panicked: %v", v))
		}
	}()
	return f()
}
