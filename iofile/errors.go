package iofile

import (
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/internal/sched"
)

// Error says which call on which rank broke which rule.
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

// broken returns an error in plain words: what was given, and what to do.
func broken(class errclass.Class, rule, format string, args ...any) error {
	return fault.New(class, rule, format, args...)
}

// classified gives err a class and a rule unless a lower layer already has.
func classified(err error, class errclass.Class, rule string) error {
	return fault.Classify("iofile", err, class, rule)
}

// report returns err as the [Error] of call op on the file called name, made by the calling
// goroutine.
func report(op string, rank int, name string, err error) error {
	return fault.Report(&Error{Pkg: "iofile", Op: op, Rank: rank, Object: name, Class: ErrOther, Place: sched.CallSite()}, err)
}

// startedAt returns err as the error of a nonblocking access that a call on that line
// started.
func startedAt(line *sched.Line, err error) error {
	e, ok := err.(*Error)
	if !ok {
		return err
	}
	placed := *e
	placed.Place = line.CallSite()
	return &placed
}

// ClassOf returns the class with which an error of a [Store] or of a [Backing] is reported:
// the one that it wraps, else ErrIO. For an [Error] that a call has returned it is the
// class in its text.
func ClassOf(err error) errclass.Class {
	c, _ := fault.ClassOf(err)
	return c
}
