package iofile

import (
	"errors"
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/sched"
)

// An Errhandler decides what happens when a call on a file fails. That of a
// communicator is another type, so that neither can be given to the other.
// (ERR-04)
//
// MPI_Errhandler
type Errhandler = errclass.Handler[*File]

// The predefined handlers. Files begin with the default file handler of their
// rank, see [SetDefaultErrhandler], and that with ErrorsReturn. (ERR-01,
// ERR-05)
var (
	ErrorsReturn   = errclass.ErrorsReturn[*File]()   // MPI_ERRORS_RETURN
	ErrorsAreFatal = errclass.ErrorsAreFatal[*File]() // MPI_ERRORS_ARE_FATAL
	ErrorsAbort    = errclass.ErrorsAbort[*File]()    // MPI_ERRORS_ABORT
)

// NewErrhandler makes a handler of a function. It is called once for a call
// that failed, on the rank of the call and as its last step, with the file and
// the error, which the call returns afterwards. Where there is no file, as when
// an open failed, f is nil. It may use the file and make other calls; what they
// find wrong on the same file is returned and not handled again. If it panics,
// the call returns an error of class ErrOther that tells so and wraps the first.
// (ERR-03, ERR-04)
//
// MPI_File_create_errhandler
func NewErrhandler(fn func(f *File, err error)) *Errhandler {
	if fn == nil {
		return nil // which SetErrhandler refuses
	}
	return errclass.NewHandler(fn)
}

// NewErrhandlerReturning is [NewErrhandler] of a function that decides what the
// call returns: the error that it returns, or the one that it was given if that is
// nil. (ERR-04)
//
// MPI_File_create_errhandler
func NewErrhandlerReturning(fn func(f *File, err error) error) *Errhandler {
	if fn == nil {
		return nil
	}
	return errclass.NewHandlerReturning(fn)
}

// SetErrhandler gives this rank's handle an error handler. Local. Errors:
// ErrFile, ErrErrhandler for nil. (ERR-04)
//
// MPI_File_set_errhandler
func (f *File) SetErrhandler(h *Errhandler) error {
	const op = "SetErrhandler"
	if err := f.alive(op); err != nil {
		return err
	}
	if h == nil {
		return f.fail(op, noHandler())
	}
	f.handler = h
	return nil
}

// Errhandler returns the error handler of the handle. Local. Errors: ErrFile.
// (ERR-04)
//
// MPI_File_get_errhandler
func (f *File) Errhandler() (*Errhandler, error) {
	if err := f.alive("Errhandler"); err != nil {
		return nil, err
	}
	return f.handler, nil
}

// CallErrhandler handles err as if a call on f had found it, and returns what
// that call would return. Local. Errors: ErrFile; err, wrapped if it ended the
// world; nil for nil. (ERR-04)
//
// MPI_File_call_errhandler
func (f *File) CallErrhandler(err error) error {
	if dead := f.alive("CallErrhandler"); dead != nil {
		return dead
	}
	return f.raise(err)
}

// SetDefaultErrhandler sets the default file handler of the calling rank. Files
// that it opens afterwards begin with it, and errors of calls that have no file
// are handled by it: [Open], [DeleteFor], [RegisterDatarep] and calls on closed
// handles. It is what the standard sets on MPI_FILE_NULL; a nil *File belongs to
// no rank, so that errors of calls on nil are only returned. Local. Errors:
// ErrComm, ErrErrhandler for nil. (ERR-02, ERR-03)
//
// MPI_File_set_errhandler
func SetDefaultErrhandler(c *comm.Comm, h *Errhandler) error {
	const op = "SetDefaultErrhandler"
	if c == nil || c.Sched() == nil {
		return report(op, errclass.NoRank, "", broken(ErrComm, "ERR-02", "the communicator is nil"))
	}
	if h == nil {
		return raiseDefault(c, report(op, c.Rank(), "", noHandler()))
	}
	if d := defaultOf(c); d != nil {
		d.handler = h
	} else {
		c.Keep(defaultKey{}, &fallback{handler: h})
	}
	return nil
}

// DefaultErrhandler returns the default file handler of the calling rank.
// Local. Errors: ErrComm. (ERR-02)
//
// MPI_File_get_errhandler
func DefaultErrhandler(c *comm.Comm) (*Errhandler, error) {
	if c == nil || c.Sched() == nil {
		return nil, report("DefaultErrhandler", errclass.NoRank, "", broken(ErrComm, "ERR-02", "the communicator is nil"))
	}
	if d := defaultOf(c); d != nil {
		return d.handler, nil
	}
	return ErrorsReturn, nil
}

func noHandler() error {
	return broken(ErrErrhandler, "ERR-04", "the handler is nil; ErrorsReturn handles nothing")
}

// A fallback is the default file handler of a rank that has set one.
type fallback struct {
	handler  *Errhandler
	handling bool
}

type defaultKey struct{}

func defaultOf(c *comm.Comm) *fallback {
	d, _ := c.Kept(defaultKey{}).(*fallback)
	return d
}

// raise lets the handler of f handle err, which one of its calls returns.
func (f *File) raise(err error) error {
	if f.handler == nil || f.handler == ErrorsReturn { // otherwise the handler sees it
		f.log.Failed(err)
	}
	return handle(f.handler, &f.handling, f, f.thread, err)
}

// raiseDefault is raise where there is no file.
func raiseDefault(c *comm.Comm, err error) error {
	d := defaultOf(c)
	if d == nil {
		c.Log().Failed(err)
		return err
	}
	return handle(d.handler, &d.handling, nil, c.Sched(), err)
}

// handle runs a handler unless it runs already. What a call found after the
// world was ended is no error of the program, and two calls at once on one rank
// would be two handlers at once.
func handle(h *Errhandler, handling *bool, f *File, r *sched.Rank, err error) (out error) {
	if err == nil || h == nil || h == ErrorsReturn || *handling ||
		r.Sched().Cause() != nil || errors.Is(err, errclass.ProcAborted) || errors.Is(err, sched.ErrTwoWaits) {
		return err
	}
	*handling = true
	defer func() {
		*handling = false
		if p := recover(); p != nil {
			out = &Error{
				Pkg: "iofile", Op: "Errhandler", Rank: errclass.NoRank, Object: f.Name(), Class: ErrOther, Rule: "ERR-04", Place: sched.CallSite(),
				Err: fmt.Errorf("the handler panicked: %v; it was called for: %w", p, err),
			}
		}
	}()
	return h.Raise(f, err, r.Sched().Abort)
}
