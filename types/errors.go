package types

import (
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
)

// Error is the error of every function of this package. Errors that types
// keep inside name no rank.
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

// fault builds an Error of this package.
func fault(op string, class errclass.Class, rule, format string, args ...any) *Error {
	return &Error{
		Pkg: "types", Op: op, Rank: errclass.NoRank, Class: class, Rule: rule,
		Err: brief.Errorf(format, args...),
	}
}
