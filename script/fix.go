package script

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/commworld/commworld/consistency"
)

// A Fix is the advice for one race of a script. Its Change was applied to the script,
// together with the changes of the fixes before it, and run under every schedule that
// makes a difference: the race is gone, and there is no new error or deadlock. If the race
// has a likely mistake that says that the same bytes were not meant (see
// [consistency.RaceError.Unmeant]), Change corrects that mistake, and no byte is lost.
type Fix struct {
	Race   *consistency.RaceError
	Have   []string // syncs and barriers between the two accesses that are there already, with their lines
	Late   string   // the sync that is there but cannot help where it is, and why; empty if there is none
	Change string   // what to change, with the lines of the script; empty if nothing was found or By is set
	Or     []string // other changes that were applied and run as well; each in place of Change
	By     int      // the number of the race, from 1, whose fix removes this one too; else 0
	None   string   // why there is no Change
	Order  string   // without a Change: one that only orders two writes that were probably not meant to meet

	// Partial says that not all schedules of the changed script were run.
	Partial bool
}

// First returns the first change as a sentence, or the reason why there is none.
func (f *Fix) First() string {
	switch {
	case f.By > 0:
		return fmt.Sprintf("the fix of race %d removes this one, too", f.By)
	case f.Change == "" && f.unmeant() != nil:
		text := fmt.Sprintf("%s (--fix leaves that to you: %s)", cmp.Or(f.unmeant().Cure, "give the two ranks different bytes"), f.None)
		if f.Order != "" {
			text += "; " + consistency.OnlyIfMeant + f.Order
		}
		return text
	case f.Change == "":
		return "none found: " + f.None
	case f.Partial:
		return f.Change + " (checked under a part of the schedules)"
	}
	return f.Change
}

// String returns the fix as a sentence, with the other changes that work.
func (f *Fix) String() string {
	return f.Mistake() + strings.Join(append([]string{f.First()}, f.Or...), "; or ")
}

// unmeant returns the likely mistake behind a race of bytes that two ranks did not mean to share.
func (f *Fix) unmeant() *consistency.Mistake {
	if f.Race == nil {
		return nil
	}
	return f.Race.Unmeant()
}

// Mistake returns what to do first about a race of two ranks that write the same bytes,
// up to the changes, if they only order them; empty for other races.
func (f *Fix) Mistake() string {
	m := f.Race.Mistake()
	if m == nil || f.Race.AboutViews() || f.unmeant() != nil {
		return ""
	}
	return m.Cure + "; " + consistency.OnlyIfMeant
}

// Bounds of [Fixes] and [Repair], in statements that are run to check changes.
const (
	fixBudget    = 1_000_000
	repairBudget = 100_000_000
)

// mostFixed bounds the races of a report for which Fixes looks for fixes.
const mostFixed = 8

// Fixes finds a fix for each race of a report, in their order. Every change was applied
// and run; if none works, the Fix says why. The search ends with ctx or at a bound: in a
// report with many races only the first ones get a change.
func Fixes(ctx context.Context, rep *Report, o Options) []*Fix {
	r := newRepair(rep, o, fixBudget, rep.Script.crowded())
	r.most = mostFixed
	r.search(ctx)
	return r.fixes
}

// A Repaired is the result of [Repair].
type Repaired struct {
	Script *Script // without the races; its expectations are those of its own runs
	Text   string  // of Script: the text of the original, changed only where a fix or an expectation changes it
	Fixes  []*Fix  // of the races of the report, in their order; what one inserts and another makes needless is not in Script
	Left   []Unmet // what runs of Script still show and its expectations do not say: errors, a deadlock
}

// Repair changes the script of a report until no schedule shows a race, and none shows an
// error or a deadlock that the script did not have. Lines about races become norace, and
// the allow lines are replaced. A script without a race stays as it is. Two writes that were
// probably not meant to meet get bytes of their own, and are never ordered. The error says
// why there is no such script.
func Repair(ctx context.Context, rep *Report, o Options) (*Repaired, error) {
	if rep == nil || rep.Script == nil {
		return nil, errors.New("there is no report of a script")
	}
	if rep.Script.crowded() {
		half, stop := halfOf(ctx)
		defer stop()
		var unmeant *unmeantError
		if all, err := repairWith(half, rep, o, true); err == nil || errors.As(err, &unmeant) {
			return all, err
		}
	}
	return repairWith(ctx, rep, o, false)
}

