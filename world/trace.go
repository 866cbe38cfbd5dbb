package world

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/machine"
)

// ShiVizPattern is the regular expression with which ShiViz parses the lines of a [ShiViz]
// log. It is also the first line of the log.
const ShiVizPattern = trace.Pattern

// A Picture is a form in which [Trace] writes a run: [Chrome], [ShiViz] or [HTML].
type Picture interface {
	// request makes the run keep what the picture needs, and returns what is written to w.
	request(out *outputs, w io.Writer) writer
}

// Trace writes a picture of the run to w when the world has ended, however it ended.
//
// Everything is kept in memory until the end, about 250 bytes for each event. If w fails,
// that is an error of [Run].
func Trace(w io.Writer, p Picture) Option {
	return func(o *options) error {
		switch {
		case w == nil:
			return errors.New("Trace: the writer is nil")
		case p == nil:
			return errors.New("Trace: the picture is nil; there are world.Chrome, world.ShiViz and world.HTML")
		}
		out := o.needOutputs()
		out.events = true
		out.writers = append(out.writers, p.request(out, w))
		return nil
	}
}

// Chrome shows the calls of the ranks as JSON in the trace event format, which
// https://ui.perfetto.dev and chrome://tracing open. Each rank has a row, with a slice for
// each call that communicates, waits, or uses a file, with peer, tag, bytes, root,
// communicator or file, offset in etypes, how often the rank waited, and the line of the
// program. An arrow leads from the call that sent a message to the call in which it was
// received, and each side of a race has a mark.
//
// A rank that makes requests for a strategy, such as an aggregator, has a second row with a
// slice for each request, in its round; arrows lead there from the calls of the ranks whose
// bytes it carries. The requests are the planned ones, drawn in equal parts of the call. A
// counter has the bytes that requests and messages have in flight.
//
// If the schedule is controlled, as by [Seed], time is logical: it advances by a
// microsecond at each event, and the same run writes the same bytes. In a free world it is
// the time since the world began, in microseconds.
var Chrome Picture = chrome{}

type chrome struct{}

func (chrome) request(out *outputs, w io.Writer) writer {
	return writer{"the trace", func(s *sched.Sched) error { return out.world.WriteChrome(w, s.Token(), marksOf(out.races)) }}
}

// ShiViz shows the events of the ranks as a log for https://bestchai.bitbucket.io/shiviz,
// which draws which events happened before which. Each line is a host, its vector clock and
// the event, in the form of [ShiVizPattern]:
//
//	rank1 {"rank0":1,"rank1":2} Recv from 0 tag 7, 8 bytes on COMM_WORLD
//
// If the clock of an event covers another event, the standard guarantees that it happened
// after that; an order that only this run happened to have is not included. Events are the
// messages sent and received, both ends of collectives, and calls on files. It needs the
// clocks that [Unchecked] turns off.
var ShiViz Picture = shiviz{}

type shiviz struct{}

func (shiviz) request(out *outputs, w io.Writer) writer {
	out.vectors = true
	return writer{"the log for ShiViz", func(*sched.Sched) error { return out.world.WriteShiViz(w) }}
}

// outputs are what a program asked for about a run: its report, pictures and recorded calls.
type outputs struct {
	events, vectors bool     // logs keep every event, and its vector clock
	writers         []writer // in the order in which they write
	calls           trace.Recorder
	files           *journal.Recorder // of the events of files; nil: they are not kept

	// Results: the first two are set when the world starts, the others when it has ended.
	world  *trace.World
	clocks bool          // ranks have vector clocks
	wall   time.Duration // from the first rank's start to the last one's end
	races  consistency.Races
	leaks  []*RankError
	model  *machine.Report // of a world that runs on a model
}

// A writer writes one picture of a world that has ended. Pictures are linked into a program
// only if it asks for them.
type writer struct {
	what  string
	write func(*sched.Sched) error
}

// reporting sets the options that RunReport needs.
func reporting(o *options) error {
	o.needOutputs()
	return nil
}

// needOutputs returns the outputs of a run, and makes them at the first use.
func (o *options) needOutputs() *outputs {
	if o.outputs == nil {
		o.outputs = new(outputs)
	}
	return o.outputs
}

// compatible returns an error for options that cannot be combined.
func (o *options) compatible() error {
	switch {
	case o.outputs != nil && o.outputs.vectors && o.bare:
		return errors.New("ShiViz and HTML need the clocks that Unchecked turns off; leave it or them out")
	case o.outputs != nil && o.outputs.calls != nil && o.engine != "":
		return errors.New("Record and On need ranks of this process; leave Engine out")
	}
	return o.nodesAlone()
}

// watch returns the logs for a world, nil if they are not needed.
func (o *options) watch(s *sched.Sched) *trace.World {
	out := o.outputs
	if out == nil && o.care == nil {
		return nil
	}
	how := trace.Options{Careful: o.care != nil, Files: o.env != nil && (o.env.full || o.env.files)}
	if out != nil {
		how.Events, how.Clocks, how.Recorder = out.events, out.vectors, out.calls
	}
	logs := trace.New(s, how)
	if out != nil {
		out.clocks, out.world = !o.bare, logs
	}
	o.care.watch(logs)
	return logs
}

// end writes the outputs of a world that has ended. left is the result of leaks.
func (out *outputs) end(s *sched.Sched, left error) error {
	if out == nil {
		return nil
	}
	out.wall = out.world.Elapsed()
	var open *RunError
	errors.As(left, &out.races)
	if errors.As(left, &open) {
		out.leaks = open.Ranks
	}
	var errs []error
	for _, w := range out.writers {
		if err := written(func() error { return w.write(s) }); err != nil {
			errs = append(errs, fmt.Errorf("world: writing %s: %w", w.what, err))
		}
	}
	return join(errs...)
}

// written calls write, which calls a writer of the program, and returns its panic as an
// error.
func written(write func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = sched.Recovered(v)
		}
	}()
	return write()
}

// marksOf returns marks for both sides of each race.
func marksOf(races consistency.Races) (marks []trace.Instant) {
	for _, r := range races {
		for _, p := range []*consistency.Party{&r.A, &r.B} {
			marks = append(marks, trace.Instant{Rank: p.Rank, Op: p.Op, Place: p.Place.String(), Name: "race", Text: r.Error()})
		}
	}
	return marks
}
