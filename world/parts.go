package world

import (
	"strings"

	"github.com/commworld/commworld/errclass"
)

// A part is one of the errors that a program joined, with the words that it put around.
type part struct {
	err           error
	before, after string
}

// parts returns what err joins and wraps, down to the errors of this module and those that
// wrap nothing. An error that does not print what it wraps is one part.
func parts(err error) []part {
	if err == nil {
		return nil
	}
	if ours(err) {
		return []part{{err: err}}
	}
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		next := x.Unwrap()
		if next == nil || !typed(next) {
			break
		}
		before, after, found := strings.Cut(err.Error(), next.Error())
		if !found {
			break
		}
		all := parts(next)
		for i := range all {
			all[i].before, all[i].after = before+all[i].before, all[i].after+after
		}
		return all
	case interface{ Unwrap() []error }:
		var all []part
		var lines []string
		for _, next := range x.Unwrap() {
			if next != nil {
				all, lines = append(all, parts(next)...), append(lines, next.Error())
			}
		}
		if len(all) > 0 && err.Error() == strings.Join(lines, "\n") {
			return all
		}
	}
	return []part{{err: err}}
}

// text is said, which stands for the error, with the words around it.
func (p *part) text(said string) string { return p.before + said + p.after }

// words reports whether the program put words around the error.
func (p *part) words() bool { return p.before+p.after != "" }

// cause is the text of p without what differs between ranks that one cause hits: rank,
// call, line, and on which rank a collective call failed.
func (p *part) cause() string {
	e, ok := p.err.(*Error)
	if !ok {
		return p.text(p.err.Error())
	}
	return p.text(causeOf(e))
}

func causeOf(e *Error) string {
	g := general(e)
	g.Err = elsewhere(e)
	if g.Err != nil { // else the call is all that it says
		g.Op = ""
	}
	return g.Error()
}

// elsewhere returns what e wraps, of a collective call that failed on another rank what it
// failed with there.
func elsewhere(e *Error) error {
	if x, ok := e.Err.(interface{ Unwrap() error }); ok && strings.HasPrefix(e.Err.Error(), "failed on rank ") {
		if next := x.Unwrap(); next != nil {
			return next
		}
	}
	return e.Err
}

// general is e without what differs between ranks that hit the same.
func general(e *Error) *Error {
	g := *e
	g.Rank, g.Place = errclass.NoRank, Place{}
	return &g
}