// halfOf returns a context with half the time that is left of ctx.
func halfOf(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(end)/2)
}

// mostRestarts bounds how often the search for a repaired script begins again.
const mostRestarts = 4

// repairWith repairs a script by changes of statements, or by lines added to its text. The
// change for one race may leave no place for that of another: then the search begins again
// with the other race.
func repairWith(ctx context.Context, rep *Report, o Options, byLine bool) (*Repaired, error) {
	var failed error
	var before []racePairID
	for budget := int64(repairBudget); ; {
		r := newRepair(rep, o, budget, byLine)
		r.alternatives, r.before = false, before
		err := r.search(ctx)
		if err == nil {
			return r.shortest(ctx)
		}
		failed = cmp.Or(failed, err)
		if unmeant := (*unmeantError)(nil); errors.As(err, &unmeant) {
			return nil, err
		}
		if errors.Is(err, errFixBound) || ctx.Err() != nil || len(before) == mostRestarts || slices.Contains(before, r.stuck) || r.stuck == (racePairID{}) {
			return nil, failed
		}
		before, budget = append([]racePairID{r.stuck}, before...), r.budget
	}
}

// A repair is the search for all fixes of one report.
type repair struct {
	fixer
	rep   *Report
	l     *listing
	now   *trial
	fixes []*Fix
	id    []racePairID // of the races of the report
	most  int          // changes to look for; 0: any number

	ofLines  map[linePair]int    // the races of the report, by their lines
	mistaken map[racePairID]bool // see unmeant

	before []racePairID // to remove first
	stuck  racePairID   // the first race that could not be removed

	alternatives bool
}

func newRepair(rep *Report, o Options, budget int64, byLine bool) *repair {
	o.Replay, o.World, o.Seed = "", nil, 0
	r := &repair{rep: rep, l: newListing(rep.Script), alternatives: true}
	r.fixer = fixer{opts: o, budget: budget, most: 1000}
	for _, race := range rep.Races { // finding the races takes part of each run
		r.meets += statementsOfMeeting * int64(race.Count) / int64(max(1, rep.Schedules))
	}
	if o.MaxSchedules > 0 {
		r.fixer.most = min(r.fixer.most, o.MaxSchedules)
	}
	if byLine {
		r.l.byLine()
	}
	ids := map[int]int{}
	for _, x := range r.l.items {
		ids[x.line] = x.id
	}
	for _, race := range rep.Races {
		r.fixes = append(r.fixes, &Fix{Race: race})
		r.id = append(r.id, pairOf(race, ids))
		pair := linesOf(race)
		if _, ok := r.ofLines[pair]; !ok {
			put(&r.ofLines, pair, len(r.id)-1)
		}
	}
	return r
}

// search makes changes until it can remove no further race. The error is that of the
// first race that stays.
func (r *repair) search(ctx context.Context) error {
	if len(r.fixes) == 0 {
		return nil
	}
	var err error
	if r.first, err = r.explore(ctx, r.l); err != nil {
		return r.stop(stopReason(err))
	}
	r.now = r.first
	var stuck error
	given := map[racePairID]bool{}
	for n := 0; ; n++ {
		id, ok := r.pick(given)
		if !ok {
			return stuck
		}
		if r.most > 0 && n >= r.most {
			return r.stop(fmt.Sprintf("only the first %d races get one; commworld run --fix tries all", r.most))
		}
		if err := r.remove(ctx, id); err != nil {
			given[id] = true
			if r.stuck == (racePairID{}) {
				r.stuck = id
			}
			if !r.alternatives {
				r.stop(stopReason(err))
				return err
			}
			if stuck = cmp.Or(stuck, err); errors.Is(err, errFixBound) || ctx.Err() != nil {
				r.stop(stopReason(err))
				return stuck
			}
		}
	}
}

// stopReason says why a search ended early.
func stopReason(err error) string {
	if errors.Is(err, errFixBound) {
		return "the search for a change that can be shown to work took too many runs"
	}
	return fmt.Sprintf("the search ended early: %v", err)
}

// stop gives the reason to all fixes without a change.
func (r *repair) stop(reason string) error {
	var shown []bool
	if r.now != nil {
		shown = r.shown(r.now)
	}
	for i, f := range r.fixes {
		if f.Change == "" && f.By == 0 && f.None == "" && (r.now == nil || shown[i]) {
			f.None = reason
		}
	}
	return errors.New(reason)
}

