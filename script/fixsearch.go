package script

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/world"
)

// A trial is the combined result of the runs of a listing.
type trial struct {
	races    map[racePairID]*consistency.RaceError
	order    []racePairID // races in the order of reports
	failed   map[string]bool
	stuck    bool
	err      error
	complete bool
	cut      bool        // there were more races than a run lists
	writes   []fileWrite // of a single run
}

// A racePairID names a race by file and statements, which stay the same when a listing
// changes. The ranks are not part of it: of all ranks that run two lines a report has one
// pair as the example, and another run may have another pair.
type racePairID struct {
	file string
	a, b int // ids, in the order of the text
}

// A rankStmt is a statement, by its id, as one rank runs it.
type rankStmt struct{ rank, id int }

// errFixBound reports that a search for repairs reached its bound.
var errFixBound = errors.New("the bound on runs was reached")

// A fixer searches for repairs.
type fixer struct {
	opts   Options
	budget int64 // how many statements the search may still run
	meets  int64 // pairs of racing accesses that one run finds, as statements
	first  *trial
	most   int // schedules of one exploration
}

// cost returns the cost of one run: its statements, and a constant for the run itself.
func (l *listing) cost() int64 {
	n := int64(10)
	for _, x := range l.items {
		n += int64(len(x.ranks))
	}
	return n
}

// statementsOfMeeting is what a pair of racing accesses costs in an exploration.
const statementsOfMeeting = 5

// costOf returns the cost of one run of a listing with the search for its races.
func (f *fixer) costOf(l *listing) int64 { return l.cost() + f.meets }

// spend subtracts the cost of runs from the budget.
func (f *fixer) spend(l *listing, runs int) error {
	if f.budget -= f.costOf(l) * int64(runs); f.budget < 0 {
		return errFixBound
	}
	return nil
}

// over returns why a search has ended that could find more: its time, or its budget.
func (f *fixer) over(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case f.budget < 0:
		return errFixBound
	}
	return nil
}

// explore runs a listing under every schedule, up to the bound.
func (f *fixer) explore(ctx context.Context, l *listing) (*trial, error) {
	runs := min(int64(f.most), f.budget/f.costOf(l))
	if runs < 1 {
		return nil, errFixBound
	}
	s, ids := l.script()
	x := newCollector(s, f.opts)
	var failed error
	var last *run
	found, err := world.Explore(ctx, s.Ranks, func() (func(context.Context, *comm.Comm) error, func() any) {
		if last != nil {
			x.recordFailures(last)
		}
		r, err := x.run()
		if err != nil {
			failed = errors.Join(failed, err)
		}
		last = r
		return r.body, nil
	}, append(s.world(), world.Limit(world.Limits{Schedules: int(runs)}))...)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err = errors.Join(failed, err); err != nil {
		return nil, err
	}
	x.recordFailures(last)
	for _, out := range found.Outcomes {
		x.ended(out.Err, out.Witness)
	}
	t := f.trial(x, ids)
	t.complete = found.Complete
	return t, f.spend(l, found.Schedules)
}

// once runs a listing once. One run finds most of the races that an exploration finds.
func (f *fixer) once(ctx context.Context, l *listing, seed uint64, logged bool) (*trial, []rankStmt, error) {
	if err := f.spend(l, 1); err != nil {
		return nil, nil, err
	}
	s, ids := l.script()
	x := newCollector(s, f.opts)
	r, err := x.run()
	if err != nil {
		return nil, nil, err
	}
	r.logs = logged
	err = world.Run(ctx, s.Ranks, r.body, append(s.world(), world.Seed(seed))...)
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	x.ended(err, "")
	x.recordFailures(r)
	var log []rankStmt
	for _, e := range r.log {
		log = append(log, rankStmt{e.Rank, ids[e.Stmt.Line]})
	}
	t := f.trial(x, ids)
	t.writes = l.writes(r, ids)
	return t, log, nil
}

