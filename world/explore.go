package world

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/show/plain"
)

// A Setup prepares a program for one run of [Explore]. It returns the function that the
// ranks run, and one that returns the outcome when they have ended. Explore calls
// outcome after each run whose ranks all returned nil, even if the run has races or
// leaks; it may be nil if only errors matter. Two runs have the same outcome if their
// values print alike (%v) and their errors are the same. Setup must also create
// everything that ranks share, such as a file system, or a run would see the files of
// the run before.
type Setup = func() (body func(ctx context.Context, c *comm.Comm) error, outcome func() any)

// An Exploration is the result of [Explore].
type Exploration struct {
	// Outcomes are the different outcomes, in the order in which they were found.
	Outcomes []Outcome

	// Schedules is the number of runs. No two of them differ only in the order of
	// independent steps.
	Schedules int

	// Redundant is the number of further runs that were stopped because they could only
	// repeat others.
	Redundant int

	// Complete says that Outcomes are all possible outcomes; otherwise Stopped says why not.
	// The results of racing accesses to files are undefined; Outcomes then has all results
	// of whole writes that are delayed, reordered or not seen. See [Explore].
	Complete bool
	Stopped  error

	judged *judged // nil without Check(Results)
}

// An Outcome is one way in which a program can end.
type Outcome struct {
	Value     any    // result of outcome; nil if a rank failed
	Err       error  // the error that [Run] would have returned
	Schedules int    // number of runs that ended like this
	Witness   string // that in which ranks take over from each other least often; [Replay] repeats it
	Switches  int    // how often they do
}

// String returns the value or the error's text, or both.
func (o Outcome) String() string {
	switch {
	case o.Err == nil:
		return fmt.Sprint(o.Value)
	case o.Value == nil:
		return o.Err.Error()
	}
	return fmt.Sprintf("%v\n%v", o.Value, o.Err)
}

// ErrLimit says that an exploration stopped at the [Limit] of schedules.
var ErrLimit = errors.New("schedule limit reached")

// ErrUntried is the reason of an incomplete exploration if Explore did not try all
// possible outcomes; its text names the call or the race that has the others.
var ErrUntried = errors.New("there may be more outcomes than were tried")

// Limits bound what [Explore] tries. A limit of 0 is not set.
type Limits struct {
	// Schedules is the largest number of runs, including those that were stopped, but not the
	// repetition of the first one. By default only the context ends an exploration.
	Schedules int

	// Polls is how often in a row a test or probe of the same operation may find nothing
	// although there is a result. The default is 1, because otherwise a loop of polls
	// has no end. A program that depends on finding nothing twice needs more, for
	// Explore and for [Replay] of what it found.
	Polls int
}

// Limit sets the limits of an exploration.
func Limit(l Limits) Option {
	return func(o *options) error {
		if l.Schedules < 0 || l.Polls < 0 {
			return fmt.Errorf("Limit of %d schedules and %d polls: a limit is at least 1, or 0 if it is not set", l.Schedules, l.Polls)
		}
		o.limits = Limits{cmp.Or(l.Schedules, o.limits.Schedules), cmp.Or(l.Polls, o.limits.Polls)}
		return nil
	}
}

