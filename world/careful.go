package world

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/dropped"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
)

// Careful finds as many mistakes in a program as one run can show. It turns on
// [Check] of [Buffers] and [Threads], and [Eager](0), and these become errors of [Run]:
//
//   - the lints of the run's report, such as communicators never freed, syncs
//     that order nothing, data read in another representation than they were written
//     in, bytes read that no rank wrote, unknown hints: each a *[LintError];
//   - bytes of a file that no rank wrote, between bytes that ranks wrote: a *[LintError];
//   - errors that a call returned and the source of the program drops: each an
//     *[IgnoredError]. Careful reads the source where the compiler read it; without the
//     source, or with -trimpath, it reports no such errors;
//   - reads of files that returned fewer bytes than requested, if the source of the program
//     drops the Status, which has the count: a *[LintError] (IO-DA-09);
//   - a rank that reads the same bytes of a file in a loop and cannot see another value:
//     the read fails with rule CONS-C2.
//
// Until a nonblocking or split read or a nonblocking receive is complete, its buffer
// contains 0xA5 or 0x5A: a program that uses the buffer too early computes with these
// bytes. [Strict] and commworld check compare two runs with different bytes.
//
// Another order of the ranks may show more: pass Careful to [Strict], which runs the
// program in two orders, or to [Explore].
//
// Each element of allowed is a rule, such as "IO-SHP-04", or "ignored". Careful leaves
// out findings of that rule, or of errors that the program ignores, because the program
// intends them.
//
// Other options add to Careful, in any order: Eager(n) sets another limit. [Unchecked] and
// an [Engine] contradict it.
//
// The environment variable COMMWORLD_CARE makes every [Run] of a program careful; see
// [CareVariable].
func Careful(allowed ...string) Option {
	return func(o *options) error {
		for _, a := range allowed {
			if a != allowIgnored && !isRule(a) {
				return fmt.Errorf("Careful: %q is not the id of a rule, such as \"IO-SHP-04\", and not %q", a, allowIgnored)
			}
		}
		if o.care == nil {
			o.care = new(care)
		}
		o.care.allowed = append(o.care.allowed, allowed...)
		return nil
	}
}

// allowIgnored is the word that Careful accepts besides rules.
const allowIgnored = "ignored"

