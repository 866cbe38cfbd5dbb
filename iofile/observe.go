package iofile

import (
	"iter"

	"github.com/commworld/commworld/types"
)

// An Observed is a data access that has been completed, as [WithObserver] gets
// it.
type Observed struct {
	File   *File
	Op     string // "WriteAtAll"
	Write  bool
	Offset Offset // where it began, in etypes of the view
	Moved  int64  // bytes of the file that were read or written
	Asked  int64  // and how many it asked for: more if the file ended before
	Buffer types.Buffer

	at   types.Tiling
	from int64
}

// Runs are the bytes in the file that the access read or wrote, as offset and
// length, in the order of the view. Neighbouring bytes are one run.
func (o *Observed) Runs() iter.Seq2[int64, int64] { return o.at.Runs(o.from, o.Moved) }

// AskedRuns are the bytes that it asked for, wherever the file ends.
func (o *Observed) AskedRuns() iter.Seq2[int64, int64] { return o.at.Runs(o.from, o.Asked) }

// WithObserver has tell called for every data access to the file system's
// files, by the rank that made it, before the call that completes it returns.
// Ranks that run at once call it at once. Of the handle it may ask what the view,
// mode and pointer are; other calls are refused. If it panics the access fails with
// ErrOther.
func WithObserver(tell func(*Observed)) Option { return func(o *options) { o.observer = tell } }

// observers is what a handle is inside of while an observer runs.
const observers = "the observer"

// harmless reports a call that observers may make: it asks the handle what it
// knows.
func harmless(op string) bool {
	switch op {
	case "View", "TypeExtent", "Amode", "Group", "Info", "Atomicity", "Position", "Errhandler":
		return true
	}
	return false
}

// observed is what has to be told of an access that has moved its bytes.
//
//go:noinline
func (f *File) observed(a *access) error {
	if f.log != nil {
		f.log.CountAccess(f.name, a.write, a.moved)
		if f.log.Careful() {
			if err := f.polled(a); err != nil {
				return err
			}
		}
	}
	tell := f.fsys.opts.observer
	if tell == nil {
		return nil
	}
	f.inside = observers
	defer func() { f.inside = "" }()
	return guard(observers, "IO-DA-01", func() error {
		tell(&Observed{
			File: f, Op: a.op, Write: a.write, Offset: a.off, Moved: a.moved, Asked: a.etypes * f.view.esize(), Buffer: a.buf,
			at: f.view.tiles, from: f.view.packed(a.off),
		})
		return nil
	})
}
