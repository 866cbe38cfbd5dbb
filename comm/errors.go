package comm

import (
	"errors"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/sched"
)

// Error tells which call on which rank broke which rule.
type Error = errclass.Error

// The error classes that this package raises; see [errors.Is].
const (
	ErrArg        = errclass.Arg
	ErrBuffer     = errclass.Buffer
	ErrComm       = errclass.Comm
	ErrConversion = errclass.Conversion
	ErrCount      = errclass.Count
	ErrDims       = errclass.Dims
	ErrErrhandler = errclass.Errhandler
	ErrGroup      = errclass.Group
	ErrInfo       = errclass.Info
	ErrInfoKey    = errclass.InfoKey
	ErrInfoNoKey  = errclass.InfoNoKey
	ErrInfoValue  = errclass.InfoValue
	ErrInStatus   = errclass.InStatus
	ErrKeyval     = errclass.Keyval
	ErrNotSame    = errclass.NotSame
	ErrOp         = errclass.Op
	ErrOther      = errclass.Other
	ErrPending    = errclass.Pending
	ErrRank       = errclass.Rank
	ErrRequest    = errclass.Request
	ErrRoot       = errclass.Root
	ErrTag        = errclass.Tag
	ErrTopology   = errclass.Topology
	ErrTruncate   = errclass.Truncate
	ErrType       = errclass.Type
)

// fault is what a check finds wrong: the class, the rule and plain words. The
// call that ran the check makes it an [Error].
type fault struct {
	class errclass.Class
	rule  string
	err   error
}

func (f *fault) Error() string { return f.err.Error() }

func broken(class errclass.Class, rule, format string, args ...any) *fault {
	return &fault{class, rule, brief.Errorf(format, args...)}
}

// faultOf makes a fault of an error from a lower layer, which knows its class
// and rule; rule is for errors that know none.
func faultOf(err error, class errclass.Class, rule string) *fault {
	var f *fault
	var e *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return f
	case errors.As(err, &e):
		if e.Rule != "" {
			rule = e.Rule
		}
		cause := e.Err
		if cause == nil {
			cause = e.Class
		}
		return &fault{e.Class, rule, cause}
	}
	return &fault{class, rule, err}
}

// fail makes err, a fault or the cause of an abort, the error of call op on c,
// and a fault is handled by the error handler of c.
func (c *Comm) fail(op string, err error) error { return c.handled(c.errorOf(op, err), err) }

// failOf is fail for a nonblocking operation, which the call op started on that line. If the
// line was not noted, the error has that of the call which completes the operation.
func (c *Comm) failOf(line *sched.Line, op string, err error) error {
	if line == nil {
		return c.fail(op, err)
	}
	e := c.bareError(op, err)
	e.Place = line.CallSite()
	return c.handled(e, err)
}

// handled is e, which was made of err, after the error handler of c.
func (c *Comm) handled(e *Error, err error) error {
	if _, ok := err.(*fault); !ok || c.null() {
		return e
	}
	return c.raise(e)
}

// errorOf is fail without the error handler.
func (c *Comm) errorOf(op string, err error) *Error {
	e := c.bareError(op, err)
	if c.null() {
		e.Place = sched.CallSite()
	} else {
		e.Place = c.proc.thread.CallSite()
	}
	return e
}

// bareError is errorOf without the line of the call.
func (c *Comm) bareError(op string, err error) *Error {
	e := &Error{Pkg: "comm", Op: op, Rank: errclass.NoRank, Class: ErrOther, Err: err}
	if !c.null() {
		e.Rank, e.Object = c.rank, c.label()
	}
	switch f := err.(type) {
	case *fault:
		e.Class, e.Rule, e.Err = f.class, f.rule, f.err
	case *sched.ForeignError:
		e.Class, e.Rule = ErrComm, "COMM-01"
	case *sched.TwoWaitsError:
		e.Rule = "COMM-01"
	default:
		if err == sched.ErrEnded {
			e.Class, e.Rule = ErrComm, "COMM-01"
		}
	}
	return e
}

// alive reports a handle that is nil or freed, or whose rank is in another call
// just now. (P2P-08, COMM-01)
func (c *Comm) alive(op string) error {
	if c.well() {
		return nil
	}
	if err := c.living(op); err != nil {
		return err
	}
	if f := c.occupied(); f != nil {
		return c.errorOf(op, f) // handlers are not for two goroutines either
	}
	return nil
}

// well is what alive finds of most calls.
func (c *Comm) well() bool {
	if c == nil || c.core == nil || c.freed {
		return false
	}
	p := c.proc
	return !p.taken() && !p.univ.ended.Load() && !p.univ.folding.Any()
}

// living is alive for what any goroutine may call.
func (c *Comm) living(op string) error {
	switch {
	case c.null():
		return c.fail(op, broken(ErrComm, "COMM-01", "the communicator is nil: it is what ranks get that are left out when one is made, or nobody made it"))
	case c.core.univ.ended.Load():
		return c.fail(op, broken(ErrComm, "COMM-01", "the world of the communicator has ended"))
	case c.freed:
		return c.fail(op, broken(ErrComm, "COMM-01", "the communicator has been freed"))
	case c.core.univ.folding.Here():
		return c.errorOf(op, broken(ErrOp, "COLL-03", "called by the function of a reduction's operation, which must not call this package: the ranks wait for it"))
	}
	return nil
}
