package errclass

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/commworld/commworld/internal/brief"
)

// NoRank is the Rank of an error that does not belong to one rank.
const NoRank = -1

// An Error says which call on which rank broke which rule. For a nonblocking operation that
// is the call that started it; where lines are not recorded (see world.Handles), Place
// is the line of the call that completed it.
type Error struct {
	Pkg    string // package that found the error: "iofile"
	Op     string // call: "WriteAtAll"; empty if there is no call
	Rank   int    // rank in the communicator of the call, or NoRank
	Object string // file, communicator or type expression; may be empty
	Class  Class  // class of the standard
	Rule   string // id of the broken rule, such as "IO-AMODE-01"; may be empty
	Err    error  // text or cause: the wrong value, and what to do; may be nil
	Place  Place  // the line of the program that made the call; may be unknown
}

// Error returns everything that is known, on one line:
//
//	iofile: rank 2: Open "a.dat": at tile.go:90 < main.go:20: no such file: give Create (IO-AMODE-04)
//
// An error with neither call nor object is printed as its Err alone, without the place and
// the text of the class.
func (e *Error) Error() string {
	return e.TextAt(e.Place.Chain())
}

// TextAt is Error with another text for the line of the call, such as the lines of several
// ranks; there is none if at is empty. It is for packages above this one.
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

// CauseAt returns e as the cause of another error, that of a call at line. If another line
// made e, such as that of a datatype's constructor, the cause names it. It is for packages
// above this one.
func (e *Error) CauseAt(line Place) error {
	if e.Err == nil || e.Place.IsZero() || e.Place == line {
		return e.Err
	}
	return fmt.Errorf("%s (%s): %w", e.Op, e.Place.Chain(), e.Err)
}

// MarshalJSON writes all fields, and the result of Error as "text".
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

// Unwrap returns the class and the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Class}
	}
	return []error{e.Class, e.Err}
}
