package iofile

import (
	"errors"
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/sched"
)

// An Errhandler decides what happens when a call on a file fails. The handler of a
// communicator is another type, so that neither can be given to the other. (ERR-04)
//
// MPI_Errhandler
type Errhandler = errclass.Handler[*File]

// The predefined handlers. A file begins with the default file handler of its rank, see
// [SetDefaultErrhandler], which is ErrorsReturn at first. (ERR-01, ERR-05)
var (
	ErrorsReturn   = errclass.ErrorsReturn[*File]()   // MPI_ERRORS_RETURN
	ErrorsAreFatal = errclass.ErrorsAreFatal[*File]() // MPI_ERRORS_ARE_FATAL
	ErrorsAbort    = errclass.ErrorsAbort[*File]()    // MPI_ERRORS_ABORT
)

// NewErrhandler makes a handler of a function. The function is called once for a call that
// failed, on the rank of the call and as its last step, with the file and the error, which
// the call returns afterwards. If there is no file, as when an open failed, f is nil. The
// function may use the file and make other calls; their errors on the same file are
// returned and not handled again. If it panics, the call returns an error of class ErrOther
// that says so and wraps the first. (ERR-03, ERR-04)
//
// MPI_File_create_errhandler
func NewErrhandler(fn func(f *File, err error)) *Errhandler {
	if fn == nil {
		return nil // which SetErrhandler refuses
	}
	return errclass.NewHandler(fn)
}

// NewErrhandlerReturning is [NewErrhandler] for a function that decides what the call
// returns: the error that it returns, or the original error if that is nil. (ERR-04)
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
	if err := f.to().alive(op); err != nil {
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
	if err := f.to().alive("Errhandler"); err != nil {
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
	if dead := f.to().alive("CallErrhandler"); dead != nil {
		return dead
	}
	return f.raise(err)
}

// SetDefaultErrhandler sets the default file handler of the calling rank. Files that the
// rank opens afterwards begin with it, and it handles errors of calls without a file:
// [Open], [DeleteFor], [RegisterDatarep] and calls on closed handles. It corresponds to the
// handler of MPI_FILE_NULL in the standard. A nil *File belongs to no rank, so errors of
// calls on nil are only returned. Local. Errors: ErrComm, ErrErrhandler for nil. (ERR-02,
// ERR-03)
//
// MPI_File_set_errhandler
func SetDefaultErrhandler(c *comm.Comm, h *Errhandler) error {
	const op = "SetDefaultErrhandler"
	if c == nil || port.Thread(c) == nil {
		return report(op, errclass.NoRank, "", broken(ErrComm, "ERR-02", "the communicator is nil"))
	}
	if h == nil {
		return raiseDefault(c, report(op, c.Rank(), "", noHandler()))
	}
	if d := defaultOf(c); d != nil {
		d.handler = h
	} else {
		port.Keep(c, defaultKey{}, &fallback{handler: h})
	}
	return nil
}

// DefaultErrhandler returns the default file handler of the calling rank.
// Local. Errors: ErrComm. (ERR-02)
//
// MPI_File_get_errhandler
func DefaultErrhandler(c *comm.Comm) (*Errhandler, error) {
	if c == nil || port.Thread(c) == nil {
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
	d, _ := port.Kept(c, defaultKey{}).(*fallback)
	return d
}

// raise lets the handler of f handle err, which one of its calls returns.
func (f *File) raise(err error) error {
	if f.handler == nil || f.handler == ErrorsReturn { // otherwise the handler sees the error
		f.log.Failed(err)
	}
	return handle(f.handler, &f.handling, f, f.thread, err)
}

// raiseDefault is raise for a call without a file.
func raiseDefault(c *comm.Comm, err error) error {
	d := defaultOf(c)
	if d == nil {
		port.Log(c).Failed(err)
		return err
	}
	return handle(d.handler, &d.handling, nil, port.Thread(c), err)
}

// handle runs a handler unless it is running already. It does not handle what a call finds
// after the end of the world, nor two calls at once on one rank, which would run two
// handlers at once.
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
