package world

import (
	"errors"
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/faults"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/reps"
)

// An Option changes how [Run] runs a world.
type Option func(*options) error

type options struct {
	ranks  int
	order  sched.Schedule
	archs  map[int]*reps.Arch // of ranks unlike the default
	eager  int64
	bare   bool // no clocks
	check  bool // tell of handles never freed
	libs   bool // as of LibraryOrder
	guards bool // watch buffers in use
	alone  bool // look for two goroutines of a rank
	tell   *telling
	care   *care // nil: no careful run
	env    *surroundings
	engine string // empty: the ranks are of this process

	explorer *sched.Explorer
	limit    int // of runs
	polls    int
	faults   []faults.Rule
}

// Seed runs one rank at a time. Whenever a rank starts, ends, waits or comes
// to a point at which ranks may affect each other, the seed decides who goes
// on: for a while at every such point, for a while only where a rank starts,
// ends or waits, so that some get far ahead of others. The same program under
// the same seed runs the same way every time, on any machine, so a failure that
// a seed has shown can be shown again.
//
// Ranks must then wait for each other only through this module: a rank that
// waits on a channel of its own for another rank waits for ever, because the
// other one does not get its turn. Nor may it be locked to its thread
// (runtime.LockOSThread) when it waits: the Go runtime ends such a program.
func Seed(seed uint64) Option {
	return func(o *options) error {
		o.order = sched.Random(seed)
		return nil
	}
}

// RoundRobin is [Seed] without chance: whenever a rank gives up its turn, the
// next one that can run goes on.
func RoundRobin() Option {
	return func(o *options) error {
		o.order = sched.RoundRobin()
		return nil
	}
}

// PCT is [Seed] with priorities: the rank with the highest runs as long as it
// can, and at depth-1 moments, which the seed picks as well, the running rank
// falls behind all others. A fault that needs few things to happen in an
// unlikely order shows much sooner than under Seed. depth is at least 1.
func PCT(depth int, seed uint64) Option {
	return func(o *options) error {
		if depth < 1 {
			return fmt.Errorf("PCT of depth %d: at least 1", depth)
		}
		o.order = sched.PCT(depth, seed)
		return nil
	}
}

// Replay runs a schedule again that an error or an exploration has printed,
// such as "random:42" or "choices:0.2.1". The program, its input and the
// number of ranks have to be the same.
func Replay(token string) Option {
	return func(o *options) (err error) {
		o.order, err = sched.ParseSchedule(token)
		return err
	}
}

// Arch gives a rank an architecture. The others have [reps.LP64LE]. A rank
// that the world does not have is an error of [Run].
func Arch(rank int, a *reps.Arch) Option {
	return func(o *options) error {
		switch {
		case rank < 0 || rank >= o.ranks:
			return fmt.Errorf("Arch for rank %d: the ranks are 0 to %d", rank, o.ranks-1)
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

// Eager sets the greatest standard send, in bytes, that completes without its
// receive because its data is buffered. With 0, every standard send waits for
// its receive, so a program that relies on buffering, which the standard does
// not promise, deadlocks. The default is [comm.DefaultEager].
func Eager(bytes int64) Option {
	return func(o *options) error {
		if bytes < 0 {
			return fmt.Errorf("Eager of %d bytes: at least 0", bytes)
		}
		o.eager = bytes
		if bytes == 0 {
			o.eager = -1 // as comm spells it
		}
		return nil
	}
}

// Unchecked turns off what only checks need, the vector clocks of the ranks:
// for worlds so large, or so busy, that nobody wants to hear of races.
func Unchecked() Option {
	return func(o *options) error {
		o.bare = true
		return nil
	}
}

// Faults has the files of the world fail as rules say, each run counting anew;
// see package faults for what they may be, and [faults.Parse] for their text.
// They hold beside those that a file system brings by itself.
func Faults(rules ...faults.Rule) Option {
	return func(o *options) error {
		o.faults = append(o.faults, rules...)
		_, err := faults.NewPlan(rules...)
		return err
	}
}

// LibraryOrder judges races as common libraries carry out the calls that make
// communicators (Dup, Create, CartCreate and their like): all ranks enter before
// any leaves. The standard promises no order there, so by default such a call
// between two syncs is no barrier; see docs/ordering.md. (CONS-D09)
func LibraryOrder() Option {
	return func(o *options) error {
		o.libs = true
		return nil
	}
}

// CheckHandles has communicators that a rank made and never freed reported when
// the world ends, each with the line that made it, as errors of [Run]; without it
// they are hints in the [Report] of a run. It also has
// messages and requests noted with their lines where that is not done anyway, as it
// is on amd64 unless the world is [Unchecked]: so errors about messages that do not
// fit, were never received or never completed say where they come from.
func CheckHandles() Option {
	return func(o *options) error {
		o.check = true
		return nil
	}
}

// CheckBuffers tells a program that it wrote into the buffer of a nonblocking
// message, or of an access to a file that is nonblocking or split, before that
// was complete: completing it is then an error of class ErrBuffer, and an access
// whose bytes had not moved moves none. Costs a pass over the data at each end.
// (P2P-02, IO-DA-12)
func CheckBuffers() Option {
	return func(o *options) error {
		o.guards = true
		return nil
	}
}

// CheckThreads tells two goroutines that are in messages of one rank at the same
// time: the call of the second is an error that names both lines, and what the
// first one does goes on. Without it that is told where the first one waits, or is
// in a collective; otherwise it is a data race inside the library, which may crash
// or hang the program. Costs a microsecond a call, and a look at all goroutines
// when another goroutine makes a call than the one before. (COMM-01)
func CheckThreads() Option {
	return func(o *options) error {
		o.alone = true
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
	if err := o.place(); err != nil {
		return o, err
	}
	if err := o.beCareful(); err != nil {
		return o, err
	}
	return o, o.compatible()
}

// argument is the error of a call that takes no such arguments.
func argument(op string, err error) error {
	return &Error{
		Pkg: "world", Op: op, Rank: errclass.NoRank, Class: ErrArg, Rule: "WORLD-01", Err: err,
	}
}

// launch says to package comm what the ranks are like.
func (o *options) launch() comm.LaunchOptions {
	l := comm.LaunchOptions{Eager: o.eager, CheckHandles: o.check, LibraryOrder: o.libs, CheckBuffers: o.guards, CheckThreads: o.alone, Unchecked: o.bare}
	if o.faults != nil {
		l.Faults, _ = faults.NewPlan(o.faults...) // they were checked
	}
	if o.archs != nil {
		l.Arch = func(rank int) *reps.Arch {
			if a := o.archs[rank]; a != nil {
				return a
			}
			return reps.LP64LE
		}
	}
	return l
}
