package world

import (
	"strings"

	"github.com/commworld/commworld/errclass"
)

// A part is one of the errors that a program joined, with the text that the program put
// around it.
type part struct {
	err           error
	before, after string
}

// parts returns the errors that err joins and wraps, down to errors of this module and
// those that wrap nothing. An error that does not print what it wraps is one part.
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

// text returns the text around the error, with said in place of the error.
func (p *part) text(said string) string { return p.before + said + p.after }

// words reports whether the program put text around the error.
func (p *part) words() bool { return p.before+p.after != "" }

// cause returns the text of p without what differs between ranks with the same cause: rank,
// call, line, and the rank on which a collective call failed.
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
	if g.Err != nil { // otherwise its text is only the call
		g.Op = ""
	}
	return g.Error()
}

// elsewhere returns the error that e wraps. If a collective call failed because of another
// rank, that is the error there.
func elsewhere(e *Error) error {
	if x, ok := e.Err.(interface{ Unwrap() error }); ok && strings.HasPrefix(e.Err.Error(), "failed on rank ") {
		if next := x.Unwrap(); next != nil {
			return next
		}
	}
	return e.Err
}

// general returns e without what differs between ranks with the same error.
func general(e *Error) *Error {
	g := *e
	g.Rank, g.Place = errclass.NoRank, Place{}
	return &g
}
