package world

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/sched"
)

// A Setup makes a program afresh for one run of [Explore]: what the ranks run,
// and what to look at when they have ended. outcome is called after each run
// whose ranks all returned nil, even if races or leaks are reported then, and may
// be nil if only errors are of interest; runs whose outcomes print alike (%v)
// and that have the same error had the same outcome. Whatever ranks
// share, such as a file system, has to be made by Setup too, or one run would
// see what another left.
type Setup = func() (body func(ctx context.Context, c *comm.Comm) error, outcome func() any)

// An Exploration is what came out of [Explore].
type Exploration struct {
	// Outcomes are the different outcomes, in the order in which they were found.
	Outcomes []Outcome

	// Schedules is how many runs were made, no two of which differ only in the
	// order of things that do not affect each other.
	Schedules int

	// Redundant is how many further runs were begun and given up, because they
	// could only repeat others.
	Redundant int

	// Complete says that these are all; otherwise Stopped says why not. Of accesses
	// to files that race, which may leave anything, they are all that whole writes
	// can come to that are delayed, reordered or not seen; see [Explore].
	Complete bool
	Stopped  error
}

// An Outcome is one way in which a program can end.
type Outcome struct {
	Value     any    // what outcome returned; nil if a rank failed
	Err       error  // what [Run] would have returned
	Schedules int    // how many of the runs ended like this
	Witness   string // the first of them; [Replay] runs it again
}

// String is the value or the error's text, or both.
func (o Outcome) String() string {
	switch {
	case o.Err == nil:
		return fmt.Sprint(o.Value)
	case o.Value == nil:
		return o.Err.Error()
	}
	return fmt.Sprintf("%v\n%v", o.Value, o.Err)
}

// ErrLimit says that an exploration stopped at [MaxSchedules].
var ErrLimit = errors.New("schedule limit reached")

// ErrUntried says that not everything was tried that a race leaves open, and of
// what.
var ErrUntried = errors.New("a race has more outcomes than were tried")

// MaxSchedules stops an exploration after so many runs, the ones given up
// included and the repetition of the first one not. Without it, only the context ends one.
func MaxSchedules(n int) Option {
	return func(o *options) error {
		if n < 1 {
			return fmt.Errorf("MaxSchedules of %d: at least 1", n)
		}
		o.limit = n
		return nil
	}
}

// Polls sets how often in a row a test or probe of the same thing is let find
// nothing although there is something to find. The default is 1: a loop of
// polls has no end otherwise. A program that counts on finding nothing twice
// needs more, for [Explore] and for [Replay] of what it found.
func Polls(n int) Option {
	return func(o *options) error {
		if n < 1 {
			return fmt.Errorf("Polls of %d: at least 1", n)
		}
		o.polls = n
		return nil
	}
}

// Explore runs a program once for every schedule that makes a difference and
// returns its different outcomes, errors and deadlocks among them, each with a
// schedule that shows it again.
//
// Between the points at which something may go one way or another, a rank is
// taken to do always the same. Those points are: which message a receive or
// probe from any source takes; whether a test or probe finds anything, and
// which of several operations a wait completes; in which order ranks perform
// operations on shared objects that are in conflict; and, under the weakest model
// of files, what a race leaves open. A read that races sees each write which races
// with it wholly or not at all, whatever other reads see, and of writes that race
// with each other any may come out on top. Without a race there is nothing to
// choose. Parts of a write, and bytes that nobody wrote, could be seen too, and are
// not tried; nor is a value that is written only when the read has returned, nor an
// atomic access under way that takes place neither when it begins nor when it is
// completed. Of one
// access that races with more than 8 others, or of a file of more than 1 MiB, not
// all is tried, and Stopped says so. Under the other models, which leave less open,
// ranks publish a file in every order from the first race for it on. A poll that
// finds nothing when there is something is tried [Polls] times for each change of
// the rank's situation.
//
// The ranks must not affect each other, or be affected, by anything else: time,
// chance, variables they share. Every run that begins like one before has to
// make the same calls with the same data there, and the first run is made twice,
// with the ranks the other way round between choices: where a program does not
// do the same, the error is an *[UncontrolledError], which names the rank and
// both calls. Setup is called once more for that than there are schedules. Explore returns other errors for arguments as [Run]
// does, and if setup or outcome panics; how runs end is in the outcomes. When ctx ends or a limit is reached,
// the Exploration says so and holds what was found until then.
func Explore(ctx context.Context, n int, setup Setup, opts ...Option) (*Exploration, error) {
	o, err := gather(n, opts)
	switch {
	case err != nil:
	case ctx == nil:
		err = errors.New("the context is nil")
	case setup == nil:
		err = errors.New("there is no program")
	case !o.order.Free():
		err = fmt.Errorf("the schedule %v is given, and Explore is to try all", o.order)
	case o.engine != "":
		err = fmt.Errorf("Explore needs the ranks in one process, and engine %q runs each in its own", o.engine)
	case o.tell != nil:
		err = errors.New("Trace and ShiViz tell of one run; give them with Replay and the schedule of an outcome")
	}
	if err != nil {
		return nil, argument("Explore", err)
	}
	x := &explorer{sched.NewExplorer(), &Exploration{}, map[string]int{}}
	o.explorer = x.Explorer
	defer x.Close()
	for x.Next() {
		if x.found.Stopped = x.stop(ctx, o.limit); x.found.Stopped != nil {
			break
		}
		if err := x.once(ctx, o, setup); err != nil {
			return nil, err
		}
		if ctx.Err() != nil { // the run may have been cut short, and its choices are not those of the program
			x.found.Stopped = x.stop(ctx, o.limit)
			break
		}
	}
	x.found.Schedules, x.found.Redundant = x.Runs, x.Explorer.Redundant
	if x.found.Stopped == nil && len(x.Untried) > 0 {
		x.found.Stopped = fmt.Errorf("%w: %s", ErrUntried, strings.Join(x.Untried, "; "))
	}
	x.found.Complete = x.found.Stopped == nil && x.Err() == nil
	return x.found, x.Err()
}

