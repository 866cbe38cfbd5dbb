package comm

import (
	"github.com/commworld/commworld/errclass"
	flt "github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/internal/sched"
)

// Error says which call on which rank broke which rule.
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

// fault is the error of a check. The call that ran the check makes it an [Error].
type fault = flt.Fault

// broken returns a fault whose text has the wrong value and the remedy.
func broken(class errclass.Class, rule, format string, args ...any) *fault {
	return flt.New(class, rule, format, args...)
}

// fail returns err, a fault or the cause of an abort, as the error of call op on c. The
// error handler of c handles a fault.
func (c *Comm) fail(op string, err error) error { return c.handled(c.errorOf(op, err), err) }

// failOf is fail for a nonblocking operation, which the call op started on that line. If the
// line was not recorded, the error has the line of the call that completes the operation.
func (c *Comm) failOf(line *sched.Line, op string, err error) error {
	if line == nil {
		return c.fail(op, err)
	}
	e := c.bareError(op, err)
	e.Place = line.CallSite()
	return c.handled(e, err)
}

// handled returns e, which was made of err, after the error handler of c.
func (c *Comm) handled(e *Error, err error) error {
	if _, ok := err.(*fault); !ok || c.null() {
		return e
	}
	return c.raise(e)
}

// named reports whether an interpreter names the line of its program that p is at: it adds
// that to errors itself.
func (p *process) named() bool {
	_, named := p.thread.Placed()
	return named
}

// errorOf does the same as fail without the error handler.
func (c *Comm) errorOf(op string, err error) *Error {
	e := c.bareError(op, err)
	if c.null() || !c.proc.named() {
		e.Place = sched.CallSite()
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
		e.Class, e.Rule, e.Err = f.Class, f.Rule, f.Err
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

// alive returns an error for a handle that is nil or freed, or whose rank is in another
// call now. (P2P-08, COMM-01)
func (c *Comm) alive(op string) error {
	if c.usable() {
		return nil
	}
	if err := c.living(op); err != nil {
		return err
	}
	if f := c.occupied(); f != nil {
		return c.errorOf(op, f) // a handler must not run in two goroutines either
	}
	return nil
}

// usable is a fast check for the usual case: it reports whether alive would find no error.
func (c *Comm) usable() bool {
	if c == nil || c.core == nil || c.freed {
		return false
	}
	p := c.proc
	return !p.taken() && !p.univ.ended.Load() && !p.univ.folding.Any()
}

// living is alive for calls that any goroutine may make.
func (c *Comm) living(op string) error {
	switch {
	case c.null():
		return c.fail(op, broken(ErrComm, "COMM-01", "the communicator is nil: ranks that are left out when one is made get nil, and a zero Comm is none either"))
	case c.core.univ.ended.Load():
		return c.fail(op, broken(ErrComm, "COMM-01", "the world of the communicator has ended"))
	case c.freed:
		return c.fail(op, broken(ErrComm, "COMM-01", "the communicator has been freed"))
	case c.core.univ.folding.Here():
		return c.errorOf(op, broken(ErrOp, "COLL-03", "called by the function of a reduction's operation, which must not call this package: the ranks wait for it"))
	}
	return nil
}