// Explore runs a program once for every schedule that makes a difference and returns its
// different outcomes, including errors and deadlocks, each with a schedule that replays it.
//
// Explore assumes that a rank is deterministic between choices. The choices are: which
// message a receive or probe from any source takes, and whether a cancel comes before
// that; whether a test or probe finds anything, and which of several operations a wait
// completes; the order of conflicting operations on shared objects, where a read, a size
// or the end of the file can show it; and, under the weakest model of files, the results
// of a race. A racing read sees each write that races with it completely or not at all,
// independent of other reads, and any of the writes that race with each other may be the
// last. Without a race there is nothing to choose. Under the session and commit models an
// open, a sync and a close are operations on the file, which publish or fetch: they take
// every place among those of other ranks that makes a difference.
//
// A nonblocking or split access takes place at any time until it is completed, if other
// ranks can observe when. A rank leaves a collective call on a file before others have come
// to it, as the standard allows, except from an open, a change of size, and an ordered access
// (Stopped says so if it matters at the shared pointer, to a query or access that comes before
// the change, or where one before races with one after it). If the ranks then come to other
// calls, or the call fails on one, they stay in the calls of that line, as in other runs
// (Stopped says so if one of those succeeds); and if staying could end in a deadlock, the
// runs in which all stay are tried, too. A poll that finds nothing although a result is there
// is tried [Limits].Polls times for each change of the rank's situation. When a rank returns
// an error the others stop at their next calls.
//
// Explore does not try parts of a write, bytes that no rank wrote, and a value that is
// written only after the read has returned. It does not try everything in these cases
// either, and Stopped says so:
//
//   - A nonblocking or split collective access whose ranks exchange bytes races: it is tried
//     only when it is completed, or right before a call of its rank that conflicts with it.
//   - SetAtomicity changes the mode of a file during an access.
//   - A collective access that may fail on one rank (its store, a strategy, a conversion,
//     [Check] of [Buffers]) races: its ranks return together.
//   - One access races with more than 8 others, or the file is larger than 1 MiB.
//   - Handles of different models race, or handles of streams, or the model is
//     [consistency.Chaos].
//   - The model is the weakest one, and the race detector is off, which finds what is open.
//   - A cancel of a receive from one source, or of a send, may be in time or not; or a ready
//     send may be, if another message may take its receive.
//   - A receive that no rank waits for may take one of several messages.
//
// The ranks must not influence each other, or be influenced, by anything else: time,
// chance, variables that they share. Every run that begins like an earlier one must make
// the same calls with the same data there. The first run is made twice, with the ranks in
// the opposite order between choices. If an outcome has races, its run is made once more,
// as [Replay] makes it, to try fixes. So Setup is called more often than there are
// schedules. If a program does not repeat its calls, the error is an *[UncontrolledError],
// which names the cause, the rank and both calls; Explore then calls setup twice more,
// under [Careful]. Explore also returns errors for invalid arguments, as [Run] does, and
// if setup or outcome panics; the errors of runs are in the outcomes. When ctx ends or a
// limit is reached, the Exploration says so and contains the outcomes found until then.
func Explore(ctx context.Context, n int, setup Setup, opts ...Option) (*Exploration, error) {
	o, err := gather(n, opts)
	if err == nil {
		err = o.explorable(ctx, setup)
	}
	if err != nil {
		return nil, argument("Explore", err)
	}
	found, err := explore(ctx, o, setup)
	if wrong, ok := err.(*UncontrolledError); ok {
		wrong.Early = o.early(ctx, setup)
	}
	return found, err
}

// early returns the operations whose buffers a program uses too early, if its runs differ with
// the bytes that conceal them and not otherwise.
func (o options) early(ctx context.Context, setup Setup) string {
	if o.care == nil || o.care.logs == nil {
		return ""
	}
	lines := concealed(o.care.logs)
	o.conceal, o.limits.Schedules = commport.ConcealAlike, 1
	if _, err := explore(ctx, o, setup); err != nil || ctx.Err() != nil {
		return ""
	}
	return operations(lines)
}

func explore(ctx context.Context, o options, setup Setup) (*Exploration, error) {
	x := &explorer{sched.NewExplorer(), &Exploration{}, map[string]int{}}
	o.explorer = x.Explorer
	defer x.Close()
	if o.checks&Results != 0 {
		x.found.judged = &judged{known: map[string]*history{}}
	}
	for x.Next() {
		if x.found.Stopped = x.stop(ctx, o.limits.Schedules); x.found.Stopped != nil {
			break
		}
		if err := x.once(ctx, o, setup); err != nil {
			return nil, err
		}
		if ctx.Err() != nil { // the run may have been stopped, and its choices are then not those of the program
			x.found.Stopped = x.stop(ctx, o.limits.Schedules)
			break
		}
	}
	x.found.Schedules, x.found.Redundant = x.Runs, x.Explorer.Redundant
	if x.found.Stopped == nil && len(x.Untried) > 0 {
		x.found.Stopped = fmt.Errorf("%w: %s", ErrUntried, strings.Join(x.Untried, "; "))
	}
	x.found.Complete = x.found.Stopped == nil && x.Err() == nil
	if x.Err() == nil && ctx.Err() == nil {
		if err := x.tryFixes(ctx, o, setup); err != nil {
			return nil, err
		}
	}
	return x.found, public(x.Err())
}

// explorable returns an error if the arguments of Explore do not fit.
func (o *options) explorable(ctx context.Context, setup Setup) error {
	switch {
	case ctx == nil:
		return errors.New("the context is nil")
	case setup == nil:
		return errors.New("setup is nil")
	case !o.order.Free():
		return fmt.Errorf("the schedule %v is given, and Explore is to try all", o.order)
	case o.engine != "":
		return fmt.Errorf("Explore needs the ranks in one process, and engine %q runs each in its own", o.engine)
	case o.outputs != nil:
		return errors.New("Trace, ShiViz and HTML show one run; give them with Replay and the schedule of an outcome")
	}
	return nil
}

type explorer struct {
	*sched.Explorer
	found *Exploration
	known map[string]int // index of each outcome, by its text
}

