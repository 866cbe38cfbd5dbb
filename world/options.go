package world

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// An Option changes how [Run] runs a world.
type Option func(*options) error

type options struct {
	ranks   int
	order   sched.Schedule
	archs   map[int]*reps.Arch // by rank or AllRanks, of those that differ from the default
	eager   int64
	bare    bool // without clocks
	checks  Checks
	libs    bool     // see LibraryOrder
	outputs *outputs // nil: none
	conceal commport.Concealment
	care    *care // nil: not a careful run
	env     *surroundings
	own     string // the program's schedule, if env has replaced it
	engine  string // empty: the ranks are in this process

	idle func() bool // see sched.Options
	wrap func(body func(context.Context, *comm.Comm) error) func(context.Context, *comm.Comm) error

	explorer *sched.Explorer
	limits   Limits
	faults   []faults.Rule
	strategy strategy.Strategy // of files; nil: their own or that of their hints
	cluster  commport.Cluster  // the machine that ranks see
}

// Seed runs one rank at a time. Whenever a rank starts, ends, waits or comes to a point at
// which ranks may affect each other, the seed decides which rank continues. In some periods
// it decides at every such point, in others only where a rank starts, ends or waits, so
// that some ranks get far ahead of others. The same program under the same seed runs the
// same way every time, on any machine, so a failure that a seed has shown can be repeated.
//
// Ranks must then wait for each other only through this module: a rank that waits on its
// own channel for another rank waits for ever, because the other one does not get its turn.
// Nor may it be locked to its thread (runtime.LockOSThread) when it waits: the Go runtime
// ends such a program.
func Seed(seed uint64) Option {
	return func(o *options) error {
		o.order = sched.Random(seed)
		return nil
	}
}

// Replay runs the schedule that a token names, one rank at a time as under [Seed]:
//
//   - a token that an error or an exploration has printed, such as "random:42" or
//     "choices:0.2.1", repeats that run. The program, its input and the number of ranks must
//     be the same.
//   - "roundrobin" is Seed without chance: whenever a rank gives up its turn, the next one
//     that can run continues; with "roundrobin:reverse" the one before it.
//   - "pct:DEPTH:SEED" is Seed with priorities: the rank with the highest priority runs as
//     long as it can, and at DEPTH-1 moments, which the seed also picks, the running rank
//     falls behind all others. A bug that needs few events in an unlikely order shows much
//     sooner than under Seed. DEPTH is at least 1.
//   - "free" runs all ranks at once, as without an option.
func Replay(token string) Option {
	return func(o *options) (err error) {
		o.order, err = sched.ParseSchedule(token)
		return err
	}
}

// AllRanks, given to [Arch], means the ranks that no other Arch names.
const AllRanks = -1

// Arch gives a rank an architecture: sizes and alignments, and the byte order of its native
// files and of the bytes of its values (see package reps). Ranks without one have
// [reps.LP64LE]. It is an error of [Run] if the world does not have that rank.
//
// An architecture also decides whether bounds that types.Resized, types.Subarray and
// types.Darray set are types.Sticky or types.Weak, in messages, files and constructors. The
// default is types.Sticky, as in the standard; a.WithMarkers(types.Weak) selects the rule of
// the proposal before it, and of MPICH. It must be the same on all ranks. (DT-RESIZE-03)
func Arch(rank int, a *reps.Arch) Option {
	return func(o *options) error {
		switch {
		case rank != AllRanks && (rank < 0 || rank >= o.ranks):
			return fmt.Errorf("Arch for rank %d: the ranks are 0 to %d", rank, o.ranks-1)
		case a == nil && rank == AllRanks:
			return errors.New("Arch for all ranks: no architecture")
		case a == nil:
			return fmt.Errorf("Arch for rank %d: no architecture", rank)
		}
		if o.archs == nil {
			o.archs = map[int]*reps.Arch{}
		}
		o.archs[rank] = a
		return nil
	}
}

// arch returns the architecture of a rank.
func (o *options) arch(rank int) *reps.Arch {
	return cmp.Or(o.archs[rank], o.archs[AllRanks], reps.LP64LE)
}

// setMarkers gives the bounds of all ranks the force m.
func (o *options) setMarkers(m types.Markers) {
	archs := map[int]*reps.Arch{AllRanks: o.arch(AllRanks).WithMarkers(m)}
	for rank, a := range o.archs {
		archs[rank] = a.WithMarkers(m)
	}
	o.archs = archs
}

// checkMarkers returns an error if ranks give bounds different forces.
func (o *options) checkMarkers() error {
	all := o.arch(AllRanks).Markers()
	for _, rank := range slices.Sorted(maps.Keys(o.archs)) {
		if m := o.arch(rank).Markers(); m != all {
			return fmt.Errorf("Arch for rank %d: its bounds of datatypes are %v, those of other ranks %v; "+
				"give all ranks the same, with Arch(world.AllRanks, reps.LP64LE.WithMarkers(types.Weak)) too", rank, m, all)
		}
	}
	return nil
}

