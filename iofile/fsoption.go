package iofile

import (
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/careenv"
	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/iofile/store"
)

// An Option changes what [NewMem] and [NewDir] make.
type Option func(*options)

type options struct {
	mem store.MemSettings
	dir store.DirSettings

	poisoned     bool // WithPoison was given
	strictDelete bool
	unwatched    bool
	provenance   bool
	layoutsOnly  bool
	crashes      bool
	profile      consistency.Profile
	model        consistency.Model
	observer     func(*Observed)
	faults       *faults.Plan
}

func optionsOf(opts []Option) options {
	var o options
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	o.overrule()
	if !o.poisoned {
		o.mem.Poison = o.model.Poison(image.Poison)
	}
	return o
}

// overrule takes the effect from options that weaken checks, in a process of commworld check
// or course mark.
func (o *options) overrule() {
	if o.unwatched && careenv.Overrule("iofile.WithoutRaceDetector") {
		o.unwatched = false
	}
	if o.profile != (consistency.Profile{}) && o.profile != consistency.Strict && careenv.Overrule("iofile.WithProfile") {
		o.profile = consistency.Strict
	}
	if forgives(o.model) && careenv.Overrule("iofile.WithModel") {
		o.model = consistency.Weakest
	}
	if o.poisoned && careenv.Overrule("iofile.WithPoison") {
		o.poisoned, o.mem.Poison = false, 0
	}
	if o.layoutsOnly {
		careenv.Unchecked("iofile.WithoutBytes")
	}
}

// forgives reports whether a program without all the syncs that the standard requires may
// work under a model.
func forgives(m consistency.Model) bool { return m.PublishesEarly() || m.ReadsFresh() }

// WithPoison sets the byte that never-written bytes inside a memory file read
// as; the default is [image.Poison]. It does nothing for [NewDir]: there
// the operating system fills holes, with 0.
func WithPoison(b byte) Option { return func(o *options) { o.mem.Poison, o.poisoned = b, true } }

// WithCapacity bounds the memory that the files of a memory file system use together, in
// bytes, counted in pages of [image.PageSize]: one byte far from all others takes a whole
// page. Writes without room fail with ErrNoSpace. It does nothing for [NewDir].
func WithCapacity(bytes int64) Option {
	return func(o *options) { o.mem.Capacity = max(bytes, 1) } // 0 would be no limit
}

// WithModel says when the writes of one rank become visible to others, for all files of a
// file system. The default is [consistency.Weakest]; with [consistency.POSIX] files behave
// as on a laptop, and holes read as 0.
func WithModel(m consistency.Model) Option { return func(o *options) { o.model = m } }

// WithoutBytes makes files that have a size and no bytes: an access is checked, planned and
// counted, and moves nothing. With buffers of [types.Fill], which have no memory either, a
// program can write 100 TB from 100,000 ranks on a laptop, and world.On says what it costs.
// Only [NewMem] makes such a file system. ErrUnsupportedOperation is the error of opening a
// file for others, and with [WithCrashes], [WithProvenance] or Sequential mode, or in a
// world that explores; of reading into memory; and of reading a file outside of MPI.
func WithoutBytes() Option { return func(o *options) { o.layoutsOnly = true } }

// WithStrictDelete makes deleting an open file fail with ErrFileInUse. By default its name
// is removed at once and its bytes remain until the last close. The standard allows both.
func WithStrictDelete() Option { return func(o *options) { o.strictDelete = true } }

// WithoutLock makes [NewDir] work on a directory that cannot be locked, such as one on some
// network file systems. You must then make sure that no second process uses it.
func WithoutLock() Option { return func(o *options) { o.dir.Unlocked = true } }

// WithoutDurability makes [NewDir] leave bytes and names in the cache of the operating system:
// Sync and Close do not wait for the storage device. Files outlive the process, but may not
// outlive a crash of the machine. It is for tests that open and close many files.
func WithoutDurability() Option { return func(o *options) { o.dir.Undurable = true } }
