package iofile

import (
	"fmt"
	"reflect"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/careenv"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
)

// An OpenOption changes how one collective [Open] treats its file. Options are the same on
// all ranks, unless their comment says otherwise.
type OpenOption interface{ open(o *opening) }

// A FileOption is an [Option] for all files of a file system and an [OpenOption] for one open,
// which then prevails.
type FileOption interface {
	Option
	OpenOption
}

type openOption func(*opening)

func (set openOption) open(o *opening) { set(o) }

// An opening holds the options of one rank.
type opening struct {
	openOptions
	hints *comm.Info        // the known and well-formed ones; nil if there is none
	given *comm.Info        // all of them, for an engine
	calls Callbacks         // those of the file system included
	moves strategy.Strategy // the strategy in use: the option's, the world's, or that of hints; nil: Direct, and nothing is counted
}

// openOptions are comparable, so that ranks can check that theirs agree.
type openOptions struct {
	match   types.Policy
	matched bool // WithMatch was given
	typed   bool // WithMatch was given MatchWritten; match is MatchFinal
	strict  bool // WithMatch was given, and is not MatchSize
	chunk   int64
	chunked bool
	model   consistency.Model // zero: that of the file system
	cuts    bool              // see WithTruncatingWrites
	// followed: WithCallbacks was given; as the functions may panic, accesses may fail
	followed bool

	strategy strategy.Strategy // nil: Direct, and nothing is counted
}

// String returns the options that differ from the defaults.
func (o openOptions) String() string {
	text := fmt.Sprintf("[match %v", o.match)
	if o.strict && o.match == types.MatchFinal {
		text += " in views, too"
	}
	if o.chunked {
		text += fmt.Sprintf(", conversion buffer %d", o.chunk)
	}
	if o.model != (consistency.Model{}) {
		text += fmt.Sprintf(", model %v", o.model)
	}
	if o.strategy != nil {
		text += fmt.Sprintf(", strategy %v", o.strategy)
	}
	if o.typed {
		text += ", written types"
	}
	if o.cuts {
		text += ", truncating writes"
	}
	if o.followed {
		text += ", callbacks"
	}
	return text + "]"
}

// usual is an opening without options.
var usual opening

func openingOf(opts []OpenOption) *opening {
	if len(opts) == 0 {
		return &usual
	}
	o := new(opening)
	for _, opt := range opts {
		if opt != nil {
			opt.open(o)
		}
	}
	if forgives(o.model) && careenv.Overrule("iofile.WithModel") {
		o.model = consistency.Weakest
	}
	if o.match == types.MatchSize && careenv.Overrule("iofile.WithMatch") {
		o.match, o.matched = types.MatchFinal, false
	}
	o.moves = o.strategy
	return o
}

// check returns an error for invalid options.
func (o openOptions) check() error {
	if o.match > types.MatchSize {
		return broken(ErrArg, "IO-TM-S1", "matching policy %d; there are types.MatchFinal, MatchSource000, MatchSize and MatchWritten", o.match)
	}
	if o.chunked && o.chunk < 1 {
		return broken(ErrArg, "REP-USR-08", "a conversion buffer of %d bytes; it needs 1 or more", o.chunk)
	}
	if o.strategy != nil {
		if !reflect.ValueOf(o.strategy).Comparable() {
			return broken(ErrArg, "IO-OPEN-04", "the ranks compare their strategies, and a %T cannot be compared; use a type without slices, maps and functions", o.strategy)
		}
		return o.strategy.Check()
	}
	return nil
}

// WithMatch sets the rule by which datatypes match a view, and the other checks of
// types (IO-TM-S1..S3):
//
//   - [types.MatchFinal] is the standard: the datatype is some number of etypes, and an
//     etype BYTE matches any. It is the default except for one rule that existing
//     programs break: without WithMatch etype BYTE also allows any filetype, with a
//     [Lint]; with WithMatch(types.MatchFinal) such a view is an error. (IO-VIEW-06)
//   - [types.MatchSource000] is the proposal before it: BYTE is a type like
//     others, and on reads the bytes under each element of the view must be a
//     value of its type in the representation, see [reps.Legal].
//   - [types.MatchSize] is what common libraries do: sizes only, in views as in
//     accesses, and under etype BYTE the buffer's datatype drives the conversion
//     (REP-BYTE-01).
//   - [types.MatchWritten] is MatchFinal, and data that the run has written is read with the
//     etype that it was written with: a read as another kind of item, or from inside one,
//     fails with ErrType and moves nothing (IO-TM-04). Nothing in a file shows it, so the file
//     system records the kinds from the first such open on, in memory that grows with the
//     number of stretches of equal kinds. Data written before, imported data, and data written
//     through etype BYTE or PACKED match every etype; reads through those match all data. A
//     careful world (world.Careful) records the kinds as well, and reports such a read as a
//     [Lint].
func WithMatch(p types.Policy) OpenOption {
	return openOption(func(o *opening) { o.setMatch(p) })
}

func (o *opening) setMatch(p types.Policy) {
	o.match, o.matched, o.strict, o.typed = p, true, p != types.MatchSize, p == types.MatchWritten
	if o.typed {
		o.match = types.MatchFinal
	}
}

// in returns o with what it leaves open: the matching policy of the world of c, and callbacks
// of the file system.
func (o *opening) in(c *comm.Comm, fsys *FS) *opening {
	p, ofWorld := port.Kept(c, commport.MatchKey{}).(types.Policy)
	ofWorld = ofWorld && !o.matched
	called := fsys != nil && fsys.opts.calls.given()
	if !ofWorld && !called {
		return o
	}
	next := *o
	if ofWorld {
		next.setMatch(p)
	}
	if called {
		next.calls = o.calls.over(fsys.opts.calls)
	}
	return &next
}

// WithStrategy chooses how accesses through the handles of one open move their
// bytes, and lets [File.Counts] count them. [File.Plan] shows the requests.
// Without it, the strategy is that of the world (world.Strategy), else the one that
// hints ask for: with cb_nodes, cb_buffer_size, cb_config_list, collective_buffering,
// romio_cb_read or romio_cb_write [strategy.ROMIO], with hints for sieving alone
// [strategy.Sieve]; else [strategy.Direct]. On an engine the strategy becomes the
// library's hints.
//
// A store whose files are not in memory, such as [NewDir], gets the bytes when they are
// published. Under [strategy.Direct], and under [strategy.TwoPhase] where a request has no
// holes, its writes are then the requests of the plans, one by one. Where a plan writes back
// bytes that no rank has written, the store gets only those that ranks wrote. Without a
// strategy neighbouring runs of all ranks are one write.
func WithStrategy(s strategy.Strategy) OpenOption {
	return openOption(func(o *opening) { o.strategy = s })
}
