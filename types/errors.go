package types

import (
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/callsite"
)

// Error is the error of every function of this package. An error that a type holds names no
// rank.
type Error = errclass.Error

// The error classes that this package raises.
const (
	ErrBuffer   = errclass.Buffer
	ErrCount    = errclass.Count
	ErrType     = errclass.Type
	ErrArg      = errclass.Arg
	ErrTruncate = errclass.Truncate
	ErrKeyval   = errclass.Keyval
	ErrOther    = errclass.Other
	ErrIO       = errclass.IO
)

// fault returns an Error of this package.
func fault(op string, class errclass.Class, rule, format string, args ...any) *Error {
	return &Error{
		Pkg: "types", Op: op, Rank: errclass.NoRank, Class: class, Rule: rule, Place: errclass.PlaceOf(callsite.Program()),
		Err: brief.Errorf(format, args...),
	}
}

// here returns a stored error as one of the present call.
func here(e *Error) *Error {
	c := *e
	c.Place = errclass.PlaceOf(callsite.Program())
	return &c
}
