package types

import (
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/callsite"
	flt "github.com/commworld/commworld/internal/fault"
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
	return flt.OfCall("types", op, "", class, rule, format, args...)
}

// here returns a stored error as one of the present call.
func here(e *Error) *Error {
	c := *e
	c.Place = errclass.PlaceOf(callsite.Program())
	return &c
}