// stop returns the reason to stop before the next run, nil if there is none.
func (x *explorer) stop(ctx context.Context, limit int) error {
	if ctx.Err() != nil {
		return cancelled(ctx)
	}
	if limit > 0 && !x.Checks() && x.Runs+x.Explorer.Redundant >= limit {
		return fmt.Errorf("%w: %d", ErrLimit, limit)
	}
	return nil
}

// once makes one run.
func (x *explorer) once(ctx context.Context, o options, setup Setup) error {
	body, outcome, err := prepare(setup)
	if err != nil {
		return err
	}
	if body == nil {
		return argument("Explore", errors.New("the ranks have no program"))
	}
	var rec *journal.Recorder
	if x.found.judged != nil {
		rec = new(journal.Recorder)
		body = recorded(body, rec)
	}
	s, err := run(ctx, o, body)
	if ctx.Err() != nil || s.Broken() || !x.Checks() && !x.Counts(s) {
		return nil // the run was stopped: its end means nothing
	}
	found := Outcome{Err: err, Schedules: 1}
	if s.Cause() == nil && outcome != nil {
		if found.Value, err = lookAt(outcome, s.Token()); err != nil {
			return err
		}
	}
	if x.Checks() {
		return x.check(&found)
	}
	if rec != nil {
		x.found.judged.add(s, found.Err, rec)
	}
	key := found.key()
	found.Switches = s.Switches()
	if i, ok := x.known[key]; ok {
		o := &x.found.Outcomes[i]
		if o.Schedules++; found.Switches < o.Switches {
			o.Witness, o.Switches = s.Token(), found.Switches
		}
		return nil
	}
	found.Witness = s.Token()
	x.known[key] = len(x.found.Outcomes)
	x.found.Outcomes = append(x.found.Outcomes, found)
	return nil
}

// prepare calls setup, and returns its panic as an error of the exploration.
func prepare(setup Setup) (body func(context.Context, *comm.Comm) error, outcome func() any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("world: Explore: the setup of a run failed: %w", sched.Recovered(v))
		}
	}()
	body, outcome = setup()
	return body, outcome, nil
}

// lookAt returns the outcome of the run with that token. A panic of outcome is an error of
// the exploration.
func lookAt(outcome func() any, token string) (value any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("world: Explore: the outcome of a run could not be had: %w%sworld.Replay(%q)", sched.Recovered(v), again, token)
		}
	}()
	return outcome(), nil
}

// check compares the outcome of the first run with that of its repetition. The text of
// errors may depend on which rank came first.
func (x *explorer) check(again *Outcome) error {
	first := &x.found.Outcomes[0]
	if x.Err() == nil && first.Err == nil && again.Err == nil && first.key() != again.key() {
		return &UncontrolledError{
			Choice: -1, Rank: -1, Before: "the outcome " + fmt.Sprint(first.Value), Now: "the outcome " + fmt.Sprint(again.Value), Reordered: true,
		}
	}
	return nil
}

// key returns a text that differs for different outcomes.
func (o *Outcome) key() string {
	if races, ok := onlyRaces(o.Err); ok { // the most common error, whose text takes long to write
		return "race\x00" + fmt.Sprint(o.Value) + "\x00" + races.Key()
	}
	return fmt.Sprint(o.Err == nil, o.lasting())
}

// onlyRaces returns the races of a run that has no other error.
func onlyRaces(err error) (consistency.Races, bool) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil, false
	}
	if races, ok := err.(consistency.Races); ok {
		return races, true
	}
	all := joined.Unwrap()
	if len(all) != 1 {
		return nil, false
	}
	return onlyRaces(all[0])
}

// lasting returns the text of the outcome without the parts that differ in every run.
func (o *Outcome) lasting() string {
	text := o.String()
	if !strings.Contains("\n"+text, again) {
		return strings.TrimSpace(text)
	}
	var b strings.Builder
	for line := range strings.Lines("\n" + text) {
		if !strings.HasPrefix("\n"+line, again) {
			b.WriteString(line)
		}
	}
	return strings.TrimSpace(b.String())
}

// String returns a report: the number of schedules, then each outcome with its number of
// schedules and its witness.
func (x *Exploration) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s", plain.Count(x.Schedules, "schedule"), plain.Count(len(x.Outcomes), "outcome"))
	if !x.Complete {
		fmt.Fprintf(&b, "; incomplete: %v", x.Stopped)
	}
	for _, o := range x.Outcomes {
		fmt.Fprintf(&b, "\n%6d  %s\n        witness %s", o.Schedules, strings.ReplaceAll(o.lasting(), "\n", "\n        "), o.Witness)
	}
	return b.String()
}