// isRule reports whether s has the form of a rule's name: capital letters and digits in
// at least two groups, with a hyphen between them.
func isRule(s string) bool {
	groups := strings.Split(s, "-")
	return len(groups) > 1 && !slices.ContainsFunc(groups, func(g string) bool {
		return g == "" || strings.Trim(g, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != ""
	})
}

// care holds the settings and the findings of a careful world.
type care struct {
	allowed []string
	logs    *trace.World
}

func (c *care) allows(what string) bool { return slices.Contains(c.allowed, what) }

// beCareful turns on the checks of a careful world, except those that other options set.
func (o *options) beCareful() error {
	if o.care == nil {
		return nil
	}
	if o.env != nil {
		o.bare = false
	}
	if o.bare {
		return errors.New("Careful needs the clocks that Unchecked turns off; leave one of the two out")
	}
	o.checks |= Buffers | Threads
	if o.eager == 0 {
		o.eager = -1
	}
	return nil
}

// watch sets the logs of a run that begins.
func (c *care) watch(logs *trace.World) {
	if c != nil {
		c.logs = logs
	}
}

// findings returns the findings of a careful world, nil if there are none. It leaves out
// short reads in lines that race: the race explains them.
func (c *care) findings(s *sched.Sched, err error, races consistency.Races) error {
	if c == nil {
		return nil
	}
	e := &CarefulError{Schedule: token(s)}
	without := withoutFile(err)
	blamed := blames{}
	for rank := range c.logs.Len() {
		log := c.logs.Log(rank)
		failed := log.TakeFailed()
		last := -1 // the Open whose nil handle the rank used
		if slices.Contains(without, rank) {
			for i, at := range failed {
				if first, ok := at.First.(*Error); ok && first.Op == "Open" {
					last = i
				}
			}
		}
		for i, at := range failed {
			if c.ignored(e, rank, at, i == last) {
				blamed.add(races, rank, at)
			}
		}
		for _, l := range log.Lints {
			c.lint(e, Lint(l))
		}
		for _, r := range log.ShortReads() {
			if !raceAt(races, r.Place) && dropped.Status(r.Op, r.Place) {
				c.lint(e, shortRead(rank, r))
			}
		}
	}
	for race, calls := range blamed {
		race.Blame(had(calls.Ignored))
	}
	if len(e.Ignored) == 0 && len(e.Lints) == 0 {
		return nil
	}
	return e
}

// blames holds, by race, the errors that the program ignores of calls of its ranks on its file,
// which they made before. The race may be their effect: without the view it comes to other bytes.
type blames map[*consistency.RaceError]*CarefulError

// add adds the errors of a line of a rank to the races that came after.
func (b blames) add(races consistency.Races, rank int, at *trace.Failed) {
	first := at.First.(*Error)
	for _, r := range races {
		for _, p := range []*consistency.Party{&r.A, &r.B} {
			if p.Rank != rank || first.Object != r.File || at.Since > p.Time || !mayMove(first) {
				continue
			}
			if b[r] == nil {
				b[r] = new(CarefulError)
			}
			b[r].ignore(rank, at)
			break
		}
	}
}

// mayMove reports whether the failure of a call may change where later accesses of the rank go, or
// what orders them. A call through a closed handle, and one that only reads at an offset of its own,
// changes neither.
func mayMove(e *Error) bool {
	return e.Rule != ruleClosed && !strings.HasPrefix(e.Op, "ReadAt") && !strings.HasPrefix(e.Op, "Get")
}

// had names the calls as those that had failed before.
func had(ignored []*IgnoredError) string {
	var list []string
	for _, x := range ignored {
		list = append(list, fmt.Sprintf("%s of %s had failed at %v: %v", x.Err.Op, sched.RankList(x.Ranks), x.Place, general(x.Err)))
	}
	return strings.Join(list, "; ")
}

// lint adds a lint, or adds its rank to the lint of the same line and rule.
func (c *care) lint(e *CarefulError, l Lint) {
	if c.allows(l.Rule) || l.Rule == "CONS-SYNC-05" && c.logs.Len() == 1 { // one rank alone needs no sync, several do
		return
	}
	for _, o := range e.Lints {
		if o.Op == l.Op && o.File == l.File && o.Place == l.Place && o.Rule == l.Rule && (o.Text == l.Text || o.Rank != l.Rank) {
			if !slices.Contains(o.Ranks, l.Rank) {
				o.Ranks = append(o.Ranks, l.Rank)
			}
			return
		}
	}
	e.Lints = append(e.Lints, &LintError{l, []int{l.Rank}})
}

// shortRead returns the lint for a read whose Status the program drops.
func shortRead(rank int, r trace.ShortRead) Lint {
	text := fmt.Sprintf("it read %d of %d bytes, because the file ends there, and the program drops the Status, which says so: "+
		"the rest of the buffer does not come from the file; use the Status that %s returns, whose Bytes and Count say how much came", r.Got, r.Asked, r.Op)
	return Lint{Rank: rank, Op: r.Op, File: r.File, Place: r.Place.Base(), At: r.Place, Rule: "IO-DA-09", Text: text}
}

// raceAt reports whether a line takes part in a race.
func raceAt(races consistency.Races, at Place) bool {
	return slices.ContainsFunc(races, func(r *consistency.RaceError) bool {
		return r.A.Place.Chain() == at.Chain() || r.B.Place.Chain() == at.Chain()
	})
}

// racing returns the races among the errors of a world.
func racing(err error) (races consistency.Races) {
	errors.As(err, &races)
	return races
}

// withoutFile returns the ranks that ended because they used a nil handle.
func withoutFile(err error) (ranks []int) {
	var e *RunError
	if !errors.As(err, &e) {
		return nil
	}
	for _, r := range e.Ranks {
		var used *Error
		if errors.As(r.Err, &used) && used.Rule == ruleClosed && used.Rank == errclass.NoRank {
			ranks = append(ranks, r.Rank)
		}
	}
	return ranks
}

// ignored adds the errors of a line if the source of the program drops them, or if the rank
// went on without what the call should have returned, and reports whether that is so.
func (c *care) ignored(e *CarefulError, rank int, at *trace.Failed, wentOn bool) bool {
	first, ok := at.First.(*Error)
	if !ok || c.allows(allowIgnored) || c.allows(first.Rule) || !wentOn && !dropped.Error(first.Op, at.Place) {
		return false
	}
	e.ignore(rank, at)
	return true
}

// ignore adds the errors of a line.
func (e *CarefulError) ignore(rank int, at *trace.Failed) {
	first := at.First.(*Error)
	for _, o := range e.Ignored {
		if o.Place.File == at.Place.File && o.Place.Chain() == at.Place.Chain() && o.Err.Class == first.Class && o.Err.Op == first.Op {
			o.Ranks, o.Count = append(o.Ranks, rank), o.Count+at.Count
			return
		}
	}
	e.Ignored = append(e.Ignored, &IgnoredError{Ranks: []int{rank}, Place: at.Place, Count: at.Count, Err: first})
}

// A CarefulError holds the findings of [Careful] other than those that [Run] returns
// anyway. errors.As finds each part.
type CarefulError struct {
	Ignored  []*IgnoredError // by rank
	Lints    []*LintError    // by rank
	Schedule string          // as in [RunError]
}

// Error returns the findings, each on one or more lines.
func (e *CarefulError) Error() string {
	var lines []string
	for _, err := range e.Unwrap() {
		lines = append(lines, err.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the findings.
func (e *CarefulError) Unwrap() []error {
	var all []error
	for _, x := range e.Ignored {
		all = append(all, x)
	}
	for _, x := range e.Lints {
		all = append(all, x)
	}
	return all
}

// A LintError is a lint of a careful world: a call that is legal, but probably not what
// you meant. If you meant it, Careful(Rule) allows it.
type LintError struct {
	Lint        // of the lowest rank
	Ranks []int // all ranks with the lint on this line
}

// Error returns ranks, place, file and text.
func (e *LintError) Error() string {
	at := ""
	if e.Place != "" {
		at = " at " + e.Place
	}
	return fmt.Sprintf("%s: %s %q%s: %s (%s; world.Careful(%q) allows it)", sched.RankList(e.Ranks), e.Op, e.File, at, e.Text, e.Rule, e.Rule)
}

// An IgnoredError is an error that calls from one line returned and that the program drops in
// its source. The line is the call alone, or defers it, or assigns the error to _, or to a
// variable that is assigned again before anything reads it. The error of an Open is ignored,
// too, where the rank uses the nil handle.
type IgnoredError struct {
	Ranks []int
	Place Place  // of the call
	Count int    // number of calls, of all ranks
	Err   *Error // the first error
}

// Error returns the call, its place and the error.
func (e *IgnoredError) Error() string {
	times := ""
	if n := e.Count / len(e.Ranks); n > 1 {
		times = fmt.Sprintf(" (%d times)", n)
	}
	said := general(e.Err)
	if e.Err.Place.Chain() != e.Place.Chain() { // another call started the operation
		said.Place = e.Err.Place
	}
	advice := "return it, or handle it by errors.Is"
	switch { // errors of calls that should not have been made
	case e.Err.Rule != ruleClosed:
	case e.Err.Op == "Close":
		advice = "close the handle once: leave out this call, or the one that closed it"
	default:
		advice = "leave out this call, or make it before Close"
	}
	return fmt.Sprintf("%s: the error of %s at %v was ignored%s: %v; %s", sched.RankList(e.Ranks), e.Err.Op, e.Place, times, said, advice)
}

// ruleClosed is the rule that a call through a closed handle breaks.
const ruleClosed = "IO-CLOSE-04"

// Unwrap returns the error that was ignored.
func (e *IgnoredError) Unwrap() error { return e.Err }
