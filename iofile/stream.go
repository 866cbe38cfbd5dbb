package iofile

import (
	"math"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
)

// WithTruncatingWrites makes every write to a Sequential file cut off what
// follows it: the file is first made to end where the write begins, as
// [File.SetSize] would. The standard leaves it open; the default cuts nothing.
// (IO-SEQ-05)
func WithTruncatingWrites() OpenOption { return func(o *opening) { o.cuts = true } }

// Streams are files opened with Sequential. Their rules are those of the shared
// pointer but for two. The pointer moves by what there is and not by what was
// asked for, so that a read which comes too early loses nothing: after a Sync
// the next one goes on with what others have written meanwhile. And a write may
// cut. Files of a store always have an end, so a read never waits for data, as
// it would on a terminal: it reads up to the end. (IO-SEQ-04)

// streamRead reports a read that takes from a stream what there is.
func (f *File) streamRead(a *access) bool { return f.amode.has(Sequential) && !a.write }

// cutting reports a write that cuts.
func (f *File) cutting(a *access) bool { return a.write && f.how.cuts }

// clip takes n etypes for the whole of a.
func (a *access) clip(n int64) {
	if n < a.etypes {
		a.etypes, a.short = n, true
	}
}

// streamEnd is the end of the stream for an ordered read, as this rank sees it.
func (f *File) streamEnd(a *access) Offset {
	if !f.streamRead(a) {
		return math.MaxInt64
	}
	return Offset(f.view.tiles.Below(f.bytes.Size()) / f.view.esize())
}

// cut makes the file end at etype off, where a write is about to begin. What
// this open wrote and has not published lies before it, because the pointer only
// moves on. For the same reason the cut is in order with all that this open does;
// the race detector judges it against other opens.
func (f *File) cut(a *access, off Offset) error {
	if f.view.tiles.L.Size == 0 {
		return nil
	}
	file, at := f.set.file, f.view.tiles.At(f.view.packed(off))
	size := file.image.Size()
	if size <= at {
		return nil
	}
	if err := file.image.SetSize(at); err != nil {
		return classified(err, ErrIO, "IO-SEQ-05")
	}
	file.written.cut(at)
	f.tellCut(at)
	if f.past() != nil {
		f.past().Spoil() // what a stream holds is for its pointer to say
	}
	a.cut = formRange{lo: at, hi: size}
	return nil
}

// noteCut tells of what a cut away.
//
//go:noinline
func (f *File) noteCut(a *access) {
	if f.track != nil {
		f.note(&consistency.Access{
			Op: a.op, Write: true, Resize: true, EndsAt: a.cut.lo, Bytes: extent.Between(a.cut.lo, a.cut.hi),
		}, 2)
	}
	a.cut = formRange{}
}

// cutOrdered is the cut of an ordered write, by rank 0 for all.
func (f *File) cutOrdered(a *access) error {
	var err error
	if f.rank == 0 {
		if err = f.cut(a, f.order.first); a.cut.hi > 0 {
			f.noteCut(a)
		}
	}
	_, err = f.consult(a.op, nil, err, nil)
	return err
}

// forgetCut makes this handle see a file without what a cut took away.
func (f *File) forgetCut(off Offset) {
	if f.view.tiles.L.Size == 0 {
		return
	}
	if at := f.view.tiles.At(f.view.packed(off)); at < f.bytes.Size() {
		f.bytes.Resize(at)
	}
}
