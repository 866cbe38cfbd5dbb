package script

import (
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/brief"
)

// check checks the script as a whole: the results and statements that the expectations name
// must exist.
func (s *Script) check() *SyntaxError {
	for _, e := range s.Expect {
		wrong := func(format string, args ...any) *SyntaxError {
			return &SyntaxError{Line: e.Line, Column: 1, Text: e.String(), Err: brief.Errorf(format, args...)}
		}
		if e.Kind == Error && !s.runs(e.Rank, e.At) {
			return wrong("rank %d has no statement on line %d", e.Rank, e.At)
		}
		for _, site := range e.Sites {
			if !s.runs(site.Rank, site.Line) {
				return wrong("rank %d has no statement on line %d", site.Rank, site.Line)
			}
		}
		for _, o := range e.Outcomes {
			for _, q := range o {
				if q.File != "" {
					continue
				}
				c := s.result(q.Rank, q.Name)
				if c == nil {
					return wrong("rank %d has no result %s", q.Rank, q.Name)
				}
				if err := q.comparable(c); err != nil {
					return wrong("%d:%s: %w", q.Rank, q.Name, err)
				}
			}
		}
	}
	return nil
}

// runs reports whether a rank has a statement on a line.
func (s *Script) runs(rank, at int) bool {
	found := false
	s.each(rank, func(c *Stmt) { found = found || c.Line == at })
	return found
}

// each calls f for the statements of a rank in order.
func (s *Script) each(rank int, f func(*Stmt)) {
	for _, b := range s.Blocks {
		if _, there := slices.BinarySearch(b.Ranks, rank); !there {
			continue
		}
		for _, c := range b.Stmts {
			f(c)
		}
	}
}

// result returns the statement that defines a result; name may end in ".count" or ".pos".
func (s *Script) result(rank int, name string) *Stmt {
	name = strings.TrimSuffix(strings.TrimSuffix(name, countOf), positionAfter)
	var made *Stmt
	s.each(rank, func(c *Stmt) {
		if c.Into == name {
			made = c
		}
	})
	return made
}

// Suffixes of the name of a read's data: how many copies arrived, and the file pointer
// after the read.
const (
	countOf       = ".count"
	positionAfter = ".pos"
)

// number reports whether the result of c called name is a number rather than data.
func (c *Stmt) number(name string) bool { return name != c.Into || c.datatype() == nil }

// comparable returns an error if the values of an equation cannot be compared with the result
// of c.
func (q Equation) comparable(c *Stmt) error {
	if c.number(q.Name) {
		_, err := q.asNumber()
		return err
	}
	_, _, err := encodeOpen(q.Values, c.datatype(), host)
	return err
}
