package extent

import (
	"fmt"

	"github.com/commworld/commworld/errclass"
)

// Fault builds an error about bytes of a file. It names no rank.
func Fault(op string, class errclass.Class, rule, format string, args ...any) error {
	return &errclass.Error{
		Pkg: "image", Op: op, Rank: errclass.NoRank, Class: class, Rule: rule,
		Err: fmt.Errorf(format, args...),
	}
}
