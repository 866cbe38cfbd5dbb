package iofile

import (
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/careenv"
	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/iofile/store"
)

// An Option changes what [NewMem], [NewDir] and [NewFS] make.
type Option interface{ file(o *options) }

type option func(*options)

func (set option) file(o *options) { set(o) }

type options struct {
	mem store.MemSettings
	dir store.DirSettings

	strictDelete bool
	layoutsOnly  bool
	tracking     Tracking
	profile      consistency.Profile
	model        consistency.Model
	calls        Callbacks
	faults       *faults.Plan
}

func optionsOf(opts []Option) options {
	var o options
	for _, opt := range opts {
		if opt != nil {
			opt.file(&o)
		}
	}
	o.overrule()
	o.mem.Poison = o.model.Poison(image.Poison)
	return o
}

// overrule takes the effect from options that weaken checks, in a process of commworld check
// or course mark.
func (o *options) overrule() {
	if o.profile != (consistency.Profile{}) && o.profile != consistency.Strict && careenv.Overrule("iofile.WithRaceDetector") {
		o.profile = consistency.Strict
	}
	poisoned := o.model.Poison(0) == o.model.Poison(1)
	if (poisoned || forgives(o.model)) && careenv.Overrule("iofile.WithModel") {
		o.model = consistency.Weakest
	}
	if o.layoutsOnly {
		careenv.Unchecked("iofile.WithoutBytes")
	}
}

// forgives reports whether a program without all the syncs that the standard requires may
// work under a model.
func forgives(m consistency.Model) bool { return m.PublishesEarly() || m.ReadsFresh() }

// WithCapacity bounds the memory that the files of a memory file system use together, in
// bytes, counted in pages of [image.PageSize]: one byte far from all others takes a whole
// page. Writes without room fail with ErrNoSpace. It does nothing for [NewDir].
func WithCapacity(bytes int64) Option {
	return option(func(o *options) { o.mem.Capacity = max(bytes, 1) }) // 0 would be no limit
}

// WithoutBytes makes files that have a size and no bytes: an access is checked, planned and
// counted, and moves nothing. With buffers of [types.Fill], which have no memory either, a
// program can write 100 TB from 100,000 ranks on a laptop, and world.On computes the cost.
// Only [NewMem] makes such a file system. ErrUnsupportedOperation is the error of opening a
// file for others, and with [WithTracking] or Sequential mode, or in a world that explores;
// of reading into memory; and of reading a file outside of MPI.
func WithoutBytes() Option { return option(func(o *options) { o.layoutsOnly = true }) }

// WithStrictDelete makes deleting an open file fail with ErrFileInUse. By default its name
// is removed at once and its bytes remain until the last close. The standard allows both.
func WithStrictDelete() Option { return option(func(o *options) { o.strictDelete = true }) }

// WithDir sets how [NewDir] uses its directory: without a lock, or without waiting for the
// storage device. Settings that several options set add up. It does nothing for other file
// systems.
func WithDir(s DirSettings) Option {
	return option(func(o *options) {
		o.dir.Unlocked = o.dir.Unlocked || s.Unlocked
		o.dir.Undurable = o.dir.Undurable || s.Undurable
	})
}

// Tracking selects data that a file system records besides the bytes of its files, at the
// cost of memory and time; see [WithTracking]. Values can be joined by |.
type Tracking uint8

const (
	// Provenance tracks which call wrote every byte of a file, from its first open on, for
	// [File.Provenance]. It costs an entry for each write, or for a series of writes that
	// continue each other.
	Provenance Tracking = 1 << iota

	// Crashes tracks what has been written and not synced, for [FS.Crash]. Every write is
	// copied two more times until it is synced, and writes to one file wait for each other.
	Crashes
)

// WithTracking makes a file system track [Provenance], [Crashes] or both, in addition to what
// other options ask for.
func WithTracking(what Tracking) Option { return option(func(o *options) { o.tracking |= what }) }

// tracks reports whether the file system tracks what.
func (o *options) tracks(what Tracking) bool { return o.tracking&what != 0 }
