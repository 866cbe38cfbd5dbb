package script

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/world"
)

// Options say how [Run] and [Explore] run a script. The zero value means the weakest
// model and seed 0.
type Options struct {
	Seed   uint64 // of Run
	Replay string // of Run: a witness, instead of a seed
	Model  consistency.Model

	// Moments makes Run record the state of all files after each statement, of at most MaxSteps
	// statements of ranks (0: any number): the run ends with an error at the first one beyond.
	Moments  bool
	MaxSteps int

	// Open are further options of every open, such as iofile.WithStrategy.
	Open []iofile.OpenOption

	// Before, if not nil, is called before each run of an exploration, also of those that look
	// for fixes.
	Before func()

	// MaxSchedules bounds Explore; 0: only the context does.
	MaxSchedules int

	// Reasons makes Explore say why each outcome comes about, see Seen.Why.
	Reasons bool

	// MaxBytes limits the memory for outcomes: the bytes of a file at the end, and, for
	// Explore, the text of all different outcomes, after which it stops; 0: a file has at
	// most [MaxBuffer] bytes, and Explore has no limit.
	MaxBytes int64

	// Unbuffered makes send and isend wait for their receive, as a library may with long messages.
	Unbuffered bool

	// World are further options of the world of a Run, such as world.Trace. The script
	// gives each rank its architecture: Run refuses another.
	World []world.Option
}

// A Report is the result of running a script.
type Report struct {
	Script    *Script
	Outcomes  []Seen // one if the script was run once
	Races     []*consistency.RaceError
	Failures  []*Failure // statements that failed, in the order of lines and ranks
	Deadlock  *world.DeadlockError
	Stuck     string    // the witness of the deadlock
	Err       error     // the error by which a run ended, if not a deadlock
	Log       []*Event  // of Run: the statements in an order that explains the run, each meeting of ranks together
	Moments   []*Moment // of Run, with Options.Moments: before the first statement and after each
	Schedules int       // how many were run
	Redundant int       // how many more were stopped because they could only repeat others
	Complete  bool      // all schedules that make a difference were run
	Stopped   error     // why Complete is false, if Explore was to run all
	Unmet     []Unmet
	Lints     []world.Lint // of Run: legal calls, but probably not what you meant; by rank

	World *world.Report // of Run: messages, files and requests; nil if no rank has started
}

// Seen is one outcome and how often it was seen.
type Seen struct {
	Ending    *Ending
	Schedules int
	Judged    bool   // whether Allowed means anything
	Allowed   bool   // by the standard
	Witness   string // of Explore: the run in which ranks take over from each other least often
	switches  int    // how often they do
	text      string

	// Why says, with Options.Reasons, which orders of calls, and what racing reads find, tell the
	// runs with the outcome from others. Only calls that share bytes in a run, or move the shared
	// pointer, are compared. If no short reason is known, it says how one run was: the order of those
	// calls, or what they found. It is empty if there is one outcome, or if that is too long.
	Why string

	// Always says that Why holds for every run with the outcome. Else there are other ways to it.
	Always bool
}

// String is the outcome on one line.
func (s *Seen) String() string { return s.text }

// Unmet is an expectation that was not met.
type Unmet struct {
	Line int // 0: belongs to no line: something happened that no line expects
	Text string

	// Brief is Text for a reader who already sees the Report's Races, Failures and Deadlock;
	// empty if they say it all.
	Brief string
}

// OK reports whether every expectation of the script was met.
func (r *Report) OK() bool { return len(r.Unmet) == 0 }

// Mixing returns the indices of the races in which the bytes of two writes may mix.
// [Explore] does not try that; a [Run] under consistency.Chaos does.
func (r *Report) Mixing() (races []int) {
	writes := func(p *consistency.Party) bool {
		found := false
		r.Script.each(p.Rank, func(s *Stmt) { found = found || s.Line == p.Place.Line && s.Data != nil })
		return found
	}
	for i, race := range r.Races {
		if (race.Hi-race.Lo > 1 || race.More > 0) && writes(&race.A) && writes(&race.B) {
			races = append(races, i)
		}
	}
	return races
}

// Unannounced reports whether there was a race although no line of the script mentions
// races.
func (r *Report) Unannounced() bool {
	return len(r.Races) > 0 && !slices.ContainsFunc(r.Script.Expect, func(e Expectation) bool { return e.Kind == Race || e.Kind == NoRace })
}

