package sched

import (
	"runtime"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/callsite"
)

// A Place is a line of a program, with the lines that led to it.
type Place = errclass.Place

// Caller returns the line that called into the library from outside: from a
// program, an example, a command or a test.
func Caller() Place { return errclass.PlaceOf(callsite.Find(callsite.IsLibrary)) }

// DeferringCaller is Caller, except that a deferred call is at its defer statement and not at
// the return that runs it, see [callsite.Deferred].
func DeferringCaller() Place {
	return errclass.PlaceOf(callsite.Deferred(callsite.Find(callsite.IsLibrary)))
}

// SetPlace sets the line of its program that r is at; nil means that it is found on the stack. It
// is for interpreters, whose program is not Go code: reports then name lines of that
// program.
func (r *Rank) SetPlace(p *Place) { r.at = p }

// Place returns the line of the program that r is at. Only r's own goroutine may
// call it.
func (r *Rank) Place() Place {
	if r.at != nil {
		return *r.at
	}
	return Caller()
}

// Placed returns the line that SetPlace gave r, and whether there is one. Unlike Place it
// does not walk the stack.
func (r *Rank) Placed() (Place, bool) {
	if r.at == nil {
		return Place{}, false
	}
	return *r.at, true
}

// CallSite returns the line of the program that made the present call of this library, for
// an error of that call. It skips frames of Go's own packages. The line is unknown if
// another part of this module made the call: a command, or a runner of scripts.
func CallSite() Place { return errclass.PlaceOf(callsite.Program()) }

// CallSite is [CallSite] for the call in which l was noted.
func (l *Line) CallSite() Place {
	if l.at != nil {
		return Place{}
	}
	return errclass.PlaceOf(callsite.OfProgram(callsite.Chain(l.PCs[:l.depth()], callsite.IsBelow)))
}

// failurePlace is Caller for a rank that panicked or left. It also skips frames of Go
// itself and of assertion helpers. If no other frame is left, as for a panic of the
// library, it returns the first frame.
func failurePlace() Place {
	p := callsite.Find(func(f runtime.Frame) bool {
		return callsite.IsLibrary(f) || callsite.IsGo(f) || strings.HasPrefix(f.Function, "github.com/stretchr/testify/")
	})
	if len(p) == 0 {
		p = callsite.Find(func(f runtime.Frame) bool {
			return callsite.IsGo(f) || strings.HasPrefix(f.Function, callsite.Module+"internal/sched.") || strings.HasPrefix(f.Function, callsite.Module+"internal/callsite.")
		})
	}
	return errclass.PlaceOf(p)
}

// A Line is a line of the program that was noted; its file and number are looked up only
// when something is recorded.
type Line struct {
	PCs [8]uintptr // as of runtime.Callers
	at  *Place     // the place that SetPlace gave
}

func (r *Rank) note(skip int) *Line {
	switch {
	case r.at != nil && r.lines != nil:
		if l := r.lines.of(r.at); l != nil {
			return l
		}
		return r.lines.keep(r.at, &Line{at: r.at})
	case r.at != nil:
		return &Line{at: r.at}
	}
	return here(1 + skip)
}

// LineAt returns a Line for a place that was looked up before, in another process.
func LineAt(p Place) *Line { return &Line{at: &p} }

// Place returns the place of the line. It is empty for a nil Line.
func (l *Line) Place() Place {
	switch {
	case l == nil:
		return Place{}
	case l.at != nil:
		return *l.at
	}
	return errclass.PlaceOf(callsite.Chain(l.PCs[:l.depth()], callsite.IsLibrary))
}

// depth returns the number of frames of l.
func (l *Line) depth() int {
	n := 0
	for n < len(l.PCs) && l.PCs[n] != 0 {
		n++
	}
	return n
}
