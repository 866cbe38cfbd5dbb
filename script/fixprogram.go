package script

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/commworld/commworld/iofile"
)

// A listing is a script as one list of statements in the order of the text, each
// with the ranks that run it. Repairs are made on listings: a statement inserted
// at index p runs on each of its ranks after all of that rank's statements before
// p.
type listing struct {
	s     *Script
	items []listed
	next  int // the id of the next new statement
}

// A listed statement is one statement of a listing. Its id stays when other statements are
// inserted or when it is replaced.
type listed struct {
	id    int
	line  int // of the original script; 0: inserted by a repair
	ranks []int
	stmt  *Stmt
}

func newListing(s *Script) *listing {
	l := &listing{s: s}
	for _, b := range s.Blocks {
		for _, c := range b.Stmts {
			l.next++
			l.items = append(l.items, listed{l.next, c.Line, b.Ranks, c})
		}
	}
	return l
}

// with returns l with other statements.
func (l *listing) with(items []listed) *listing {
	return &listing{s: l.s, items: items, next: l.next}
}

// script returns the listing as a script without expectations, with the lines
// that String gives it, and the ids of its statements by their lines.
func (l *listing) script() (s *Script, ids map[int]int) {
	s = &Script{Name: l.s.Name, Ranks: l.s.Ranks, Files: l.s.Files}
	ids = make(map[int]int, len(l.items))
	line := 1 + len(s.Files)
	for i, x := range l.items {
		if i == 0 || !slices.Equal(l.items[i-1].ranks, x.ranks) {
			line += 2
			s.Blocks = append(s.Blocks, Block{Line: line, Ranks: x.ranks, All: len(x.ranks) == s.Ranks && s.Ranks > 1})
		}
		line++
		c := *x.stmt
		c.Line = line
		ids[line] = x.id
		b := &s.Blocks[len(s.Blocks)-1]
		b.Stmts = append(b.Stmts, &c)
	}
	return s, ids
}

// index returns where the statement with that id stands, -1 if nowhere.
func (l *listing) index(id int) int {
	return slices.IndexFunc(l.items, func(x listed) bool { return x.id == id })
}

// An insertion is a statement to insert before index at, for some ranks.
type insertion struct {
	at    int
	ranks []int
	stmt  *Stmt
}

// insert returns l with insertions; those at one index keep their order, and
// equal ones of different ranks become one.
func (l *listing) insert(ins []insertion) *listing {
	ins = merged(ins)
	slices.SortStableFunc(ins, func(a, b insertion) int { return cmp.Compare(a.at, b.at) })
	out := l.with(make([]listed, 0, len(l.items)+len(ins)))
	for i := 0; i <= len(l.items); i++ {
		for len(ins) > 0 && ins[0].at == i {
			out.next++
			out.items = append(out.items, listed{id: out.next, ranks: ins[0].ranks, stmt: ins[0].stmt})
			ins = ins[1:]
		}
		if i < len(l.items) {
			out.items = append(out.items, l.items[i])
		}
	}
	return out
}

// merged joins what inserts the same statement in the same place for other ranks.
func merged(ins []insertion) []insertion {
	var out []insertion
next:
	for _, x := range ins {
		for k := len(out) - 1; k >= 0; k-- {
			y := &out[k]
			if y.at != x.at {
				continue
			}
			if overlap(y.ranks, x.ranks) {
				break
			}
			if y.stmt.String() == x.stmt.String() {
				y.ranks = append(slices.Clone(y.ranks), x.ranks...)
				slices.Sort(y.ranks)
				continue next
			}
		}
		out = append(out, x)
	}
	return out
}

func overlap(a, b []int) bool {
	return slices.ContainsFunc(a, func(r int) bool { return slices.Contains(b, r) })
}

// replace returns l with another statement in place of that at index i.
func (l *listing) replace(i int, s *Stmt) *listing {
	out := l.with(slices.Clone(l.items))
	out.items[i].stmt = s
	return out
}

// move returns l with the statement at index from moved before that at index to.
func (l *listing) move(from, to int) *listing {
	x := l.items[from]
	items := slices.Delete(slices.Clone(l.items), from, from+1)
	if to > from {
		to--
	}
	return l.with(slices.Insert(items, to, x))
}

// alone returns l with the statement at index i cut into one of each of its
// ranks, in their order.
func (l *listing) alone(i int) *listing {
	x := l.items[i]
	out := l.with(slices.Clone(l.items[:i]))
	for k, r := range x.ranks {
		y := x
		if y.ranks = []int{r}; k > 0 {
			out.next++
			y.id = out.next
		}
		out.items = append(out.items, y)
	}
	out.items = append(out.items, l.items[i+1:]...)
	return out
}

// statement makes a statement to insert.
func statement(s Stmt) *Stmt {
	s.form = forms[s.Routine]
	return &s
}

// A group is a handle as one open made it: what each rank calls it, and from
// which index to which it has it.
type group struct {
	self        bool
	name        map[int]string
	from, until map[int]int // indices of the open and the close; until is the length of the listing without a close
}

// ranks are those that have the handle, in order.
func (g *group) ranks() []int { return slices.Sorted(maps.Keys(g.name)) }

