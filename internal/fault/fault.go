// Package fault has the errors of checks on their way to the call that ran them.
//
// Start here: a check returns [New] with the class of the error, the id of the
// rule that is broken, and plain words: what was given, what to do. The call
// makes it an errclass.Error, with its own name, rank, object and line.
package fault

import (
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
)

// A Fault is an error of a check.
type Fault struct {
	Class errclass.Class
	Rule  string
	Err   error
}

// New makes a fault; long datatypes, lists and strings are cut.
func New(class errclass.Class, rule, format string, args ...any) *Fault {
	return &Fault{class, rule, brief.Errorf(format, args...)}
}

// Error returns the words alone.
func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap gives errors.Is the class, too: a store may wrap what a file system
// returned.
func (f *Fault) Unwrap() []error { return []error{f.Class, f.Err} }