// pick returns the next race to remove: first one of writes that were not meant to meet, because
// the fix of another race may hide it; then one of the report if there is one left.
func (r *repair) pick(given map[racePairID]bool) (racePairID, bool) {
	for _, unmeant := range []bool{true, false} {
		for _, id := range slices.Concat(r.before, r.id, r.now.order) {
			for _, id := range r.l.both(id) {
				if r.now.races[id] != nil && !given[id] && r.unmeant(id) == unmeant {
					return id, true
				}
			}
		}
	}
	return racePairID{}, false
}

// remove removes one race.
func (r *repair) remove(ctx context.Context, id racePairID) error {
	race := r.raceOf(id)
	k := r.reported(id)
	f := &Fix{Race: race}
	if k >= 0 {
		f = r.fixes[k]
	}
	c := r.l.conflictOf(id, r.now.races[id])
	r.l.note(f, c)
	found, err := r.change(ctx, id, f, c)
	if found == nil {
		return fmt.Errorf("race of line %d on rank %d and line %d on rank %d: %w",
			race.A.Place.Line, race.A.Rank, race.B.Place.Line, race.B.Rank, err)
	}
	if f.Partial = f.Partial || !found.trial.complete; f.Change != "" && f.Change != found.text {
		found.text = f.Change + "; and " + found.text // a line of several statements
	}
	f.Change = found.text
	if r.l.crowded != found.l.crowded {
		return errOtherListing
	}
	if r.alternatives && f.unmeant() == nil {
		f.Or = r.others(ctx, id, c, found)
	}
	before := r.now
	shown := r.shown(before)
	r.l, r.now = found.l, found.trial
	left := r.shown(r.now)
	for i, o := range r.fixes {
		if o != f && o.Change == "" && o.By == 0 && o.None == "" && shown[i] && !left[i] {
			o.By = k + 1
		}
	}
	return nil
}

// errOtherListing reports a change that a crowded listing cannot have.
var errOtherListing = errors.New("a line of several statements is to change")

// change returns the change that removes a race. Without one, f or the error says why.
func (r *repair) change(ctx context.Context, id racePairID, f *Fix, c conflict) (*change, error) {
	if f.unmeant() != nil {
		return r.correct(ctx, id, f, c)
	}
	return r.ordered(ctx, id, f, c)
}

// ordered returns the change that orders the accesses of a race, or completes one before the other.
func (r *repair) ordered(ctx context.Context, id racePairID, f *Fix, c conflict) (*change, error) {
	found, err := r.verify(ctx, []racePairID{id}, r.now, r.changes(ctx, r.l, c))
	if found != nil && r.has(found.trial, id) { // an access that comes first in one repetition comes second in the next
		found, err = r.removeOther(ctx, id, c, found)
	}
	switch {
	case found != nil:
		return found, nil
	case err != nil:
		f.None = stopReason(err)
	default:
		err = errors.New(r.none(c))
		f.None = err.Error()
	}
	return nil, err
}

// shown returns which races of the report a trial has.
func (r *repair) shown(t *trial) []bool {
	lines := map[linePair]bool{}
	for _, id := range t.order {
		lines[r.l.lines(id)] = true
	}
	all := make([]bool, len(r.fixes))
	for i, f := range r.fixes {
		all[i] = lines[linesOf(f.Race)]
	}
	return all
}

// has reports whether a trial has a race of two statements, whichever comes first.
func (r *repair) has(t *trial, id racePairID) bool {
	return slices.ContainsFunc(r.l.both(id), func(x racePairID) bool { return t.races[x] != nil })
}

// removeOther completes a change that removes a race in only one order of its accesses: it
// adds a change for the other order, or finds one change for both.
func (r *repair) removeOther(ctx context.Context, id racePairID, c conflict, found *change) (*change, error) {
	both := r.l.both(id)
	other := racePairID{id.file, id.b, id.a}
	more, err := r.verify(ctx, both, found.trial, r.changes(ctx, found.l, found.l.conflictOf(other, found.trial.races[other])))
	if more != nil {
		return &change{l: more.l, text: found.text + "; and " + more.text, trial: more.trial, atomic: more.atomic}, nil
	}
	if err != nil {
		return nil, err
	}
	return r.verify(ctx, both, r.now, r.changes(ctx, r.l, c))
}