// Run runs a script once. An error means that it could not be run; its result is in the
// Report. If ctx ends during the run, Run returns the cause and a Report of the run until
// then.
func Run(ctx context.Context, s *Script, o Options) (*Report, error) {
	if err := begin(ctx, s); err != nil {
		return nil, err
	}
	how := world.Seed(o.Seed)
	if o.Replay != "" {
		how = world.Replay(o.Replay)
	}
	x := newCollector(s, o)
	r, err := x.run()
	if err != nil {
		return nil, err
	}
	ctx, r.stop = context.WithCancelCause(ctx)
	defer r.stop(nil)
	if r.logs, r.effects, r.remembers, r.maxSteps = true, true, o.Moments, o.MaxSteps; o.Moments {
		r.remember(nil)
	}
	result, err := world.RunReport(ctx, s.Ranks, r.body, slices.Concat(o.world(s), o.World, []world.Option{how})...)
	if wrong, ok := err.(*world.Error); ok { // an option is wrong; no rank has started
		return nil, wrong
	}
	if result == nil && ctx.Err() != nil { // no rank has started
		return nil, context.Cause(ctx)
	}
	if unlike := (*unlikeError)(nil); errors.As(err, &unlike) {
		return nil, unlike
	}
	x.ended(err, o.witness())
	x.recordFailures(r)
	if r.momentErr != nil {
		return nil, r.momentErr
	}
	x.report.Log, x.report.Moments, x.report.Schedules = r.log, r.moments, 1
	x.report.linearize()
	if err := x.report.look(ctx); err != nil {
		return nil, err
	}
	if x.report.World = result; result != nil {
		x.report.Lints = result.Lints
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		x.report.Err = context.Cause(ctx)
		return x.finish(), x.report.Err
	}
	if x.report.Deadlock == nil && x.report.Err == nil {
		seen, err := x.seen(r, o.witness(), 1)
		if err != nil {
			return nil, err
		}
		x.report.Outcomes = []Seen{seen}
	}
	return x.finish(), nil
}

// begin checks the arguments of Run and Explore.
func begin(ctx context.Context, s *Script) error {
	if ctx == nil {
		return errors.New("script: the context is nil")
	}
	return s.sound()
}

// Explore runs a script once for every schedule that makes a difference. An error means
// that it could not be run, or that ctx ended before the first run did.
func Explore(ctx context.Context, s *Script, o Options) (*Report, error) {
	var why *reasons
	if o.Reasons {
		why = newReasons(s, o.Model)
	}
	return explore(ctx, s, o, why)
}

// world returns the options of a world of a script.
func (o *Options) world(s *Script) []world.Option {
	if o.Unbuffered {
		return append(s.world(), world.Eager(0))
	}
	return s.world()
}

// explore is Explore; why collects the reasons of outcomes, unless it is nil.
func explore(ctx context.Context, s *Script, o Options, why *reasons) (*Report, error) {
	if err := begin(ctx, s); err != nil {
		return nil, err
	}
	x := newCollector(s, o)
	opts := o.world(s)
	if o.MaxSchedules > 0 {
		opts = append(opts, world.Limit(world.Limits{Schedules: o.MaxSchedules}))
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var failed, full error // from preparing or examining a run; from the limit of MaxBytes
	var last *run
	setup := func() (func(context.Context, *comm.Comm) error, func() any) {
		if o.Before != nil {
			o.Before()
		}
		if last != nil {
			x.recordFailures(last)
		}
		r, err := x.run()
		failed, last = cmp.Or(failed, err), r
		if err != nil {
			return nil, nil
		}
		r.effects = why != nil
		return r.body, func() any {
			seen, err := x.seen(r, "", 0)
			failed = cmp.Or(failed, err)
			if err == nil {
				if why != nil {
					why.add(r, seen.Ending, seen.text)
				}
				r.drop(seen.Ending)
				full = x.keep(&seen)
			}
			if reason := cmp.Or(failed, full); reason != nil {
				stop(reason)
			}
			return &seen
		}
	}
	found, err := world.Explore(ctx, s.Ranks, setup, opts...)
	if err = cmp.Or(failed, err); err != nil {
		return nil, err
	}
	if len(found.Outcomes) == 0 {
		return nil, fmt.Errorf("nothing was run to its end: %w", found.Stopped)
	}
	x.recordFailures(last)
	for _, out := range found.Outcomes {
		x.ended(out.Err, out.Witness)
		if seen, ok := out.Value.(*Seen); ok {
			x.count(seen, out)
		}
	}
	if why != nil {
		why.explain(x.report)
	}
	x.report.Redundant = found.Redundant
	x.report.Schedules, x.report.Complete, x.report.Stopped = found.Schedules, found.Complete, found.Stopped
	if full != nil && errors.Is(found.Stopped, full) {
		x.report.Stopped = full
	}
	return x.finish(), nil
}