// Eager sets the size, in bytes, up to which a standard send is buffered and so completes
// without its receive. With 0, every standard send waits for its receive, so a program that
// relies on buffering, which the standard does not promise, deadlocks. The default is
// [comm.DefaultEager].
func Eager(bytes int64) Option {
	return func(o *options) error {
		if bytes < 0 {
			return fmt.Errorf("Eager of %d bytes: at least 0", bytes)
		}
		o.eager = bytes
		if bytes == 0 {
			o.eager = -1 // comm's value for it
		}
		return nil
	}
}

// Unchecked turns off the vector clocks of the ranks, which only checks need. Use it
// for large or busy worlds if you do not need reports of races.
func Unchecked() Option {
	return func(o *options) error {
		o.bare = true
		return nil
	}
}

// Faults injects faults into calls on the files of the world, as the rules say; each run
// counts anew. See package faults for the rules, and [faults.Parse] for their text. They
// apply in addition to those of a file system.
func Faults(rules ...faults.Rule) Option {
	return func(o *options) error {
		o.faults = append(o.faults, rules...)
		_, err := faults.NewPlan(rules...)
		return err
	}
}

// LibraryOrder judges races as common libraries carry out the calls that make communicators
// (Dup, Create, CartCreate and similar calls): all ranks enter before any leaves. The
// standard promises no order there, so by default such a call between two syncs does not
// count as a barrier; see docs/ordering.md. (CONS-D09)
func LibraryOrder() Option {
	return func(o *options) error {
		o.libs = true
		return nil
	}
}

// Checks are expensive checks, which [Check] turns on; join several by |.
type Checks uint8

const (
	// Handles reports communicators that a rank made and never freed when the world ends, each
	// with the line that made it, as errors of [Run]; without it they are hints in the
	// [Report] of a run. It also records the lines of messages and requests. By default this
	// happens only on amd64, unless the world is [Unchecked]. So errors about messages that
	// do not fit, were never received or never completed name the line of the call.
	Handles Checks = 1 << iota

	// Buffers reports that a program wrote into the buffer of a nonblocking message or
	// collective, or of a nonblocking or split access to a file, before that was complete.
	// Completing it is then an error of class ErrBuffer, and if the bytes of an access had
	// not moved yet, they do not move. So is a message that shares memory with the buffer of
	// a receive under way, or receives into that of a send. It reads the data once when the
	// operation starts and once when it completes; in explorations it leaves collectives
	// out. (P2P-02, COLL-02, IO-DA-12)
	Buffers

	// Threads reports two goroutines that exchange messages of one rank at the same time: the
	// call of the second is an error that names both lines, and the call of the first
	// continues. Without this check, the second call is an error only if the first one waits,
	// or is in a collective; otherwise the two are a data race inside the library, which may
	// crash or hang the program. It costs a microsecond a call, and a search of all
	// goroutines when the calling goroutine changes. (COMM-01)
	Threads

	// Results makes [Explore] record what the ranks do to files, so that
	// [Exploration.Allowed] can compare the results of reads with what the standard allows.
	// It has no other effect.
	Results

	// Samples is [Buffers] at little cost: it reports operations whose buffers share memory, and
	// writes into buffers of nonblocking collectives, of which it compares up to 2 KiB, in 32
	// pieces from the first byte to the last. In explorations it leaves collectives out.
	Samples
)

// Check turns on checks, in addition to those of other options.
func Check(checks Checks) Option {
	return func(o *options) error {
		if checks >= Samples<<1 {
			return fmt.Errorf("Check %#x: the checks are Handles, Buffers, Threads, Results and Samples", uint8(checks))
		}
		o.checks |= checks
		return nil
	}
}

// gather checks the options of a world before anything is started.
func gather(n int, opts []Option) (options, error) {
	o := options{ranks: n}
	for _, opt := range opts {
		if opt == nil {
			return o, errors.New("an option is nil")
		}
		if err := opt(&o); err != nil {
			return o, err
		}
	}
	if err := cmp.Or(o.checkMarkers(), o.place()); err != nil {
		return o, err
	}
	if err := o.chooseStrategy(); err != nil {
		return o, err
	}
	if o.env != nil {
		o.own = o.env.overrule(&o)
	}
	if err := o.beCareful(); err != nil {
		return o, err
	}
	return o, o.compatible()
}

// argument returns the error of a call with wrong arguments.
func argument(op string, err error) error {
	return &Error{
		Pkg: "world", Op: op, Rank: errclass.NoRank, Class: ErrArg, Rule: "WORLD-01", Err: err,
	}
}

// launch returns the options for package comm.
func (o *options) launch() commport.LaunchOptions {
	l := commport.LaunchOptions{Eager: o.eager, CheckHandles: o.checks&Handles != 0, LibraryOrder: o.libs, CheckBuffers: o.checks&Buffers != 0, SampleBuffers: o.checks&Samples != 0, Conceal: o.conceal, CheckThreads: o.checks&Threads != 0, Unchecked: o.bare}
	if o.faults != nil {
		l.Faults, _ = faults.NewPlan(o.faults...) // they were checked before
	}
	if o.archs != nil {
		l.Arch = o.arch
	}
	return l
}
