package iofile

import (
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/faults"
	"github.com/commworld/commworld/internal/extent"
)

// SetSize makes the file size bytes long: a longer file is cut, a shorter one
// grows by bytes of no particular value. Pointers stay. Collective, the same
// size on all ranks. Errors: ErrArg for a negative size, ErrNotSame,
// ErrReadOnly, ErrUnsupportedOperation on a Sequential file, ErrNoSpace, ErrOther
// while an access is under way.
//
// MPI_File_set_size
func (f *File) SetSize(size int64) error {
	const op = "SetSize"
	if err := f.alive(op); err != nil {
		return err
	}
	if f.far != nil {
		return f.farDoes(op, f.resizable(size, "IO-SIZE-03"), func() error { return f.far.native.SetSize(size) })
	}
	defer f.returns(op, f.log.Begin())
	before := f.sizes()
	f.tellRaw()
	if _, err := f.agree(op, size, f.canResize(size, "IO-SIZE-03"), same("IO-SIZE-01", "sizes")); err != nil {
		return err
	}
	return f.resize(op, before, size)
}

// Preallocate makes sure that the first size bytes of the file have their
// place: a shorter file grows to size by bytes of no particular value, a longer
// one stays. In a directory it asks the operating system for the place, where that
// can be asked; memory that is bounded ([WithCapacity]) keeps it until the size is
// set to less. Pointers stay. Collective, the same size on all ranks. Errors as
// [File.SetSize].
//
// MPI_File_preallocate
func (f *File) Preallocate(size int64) error {
	const op = "Preallocate"
	if err := f.alive(op); err != nil {
		return err
	}
	if f.far != nil {
		return f.farDoes(op, f.resizable(size, "IO-SIZE-05"), func() error { return f.far.native.Preallocate(size) })
	}
	defer f.returns(op, f.log.Begin())
	before := f.sizes()
	if _, err := f.agree(op, size, f.canResize(size, "IO-SIZE-05"), same("IO-SIZE-04", "sizes")); err != nil {
		return err
	}
	// What one rank wrote and did not publish makes the file longer, too.
	type grows struct{ now, wrote int64 }
	v, err := f.agree(op, grows{f.bytes.Size(), before.wrote}, f.reserve(size), func(args []any) (any, error) {
		return grows{
			latest(args, func(a any) int64 { return a.(grows).now }),
			latest(args, func(a any) int64 { return a.(grows).wrote }),
		}, nil
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

// reserve is rank 0's part of Preallocate: it gives bytes their place before
// anything changes.
func (f *File) reserve(size int64) error {
	if f.rank != 0 {
		return nil
	}
	return classified(f.set.file.image.Reserve(size), ErrIO, "IO-SIZE-04")
}

// resize changes the size of the file, once all ranks agree to. A store that
// cannot do it leaves everything as it was. What size the file had before is
// asked before the ranks meet: one that sees the others' changes at once might
// else find the new one, and no change to tell the detector of.
func (f *File) resize(op string, before sizes, size int64) (err error) {
	image := f.set.file.image.Size()
	var deed *consistency.Deed
	if f.rank == 0 {
		do := consistency.DoSetSize
		if op == "Preallocate" {
			do = consistency.DoGrow
		}
		if deed, err = f.holdSize(op, consistency.Step{Do: do, Bytes: size}); err != nil {
			return f.stopped(op, err)
		}
		size := size
		if op == "Preallocate" { // through other opens the file may be longer by now
			size = max(size, image)
		}
		if err = f.set.file.image.SetSize(size); err == nil {
			f.set.file.written.cut(size)
			if deed != nil && f.set.ledger != nil && op != "Preallocate" {
				deed.Entered(f)
			}
			if op != "Preallocate" {
				f.tellCut(size) // while nobody can have written behind the new end
			}
		}
	}
	v, err := f.agree(op, resized{image, deed, before.wrote}, classified(err, ErrIO, "IO-SIZE-01"), func(args []any) (any, error) {
		zero := args[0].(resized)
		zero.wrote = latest(args, func(a any) int64 { return a.(resized).wrote })
		return zero, nil
	})
	if err != nil {
		if deed != nil {
			f.past().Spoil()
		}
		return err
	}
	was := v.(resized)
	if was.deed != nil {
		f.track.Joins(was.deed)
	}
	f.noteResize(op, before.with(was.wrote), was.image, size)
	f.bytes.Resize(size)
	return nil
}

// resized is what a rank brings to a change of size. All get that of rank 0, with
// the greatest wrote.
type resized struct {
	image int64 // size of the file before
	deed  *consistency.Deed
	wrote int64 // as in sizes
}

// sizes are how long the file was for a handle before it changed the size.
type sizes struct {
	seen  int64 // what the handle saw
	least int64 // and what no order of accesses makes less
	wrote int64 // as far as it wrote through this open
}

// with returns s for a handle of an open through which all ranks together wrote that
// far: what each of them did comes before the calls of all.
func (s sizes) with(wrote int64) sizes {
	return sizes{max(s.seen, wrote), max(s.least, wrote), wrote}
}

func (f *File) sizes() sizes {
	s := sizes{seen: f.bytes.Size(), least: extent.MaxSize}
	if f.track != nil {
		s.least, s.wrote = f.track.LeastSize(f.thread.Look())
	}
	return s
}

// canResize reports why the size cannot be changed, by a rule or by a plan.
func (f *File) canResize(size int64, rule string) error {
	if err := f.resizable(size, rule); err != nil {
		return err
	}
	return classified(f.strikes(faults.Size), ErrIO, rule)
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
	return f.idle(rule)
}

// Size returns the size of the file in bytes as this handle sees it. Local.
// Errors: ErrFile.
//
// MPI_File_get_size
func (f *File) Size() (int64, error) {
	if err := f.alive("Size"); err != nil {
		return 0, err
	}
	if f.far != nil {
		return f.farTells("Size", nil, f.far.native.Size)
	}
	return f.length("Size", false, 1)
}

// length is the size of the file as this handle sees it. In a call that all
// ranks make together it is in no conflict with what they do through the same
// open. skip counts the frames from here to the method that the program called.
func (f *File) length(op string, together bool, skip int) (int64, error) {
	if err := f.overtake(func(b *access) bool { return b.write && b.etypes > 0 }); err != nil {
		return 0, f.stopped(op, err)
	}
	if err := f.holdWhole(op, false); err != nil {
		return 0, f.stopped(op, err)
	}
	f.noteSize(op, together, skip+1)
	n, err := f.glanceSize(op, f.bytes.Size())
	if err != nil {
		return 0, f.stopped(op, err)
	}
	return n, nil
}
