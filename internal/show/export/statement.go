package export

import (
	"slices"
	"sort"

	"github.com/commworld/commworld/script"
)

// A statement is a statement for ranks on which it completes the same calls.
type statement struct {
	*program
	b    branch
	c    *script.Stmt
	at   call // of the first rank; the calls of the other ranks are the same
	file string
}

// stmt writes one statement for the ranks of a branch.
func (p *program) stmt(w *writer, b branch, c *script.Stmt, write func(statement) error) error {
	if p.unopened[c] {
		return nil
	}
	groups := p.groups(b, c)
	for i, ranks := range groups {
		part := b
		if len(groups) > 1 {
			part = branch{ranks: ranks}
			w.openIf(ranks, i > 0)
		}
		if err := write(statement{p, part, c, call{ranks[0], c}, p.idents["handle "+c.Handle]}); err != nil {
			return err
		}
	}
	if len(groups) > 1 {
		w.close("}")
	}
	return nil
}

// classes returns the ranks by the name of the error class that the script expects of their
// call. Calls without one have the name success; some says that there are others. names are
// in the order in which a program tries them.
func (s *statement) classes(success string) (ranks map[string][]int, names []string, some bool) {
	ranks = map[string][]int{}
	for _, r := range s.ranksOf(s.b) {
		name := success
		if class, ok := s.failure(r, s.c); ok {
			name, some = class.Name(), true
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		ranks[name] = append(ranks[name], r)
	}
	slices.Sort(names)
	sort.SliceStable(names, func(i, j int) bool { return len(ranks[names[i]]) < len(ranks[names[j]]) })
	return ranks, names, some
}

// waits returns the requests that the call completes, by the names of the script and of the
// program, and whether a test may have completed one of them before.
func (s *statement) waits() (names, idents []string, tested bool) {
	names = s.names[s.at]
	for _, n := range names {
		idents = append(idents, s.idents["request "+n])
		tested = tested || s.tested[n]
	}
	return names, idents, tested
}

// resultOf returns the result of the access or message that a request represents.
func (s *statement) resultOf(request string) *variable {
	for _, begun := range s.completes[s.at] {
		if begun.As == request && begun.Want != nil {
			return s.results[begun]
		}
	}
	return nil
}

// rankChecks writes the equations that a rank checks; rank 0 also checks the files. write
// writes one equation of outcome i.
func (p *program) rankChecks(w *writer, r int, write func(i int, q script.Equation) error) error {
	some := false
	for i, out := range p.allow {
		for _, q := range out {
			if q.File == "" && q.Rank != r || q.File != "" && r != 0 {
				continue
			}
			if !some {
				w.openIf([]int{r}, false)
				some = true
			}
			if err := write(i, q); err != nil {
				return err
			}
		}
	}
	if some {
		w.close("}")
	}
	return nil
}
