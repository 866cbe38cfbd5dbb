package iofile

import (
	"math"

	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/internal/race"
)

// WithTruncatingWrites makes every write to a Sequential file cut off what follows it:
// first the file is cut to end where the write begins, as [File.SetSize] would. The
// standard allows both; by default nothing is cut. (IO-SEQ-05)
func WithTruncatingWrites() OpenOption { return openOption(func(o *opening) { o.cuts = true }) }

// Streams are files opened with Sequential. Their rules are those of the shared pointer,
// with two differences. The pointer moves by the data that exist and not by what was
// requested, so that a read which comes too early loses nothing: after a Sync the next read
// continues with what others have written meanwhile. And a write may cut the file. Files of
// a store always have an end, so a read never waits for data, as it would on a terminal: it
// reads up to the end. (IO-SEQ-04)

// streamRead reports whether a is a read of a stream, which gets the data that exist.
func (f *File) streamRead(a *access) bool { return f.amode.has(Sequential) && !a.write }

// cutting reports whether a is a write that cuts the file.
func (f *File) cutting(a *access) bool { return a.write && f.how.cuts }

// clip makes n etypes the whole of a.
func (a *access) clip(n int64) {
	if n < a.etypes {
		a.etypes, a.short = n, true
	}
}

// streamEnd returns the end of the stream for an ordered read, as this rank sees it.
func (f *File) streamEnd(a *access) Offset {
	if !f.streamRead(a) {
		return math.MaxInt64
	}
	return Offset(f.view.Tiles.Below(f.bytes.Size()) / f.view.Unit.Size)
}

// cut makes the file end at etype off, where a write is about to begin. Unpublished writes
// of this open are before it, because the pointer only moves forward. For the same reason
// the cut is ordered with everything that this open does; the race detector judges it
// against other opens.
func (f *File) cut(a *access, off Offset) error {
	if f.view.Tiles.L.Size == 0 {
		return nil
	}
	file, at := f.set.file, f.view.Tiles.At(f.view.packed(off))
	size := file.image.Size()
	if size <= at {
		return nil
	}
	if err := file.image.SetSize(at); err != nil {
		return classified(err, ErrIO, "IO-SEQ-05")
	}
	file.written.cut(at)
	f.noteCut(at)
	if f.writeHistory() != nil {
		f.writeHistory().StopTracking() // only the pointer determines the content of a stream
	}
	a.cut = formRange{lo: at, hi: size}
	return nil
}

// noteRemoved notifies the listeners of the bytes that a cut off.
//
//go:noinline
func (f *File) noteRemoved(a *access) {
	if f.wanted(journal.Sized) {
		f.sized(&race.Access{
			Op: a.op, Write: true, Resize: true, EndsAt: a.cut.lo, Bytes: extent.Between(a.cut.lo, a.cut.hi),
		}, 2)
	}
	a.cut = formRange{}
}

// cutOrdered cuts the file for an ordered write, on rank 0 for all.
func (f *File) cutOrdered(a *access) error {
	var err error
	if f.rank == 0 {
		if err = f.cut(a, f.order.first); a.cut.hi > 0 {
			f.noteRemoved(a)
		}
	}
	_, err = f.consult(a.op, nil, err, nil)
	return err
}

// forgetCut removes what a cut took away from this handle's view of the file.
func (f *File) forgetCut(off Offset) {
	if f.view.Tiles.L.Size == 0 {
		return
	}
	if at := f.view.Tiles.At(f.view.packed(off)); at < f.bytes.Size() {
		f.bytes.Resize(at)
	}
}
