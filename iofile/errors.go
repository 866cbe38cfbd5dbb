package iofile

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/sched"
)

// Error tells which call on which rank broke which rule.
type Error = errclass.Error

// Offset counts etypes of a view.
type Offset int64

// Error classes that file calls return; see [errors.Is].
const (
	ErrFile                 = errclass.File
	ErrNotSame              = errclass.NotSame
	ErrAmode                = errclass.Amode
	ErrUnsupportedDatarep   = errclass.UnsupportedDatarep
	ErrUnsupportedOperation = errclass.UnsupportedOperation
	ErrNoSuchFile           = errclass.NoSuchFile
	ErrFileExists           = errclass.FileExists
	ErrBadFile              = errclass.BadFile
	ErrAccess               = errclass.Access
	ErrNoSpace              = errclass.NoSpace
	ErrQuota                = errclass.Quota
	ErrReadOnly             = errclass.ReadOnly
	ErrRequest              = errclass.Request
	ErrFileInUse            = errclass.FileInUse
	ErrDupDatarep           = errclass.DupDatarep
	ErrConversion           = errclass.Conversion
	ErrIO                   = errclass.IO
	ErrArg                  = errclass.Arg
	ErrBuffer               = errclass.Buffer
	ErrComm                 = errclass.Comm
	ErrCount                = errclass.Count
	ErrIntern               = errclass.Intern
	ErrOther                = errclass.Other
	ErrNoMem                = errclass.NoMem
	ErrType                 = errclass.Type
	ErrErrhandler           = errclass.Errhandler
)

// fault is what a check finds wrong: the class, the rule and plain words. The
// call that ran the check turns it into an [Error].
type fault struct {
	class errclass.Class
	rule  string
	err   error
}

func (e *fault) Error() string { return e.err.Error() }

// Unwrap gives errors.Is the class, too: a store may wrap what a file system of this
// package says.
func (e *fault) Unwrap() []error { return []error{e.class, e.err} }

// broken reports a broken rule in plain words: what was given, what to do.
func broken(class errclass.Class, rule, format string, args ...any) error {
	return &fault{class, rule, brief.Errorf(format, args...)}
}

// classified gives err a class and a rule unless a lower layer already has. One
// that knows of no rule, as where a buffer ends, leaves that to the call.
func classified(err error, class errclass.Class, rule string) error {
	if err == nil { // before anything is allocated
		return nil
	}
	var f *fault
	var e *Error
	if errors.As(err, &f) || errors.As(err, &e) {
		if lower, ok := err.(*Error); ok && lower.Rule == "" && lower.Pkg != "iofile" && lower.Err != nil {
			return &fault{lower.Class, rule, lower.Err}
		}
		return err
	}
	var c errclass.Class
	if errors.As(err, &c) {
		class = c
	}
	return &fault{class, rule, err}
}

// andThen is the error of a call that went on after its first error, and may have
// met a second: both can be found in it, class and rule are those of the first.
func andThen(first, second error) error {
	if first == nil || second == nil {
		return cmp.Or(first, second)
	}
	var f *fault
	e, found := first.(*Error)
	if o, ok := second.(*Error); ok && o.Err != nil { // what it says of call and file is said already
		if found && errors.Is(o.Err, e.Err) && errors.Is(e.Err, o.Err) {
			return first // it is the same again
		}
		second = fmt.Errorf("%w: %w", o.Class, o.Err)
	}
	switch {
	case found && e.Err != nil:
		joined := *e
		joined.Err = andThen(e.Err, second)
		return &joined
	case errors.As(first, &f):
		return &fault{f.class, f.rule, andThen(f.err, second)}
	}
	return fmt.Errorf("%w; and then %w", first, second)
}

// report makes err the [Error] of call op on the file called name, which the calling
// goroutine is in.
func report(op string, rank int, name string, err error) error {
	e := &Error{Pkg: "iofile", Op: op, Rank: rank, Object: name, Class: ErrOther, Err: err}
	var f *fault
	var lower *Error
	var c errclass.Class
	switch {
	case errors.As(err, &f):
		if e.Class, e.Rule = f.class, f.rule; err == error(f) { // else a store has wrapped it
			e.Err = f.err
		}
	case errors.As(err, &lower):
		if lower.Pkg == "iofile" && err == error(lower) {
			return lower
		}
		e.Class, e.Rule = lower.Class, lower.Rule
		if err == error(lower) && lower.Err != nil {
			e.Err = lower.Err // what it says of class and rule is said already
		}
	case errors.As(err, &c):
		e.Class = c
	}
	e.Place = sched.CallSite()
	return e
}

// startedAt is err of a nonblocking access that a call on that line started.
func startedAt(line *sched.Line, err error) error {
	e, ok := err.(*Error)
	if !ok {
		return err
	}
	placed := *e
	placed.Place = line.CallSite()
	return &placed
}

// ClassOf returns the class that an error of a [Store] or of a
// [image.Backing] is reported with: the one it wraps, else ErrIO. Of an
// [Error] that a call has returned it is the class in its text.
func ClassOf(err error) errclass.Class {
	c, _ := classOf(err)
	return c
}
