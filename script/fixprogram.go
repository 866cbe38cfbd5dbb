package script

import (
	"fmt"
	"maps"
	"slices"
	"sort"
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

	// crowded says that a line may be several statements, of several ranks or repetitions.
	// Statements of one line then have one id, and an inserted statement follows the whole
	// line in each repetition, because it is a line of the text, too.
	crowded bool
}

// A listed is one statement of a listing. Its id stays the same when other statements are
// inserted or when it is replaced.
type listed struct {
	id    int
	of    int // the number, from 1, of the statement of the original script that it was made from; 0: inserted by a repair
	line  int // of that statement
	moved bool
	ranks []int
	stmt  *Stmt
}

func newListing(s *Script) *listing {
	l := &listing{s: s}
	for _, b := range s.Blocks {
		for _, c := range b.Stmts {
			l.next++
			l.items = append(l.items, listed{id: l.next, of: l.next, line: c.Line, ranks: b.Ranks, stmt: c})
		}
	}
	return l
}

// with returns a copy of l with other statements.
func (l *listing) with(items []listed) *listing {
	return &listing{s: l.s, items: items, next: l.next, crowded: l.crowded}
}

// script returns the listing as a script without expectations, with the lines
// that String gives it, and the ids of its statements by their lines.
func (l *listing) script() (s *Script, ids map[int]int) {
	s = &Script{Name: l.s.Name, Ranks: l.s.Ranks, Files: l.s.Files, Machines: l.s.Machines, Markers: l.s.Markers}
	ids = make(map[int]int, len(l.items))
	line := s.heads()
	for i, x := range l.items {
		if i == 0 || !slices.Equal(l.items[i-1].ranks, x.ranks) {
			line += 2
			s.Blocks = append(s.Blocks, Block{Line: line, Ranks: x.ranks})
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

// index returns the index of the statement with that id, -1 if there is none.
func (l *listing) index(id int) int {
	return slices.IndexFunc(l.items, func(x listed) bool { return x.id == id })
}

// byLine makes l crowded.
func (l *listing) byLine() {
	l.crowded = true
	ids := map[int]int{}
	for i, x := range l.items {
		if ids[x.line] == 0 {
			ids[x.line] = x.id
		}
		l.items[i].id = ids[x.line]
	}
}

// indexOn returns where a rank has a statement, at index from or later, -1 if nowhere.
func (l *listing) indexOn(x rankStmt, from int) int {
	for i := from; i < len(l.items); i++ {
		if l.items[i].id == x.id && slices.Contains(l.items[i].ranks, x.rank) {
			return i
		}
	}
	return -1
}

// repeats reports whether a rank has a statement more than once.
func (l *listing) repeats() bool {
	seen := map[rankStmt]bool{}
	for _, x := range l.items {
		for _, r := range x.ranks {
			if k := (rankStmt{r, x.id}); seen[k] {
				return true
			} else {
				seen[k] = true
			}
		}
	}
	return false
}

// both returns the possible identities of a race: in a crowded listing either of the two
// statements may come first.
func (l *listing) both(id racePairID) []racePairID {
	if !l.crowded || id.a == id.b {
		return []racePairID{id}
	}
	return []racePairID{id, {id.file, id.b, id.a}}
}

// ends returns the indices after a line of a crowded listing and the statements inserted
// there: one index for each time that the line is run.
func (l *listing) ends(line int) (all []int) {
	if !l.crowded {
		return nil
	}
	var ranks []int // that have run the line this time
	for i, x := range l.items {
		if x.line != line {
			continue
		}
		ranks = append(ranks, x.ranks...)
		k := i + 1
		for k < len(l.items) && l.items[k].line == 0 {
			k++
		}
		if k == len(l.items) || l.items[k].line != line || overlap(ranks, l.items[k].ranks) {
			all, ranks = append(all, k), nil
		}
	}
	return all
}

// adding completes a change that adds statements.
func (l *listing) adding(before string, ins []insertion, c change) change {
	var shown, all []insertion
	for _, x := range ins {
		k := x.at - 1
		for k >= 0 && l.items[k].line == 0 {
			k--
		}
		ends := []int{x.at}
		if l.crowded && k >= 0 {
			ends = l.ends(l.items[k].line)
		}
		shown = append(shown, insertion{ends[0], x.ranks, x.stmt})
		for _, at := range ends {
			all = append(all, insertion{at, x.ranks, x.stmt})
		}
	}
	c.l, c.text = l.insert(all), before+l.describe(shown)
	return c
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
	sort.SliceStable(ins, func(i, j int) bool { return ins[i].at < ins[j].at })
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

// merged joins insertions of the same statement at the same index on different ranks.
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
	x.moved = true
	items := slices.Delete(slices.Clone(l.items), from, from+1)
	if to > from {
		to--
	}
	return l.with(slices.Insert(items, to, x))
}

// alone returns l with the statement at index i replaced by one statement for each of its
// ranks, in rank order.
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

// A group is the handles that one open made: the name on each rank, and the range of indices
// in which each rank has it.
type group struct {
	self        bool
	name        map[int]string
	from, until map[int]int // indices of the open and the close; until is the length of the listing without a close
}

// ranks returns the ranks that have the handle, in order.
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

// A place is a point of the program: for each rank the index of the next statement.
type place []int

// uniform returns the place before index p, the same on all ranks.
func (l *listing) uniform(p int) place {
	c := make(place, l.s.Ranks)
	for r := range c {
		c[r] = p
	}
	return c
}

// openAt reports whether all ranks of a handle have it open at a place.
func (g *group) openAt(c place) bool {
	if g == nil {
		return false
	}
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

// barrier inserts a barrier of all ranks.
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

// completion returns the index of the statement by which a rank completes what it starts
// at index i, -1 if it starts nothing there or nothing completes it.
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

// view returns the index of the view that a rank has at index i, -1 if it is the default
// view.
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

// ranksText returns the names of ranks: "all ranks", "rank 0", "ranks 0, 2".
func ranksText(ranks []int, all int) string {
	switch {
	case len(ranks) == all && all > 1:
		return "all ranks"
	case len(ranks) == 1:
		return fmt.Sprintf("rank %d", ranks[0])
	}
	return "ranks " + (&Block{Ranks: ranks}).who()
}
