package iofile

import (
	"cmp"

	"github.com/commworld/commworld/faults"
)

// Sync publishes what this rank wrote through the handle and lets it see what
// others had published when it was called. Collective, but it orders nothing:
// to see what another rank wrote, that rank syncs, a message or barrier tells
// of it, and then the reader syncs. If another rank is in another call all get
// ErrNotSame, but what this rank published stays published. Errors: ErrFile,
// ErrNotSame, ErrOther while an access is under way, those of the store.
//
// MPI_File_sync
func (f *File) Sync() error {
	const op = "Sync"
	if err := f.alive(op); err != nil {
		return err
	}
	if f.far != nil {
		return f.farDoes(op, f.idle("CONS-SYNC-02"), f.far.native.Sync)
	}
	defer f.returns(op, f.log.Begin())
	if err := f.idle("CONS-SYNC-02"); err != nil {
		_, err = f.agree(op, nil, err, nil)
		return err
	}
	if err := f.holdSync(op); err != nil {
		return f.stopped(op, err)
	}
	// What others publish is taken before the ranks meet, not after: the
	// meeting only spreads errors, and a program must not come to lean on it.
	f.tellRaw()
	err := f.flushed(f.bytes.Exchange())
	f.noteSync()
	err = cmp.Or(err, f.strikes(faults.Sync))
	_, err = f.agree(op, nil, classified(err, ErrIO, "CONS-SYNC-01"), f.syncOnce("CONS-SYNC-01"))
	return err
}

// flushed takes note of what came of publishing what this rank wrote.
func (f *File) flushed(err error) error {
	if err == nil {
		f.published()
	}
	return err
}

// syncOnce is what the last rank to come to a meeting does for all: it has the
// store sync what they brought into the image. They have to meet anyway, because
// an error of one is an error of all, and what each of them sees is settled
// before; so one sync takes the place of one for every rank that wrote, and
// orders nothing that was not ordered.
func (f *File) syncOnce(rule string) settle {
	return func([]any) (any, error) {
		return nil, classified(f.set.file.image.Sync(), ErrIO, rule)
	}
}

// SetAtomicity turns atomic mode on or off for the accesses that follow: an
// atomic access happens as a whole, and at once for all handles of this open.
// Collective, the same flag on all ranks. Errors: ErrFile, ErrNotSame, those of
// the store.
//
// MPI_File_set_atomicity
func (f *File) SetAtomicity(atomic bool) error {
	const op = "SetAtomicity"
	if err := f.alive(op); err != nil {
		return err
	}
	if f.far != nil {
		return f.farDoes(op, nil, func() error { return f.far.native.SetAtomicity(atomic) })
	}
	defer f.returns(op, f.log.Begin())
	if _, err := f.agree(op, atomic, nil, same("CONS-ATOM-01", "flags")); err != nil {
		return err
	}
	// Atomic accesses work on the image itself; what is still private would
	// hide them from this rank.
	err := f.flushed(f.bytes.Flush())
	if f.set.ledger != nil {
		f.set.ledger.Publish(f, f.bytes.Kept()...)
	}
	if _, err := f.agree(op, nil, classified(err, ErrIO, "CONS-ATOM-01"), nil); err != nil {
		return err
	}
	if f.track != nil && f.atomic != atomic {
		f.track.Atomicity(f.thread.Tick(), f.thread.Now())
	}
	f.atomic = atomic
	f.bytes.SetAtomic(atomic)
	return nil
}

// Atomicity reports whether atomic mode is on. Local. Errors: ErrFile.
//
// MPI_File_get_atomicity
func (f *File) Atomicity() (on bool, err error) {
	const op = "Atomicity"
	if err := f.alive(op); err != nil {
		return false, err
	}
	if f.far != nil {
		err = f.farDoes(op, nil, func() error {
			on, err = f.far.native.Atomicity()
			return err
		})
		return on, err
	}
	return f.atomic, nil
}
