// Package fault has the errors of checks on their way to the call that ran them.
//
// Start here: a check returns [New] with the class of the error, the id of the
// rule that is broken, and plain words: what was given, what to do. The call
// makes it an errclass.Error by [Report], with its own name, rank, object and line. [Of] and
// [Classify] make a fault of an error of a lower layer, and [Join] one error of two.
package fault

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/callsite"
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

// OfCall returns the error of a call that belongs to no rank, at the line of the program that
// made the call; long datatypes, lists and strings are cut.
func OfCall(pkg, op, object string, class errclass.Class, rule, format string, args ...any) *errclass.Error {
	return &errclass.Error{
		Pkg: pkg, Op: op, Rank: errclass.NoRank, Object: object, Class: class, Rule: rule,
		Place: errclass.PlaceOf(callsite.Program()), Err: brief.Errorf(format, args...),
	}
}

// Of returns err, an error of a lower layer, as a fault with the class and the rule that it
// has, or else with these; nil for nil. The call of the lower layer is left out of its words,
// because the program did not make it; [Classify] keeps it.
func Of(err error, class errclass.Class, rule string) *Fault {
	var f *Fault
	var e *errclass.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return f
	case errors.As(err, &e):
		if e.Rule != "" {
			rule = e.Rule
		}
		cause := e.CauseAt(errclass.PlaceOf(callsite.Program()))
		if cause == nil {
			cause = e.Class
		}
		return &Fault{e.Class, rule, cause}
	}
	return &Fault{class, rule, err}
}

// ClassOf returns the class and the rule of an error; [errclass.IO] and none if it has no
// class. The outermost error of a call decides, whatever it wraps: the sync of a rank that was
// killed may wrap an error of the store.
func ClassOf(err error) (errclass.Class, string) {
	if e, ok := err.(*errclass.Error); ok {
		return e.Class, e.Rule
	}
	var f *Fault
	var e *errclass.Error
	var c errclass.Class
	switch {
	case errors.As(err, &f):
		return f.Class, f.Rule
	case errors.As(err, &e):
		return e.Class, e.Rule
	case errors.As(err, &c):
		return c, ""
	}
	return errclass.IO, ""
}

// Classify gives err, an error in a call of package pkg, a class and a rule unless a lower
// layer already has; such an error, for example of a store, stays as it is. If the lower layer
// knows no rule, the rule of the call is used.
func Classify(pkg string, err error, class errclass.Class, rule string) error {
	if err == nil { // no allocation without an error
		return nil
	}
	if e, ok := err.(*errclass.Error); ok && e.Rule == "" && e.Pkg != pkg && e.Err != nil {
		return &Fault{e.Class, rule, e.CauseAt(errclass.PlaceOf(callsite.Program()))}
	}
	var f *Fault
	var e *errclass.Error
	var c errclass.Class
	switch {
	case errors.As(err, &f) || errors.As(err, &e):
		return err
	case errors.As(err, &c):
		class = c
	}
	return &Fault{class, rule, err}
}

// Join returns the error of a call that continued after its first error and may have a
// second one: it wraps both, with class and rule of the first.
func Join(first, second error) error {
	if first == nil || second == nil {
		return cmp.Or(first, second)
	}
	var f *Fault
	e, found := first.(*errclass.Error)
	if o, ok := second.(*errclass.Error); ok && o.Err != nil { // its call and file are already in the text
		if found && errors.Is(o.Err, e.Err) && errors.Is(e.Err, o.Err) {
			return first // the same error again
		}
		second = fmt.Errorf("%w: %w", o.Class, o.Err)
	}
	switch {
	case found && e.Err != nil:
		joined := *e
		joined.Err = Join(e.Err, second)
		return &joined
	case errors.As(first, &f):
		return &Fault{f.Class, f.Rule, Join(f.Err, second)}
	}
	return fmt.Errorf("%w; and then %w", first, second)
}

// Report returns err as the error of the call that e describes, with the class and the rule of
// err if it has them. An error that the package of e has already reported stays as it is.
func Report(e *errclass.Error, err error) *errclass.Error {
	var f *Fault
	var lower *errclass.Error
	var c errclass.Class
	e.Err = err
	switch {
	case errors.As(err, &f):
		if e.Class, e.Rule = f.Class, f.Rule; err == error(f) { // else a store has wrapped it
			e.Err = f.Err
		}
	case errors.As(err, &lower):
		if lower.Pkg == e.Pkg && err == error(lower) {
			return lower
		}
		e.Class, e.Rule = lower.Class, lower.Rule
		if err == error(lower) && lower.Err != nil {
			e.Err = lower.CauseAt(e.Place) // its class and rule are already in the text
		}
	case errors.As(err, &c):
		e.Class = c
	}
	return e
}
