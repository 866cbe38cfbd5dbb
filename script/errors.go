package script

import (
	"fmt"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/reps"
)

// A SyntaxError is an error of a script's text, with its line and column.
type SyntaxError struct {
	Line   int
	Column int    // in bytes, from 1
	Text   string // of the line
	Err    error
}

// Error returns the line, the column and the error there.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %v", e.Line, e.Column, e.Err)
}

// Unwrap returns the error without its place.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Show returns Error followed by the line, with a mark under the place. If the line is long,
// it shows only the part around the place; control characters become question marks.
func (e *SyntaxError) Show() string {
	const room, all = 60, 100
	text, at := e.Text, max(e.Column-1, 0)
	if at > room && len(text) > all {
		cut := min(at-room, len(text))
		text, at = "..."+text[cut:], at-cut+len("...")
	}
	if len(text) > all {
		text = text[:all] + "..."
	}
	at = min(at, len(text))
	before, behind := brief.Show(text[:at]), brief.Show(text[at:])
	mark := strings.Map(func(c rune) rune {
		if c == '\t' {
			return c
		}
		return ' '
	}, before)
	return fmt.Sprintf("%v\n    %s%s\n    %s^", e, before, behind, mark)
}

// An unclosedError reports that a rank has left a handle open.
type unclosedError struct {
	rank int
	open *Stmt
}

func (e *unclosedError) Error() string {
	return fmt.Sprintf("file %q, opened on line %d as %s, is never closed; what was written since the last sync is lost: end with \"close %[3]s\" (IO-OPEN-08)",
		e.open.File, e.open.Line, e.open.Handle)
}

// Unwrap returns the class and the rule.
func (e *unclosedError) Unwrap() error {
	return &errclass.Error{Pkg: "script", Op: e.open.Routine, Rank: e.rank, Object: e.open.File, Class: errclass.Other, Rule: "IO-OPEN-08"}
}

// An unlikeError reports that a rank has another architecture than its script gives it.
type unlikeError struct {
	rank       int
	arch, want *reps.Arch
}

func (e *unlikeError) Error() string {
	return fmt.Sprintf("script: rank %d is given the architecture %v, but its script says %v; leave world.Arch out, and write a line such as: machine %d %s",
		e.rank, e.arch, e.want, e.rank, strings.ToLower(e.arch.String()))
}