// trial combines the results of the runs of x.
func (f *fixer) trial(x *collector, ids map[int]int) *trial {
	t := &trial{races: map[racePairID]*consistency.RaceError{}, failed: map[string]bool{}}
	t.stuck, t.err = x.report.Deadlock != nil, x.report.Err
	races := make([]*consistency.RaceError, 0, len(x.races))
	for _, r := range x.races {
		races = append(races, r)
	}
	slices.SortFunc(races, compareRaces)
	for _, r := range races {
		id := pairOf(r, ids)
		if t.races[id] == nil {
			t.order = append(t.order, id)
		}
		t.races[id] = r
		t.cut = t.cut || r.Unlisted > 0
	}
	if t.stuck {
		for _, r := range x.report.Deadlock.Ranks {
			t.failed[fmt.Sprint(r.Rank, " waits at ", ids[r.Place.Line])] = true
		}
	}
	for _, e := range x.report.Failures {
		t.failed[fmt.Sprint(e.Rank, " ", ids[e.Stmt.Line], " ", e.Class())] = true
	}
	return t
}

// pairOf returns the identity of a race of a script; ids has the id of each line's
// statement.
func pairOf(r *consistency.RaceError, ids map[int]int) racePairID {
	a, b := inTextOrder(r)
	return racePairID{r.File, ids[a.Place.Line], ids[b.Place.Line]}
}

// inTextOrder returns the parties of a race, that of the earlier line first.
func inTextOrder(r *consistency.RaceError) (a, b *consistency.Party) {
	a, b = &r.A, &r.B
	if a.Place.Line > b.Place.Line || a.Place.Line == b.Place.Line && a.Rank > b.Rank {
		a, b = b, a
	}
	return a, b
}

// addsNoFailure reports whether t has no error and no deadlock that the original does not have: no rank waits
// for ever at another statement.
func (f *fixer) addsNoFailure(t *trial) bool {
	if t.stuck && !f.first.stuck || t.err != nil && f.first.err == nil {
		return false
	}
	for e := range t.failed {
		if !f.first.failed[e] {
			return false
		}
	}
	return true
}

// fresh counts the races of t that are not in before.
func (t *trial) fresh(before *trial) int {
	n := 0
	for id := range t.races {
		if before.races[id] == nil {
			n++
		}
	}
	return n
}

// A change is one way to remove a race: the changed listing, and its description.
type change struct {
	l      *listing
	text   string
	trial  *trial
	atomic bool
	keeps  func(*trial) bool // what else the change is to do; nil: nothing
}

// verify returns the first change that removes a race and causes no error and no
// deadlock. It prefers a change that causes no other race.
func (f *fixer) verify(ctx context.Context, ids []racePairID, now *trial, all iter.Seq[change]) (*change, error) {
	left := func(t *trial) bool {
		return t.cut || slices.ContainsFunc(ids, func(id racePairID) bool { return t.races[id] != nil })
	}
	var second *change
	for c := range all {
		t, _, err := f.once(ctx, c.l, 0, false)
		if err != nil {
			return second, err
		}
		if left(t) || !f.addsNoFailure(t) || t.fresh(now) > 0 && second != nil || c.keeps != nil && !c.keeps(t) {
			continue
		}
		if t, err = f.explore(ctx, c.l); err != nil {
			return second, err
		}
		if left(t) || !f.addsNoFailure(t) {
			continue
		}
		found := c
		found.trial = t
		if t.fresh(now) == 0 {
			return &found, nil
		}
		if second == nil {
			second = &found
		}
	}
	return second, f.over(ctx)
}

// A conflict is a race of a listing: the access that should come first, and the second.
type conflict struct {
	race   *consistency.RaceError
	f, s   int // indices
	done   int // index of the statement that completes the first access
	fr, sr int // ranks
	order  bool
}

// conflictOf finds the race in the runs of the listing. Its accesses are in the order of the
// runs or, if the runs show none, in that of the text.
func (l *listing) conflictOf(id racePairID, race *consistency.RaceError) conflict {
	a, b := inTextOrder(race)
	first, second := rankStmt{a.Rank, id.a}, rankStmt{b.Rank, id.b}
	c := conflict{race: race, f: l.indexOn(first, 0), fr: a.Rank, s: l.indexOn(second, 0), sr: b.Rank}
	if l.crowded && c.f >= 0 {
		c.s = l.indexOn(second, c.f+1) // the next one, if the line is repeated
		if c.s < 0 {
			c.s = l.indexOn(second, 0)
		}
	}
	c.order = race.Missing == consistency.Order
	later := a != &race.A
	if c.order && c.s < c.f || !c.order && later || race.Rule == "CONS-C1" && c.fr == c.sr && c.s < c.f {
		c = l.reversed(c)
	}
	return c
}

