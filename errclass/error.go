package errclass

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/seen"
)

// NoRank is the Rank of an error that no rank in particular made.
const NoRank = -1

// An Error tells which call on which rank broke which rule. The call of a nonblocking
// operation is the one that started it. Where lines are not noted (see
// world.CheckHandles) Place is the line of the one that completed it.
type Error struct {
	Pkg    string // package that found it: "iofile"
	Op     string // call: "WriteAtAll"; empty if no call made the error
	Rank   int    // rank in the communicator of the call, or NoRank
	Object string // file, communicator or type expression; may be empty
	Class  Class  // class of the standard
	Rule   string // id of the broken rule, such as "IO-AMODE-01"; may be empty
	Err    error  // plain words or cause: the offending value, what to do; may be nil
	Place  Place  // the line of the program that made the call; may be unknown
}

// Error prints everything that is known on one line:
//
//	iofile: rank 2: Open "a.dat": at tile.go:90 < main.go:20: no such file: give Create (IO-AMODE-04)
//
// An error of neither call nor object is printed as its Err alone, without place and
// the words of the class.
func (e *Error) Error() string {
	seen.Look(e)
	return e.TextAt(e.Place.Chain())
}

// TextAt is Error with other words for the line of the call, such as the lines of several
// ranks; none if at is empty. For packages above this one.
func (e *Error) TextAt(at string) string {
	var b strings.Builder
	b.WriteString(e.Pkg)
	b.WriteString(": ")
	if e.Rank >= 0 {
		fmt.Fprintf(&b, "rank %d: ", e.Rank)
	}
	if e.Op == "" && e.Object == "" && e.Err != nil {
		b.WriteString(e.Err.Error())
		e.ruleTo(&b)
		return b.String()
	}
	b.WriteString(brief.String(e.Op))
	if e.Object != "" {
		fmt.Fprintf(&b, " %q", brief.String(e.Object))
	}
	b.WriteString(": ")
	if at != "" {
		b.WriteString("at " + at + ": ")
	}
	b.WriteString(e.Class.Error())
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	e.ruleTo(&b)
	return b.String()
}

func (e *Error) ruleTo(b *strings.Builder) {
	if e.Rule != "" {
		fmt.Fprintf(b, " (%s)", e.Rule)
	}
}

// MarshalJSON writes all fields, and what Error prints as "text".
func (e *Error) MarshalJSON() ([]byte, error) {
	f := struct {
		Pkg    string `json:"package"`
		Op     string `json:"call"`
		Rank   *int   `json:"rank,omitempty"`
		Object string `json:"object,omitempty"`
		Class  string `json:"class"`
		Rule   string `json:"rule,omitempty"`
		Cause  string `json:"cause,omitempty"`
		Place  *Place `json:"place,omitempty"`
		Text   string `json:"text"`
	}{Pkg: e.Pkg, Op: e.Op, Object: e.Object, Class: e.Class.Name(), Rule: e.Rule, Text: e.Error()}
	if e.Rank != NoRank {
		f.Rank = &e.Rank
	}
	if e.Err != nil {
		f.Cause = e.Err.Error()
	}
	if !e.Place.IsZero() {
		f.Place = &e.Place
	}
	return json.Marshal(f)
}

// Unwrap gives errors.Is and errors.As the class and the cause.
func (e *Error) Unwrap() []error {
	seen.Look(e)
	if e.Err == nil {
		return []error{e.Class}
	}
	return []error{e.Class, e.Err}
}
