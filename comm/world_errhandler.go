package comm

import "github.com/commworld/commworld/errclass"

// An Errhandler decides what happens when a call on a communicator fails. The
// handler of a file is another type, so that it cannot be given to a
// communicator. (ERR-04)
//
// MPI_Errhandler
type Errhandler = errclass.Handler[*Comm]

// The predefined handlers. All communicators begin with ErrorsReturn, where the standard
// says ErrorsAreFatal: a Go program checks the error that a call returns, and a rank that
// returns it from its body ends the world, just as ErrorsAreFatal does. Set ErrorsAreFatal
// to end the world at any error without such checks. (ERR-01, ERR-05)
var (
	ErrorsReturn   = errclass.ErrorsReturn[*Comm]()   // MPI_ERRORS_RETURN
	ErrorsAreFatal = errclass.ErrorsAreFatal[*Comm]() // MPI_ERRORS_ARE_FATAL
	ErrorsAbort    = errclass.ErrorsAbort[*Comm]()    // MPI_ERRORS_ABORT
)

// NewErrhandler makes a handler from a function. The function is called on the rank whose
// call failed, with the communicator and the error, which the call returns afterwards. It
// may make calls itself; their errors on the same communicator are returned and not handled
// again. If it panics, the call returns an error that says so and wraps the original error.
// (ERR-04)
//
// MPI_Comm_create_errhandler
func NewErrhandler(fn func(c *Comm, err error)) *Errhandler {
	if fn == nil {
		return nil // which SetErrhandler refuses
	}
	return errclass.NewHandler(fn)
}

// NewErrhandlerReturning is [NewErrhandler] for a function that may replace the error: the
// failed call returns the function's error or, if that is nil, the original one. (ERR-04)
//
// MPI_Comm_create_errhandler
func NewErrhandlerReturning(fn func(c *Comm, err error) error) *Errhandler {
	if fn == nil {
		return nil
	}
	return errclass.NewHandlerReturning(fn)
}

// SetErrhandler gives the calling rank's handle an error handler. Communicators made from it
// later inherit that handler. Errors on a freed communicator go to the handler of COMM_SELF,
// as the standard asks for errors that belong to no object. Errors on a nil one are only
// returned, because nil belongs to no rank. Local. Errors: ErrComm, ErrErrhandler for nil.
// (ERR-04, ERR-06)
//
// MPI_Comm_set_errhandler
func (c *Comm) SetErrhandler(h *Errhandler) error {
	const op = "SetErrhandler"
	if err := c.alive(op); err != nil {
		return err
	}
	if h == nil {
		return c.fail(op, broken(ErrErrhandler, "ERR-04", "the handler is nil; ErrorsReturn handles nothing"))
	}
	if h != c.handler() {
		c.extras().handler = h
	}
	return nil
}

// Errhandler returns the error handler of the communicator. Local. Errors:
// ErrComm. (ERR-04)
//
// MPI_Comm_get_errhandler
func (c *Comm) Errhandler() (*Errhandler, error) {
	if err := c.alive("Errhandler"); err != nil {
		return nil, err
	}
	return c.handler(), nil
}

func (c *Comm) handler() *Errhandler {
	if h := c.more().handler; h != nil {
		return h
	}
	return ErrorsReturn
}

// CallErrhandler handles err as if a call on c had found it, and returns what that call
// would return. [errclass.Codes.Error] makes errors of codes that the program added. Local.
// Errors: ErrComm; err, wrapped if it ended the world; nil for nil. (ERR-04)
//
// MPI_Comm_call_errhandler
func (c *Comm) CallErrhandler(err error) error {
	if dead := c.alive("CallErrhandler"); dead != nil {
		return dead
	}
	if err == nil {
		return nil
	}
	return c.raise(err)
}

// raise passes err to the handler of c or, if c is freed, of COMM_SELF. In a world that has
// ended it does nothing: every call fails then.
func (c *Comm) raise(err error) (out error) {
	if c.freed {
		if c = c.proc.self; c == nil {
			return err
		}
	}
	x := c.more()
	if x.handler == nil || x.handler == ErrorsReturn { // otherwise the handler sees the error
		c.proc.log.Failed(err)
	}
	if x.handler == nil || x.handling || c.proc.univ.ended.Load() || c.proc.univ.sched.Cause() != nil {
		return err
	}
	x.handling = true
	defer func() {
		x.handling = false
		if v := recover(); v != nil {
			out = c.errorOf("Errhandler", broken(ErrOther, "ERR-04", "the handler panicked: %v; it was called for: %w", v, err))
		}
	}()
	return x.handler.Raise(c, err, c.proc.univ.sched.Abort)
}

// quietly suppresses the error handler during an inner call, whose outer call handles the
// errors. The returned function ends the suppression.
func (c *Comm) quietly() (over func()) {
	x := c.more()
	if x.handler == nil || x.handling {
		return func() {}
	}
	x.handling = true
	return func() { x.handling = false }
}

// ErrorCodes returns the calling rank's table of error classes and codes, to which the
// program may add. A rank has one table for all its communicators. It returns nil on a nil
// communicator. (ERR-07)
func (c *Comm) ErrorCodes() *errclass.Codes {
	if c.null() {
		return nil
	}
	p := c.proc
	if p.codes == nil {
		p.codes = new(errclass.Codes)
	}
	return p.codes
}