// reversed returns the conflict with its accesses in the other order: if they are repeated,
// the second access conflicts with the next repetition of the first.
func (l *listing) reversed(c conflict) conflict {
	c.f, c.s, c.fr, c.sr = c.s, c.f, c.sr, c.fr
	if l.crowded && c.s >= 0 && c.s < c.f {
		if next := l.indexOn(rankStmt{c.sr, l.items[c.s].id}, c.f+1); next >= 0 {
			c.s = next
		}
	}
	return c
}

// changes yields the changes that may remove a race, the smallest first.
func (f *fixer) changes(ctx context.Context, l *listing, c conflict) iter.Seq[change] {
	return func(yield func(change) bool) {
		switch {
		case c.f < 0 || c.s < 0:
			return
		case c.fr == c.sr && c.race.Rule == "CONS-C1":
			l.completing(c)(yield)
		default:
			f.orderings(ctx, l, c)(yield)
		}
	}
}

// completing yields the changes that complete one access of a rank before the next.
func (l *listing) completing(c conflict) iter.Seq[change] {
	return func(yield func(change) bool) {
		s := l.items[c.f].stmt
		if s.As != "" {
			ins := []insertion{{c.s, []int{c.fr}, statement(Stmt{Routine: "wait", Reqs: []string{s.As}})}}
			if overlap(l.items[c.s].ranks, l.items[c.f].ranks) && slices.Equal(l.items[c.s].ranks, l.items[c.f].ranks) {
				ins[0].ranks = l.items[c.f].ranks
			}
			if !yield(l.adding("", ins, change{})) {
				return
			}
		}
		e := l.completion(c.f, c.fr)
		if e > c.s && !l.crowded {
			if !yield(change{l: l.move(e, c.s), text: fmt.Sprintf("move line %d to before line %d", l.items[e].line, l.items[c.s].line)}) {
				return
			}
			if !yield(change{l: l.move(c.s, e+1), text: fmt.Sprintf("move line %d to after line %d", l.items[c.s].line, l.items[e].line)}) {
				return
			}
		}
	}
}

// fences yields the changes that order two accesses of different handles. A change adds
// those of three steps that are missing: a sync of the first handle, an order of ranks, a
// sync of the second handle.
func (f *fixer) fences(ctx context.Context, l *listing, c conflict) iter.Seq[change] {
	return func(yield func(change) bool) {
		before := ""
		switch {
		case c.f == c.s && l.crowded:
			if g := l.groupOf(l.groups(), c.f, c.fr); g != nil && !c.race.AboutViews() {
				yield(l.adding("", l.atomic(g), change{atomic: true}))
			}
			return
		case c.f == c.s:
			l, c, before = l.oneByOne(c)
		}
		if l, c, before, ok := l.completed(c, before); ok {
			f.fencesAt(ctx, l, c, before, yield)
		}
	}
}

// oneByOne lets each rank make the call by itself, if both accesses are of one statement.
func (l *listing) oneByOne(c conflict) (*listing, conflict, string) {
	text := fmt.Sprintf("let each rank make the call of line %d by itself, one after the other; ", l.items[c.f].line)
	l = l.alone(c.f)
	of := func(i, rank int) int {
		for i < len(l.items) && l.items[i].ranks[0] != rank {
			i++
		}
		return i
	}
	if c.f, c.s = of(c.f, c.fr), of(c.s, c.sr); c.s < c.f {
		c = l.reversed(c)
	}
	return l, c, text
}

