package world

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
)

// ShiVizPattern is the regular expression by which the lines of a [ShiViz] log
// are read. It is the first line of the log as well, so that the viewer needs
// not be told.
const ShiVizPattern = trace.Pattern

// Trace writes what the ranks did to w when the world has ended, however it
// ended, as JSON in the trace event format, which https://ui.perfetto.dev and
// chrome://tracing open. There is a row for each rank, on it a slice for each
// call that communicates, waits, or uses a file, with peer, tag, bytes, root,
// communicator or file, offset in etypes, how often the rank waited, and the
// line of the program; an arrow for each message from the call that sent it to
// the call in which it had been received; and a mark for each side of a race.
//
// Where the schedule is controlled, as by [Seed], time is logical: it goes on by
// a microsecond at each event, and the same run writes the same bytes. In a free
// world it is the time since the world began, in microseconds.
//
// All of it is kept in memory until the end, about 250 bytes an event. If w
// fails, that is an error of [Run].
func Trace(w io.Writer) Option {
	return func(o *options) error {
		if w == nil {
			return errors.New("Trace: the writer is nil")
		}
		o.telling().chrome = w
		return nil
	}
}

// ShiViz writes what the ranks did to w when the world has ended, as a log for
// https://bestchai.bitbucket.io/shiviz, which draws who knew what of whom. Each
// line is a host, its vector clock and what happened, as [ShiVizPattern] reads
// them:
//
//	rank1 {"rank0":1,"rank1":2} Recv from 0 tag 7, 8 bytes on COMM_WORLD
//
// An event with a clock that covers another's happened after it because the
// standard says so; that it came later in this run alone does not count. Events
// are the messages sent and received, both ends of collectives, and calls on
// files. It needs the clocks that [Unchecked] turns off. Errors as for [Trace].
func ShiViz(w io.Writer) Option {
	return func(o *options) error {
		if w == nil {
			return errors.New("ShiViz: the writer is nil")
		}
		o.telling().shiviz = w
		return nil
	}
}

// A telling is what somebody wants to know of a run, and what came out.
type telling struct {
	chrome, shiviz io.Writer

	world  *trace.World
	clocks bool          // are kept
	wall   time.Duration // from the first rank's start to the last one's end
	races  consistency.Races
	leaks  []*RankError
}

// reporting is what RunReport needs.
func reporting(o *options) error {
	o.telling()
	return nil
}

// telling returns the telling of a run, which is made at the first use.
func (o *options) telling() *telling {
	if o.tell == nil {
		o.tell = new(telling)
	}
	return o.tell
}

// compatible says which options cannot go together.
func (o *options) compatible() error {
	if o.tell != nil && o.tell.shiviz != nil && o.bare {
		return errors.New("ShiViz needs the clocks that Unchecked turns off; leave one of the two out")
	}
	return nil
}

// watch makes the logs of a world, nil if nobody wants to know.
func (o *options) watch(s *sched.Sched) *trace.World {
	t := o.tell
	if t == nil && o.care == nil {
		return nil
	}
	how := trace.Options{Careful: o.care != nil}
	if t != nil {
		how.Events, how.Clocks = t.chrome != nil || t.shiviz != nil, t.shiviz != nil
	}
	logs := trace.New(s, how)
	if t != nil {
		t.clocks, t.world = !o.bare, logs
	}
	o.care.watch(logs)
	return logs
}

// end writes what is to be written of a world that has ended. left is what
// leaks found.
func (t *telling) end(s *sched.Sched, left error) error {
	if t == nil {
		return nil
	}
	t.wall = t.world.Elapsed()
	var open *RunError
	errors.As(left, &t.races)
	if errors.As(left, &open) {
		t.leaks = open.Ranks
	}
	var errs []error
	if t.chrome != nil {
		if err := written(func() error { return t.world.WriteChrome(t.chrome, s.Token(), marksOf(t.races)) }); err != nil {
			errs = append(errs, fmt.Errorf("world: writing the trace: %w", err))
		}
	}
	if t.shiviz != nil {
		if err := written(func() error { return t.world.WriteShiViz(t.shiviz) }); err != nil {
			errs = append(errs, fmt.Errorf("world: writing the log for ShiViz: %w", err))
		}
	}
	return join(errs...)
}

// written calls write, which calls a writer of the program: its panic is an error.
func written(write func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = sched.Recovered(v)
		}
	}()
	return write()
}

// marksOf are both sides of each race.
func marksOf(races consistency.Races) (marks []trace.Instant) {
	for _, r := range races {
		for _, p := range []*consistency.Party{&r.A, &r.B} {
			marks = append(marks, trace.Instant{Rank: p.Rank, Op: p.Op, Place: p.Place.String(), Name: "race", Text: r.Error()})
		}
	}
	return marks
}
