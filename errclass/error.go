package errclass

import (
	"fmt"
	"strings"
)

// NoRank is the Rank of an error that no rank in particular made.
const NoRank = -1

// An Error tells which call on which rank broke which rule.
type Error struct {
	Pkg    string // package that found it: "iofile"
	Op     string // call: "WriteAtAll"
	Rank   int    // rank in the communicator of the call, or NoRank
	Object string // file, communicator or type expression; may be empty
	Class  Class  // class of the standard
	Rule   string // id of the broken rule, such as "IO-AMODE-01"; may be empty
	Err    error  // plain words or cause: the offending value, what to do; may be nil
}

// Error prints everything that is known on one line:
//
//	iofile: rank 2: Open "a.dat": no such file: give Create (IO-AMODE-04)
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Pkg)
	b.WriteString(": ")
	if e.Rank >= 0 {
		fmt.Fprintf(&b, "rank %d: ", e.Rank)
	}
	b.WriteString(e.Op)
	if e.Object != "" {
		fmt.Fprintf(&b, " %q", e.Object)
	}
	b.WriteString(": ")
	b.WriteString(e.Class.Error())
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	if e.Rule != "" {
		fmt.Fprintf(&b, " (%s)", e.Rule)
	}
	return b.String()
}

// Unwrap gives errors.Is and errors.As the class and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Class}
	}
	return []error{e.Class, e.Err}
}