// completed sets c.done, after completing the first access before the second one if the
// program does not. It adds to the text what it does, and reports whether it could.
func (l *listing) completed(c conflict, text string) (*listing, conflict, string, bool) {
	s, e := l.items[c.f].stmt, l.completion(c.f, c.fr)
	split := strings.HasSuffix(s.Routine, "_begin")
	switch c.done = c.f; {
	case s.As == "" && !split:
	case c.f < e && (e < c.s || c.s < c.f):
		c.done = e
	case l.crowded && (s.As != "" || e > c.s):
		return l, c, text, false
	case split && e > c.s:
		text += fmt.Sprintf("move line %d to after line %d; ", l.items[e].line, l.items[c.f].line)
		l = l.move(e, c.f+1)
		c.done, c.s = c.f+1, c.s+1
	case s.As != "":
		at := c.s
		if c.s < c.f {
			at = c.f + 1
		}
		ins := []insertion{{at, []int{c.fr}, statement(Stmt{Routine: "wait", Reqs: []string{s.As}})}}
		text += l.describe(ins) + "; "
		l = l.insert(ins)
		if c.done = at; at == c.s {
			c.s++
		}
		c.order = false // the wait alone may be enough
	}
	return l, c, text, true
}

// A fence says which of the three steps a change adds.
type fence struct{ publish, order, fetch bool }

// fenceKinds has the fences of one, two and three statements. Only those of two are tried
// with each statement at another place.
var fenceKinds = [...][]fence{
	{{publish: true}, {order: true}, {fetch: true}},
	{{publish: true, fetch: true}, {publish: true, order: true}, {order: true, fetch: true}},
	{{publish: true, order: true, fetch: true}},
}

// at returns the statements of x, the first one at p and the others at q; none if a handle
// to sync is not open there, or if x is the same as a fence that publishes.
func (x fence) at(l *listing, first, second *group, p, q place) (ins []insertion) {
	if x.publish && !first.openAt(p) || x.fetch && !second.openAt(q) || first == second && x == (fence{fetch: true}) {
		return nil
	}
	if x.publish {
		ins, p = first.sync(p), q
	}
	if x.order {
		ins = append(ins, l.barrier(p)...)
	}
	if x.fetch {
		ins = append(ins, second.sync(q)...)
	}
	return ins
}

// fencesAt yields fences of one, two and three statements, then atomic mode.
func (f *fixer) fencesAt(ctx context.Context, l *listing, c conflict, before string, yield func(change) bool) bool {
	groups := l.groups()
	first, second := l.groupOf(groups, c.f, c.fr), l.groupOf(groups, c.s, c.sr)
	try := func(x fence, p, q place) bool {
		ins := x.at(l, first, second, p, q)
		return ins == nil || c.order && !x.order || yield(l.adding(before, ins, change{}))
	}
	families := f.families(ctx, l, c)
	for n, kinds := range fenceKinds {
		for ps := range families {
			for i, p := range ps {
				last := i + 1
				if n == 1 {
					last = len(ps)
				}
				for _, q := range ps[i:last] {
					for _, x := range kinds {
						if !try(x, p, q) {
							return false
						}
					}
				}
			}
		}
	}
	if first != second || first == nil || c.race.AboutViews() {
		return true
	}
	return yield(l.adding(before, l.atomic(first), change{atomic: true}))
}

// atomic turns atomic mode on, on all ranks of a handle, directly after the open.
func (l *listing) atomic(g *group) []insertion {
	var ins []insertion
	last := 0
	for _, r := range g.ranks() {
		last = max(last, g.from[r]+1)
	}
	for _, r := range g.ranks() {
		at := last
		for k := g.from[r] + 1; k < last; k++ { // the rank may go on before the others have opened
			if slices.Contains(l.items[k].ranks, r) {
				at = g.from[r] + 1
			}
		}
		ins = append(ins, insertion{at, []int{r}, statement(Stmt{Routine: "atomic", Handle: g.name[r], On: true})})
	}
	return ins
}

// families yields the places between two accesses: first the places of the text, where all
// ranks are before the same line, then those of runs, where each rank is at the statement
// that it had reached when one rank made that call.
func (f *fixer) families(ctx context.Context, l *listing, c conflict) iter.Seq[[]place] {
	var made [][]place
	known := map[string]bool{}
	keep := func(ps []place) []place {
		return slices.DeleteFunc(ps, func(p place) bool {
			key := fmt.Sprint(p)
			was := known[key]
			known[key] = true
			return was
		})
	}
	seed := uint64(0)
	if l.crowded {
		seed = 3 // places of runs are not places of the text
	}
	if c.f < c.s {
		made = append(made, keep(l.textPlaces(c)))
	} else {
		made = append(made, keep(l.crossed(c)))
	}
	return func(yield func([]place) bool) {
		for _, ps := range made {
			if !yield(ps) {
				return
			}
		}
		for ; seed < 3; seed++ {
			_, log, err := f.once(ctx, l, seed, true)
			if err != nil {
				return
			}
			ps := keep(l.runPlaces(c, log))
			if made = append(made, ps); !yield(ps) {
				seed++
				return
			}
		}
	}
}