// An UncontrolledError says that a program did not do the same when all choices
// went the same way.
type UncontrolledError = sched.UncontrolledError

type explorer struct {
	*sched.Explorer
	found *Exploration
	known map[string]int // outcomes by what they print
}

// stop says why to stop before the next run.
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
	s, err := run(ctx, o, body)
	if ctx.Err() != nil || !x.Checks() && !x.Counts(s) {
		return nil // its end means nothing
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
	key := found.key()
	if i, ok := x.known[key]; ok {
		x.found.Outcomes[i].Schedules++
		return nil
	}
	found.Witness = s.Token()
	x.known[key] = len(x.found.Outcomes)
	x.found.Outcomes = append(x.found.Outcomes, found)
	return nil
}

// prepare calls setup, whose panic is an error of the exploration.
func prepare(setup Setup) (body func(context.Context, *comm.Comm) error, outcome func() any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("world: Explore: the setup of a run failed: %w", sched.Recovered(v))
		}
	}()
	body, outcome = setup()
	return body, outcome, nil
}

// lookAt returns the outcome of the run with that token. A panic of outcome is an
// error of the exploration.
func lookAt(outcome func() any, token string) (value any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("world: Explore: the outcome of a run could not be had: %w%sworld.Replay(%q)", sched.Recovered(v), again, token)
		}
	}()
	return outcome(), nil
}

// check compares the outcome of the first run with that of its repetition. What
// errors say may depend on who came first.
func (x *explorer) check(again *Outcome) error {
	first := &x.found.Outcomes[0]
	if x.Err() == nil && first.Err == nil && again.Err == nil && first.key() != again.key() {
		return &UncontrolledError{
			Choice: -1, Rank: -1, Before: "the outcome " + fmt.Sprint(first.Value), Now: "the outcome " + fmt.Sprint(again.Value), Reordered: true,
		}
	}
	return nil
}

// key is what makes an outcome different from others.
func (o *Outcome) key() string {
	if races, ok := onlyRaces(o.Err); ok { // most often; and what they print takes long to write
		return "race\x00" + fmt.Sprint(o.Value) + "\x00" + races.Key()
	}
	return fmt.Sprint(o.Err == nil, o.lasting())
}

// onlyRaces returns the races of a run that came to nothing else.
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

// lasting is the outcome without what differs for every run.
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

// String is a report: how many schedules, then each outcome with its number of
// schedules and its witness.
func (x *Exploration) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s", count(x.Schedules, "schedule"), count(len(x.Outcomes), "outcome"))
	if !x.Complete {
		fmt.Fprintf(&b, "; incomplete: %v", x.Stopped)
	}
	for _, o := range x.Outcomes {
		fmt.Fprintf(&b, "\n%6d  %s\n        witness %s", o.Schedules, strings.ReplaceAll(o.lasting(), "\n", "\n        "), o.Witness)
	}
	return b.String()
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}
