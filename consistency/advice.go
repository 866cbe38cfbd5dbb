package consistency

import (
	"cmp"
	"fmt"
)

// A lack is what a detector knows of a race when it finds it, for the words of the
// report.
type lack struct {
	need
	fix  string    // that was tried; empty if none was found
	none string    // why; empty: nothing was recorded
	a, b *sequence // of the two accesses; nil: not known
}

// A Group is what handles of one open have in common, if it can say how many ranks
// they are of.
type Group interface{ Ranks() int }

// alone reports whether a handle is of one rank only.
func (s *sequence) alone() bool {
	g, ok := s.h.open.(Group)
	return ok && g.Ranks() == 1
}

// at is a call in a sentence, without its rank.
func (p *Party) at() string {
	if s := p.Place.Base(); s != "" {
		return p.Op + " (" + s + ")"
	}
	return p.Op
}

// explain fills in what to do about a race, and the sync that is there but comes
// too late or too early.
func (e *RaceError) explain(l *lack) {
	if l == nil {
		return
	}
	a, b := &e.A, &e.B
	e.Late = e.misplaced(l)
	switch {
	case l.fix != "":
		e.Fix = l.fix
	case e.AboutViews():
		e.Fix, _ = e.Views()
		if _, command := e.Views(); command != "" {
			e.Fix += ". To see them: " + command
		}
	case e.Rule == "CONS-C1":
		e.Fix = fmt.Sprintf("on rank %d complete %s before %s: wait for its request, or end the split access", a.Rank, a.at(), b.at())
	case e.Rule == "CONS-C2":
		e.Fix = l.together(a, b)
		if !a.Atomic || !b.Atomic {
			e.Fix += "; or let all ranks of the file call SetAtomicity(true) before both"
			if l.order {
				e.Fix += ", and take either order"
			}
		}
	default:
		e.Fix = l.apart(a, b)
	}
	if l.fix == "" && !e.AboutViews() {
		e.Fix += fmt.Sprintf(" (not tried in this run: %s)", cmp.Or(l.none, "it was not recorded"))
	}
}

// together is the fix for two handles of one open: all of its ranks sync.
func (l *lack) together(a, b *Party) string {
	switch {
	case l.order:
		return fmt.Sprintf("let all ranks of the file call Sync, Barrier and Sync, one after the other, where rank %d has made %s and rank %d not yet %s",
			a.Rank, a.at(), b.Rank, b.at())
	case l.first && l.second:
		return fmt.Sprintf("let all ranks of the file call Sync after %s and before the barrier or message that orders the two, and Sync again after that and before %s",
			a.at(), b.at())
	case l.first:
		return fmt.Sprintf("let all ranks of the file call Sync after %s and before the barrier or message that tells rank %d of it", a.at(), b.Rank)
	}
	return fmt.Sprintf("let all ranks of the file call Sync after the barrier or message that tells rank %d of %s, and before %s", b.Rank, a.at(), b.at())
}

// apart is the fix for handles of different opens.
func (l *lack) apart(a, b *Party) string {
	who := func(p *Party, s *sequence) string {
		if s != nil && s.alone() {
			return fmt.Sprintf("rank %d", p.Rank)
		}
		return "all ranks of that open"
	}
	publish := fmt.Sprintf("%s: Sync on the handle of %s, after it", who(a, l.a), a.at())
	fetch := fmt.Sprintf("%s: Sync on the handle of %s, before it", who(b, l.b), b.at())
	order := fmt.Sprintf("a barrier, or a message from rank %d to rank %d", a.Rank, b.Rank)
	switch {
	case a.Rank == b.Rank:
		return "in this order: " + publish + "; " + fetch
	case l.order:
		return "in this order: " + publish + "; " + order + "; " + fetch
	case l.first && l.second:
		return publish + " and before what orders the two; and " + fetch + " and after what orders the two"
	case l.first:
		return publish + " and before what orders the two"
	}
	return fetch + " and after what orders the two"
}

// misplaced names a sync that is there but in the wrong place.
func (e *RaceError) misplaced(l *lack) string {
	at := func(c *syncCall) string {
		if c == nil {
			return ""
		}
		p := c.line.Line
		if p.Line == 0 {
			p = placeOf(c.line.PCs)
		}
		return p.Base()
	}
	switch {
	case l.a == nil || l.b == nil || l.order:
	case l.first:
		if s := at(l.a.closing); s != "" {
			return fmt.Sprintf("rank %d's Sync (%s) comes too late: what tells rank %d of the access comes before it", e.A.Rank, s, e.B.Rank)
		}
	case l.second:
		if s := at(l.b.opening); s != "" {
			return fmt.Sprintf("rank %d's Sync (%s) comes too early: what tells it of rank %d's access comes after it", e.B.Rank, s, e.A.Rank)
		}
	}
	return ""
}
