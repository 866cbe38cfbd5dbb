package consistency

import (
	"errors"
	"fmt"

	"github.com/commworld/commworld/errclass"
)

// Error is the error of every function of this package. It names no rank.
type Error = errclass.Error

// The error classes that this package raises of itself; a backing may raise
// others.
const (
	ErrArg  = errclass.Arg
	ErrFile = errclass.File
	ErrIO   = errclass.IO
)

// fault builds an Error of this package.
func fault(op string, class errclass.Class, rule, format string, args ...any) error {
	return &Error{
		Pkg: "consistency", Op: op, Rank: errclass.NoRank, Class: class, Rule: rule,
		Err: fmt.Errorf(format, args...),
	}
}

// failed makes an error of a backing one of this package, of the same class.
func failed(op string, err error) error {
	if err == nil {
		return nil
	}
	var c errclass.Class
	if !errors.As(err, &c) {
		c = ErrIO
	}
	return &Error{Pkg: "consistency", Op: op, Rank: errclass.NoRank, Class: c, Err: err}
}
