package iofile

import (
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/internal/overlay"
	"github.com/commworld/commworld/internal/race"
	"github.com/commworld/commworld/iofile/faults"
)

// SetSize makes the file size bytes long: a longer file is cut, a shorter one grows by
// bytes of undefined value. Pointers do not change. Collective, the same size on all ranks.
// Errors: ErrArg for a negative size, ErrNotSame, ErrReadOnly, ErrUnsupportedOperation on a
// Sequential file, ErrNoSpace, ErrOther while an access is under way.
//
// MPI_File_set_size
func (f *File) SetSize(size int64) error { return f.to().setSize(size) }

func (f *File) setSize(size int64) error {
	const op = "SetSize"
	if err := f.alive(op); err != nil {
		return err
	}
	defer f.returns(op, f.log.Begin())
	before := f.sizes()
	f.publishRaw()
	if _, err := f.agree(op, size, f.canResize(size, "IO-SIZE-03"), same("IO-SIZE-01", "sizes")); err != nil {
		return err
	}
	return f.resize(op, before, size)
}

// Preallocate allocates space for the first size bytes of the file: a shorter file grows to
// size by bytes of undefined value, a longer one does not change. In a directory it asks
// the operating system for the space, where that is possible; bounded memory
// ([WithCapacity]) stays reserved until the size is set to less. Pointers do not change.
// Collective, the same size on all ranks. Errors as [File.SetSize].
//
// MPI_File_preallocate
func (f *File) Preallocate(size int64) error { return f.to().preallocate(size) }

func (f *File) preallocate(size int64) error {
	const op = "Preallocate"
	if err := f.alive(op); err != nil {
		return err
	}
	defer f.returns(op, f.log.Begin())
	before := f.sizes()
	if _, err := f.agree(op, size, f.canResize(size, "IO-SIZE-05"), same("IO-SIZE-04", "sizes")); err != nil {
		return err
	}
	// Unpublished writes of a rank make the file longer, too, but only for that rank.
	type grows struct{ now, wrote int64 }
	v, err := f.agree(op, grows{f.bytes.Size(), before.wrote}, f.reserve(size), func(args []any) (any, error) {
		all := grows{now: extent.MaxSize}
		for _, a := range args {
			g := a.(grows)
			all = grows{min(all.now, g.now), max(all.wrote, g.wrote)}
		}
		return all, nil
	})
	if g, ok := v.(grows); err == nil && ok && g.now >= size {
		f.noteResize(op, before.with(g.wrote), g.now, size)
		return nil
	}
	if err != nil {
		return err
	}
	return f.resize(op, before, size)
}

// reserve is rank 0's part of Preallocate: it allocates space before anything changes.
func (f *File) reserve(size int64) error {
	if f.rank != 0 || f.layoutsOnly() {
		return nil
	}
	return classified(f.set.file.image.Reserve(size), ErrIO, "IO-SIZE-04")
}

// resize changes the size of the file, when all ranks agree. If the store cannot do it,
// nothing changes. Each rank reads the old size before the meeting: a rank that sees
// changes of others at once could otherwise read the new size, and the detector would see
// no change.
func (f *File) resize(op string, before sizes, size int64) (err error) {
	image := f.set.file.image.Size()
	var write *race.Write
	if f.rank == 0 {
		kind := overlay.Resize
		if op == "Preallocate" {
			kind = overlay.Grow
		}
		if write, err = f.chooser.changeSize(op, overlay.Write{Kind: kind, Size: size}); err != nil {
			return f.stopped(op, err)
		}
		size := size
		if op == "Preallocate" { // other opens may have made the file longer by now
			size = max(size, f.set.file.image.Size())
		}
		if err = f.set.file.image.SetSize(size); err == nil {
			f.set.file.written.cut(size)
			if op != "Preallocate" {
				write.Enter(f.noteCut(size)) // no rank can have written behind the new end yet
			}
		}
	}
	v, err := f.agree(op, resized{image, write, before.wrote}, classified(err, ErrIO, "IO-SIZE-01"), func(args []any) (any, error) {
		zero := args[0].(resized)
		zero.wrote = latest(args, func(a any) int64 { return a.(resized).wrote })
		return zero, nil
	})
	if err != nil {
		if write != nil {
			f.writeHistory().StopTracking()
		}
		return err
	}
	was := v.(resized)
	if was.write != nil {
		f.track.Joins(was.write)
	}
	f.noteResize(op, before.with(was.wrote), was.image, size)
	if op != "Preallocate" || f.bytes.Size() < size { // it may be longer by what this rank has not published
		f.bytes.Resize(size)
	}
	return nil
}

// A resized is the part of one rank in a change of size. All ranks get that of rank 0, with
// the greatest wrote.
type resized struct {
	image int64 // size of the file before
	write *race.Write
	wrote int64 // as in sizes
}

// sizes are the sizes of the file for a handle before it changed the size.
type sizes struct {
	seen  int64 // the size that the handle saw
	least int64 // a lower bound of it in every order of accesses
	wrote int64 // end of its writes through this open
}

// with returns s for a handle of an open through which all ranks together wrote up to
// wrote: the writes of every rank come before the calls of all.
func (s sizes) with(wrote int64) sizes {
	return sizes{max(s.seen, wrote), max(s.least, wrote), wrote}
}

func (f *File) sizes() sizes {
	s := sizes{seen: f.bytes.Size(), least: extent.MaxSize}
	if f.track != nil {
		s.least, s.wrote = f.track.LeastSize(f.thread.Clock())
	}
	return s
}

// canResize returns the error of a rule or an injected fault that forbids a change of the
// size.
func (f *File) canResize(size int64, rule string) error {
	if err := f.resizable(size, rule); err != nil {
		return err
	}
	return classified(f.inject(faults.Size), ErrIO, rule)
}

func (f *File) resizable(size int64, rule string) error {
	if size < 0 {
		return broken(ErrArg, rule, "size %d is negative", size)
	}
	if size > extent.MaxSize {
		return broken(ErrArg, rule, "size %d is more than a file can have, %d", size, int64(extent.MaxSize))
	}
	if err := f.notSequential(rule); err != nil {
		return err
	}
	if !f.amode.writes() {
		return broken(ErrReadOnly, rule, "the file was opened %v", f.amode)
	}
	return f.to().idle(rule)
}

// Size returns the size of the file in bytes as this handle sees it. Local.
// Errors: ErrFile.
//
// MPI_File_get_size
func (f *File) Size() (int64, error) { return f.to().size() }

func (f *File) size() (int64, error) {
	if err := f.alive("Size"); err != nil {
		return 0, err
	}
	if err := f.failLocal("Size", faults.Size, "IO-SIZE-07"); err != nil {
		return 0, err
	}
	return f.length("Size", false, 2)
}

// length returns the size of the file as this handle sees it. A collective call does not
// conflict with what the ranks do through the same open. skip counts the frames from here
// to the method that the program called.
func (f *File) length(op string, together bool, skip int) (int64, error) {
	if err := f.chooser.askSize(op); err != nil {
		return 0, f.stopped(op, err)
	}
	f.noteSize(op, together, skip+1)
	n, err := f.chooser.chooseSize(op, f.bytes.Size())
	if err != nil {
		return 0, f.stopped(op, err)
	}
	if f.wanted(journal.Found) {
		e := f.event(journal.Found, op)
		e.EndsAt = n
		f.notify(e)
	}
	return n, nil
}