// mostPlaces bounds the places of one family.
const mostPlaces = 14

// textPlaces returns the places of the text; those next to the accesses and next to syncs
// and ordering statements between them come first.
func (l *listing) textPlaces(c conflict) []place {
	at := []int{c.done + 1, c.s}
	for i := c.done + 1; i < c.s; i++ {
		if s := l.items[i].stmt; s.orders() || s.Routine == "sync" || s.Routine == "wait" || s.Routine == "waitall" || s.together() {
			at = append(at, i, i+1)
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	if len(at) > mostPlaces {
		at = append(at[:mostPlaces-2], at[len(at)-2:]...)
	}
	var ps []place
	for _, i := range at {
		ps = append(ps, l.uniform(i))
	}
	return ps
}

// crossed returns places for the other order of two accesses: there the access that is later
// in the text comes first.
func (l *listing) crossed(c conflict) []place {
	var ps []place
	for _, others := range []int{c.done + 1, c.s} {
		p := l.uniform(others)
		p[c.fr], p[c.sr] = c.done+1, c.s
		ps = append(ps, p)
	}
	return ps
}

// runPlaces returns the places of a run between two accesses at which all ranks have made
// the same number of collective calls.
func (l *listing) runPlaces(c conflict, log []rankStmt) []place {
	index := map[int]int{}
	for i, x := range l.items {
		index[x.id] = i
	}
	at := l.uniform(0)
	meets := make([]int, l.s.Ranks)
	var ps []place
	after := false
	for _, e := range log {
		i, ok := index[e.id]
		if !ok {
			continue
		}
		if e.rank == c.sr && i == c.s {
			break
		}
		if at[e.rank] = i + 1; l.items[i].stmt.meets() {
			meets[e.rank]++
		}
		if after = after || e.rank == c.fr && i == c.done; !after || len(slices.Compact(slices.Clone(meets))) > 1 {
			continue
		}
		if ps = append(ps, slices.Clone(at)); len(ps) > mostPlaces {
			ps = slices.Delete(ps, mostPlaces/2, mostPlaces/2+1)
		}
	}
	return ps
}

// describe describes insertions: "after line 11, on all ranks: sync h".
func (l *listing) describe(ins []insertion) string {
	type spot struct {
		at    int
		ranks string
	}
	var spots []spot
	words := map[spot][]string{}
	for _, x := range merged(ins) {
		k := spot{x.at, ranksText(x.ranks, l.s.Ranks)}
		if words[k] == nil {
			spots = append(spots, k)
		}
		words[k] = append(words[k], x.stmt.String())
	}
	sort.SliceStable(spots, func(i, j int) bool { return spots[i].at < spots[j].at })
	parts := make([]string, len(spots))
	for i, k := range spots {
		parts[i] = fmt.Sprintf("%s add, on %s: %s", l.where(k.at), k.ranks, strings.Join(words[k], "; "))
	}
	return strings.Join(parts, "; and ")
}

// where describes a place of the text by a line of the original script.
func (l *listing) where(at int) string {
	added := ""
	for i := at - 1; i >= 0; i-- {
		if line := l.items[i].line; line > 0 {
			if len(l.ends(line)) > 1 {
				how := "as it is"
				if l.s.repeatsInLine(line) {
					how = "further" // it is the body's first line
				}
				return fmt.Sprintf("after line %d, indented %s,%s", line, how, added)
			}
			return fmt.Sprintf("after line %d%s", line, added)
		}
		added = " and the lines added there"
	}
	for _, x := range l.items[at:] {
		if x.line > 0 {
			return fmt.Sprintf("before line %d", x.line)
		}
	}
	return "at the end"
}