// groups finds the handles of a listing.
func (l *listing) groups() []*group {
	var all []*group
	together := map[int]*group{} // collective opens by their number
	opens := map[int]int{}       // of each rank
	now := map[[2]any]*group{}   // by rank and name
	for i, x := range l.items {
		for _, r := range x.ranks {
			key := [2]any{r, x.stmt.Handle}
			switch x.stmt.Routine {
			case "open":
				g := &group{self: x.stmt.Self}
				if !g.self {
					opens[r]++
					if together[opens[r]] == nil {
						together[opens[r]] = g
						all = append(all, g)
					}
					g = together[opens[r]]
				} else {
					all = append(all, g)
				}
				put(&g.name, r, x.stmt.Handle)
				put(&g.from, r, i)
				put(&g.until, r, len(l.items))
				now[key] = g
			case "close":
				if g := now[key]; g != nil {
					g.until[r] = i
				}
			}
		}
	}
	return all
}

// groupOf finds the handle that the statement at index i uses on a rank.
func (l *listing) groupOf(all []*group, i, rank int) *group {
	for k := len(all) - 1; k >= 0; k-- { // the last open of that name before i
		g := all[k]
		if g.name[rank] == l.items[i].stmt.Handle && g.name[rank] != "" && g.from[rank] <= i && i <= g.until[rank] {
			return g
		}
	}
	return nil
}

// A place is a point of the program: for each rank the index before which it is.
type place []int

// uniform is the place before index p of the text.
func (l *listing) uniform(p int) place {
	c := make(place, l.s.Ranks)
	for r := range c {
		c[r] = p
	}
	return c
}

// open reports whether all ranks of a handle have it at a place.
func (g *group) openAt(c place) bool {
	for r := range g.name {
		if c[r] <= g.from[r] || c[r] > g.until[r] {
			return false
		}
	}
	return true
}

// each inserts a statement on each of the ranks, at the place.
func (c place) each(ranks []int, stmt func(rank int) *Stmt) []insertion {
	var ins []insertion
	for _, r := range ranks {
		ins = append(ins, insertion{c[r], []int{r}, stmt(r)})
	}
	return ins
}

// sync inserts a sync of all ranks of a handle.
func (g *group) sync(c place) []insertion {
	return c.each(g.ranks(), func(r int) *Stmt { return statement(Stmt{Routine: "sync", Handle: g.name[r]}) })
}

// barrier inserts one of all ranks.
func (l *listing) barrier(c place) []insertion {
	return c.each(allRanks(l.s), func(int) *Stmt { return statement(Stmt{Routine: "barrier"}) })
}

func allRanks(s *Script) []int {
	all := make([]int, s.Ranks)
	for r := range all {
		all[r] = r
	}
	return all
}

// orders reports whether a statement may order ranks.
func (s *Stmt) orders() bool {
	switch s.Routine {
	case "allreduce", "allgather", "bcast", "scatter", "gather", "reduce":
		return !s.noItems()
	case "barrier", "send", "ssend", "recv", "isend", "irecv", "probe":
		return true
	}
	return false
}

// meets reports whether a statement is a collective call.
func (s *Stmt) meets() bool {
	switch s.Routine {
	case "barrier", "allreduce", "allgather", "bcast", "scatter", "gather", "reduce":
		return true
	}
	return s.together() && !s.Self
}

// completion finds the statement by which a rank completes what it starts at index
// i, -1 if nothing is started there or nothing completes it.
func (l *listing) completion(i, rank int) int {
	s := l.items[i].stmt
	for k := i + 1; k < len(l.items); k++ {
		c := l.items[k].stmt
		if !slices.Contains(l.items[k].ranks, rank) {
			continue
		}
		switch {
		case s.As != "" && c.Routine == "wait" && c.Reqs[0] == s.As,
			s.As != "" && c.Routine == "waitall" && (len(c.Reqs) == 0 || slices.Contains(c.Reqs, s.As)),
			strings.HasSuffix(s.Routine, "_begin") && c.Handle == s.Handle && strings.HasSuffix(c.Routine, "_end"):
			return k
		}
	}
	return -1
}

// view finds the view that a rank has at index i, -1 if it is the first one.
func (l *listing) view(i, rank int) int {
	h := l.items[i].stmt.Handle
	for k := i - 1; k >= 0; k-- {
		c := l.items[k].stmt
		if c.Handle != h || !slices.Contains(l.items[k].ranks, rank) {
			continue
		}
		switch c.Routine {
		case "view":
			return k
		case "open":
			return -1
		}
	}
	return -1
}

// viewed returns s with another view.
func (s *Stmt) viewed(v iofile.View) *Stmt {
	c := *s
	c.View = v
	return &c
}

// ranksText names ranks: "all ranks", "rank 0", "ranks 0, 2".
func ranksText(ranks []int, all int) string {
	switch {
	case len(ranks) == all && all > 1:
		return "all ranks"
	case len(ranks) == 1:
		return fmt.Sprintf("rank %d", ranks[0])
	}
	return "ranks " + (&Block{Ranks: ranks}).who()
}