// none returns the reason why there is no change.
func (r *repair) none(c conflict) string {
	switch {
	case r.first.stuck:
		return "the program also ends in a deadlock, whatever is added; remove that first"
	case r.first.err != nil:
		return fmt.Sprintf("the program ends early: %v", r.first.err)
	case c.race.AboutViews():
		return "the two writes show the same bytes, and only you know which rank is to write them"
	case r.l.crowded:
		return "no line to add removes the race for all ranks and repetitions; commworld run --fix writes a line for each and changes those"
	}
	return "no sync, barrier or wait at one point between the two accesses removes the race without an error or a deadlock"
}

// others returns further changes: the other order of the two accesses, and atomic mode.
func (r *repair) others(ctx context.Context, id racePairID, c conflict, found *change) (all []string) {
	if c.race.AboutViews() || c.fr == c.sr || c.f == c.s || found.atomic {
		return nil
	}
	if c.order && !r.l.repeats() {
		if x, _ := r.verify(ctx, r.l.both(id), r.now, r.reordering(ctx, r.l.reversed(c), found)); x != nil {
			all = append(all, fmt.Sprintf("for the other order, line %d before line %d: %s", r.l.items[c.s].line, r.l.items[c.f].line, x.text))
		}
	}
	groups := r.l.groups()
	h := r.l.groupOf(groups, c.f, c.fr)
	if h == nil || h != r.l.groupOf(groups, c.s, c.sr) {
		return all
	}
	atomic := func(yield func(change) bool) { yield(r.l.adding("", r.l.atomic(h), change{atomic: true})) }
	if x, _ := r.verify(ctx, r.l.both(id), r.now, atomic); x != nil {
		text := x.text
		if c.order {
			text += " (then both orders stay possible)"
		}
		all = append(all, text)
	}
	return all
}

// reordering yields those of the first 60 changes for c after which its accesses run in the
// order of c, except atomic mode and what found has.
func (r *repair) reordering(ctx context.Context, c conflict, found *change) iter.Seq[change] {
	first, second := rankStmt{c.fr, r.l.items[c.f].id}, rankStmt{c.sr, r.l.items[c.s].id}
	inOrder := func(x change) bool {
		_, log, err := r.once(ctx, x.l, 0, true)
		return err == nil && slices.Index(log, first) < slices.Index(log, second)
	}
	return func(yield func(change) bool) {
		n := 0
		for x := range r.changes(ctx, r.l, c) {
			if n++; !x.atomic && x.text != found.text && inOrder(x) && !yield(x) || n > 60 {
				return
			}
		}
	}
}

// note records in f the syncs and barriers that the program has between two accesses.
func (l *listing) note(f *Fix, c conflict) {
	if c.fr == c.sr && c.race.Rule == "CONS-C1" || c.race.Together || c.f < 0 || c.s < 0 {
		return
	}
	published, order, fetched := l.between(f, c)
	learns := func() string {
		x := l.items[order]
		return fmt.Sprintf("the %s on line %d, by which rank %d learns of", x.stmt.Routine, x.line, c.sr)
	}
	switch {
	case order < 0:
	case c.race.Missing == consistency.WriterSync && order < published:
		f.Late = fmt.Sprintf("%s sync on line %d comes too late: after %s the access", l.owner(c, c.f, c.fr), l.items[published].line, learns())
	case c.race.Missing == consistency.ReaderSync && 0 <= fetched && fetched < order:
		f.Late = fmt.Sprintf("%s sync on line %d comes too early: before %s the other access", l.owner(c, c.s, c.sr), l.items[fetched].line, learns())
	}
}

// between records the syncs and barriers in f. It returns the first sync that publishes the
// first access, the first call that orders the ranks and the first sync that fetches; -1: none.
func (l *listing) between(f *Fix, c conflict) (published, order, fetched int) {
	groups := l.groups()
	first, second := l.groupOf(groups, c.f, c.fr), l.groupOf(groups, c.s, c.sr)
	published, order, fetched = -1, -1, -1
	keep := func(at *int, i int, is bool) bool {
		if is && *at < 0 {
			*at = i
		}
		return is
	}
	for i := c.f + 1; i < c.s; i++ {
		x := l.items[i]
		publishes := keep(&published, i, l.calls("sync", groups, i, c.fr, first))
		fetches := keep(&fetched, i, l.calls("sync", groups, i, c.sr, second))
		orders := keep(&order, i, x.line > 0 && x.stmt.orders() && (slices.Contains(x.ranks, c.fr) || slices.Contains(x.ranks, c.sr)))
		if publishes || fetches || orders {
			if text := fmt.Sprintf("%s (line %d)", x.stmt.brief(), x.line); !slices.Contains(f.Have, text) {
				f.Have = append(f.Have, text)
			}
		}
	}
	for i := c.s + 1; i < len(l.items) && first != nil && published < 0 && !l.calls("close", groups, i, c.fr, first); i++ {
		keep(&published, i, l.calls("sync", groups, i, c.fr, first)) // behind the second access
	}
	return published, order, fetched
}

