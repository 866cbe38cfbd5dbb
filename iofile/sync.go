package iofile

import (
	"cmp"

	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/iofile/faults"
)

// Sync publishes this rank's writes through the handle and makes visible to it what others
// had published when it was called. Collective, but it orders nothing: to see what another
// rank wrote, that rank syncs, then a message or barrier orders the two, and then the
// reader syncs. If another rank is in another call all get ErrNotSame, but what this rank
// published stays published. Errors: ErrFile, ErrNotSame, ErrOther while an access is under
// way, those of the store.
//
// MPI_File_sync
func (f *File) Sync() error { return f.to().sync() }

func (f *File) sync() error {
	const op = "Sync"
	if err := f.alive(op); err != nil {
		return err
	}
	defer f.returns(op, f.log.Begin())
	if err := f.idle("CONS-SYNC-02"); err != nil {
		_, err = f.agree(op, nil, err, nil)
		return err
	}
	if err := f.chooser.publish(op, f.adopting()); err != nil {
		return f.stopped(op, err)
	}
	// The writes of others are adopted before the ranks meet, not after: the meeting only
	// spreads errors, and programs must not rely on it for order.
	f.publishRaw()
	err := f.flushed(f.bytes.Exchange())
	f.noteSync()
	err = cmp.Or(err, f.inject(faults.Sync))
	_, err = f.chooser.depart(op, nil, classified(err, ErrIO, "CONS-SYNC-01"), f.syncOnce("CONS-SYNC-01"), nil, nil)
	return f.raise(err)
}

// flushed records the result of publishing this rank's writes.
func (f *File) flushed(err error) error {
	if err == nil {
		f.published()
	}
	return err
}

// syncOnce syncs the store for all ranks, on the last rank to come to a meeting. The ranks
// have to meet anyway, because an error of one is an error of all, and what each of them
// sees is determined before; so one sync replaces one for every rank that wrote, and adds
// no order.
func (f *File) syncOnce(rule string) resolve {
	return func([]any) (any, error) {
		return nil, classified(f.set.file.image.Sync(), ErrIO, rule)
	}
}

// SetAtomicity turns atomic mode on or off for the accesses that follow: an atomic access
// is indivisible, and visible at once to all handles of this open. Collective, the same
// flag on all ranks. Errors: ErrFile, ErrNotSame, those of the store.
//
// MPI_File_set_atomicity
func (f *File) SetAtomicity(atomic bool) error { return f.to().setAtomicity(atomic) }

func (f *File) setAtomicity(atomic bool) error {
	const op = "SetAtomicity"
	if err := f.alive(op); err != nil {
		return err
	}
	defer f.returns(op, f.log.Begin())
	if _, err := f.chooser.depart(op, atomic, nil, same("CONS-ATOM-01", "flags"), atomic, nil); err != nil {
		return f.raise(err)
	}
	if err := f.chooser.publish(op, false); err != nil {
		return f.stopped(op, err)
	}
	// Atomic accesses use the image itself; unpublished writes of this rank would hide them
	// from it.
	err := f.flushed(f.bytes.Flush())
	f.noteCall(journal.Published, op, nil)
	drain := func([]any) (any, error) { return nil, classified(f.set.file.image.Drain(), ErrIO, "CONS-ATOM-01") }
	if f.set.apart { // the rank may leave before the others have come
		if _, late := drain(nil); err == nil {
			err = late
		}
	}
	if _, err := f.chooser.depart(op, nil, classified(err, ErrIO, "CONS-ATOM-01"), drain, nil, nil); err != nil {
		return f.raise(err)
	}
	f.noteMode(op, atomic)
	if f.atomic && !atomic && !f.model().ReadsFresh() {
		if err := f.chooser.publish(op, true); err != nil {
			return f.stopped(op, err)
		}
	} else if f.adopting() && atomic {
		f.adopted = nil
	}
	f.changeMode(op, atomic)
	return nil
}

// Atomicity reports whether atomic mode is on. Local. Errors: ErrFile.
//
// MPI_File_get_atomicity
func (f *File) Atomicity() (on bool, err error) { return f.to().atomicity() }

func (f *File) atomicity() (bool, error) {
	if err := f.alive("Atomicity"); err != nil {
		return false, err
	}
	return f.atomic, nil
}
