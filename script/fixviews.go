package script

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// orderings yields the changes that order two accesses: of two parts of one collective call they
// make two calls, one after the other.
func (f *fixer) orderings(ctx context.Context, l *listing, c conflict) iter.Seq[change] {
	return func(yield func(change) bool) {
		switch {
		case !c.race.Together:
			for x := range f.fences(ctx, l, c) {
				if !yield(x) {
					return
				}
			}
			if c.order && c.f != c.s && !c.race.AboutViews() {
				f.fences(ctx, l, l.reversed(c))(yield)
			}
		case !l.crowded: // a line has the calls of several ranks
			f.apart(ctx, l, c, yield)
		}
	}
}

// apart replaces a collective write by one write of each rank by itself, in the order of
// the text, with the ordering statements in between.
func (f *fixer) apart(ctx context.Context, l *listing, c conflict, yield func(change) bool) {
	for _, at := range [][2]int{{c.f, c.fr}, {c.s, c.sr}} {
		if strings.Contains(l.items[at[0]].stmt.Routine, "_ordered") {
			return // the shared pointer has moved by then
		}
	}
	groups := l.groups()
	g := l.groupOf(groups, c.f, c.fr)
	if g == nil {
		return
	}
	ids := l.matching(c, groups, g)
	out := l
	var lines []string
	for i := 0; i < len(out.items); i++ {
		x := out.items[i]
		if !ids[x.id] || x.stmt.Data == nil {
			continue
		}
		s := *x.stmt
		s.Routine = strings.TrimSuffix(strings.Replace(strings.TrimSuffix(s.Routine, "_begin"), "_all", "", 1), "_all")
		if s.form = forms[s.Routine]; s.form == nil {
			return
		}
		if lines = append(lines, fmt.Sprint(x.line)); strings.HasSuffix(x.stmt.Routine, "_begin") {
			for _, r := range x.ranks {
				if e := out.completion(i, r); e >= 0 {
					out = out.with(slices.Delete(slices.Clone(out.items), e, e+1))
				}
			}
		}
		out = out.replace(i, &s)
	}
	where := "line "
	if len(lines) > 1 {
		where = "lines "
	}
	before := fmt.Sprintf("write one rank after the other: %s%s without _all, ", where, strings.Join(lines, ", "))
	id, jd := l.items[c.f].id, l.items[c.s].id
	c.f, c.s = out.index(id), out.index(jd)
	c.race = c.race.Apart()
	f.fences(ctx, out, c)(func(x change) bool {
		if x.atomic {
			return true // one write then hides the other as before
		}
		x.text = before + x.text
		return yield(x)
	})
}

// matching returns the statements that match the first access as collective calls on g: each
// has the same number among the calls of its rank.
func (l *listing) matching(c conflict, groups []*group, g *group) map[int]bool {
	number := l.callNumber(c.f, c.fr)
	ids := map[int]bool{}
	for _, r := range g.ranks() {
		for i, x := range l.items {
			if slices.Contains(x.ranks, r) && x.stmt.meets() && l.groupOf(groups, i, r) == g && l.callNumber(i, r) == number {
				ids[x.id] = true
			}
		}
	}
	return ids
}

// callNumber returns how many collective calls with its handle a rank has made up to
// index i.
func (l *listing) callNumber(i, rank int) int {
	n, h := 0, l.items[i].stmt.Handle
	for k := i; k >= 0; k-- {
		x := l.items[k]
		if x.stmt.Handle == h && x.stmt.meets() && slices.Contains(x.ranks, rank) {
			n++
		}
		if x.stmt.Routine == "open" && x.stmt.Handle == h {
			break
		}
	}
	return n
}