// calls reports whether item i is a line in which the rank calls the routine on a handle.
func (l *listing) calls(routine string, groups []*group, i, rank int, on *group) bool {
	x := l.items[i]
	return x.line > 0 && x.stmt.Routine == routine && slices.Contains(x.ranks, rank) && l.groupOf(groups, i, rank) == on
}

// owner names the rank that makes access i of a conflict.
func (l *listing) owner(c conflict, i, rank int) string {
	switch {
	case l.items[i].stmt.Want != nil:
		return "the reader's"
	case c.race.A.Write && c.race.B.Write:
		return fmt.Sprintf("rank %d's", rank)
	}
	return "the writer's"
}

// brief returns a statement without its data.
func (s *Stmt) brief() string {
	switch {
	case s.Routine == "sync":
		return "sync " + s.Handle
	default:
		return s.Routine
	}
}

// shortest returns the repaired script without statements that a later fix has made needless.
func (r *repair) shortest(ctx context.Context) (*Repaired, error) {
	all, err := r.result(ctx)
	if err != nil || len(r.fixes) == 0 {
		return all, err
	}
	half, stop := halfOf(ctx)
	defer stop()
	if r.prune(half) {
		if fewer, err := r.result(ctx); err == nil {
			return fewer, nil
		}
	}
	return all, nil
}

// prune removes statements that a fix has inserted and that the script does not need, until ctx
// or the budget ends. It reports whether there were any.
func (r *repair) prune(ctx context.Context) (any bool) {
	for i := 0; i < len(r.l.items); i++ {
		added := r.l.items[i]
		if added.of != 0 {
			continue
		}
		without := r.l.with(slices.DeleteFunc(slices.Clone(r.l.items), func(x listed) bool { return x.stmt == added.stmt })) // in each repetition
		t, _, err := r.once(ctx, without, 0, false)
		if err == nil && len(t.races) == 0 && r.addsNoFailure(t) {
			t, err = r.explore(ctx, without)
		}
		if err != nil {
			return any
		}
		if len(t.races) == 0 && r.addsNoFailure(t) && t.complete == r.now.complete {
			r.l, r.now, any = without, t, true
			i--
		}
	}
	return any
}

// result returns the repaired script with its new expectations.
func (r *repair) result(ctx context.Context) (*Repaired, error) {
	src, lines, err := r.text()
	if err != nil {
		return nil, err
	}
	if len(r.fixes) == 0 {
		return &Repaired{r.rep.Script, strings.Join(src.lines, "\n"), nil, r.rep.Unmet}, nil
	}
	s, err := r.readBack(src.join(lines, nil, r.now.stuck))
	if err != nil {
		return nil, err
	}
	o := r.opts
	o.MaxSchedules = max(r.rep.Schedules, 10_000)
	rep, err := Explore(ctx, s, o)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	case len(rep.Races) > 0:
		return nil, fmt.Errorf("a race is left: %v", rep.Races[0])
	}
	var asked []Equation
	for _, e := range r.rep.Script.Expect {
		for _, o := range e.Outcomes {
			asked = append(asked, o...)
		}
	}
	if e, ok := rep.allowed(asked); ok {
		if s, err = r.readBack(src.join(lines, &e, r.now.stuck)); err != nil {
			return nil, err
		}
	}
	return &Repaired{s, s.source, r.fixes, rep.Unmet}, nil
}

// text returns the source of the script and the lines of the repaired one.
func (r *repair) text() (src *sourceText, lines []newLine, err error) {
	if r.l.crowded {
		return r.l.addedText()
	}
	if src, err = sourceOf(r.rep.Script); err == nil && len(r.fixes) > 0 {
		lines = src.rewrite(r.l)
	}
	return src, lines, err
}

func (r *repair) readBack(text string) (*Script, error) {
	s, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("the repaired script cannot be read back: %w", err)
	}
	s.Name = r.rep.Script.Name
	return s, nil
}
