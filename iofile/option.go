package iofile

import (
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/types"
)

// An OpenOption changes how one collective [Open] treats its file. Options are
// the same on all ranks, unless they say otherwise.
type OpenOption func(*opening)

// An opening is what the options of one rank come to.
type opening struct {
	openOptions
	hints    *comm.Info // known and well-formed ones; nil if there is none
	given    *comm.Info // all of them, for an engine
	progress func(Progress)
}

// openOptions are comparable, so that ranks can see whether theirs agree.
type openOptions struct {
	match   types.Policy
	strict  bool // match was asked for, and is not MatchSize
	chunk   int64
	chunked bool
	model   consistency.Model // zero: that of the file system
	cuts    bool              // see WithTruncatingWrites
	// followed: see WithProgress; as its functions may panic, accesses may fail
	followed bool

	strategy Strategy // nil: Direct, and nobody counts
}

// String shows what is not as usual.
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
	if o.cuts {
		text += ", truncating writes"
	}
	if o.followed {
		text += ", progress"
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
			opt(o)
		}
	}
	return o
}

// check reports options that mean nothing.
func (o openOptions) check() error {
	if o.match > types.MatchSize {
		return broken(ErrArg, "IO-TM-S1", "matching policy %d; there are types.MatchFinal, MatchSource000 and MatchSize", o.match)
	}
	if o.chunked && o.chunk < 1 {
		return broken(ErrArg, "REP-USR-08", "a conversion buffer of %d bytes; it needs 1 or more", o.chunk)
	}
	if o.strategy != nil {
		return o.strategy.check()
	}
	return nil
}

// WithMatch says which datatypes may be used through a view, and what else is
// checked (IO-TM-S1..S3):
//
//   - [types.MatchFinal] is the standard: the datatype is some number of etypes,
//     and an etype BYTE takes any. It is the default but for one rule that programs
//     in use break: without WithMatch etype BYTE takes any filetype, too, and a
//     [Lint] says so; with WithMatch(types.MatchFinal) such a view is refused.
//     (IO-VIEW-06)
//   - [types.MatchSource000] is the proposal before it: BYTE is a type like
//     others, and on reads the bytes under each element of the view must be a
//     value of its type in the representation, see [reps.Legal].
//   - [types.MatchSize] is what common libraries do: sizes only, in views as in
//     accesses, and under etype BYTE the buffer's datatype drives the conversion
//     (REP-BYTE-01).
func WithMatch(p types.Policy) OpenOption {
	return func(o *opening) { o.match, o.strict = p, p != types.MatchSize }
}

// OpenModel is [WithModel] for one open. What never was written reads as the
// file system has it.
func OpenModel(m consistency.Model) OpenOption { return func(o *opening) { o.model = m } }
