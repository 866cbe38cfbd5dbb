package world

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/sharing"
)

// Strict looks for memory that ranks share because they are in one process, which
// ranks in processes of their own, as on a cluster, would not. It does so twice.
//
// It reads the source of the body that setup returns, and of the functions of the
// program's module which that reaches, for variables declared outside of the body,
// captured or of a package, that ranks change or receive into; for locks, channels
// and other things that work in one process only; and for slices and the like of
// which each rank fills its own part, as another process would not see that. What
// is only read, such as a configuration, may be shared.
//
// And it runs the program twice, with the same choices and the ranks the other way
// round between them, and compares every call of each rank, what it sends
// included, and the outcomes. What ranks give each other by messages and files is
// the same then; what they give each other by variables mostly is not. This also
// finds chance, time and the order of maps, and does not tell them from sharing.
//
// The error is a *[SharingError] if variables are shared, or if the source is not
// where the program was built: then nobody has looked. Otherwise it is an
// *[UncontrolledError] if the runs differ, what [Run] would have returned, or one of
// arguments. Not found is what functions of other modules do with what they are
// given, what a method does that is called through an interface, and what one
// function hides in a field or a list for another, unless it shows in the runs.
// Copies that ranks make and then change are not shared, nor is what each makes.
//
// Nothing of this module carries memory from rank to rank: messages, packed data,
// info objects and files are copied; attributes, error handlers, operations of the
// program, conversion functions and generalized requests stay with the rank that
// gave them. Files of a file system in memory are shared, as on an engine, which
// keeps them in a directory while they are open.
//
// Setup and options are as for [Explore]; setup is called twice.
func Strict(ctx context.Context, n int, setup Setup, opts ...Option) error {
	var body func(context.Context, *comm.Comm) error
	remember := setup
	if setup != nil {
		remember = func() (func(context.Context, *comm.Comm) error, func() any) {
			b, outcome := setup()
			body = b
			return b, outcome
		}
	}
	x, err := Explore(ctx, n, remember, append(opts[:len(opts):len(opts)], MaxSchedules(1))...)
	var differs *UncontrolledError
	switch {
	case errors.As(err, &differs):
	case err != nil:
		return err
	case len(x.Outcomes) == 0: // the context has ended
		return &RunError{Cause: x.Stopped}
	default:
		err = x.Outcomes[0].Err
	}
	found, unread := sharing.Find(function(body), function(setup))
	if len(found) == 0 && unread == nil {
		return err
	}
	e := &SharingError{Ran: err, Unread: unread}
	for _, v := range found {
		e.Shared = append(e.Shared, shared(v))
	}
	return e
}

// function tells where the source of f is: a line of it, as its first instruction
// need not be of the line that begins it.
func function(f any) sharing.Func {
	frames := runtime.CallersFrames([]uintptr{reflect.ValueOf(f).Pointer() + 1})
	for {
		frame, more := frames.Next()
		if !more { // what is inlined at the start of f comes before f
			return sharing.Func{Name: frame.Function, File: frame.File, Line: frame.Line}
		}
	}
}

// A SharingError is what [Strict] found.
type SharingError struct {
	Shared []SharedVariable // by line

	// Ran is how the program ran: nil if well and alike in both orders, or an
	// *[UncontrolledError], or what [Run] would have returned.
	Ran error

	// Unread says why the source was not read; nil if it was.
	Unread error

	once bool // the program ran in one order only
}

// A SharedVariable is one that ranks share.
type SharedVariable struct {
	Name    string
	Type    string // empty if it is not known
	At      Place  // where it is declared
	Uses    []SharedUse
	Instead string // why it is no good on a cluster, and what is
}

// A SharedUse is a line on which ranks use a variable.
type SharedUse struct {
	What string // "written", "read", "received into", "Lock"
	At   Place
}

var instead = map[sharing.Kind]string{
	sharing.Shared:   "each process would have its own; send it, or put it into a file",
	sharing.Gathered: "each rank fills its own part, and another process would not see it; Gather the parts",
	sharing.Left:     "no rank reads it, and each process would have only what its own rank left there; Gather or Bcast it",
	sharing.Ordering: "it orders only goroutines of one process; between ranks messages do, or Barrier",
	sharing.Channel:  "it leads only to goroutines of one process; Send and Recv",
}

func shared(v sharing.Variable) SharedVariable {
	s := SharedVariable{Name: v.Name, Type: v.Type, At: Place{File: v.At.Filename, Line: v.At.Line}, Instead: instead[v.Kind]}
	for _, u := range v.Uses {
		what := u.Verb
		if what == "" {
			what = "read"
		}
		s.Uses = append(s.Uses, SharedUse{what, Place{File: u.At.Filename, Line: u.At.Line}})
	}
	return s
}

// maxPlaces bounds how many lines String prints for one kind of use.
const maxPlaces = 5

// String gives the name, where it is declared, the uses by kind, and what to do.
func (s SharedVariable) String() string {
	var kinds []string
	places := map[string][]string{}
	for _, u := range s.Uses {
		if places[u.What] == nil {
			kinds = append(kinds, u.What)
		}
		places[u.What] = append(places[u.What], u.At.String())
	}
	for i, what := range kinds {
		at := places[what]
		more := ""
		if len(at) > maxPlaces {
			at, more = at[:maxPlaces], fmt.Sprintf(" and %d more", len(at)-maxPlaces)
		}
		kinds[i] = what + " at " + strings.Join(at, ", ") + more
	}
	name := s.Name
	if s.Type != "" {
		name += " " + s.Type
	}
	return fmt.Sprintf("%s, declared at %v: %s: %s", name, s.At, strings.Join(kinds, "; "), s.Instead)
}

// Error lists the variables, and says how the program ran.
func (e *SharingError) Error() string {
	var lines []string
	if len(e.Shared) > 0 {
		lines = append(lines, "ranks share memory, which processes of their own would not:")
	}
	for _, s := range e.Shared {
		lines = append(lines, "\t"+s.String())
	}
	if e.Unread != nil {
		lines = append(lines, fmt.Sprintf("the source was not read, so nobody has looked for variables that ranks share (was the program built elsewhere, or with -trimpath?): %v", e.Unread))
	}
	if e.Ran != nil {
		lines = append(lines, e.Ran.Error())
	} else if !e.once {
		lines = append(lines, "(ranks in the opposite order made the same calls with the same data)")
	}
	return "world: " + strings.Join(lines, "\n")
}

// Unwrap gives how the program ran, and why the source was not read.
func (e *SharingError) Unwrap() []error {
	var all []error
	for _, err := range []error{e.Ran, e.Unread} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}
