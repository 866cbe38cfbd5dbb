package race

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
)

// A lack has the facts about a race when the detector finds it, for the advice in the
// report.
type lack struct {
	need
	fix    string    // a fix that was tried and works; empty if none was found
	none   string    // why no fix could be tried; empty: nothing was recorded
	failed int       // fixes that were tried, if none works
	a, b   *sequence // the sequences of the two accesses; nil: unknown
	sites  [2]*site  // of the two accesses
}

// countCalls adds to the parties of a race what is known of other calls from their lines.
func (l *lack) countCalls(e *consistency.RaceError) {
	if l == nil {
		return
	}
	for i, p := range []*consistency.Party{&e.A, &e.B} {
		s := l.sites[i]
		if r := s.row; r != nil && r.site == s {
			for _, of := range []*sequence{l.a, l.b} {
				if of != nil && of.h.rank == int(s.rank) {
					of.h.endHolds()
				}
			}
		}
		p.Varies, p.FirstLo, p.FirstHi, p.Elsewhere = s.calls.varies, s.calls.lo, s.calls.hi, s.group.elsewhere()
		if l.a != nil && l.b != nil && l.a.h.open != l.b.h.open && !e.Separate { // rounds of two opens cannot be compared
			p.Varies, p.FirstHi = true, 0
		}
	}
}

// A Group is the collective open that handles come from. It knows how many ranks made it, and
// which, and whether with Append.
type Group interface {
	Ranks() int
	Has(rank int) bool // of the world
	Appends() bool
}

// alone reports whether the open of s has one rank only.
func (s *sequence) alone() bool {
	g, ok := s.h.open.(Group)
	return ok && g.Ranks() == 1
}

// knows adds to a party of a race what is known of its handle and bytes.
func (s *sequence) knows(p *consistency.Party, of *site, at *extent.Pattern) {
	if g, ok := s.h.open.(Group); ok {
		p.Alone, p.Append = g.Ranks() == 1 && s.h.d.ranks > 1, g.Appends() && !of.sought
	}
	if hi := at.Hi(); hi < extent.MaxSize {
		p.Lo, p.Hi = at.Lo, hi
	}
}

// callAt returns the call and line of p as text, without its rank.
func callAt(p *consistency.Party) string {
	if s := p.Place.Base(); s != "" {
		return p.Op + " (" + s + ")"
	}
	return p.Op
}

// afterwards returns where a sync that publishes an access goes, as part of a sentence: while
// an access is under way, its file cannot be synced (CONS-SYNC-02).
func afterwards(p *consistency.Party) string {
	begins, split := strings.CutSuffix(p.Op, "Begin")
	switch {
	case split:
		return "after the " + begins + "End of " + callAt(p)
	case len(p.Op) > 1 && p.Op[0] == 'I' && unicode.IsUpper(rune(p.Op[1])):
		return "after the call that completes " + callAt(p)
	}
	return "after " + callAt(p)
}

// explain sets the advice of a race, and names the sync that exists but comes too late or
// too early.
func explain(e *consistency.RaceError, l *lack) {
	if l == nil {
		return
	}
	a, b := &e.A, &e.B
	e.Late = misplaced(e, l)
	switch {
	case l.fix != "":
		e.Fix = l.fix
	case l.failed > 0:
		e.Fix = fmt.Sprintf("none found: %d changes were tried on the record of the run; each left the race, made another or ended in a deadlock", l.failed)
	case e.AboutViews():
		e.Fix, _ = e.Views()
		if _, command := e.Views(); command != "" {
			e.Fix += ". To see them: " + command
		}
	case e.Rule == "CONS-C1":
		e.Fix = fmt.Sprintf("on rank %d complete %s before %s: wait for its request, or end the split access", a.Rank, callAt(a), callAt(b))
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
	if l.fix == "" && l.failed == 0 && !e.AboutViews() {
		e.Fix += fmt.Sprintf(" (not tried in this run: %s)", cmp.Or(l.none, "it was not recorded"))
	}
	if m := e.Mistake(); m != nil && !e.AboutViews() {
		e.Fix = m.Cure + "; " + consistency.OnlyIfMeant + e.Fix
	}
}

// together returns the fix for two handles of one open: all of its ranks sync.
func (l *lack) together(a, b *consistency.Party) string {
	switch {
	case l.order:
		return fmt.Sprintf("let all ranks of the file call Sync, Barrier and Sync, one after the other, where rank %d has made %s and rank %d not yet %s",
			a.Rank, callAt(a), b.Rank, callAt(b))
	case l.first && l.second:
		return fmt.Sprintf("let all ranks of the file call Sync %s and before the barrier or message that orders the two, and Sync again after that and before %s",
			afterwards(a), callAt(b))
	case l.first:
		return fmt.Sprintf("let all ranks of the file call Sync %s and before the barrier or message by which rank %d learns of it", afterwards(a), b.Rank)
	}
	return fmt.Sprintf("let all ranks of the file call Sync after the barrier or message by which rank %d learns of %s, and before %s", b.Rank, callAt(a), callAt(b))
}

// apart returns the fix for handles of different opens.
func (l *lack) apart(a, b *consistency.Party) string {
	who := func(p *consistency.Party, s *sequence) string {
		if s != nil && s.alone() {
			return fmt.Sprintf("rank %d", p.Rank)
		}
		return "all ranks of that open"
	}
	publish := fmt.Sprintf("%s: Sync on the handle of %s, after it", who(a, l.a), callAt(a))
	if when := afterwards(a); when != "after "+callAt(a) {
		publish = fmt.Sprintf("%s: Sync on that handle, %s", who(a, l.a), when)
	}
	fetch := fmt.Sprintf("%s: Sync on the handle of %s, before it", who(b, l.b), callAt(b))
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

// misplaced returns the text about a sync that exists but is in the wrong place.
func misplaced(e *consistency.RaceError, l *lack) string {
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
			return fmt.Sprintf("rank %d's Sync (%s) comes too late: after the barrier or message by which rank %d learns of the access", e.A.Rank, s, e.B.Rank)
		}
	case l.second:
		if s := at(l.b.opening); s != "" {
			return fmt.Sprintf("rank %d's Sync (%s) comes too early: before the barrier or message by which it learns of rank %d's access", e.B.Rank, s, e.A.Rank)
		}
	}
	return ""
}

// need says which syncs two accesses require between them, and whether they also require an
// order of their ranks.
type need struct{ first, order, second bool }

// missing returns the first of the calls that a race lacks. For a write and a read, the
// writer's sync comes first. For two writes, the later one counts as the reader, because it
// must fetch the file before it overwrites.
func (n need) missing(aWrites bool) consistency.Missing {
	own, other := consistency.WriterSync, consistency.ReaderSync
	if !aWrites {
		own, other = other, own
	}
	switch {
	case n.order:
		return consistency.Order
	case n.first:
		return own
	}
	return other
}
