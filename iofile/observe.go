package iofile

import (
	"iter"

	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/types"
)

// An Observed is a completed data access, as passed to the function of [Callbacks].
type Observed struct {
	File   *File
	Op     string // "WriteAtAll"
	Write  bool
	Offset Offset // its first etype in the view
	Moved  int64  // bytes of the file that were read or written
	Asked  int64  // bytes that it requested: more if the file ended before
	Buffer types.Buffer

	bytes types.Part
}

// Runs returns the bytes of the file that the access read or wrote, as offset and length,
// in the order of the view. Adjacent bytes are one run.
func (o *Observed) Runs() iter.Seq2[int64, int64] { return o.bytes.At.Runs(o.bytes.From, o.Moved) }

// AskedRuns returns the bytes that it requested, wherever the file ends.
func (o *Observed) AskedRuns() iter.Seq2[int64, int64] { return o.bytes.At.Runs(o.bytes.From, o.Asked) }

// inObserver is the text for a handle whose function for accesses is running.
const inObserver = "the function Callbacks.Access"

// harmless reports whether a function for accesses may make a call: it only queries the handle.
func harmless(op string) bool {
	switch op {
	case "View", "TypeExtent", "Amode", "Group", "Info", "Atomicity", "Position", "Errhandler":
		return true
	}
	return false
}

// observed notifies the listeners of an access that has moved its bytes. A listener may
// fail it.
//
//go:noinline
func (f *File) observed(a *access) error {
	e := f.event(journal.Moved, a.op)
	e.Write, e.View, e.All, e.Shared = a.write, f.view, a.with == all, a.at == shared
	e.Under = a.under
	e.Offset, e.Moved, e.Asked, e.Buffer = int64(a.off), a.moved, a.etypes*f.view.Unit.Size, &a.buf
	e.Bytes = f.view.part(a)
	e.Bytes.N = a.moved
	return f.notify(e).Err
}

// observers is the listener that calls the program's function for accesses.
type observers struct{}

func (observers) Wants(handle any) journal.Kind {
	if handle.(*File).how.calls.Access == nil {
		return 0
	}
	return journal.Moved
}

func (observers) Record(e *journal.Event) {
	f := e.Handle.(*File)
	f.inside = inObserver
	defer func() { f.inside = "" }()
	e.Err = guard(inObserver, "IO-DA-01", func() error {
		f.how.calls.Access(&Observed{
			File: f, Op: e.Op, Write: e.Write, Offset: Offset(e.Offset), Moved: e.Moved, Asked: e.Asked, Buffer: *e.Buffer,
			bytes: e.Bytes,
		})
		return nil
	})
}
