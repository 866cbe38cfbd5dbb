package iofile

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/faults"
	"github.com/commworld/commworld/internal/image"
)

// A Store keeps files by name: slash-separated paths as [fs.ValidPath] defines. An [FS]
// makes one call at a time and opens a file once however many ranks use it, so a store need
// not know about MPI, and one store can wrap another, for logging or for failing. During a
// call the FS, and the bytes of a file, are locked: if a method uses its FS, a [File] of
// any FS, or a communicator or request of package comm, it gets ErrOther. (REP-USR-10)
//
// Errors wrap the class that MPI_File_open and the other calls report: ErrNoSuchFile,
// ErrFileExists, ErrBadFile for a name that is a directory or impossible, ErrAccess,
// ErrReadOnly, ErrNoSpace, ErrQuota, ErrFileInUse. Errors without a class count as ErrIO.
type Store interface {
	// Open opens the file called name. It is closed before it is opened again.
	Open(name string, flag OpenFlag) (Backing, error)
	// Remove removes the name. The bytes of an open file stay until it is closed.
	Remove(name string) error
	// Stat describes the file or directory called name; "." is the root.
	Stat(name string) (fs.FileInfo, error)
	// List describes the entries of a directory, sorted by name.
	List(dir string) ([]fs.FileInfo, error)
	// Mkdir makes a directory; its parent must exist.
	Mkdir(name string) error
	// Close gives the store up. No file is open then.
	Close() error
}

// A Backing keeps the published bytes of one file: offsets and sizes in bytes, ReadAt and
// WriteAt as in package io. Errors that wrap an error class keep it; all others count as
// input/output errors. A backing may also have a method Poison() byte: the value of bytes
// that were never written.
//
// Calls come from many ranks at once. Two calls for the same 64 KiB of the file never
// overlap unless both only read; SetSize, when it cuts, excludes all other calls. Size and
// Sync may be called at any time.
type Backing interface {
	ReadAt(p []byte, off int64) (int, error)
	WriteAt(p []byte, off int64) (int, error)
	Size() int64
	SetSize(n int64) error
	Sync() error // brings written bytes to the storage device
	Close() error
}

// OpenFlag says how [Store].Open opens a file, and the permissions of a file that it makes;
// see [FlagPerm].
type OpenFlag uint32

const (
	FlagWrite  OpenFlag = 1 << iota // for writing, too
	FlagCreate                      // make the file, empty, if it does not exist
	FlagExcl                        // with FlagCreate: the file must not exist
)

const permShift = 16 // of permissions in an OpenFlag

// FlagPerm returns the flag for a file's permissions; with 0 the store chooses them.
func FlagPerm(perm fs.FileMode) OpenFlag { return OpenFlag(perm.Perm()) << permShift }

// Perm returns the permissions of [FlagPerm], 0 if the store chooses them.
func (f OpenFlag) Perm() fs.FileMode { return fs.FileMode(f >> permShift) }

// An Option changes what [NewMem] and [NewDir] make.
type Option func(*options)

type options struct {
	capacity int64 // bytes of memory, if bounded
	bounded  bool

	poison       byte
	poisoned     bool // WithPoison was given
	strictDelete bool
	unlocked     bool
	undurable    bool
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
	if !o.poisoned {
		o.poison = o.model.Poison(image.Poison)
	}
	return o
}

// WithPoison sets the byte that never-written bytes inside a memory file read
// as; the default is [image.Poison]. It does nothing for [NewDir]: there
// the operating system fills holes, with 0.
func WithPoison(b byte) Option { return func(o *options) { o.poison, o.poisoned = b, true } }

// WithCapacity bounds the memory that the files of a memory file system use together, in
// bytes, counted in pages of [image.PageSize]: one byte far from all others takes a whole
// page. Writes without room fail with ErrNoSpace. It does nothing for [NewDir].
func WithCapacity(bytes int64) Option {
	return func(o *options) { o.capacity, o.bounded = max(bytes, 0), true }
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
func WithoutLock() Option { return func(o *options) { o.unlocked = true } }

// WithoutDurability makes [NewDir] leave bytes and names in the cache of the operating system:
// Sync and Close do not wait for the storage device. Files outlive the process, but may not
// outlive a crash of the machine. It is for tests that open and close many files.
func WithoutDurability() Option { return func(o *options) { o.undurable = true } }

// nameError returns an error for a name that no store can have.
func nameError(name string) error {
	const longest, longestPart = 4095, 255
	switch {
	case name == "":
		return broken(ErrBadFile, "IO-NAME-01", "name \"\" is empty; give the path of a file inside the file system")
	case name == ".":
		return broken(ErrBadFile, "IO-NAME-01", "name %q is the directory itself", name)
	case path.IsAbs(name):
		return broken(ErrBadFile, "IO-NAME-01", "name %q is absolute; names are relative to the file system given to Open", short(name))
	case !fs.ValidPath(name) || strings.ContainsRune(name, 0):
		return broken(ErrBadFile, "IO-NAME-01", "name %q is not a path inside the file system", short(name))
	case len(name) > longest:
		return broken(ErrBadFile, "IO-NAME-01", "the name has %d bytes, more than %d", len(name), longest)
	}
	for part := range strings.SplitSeq(name, "/") {
		if len(part) > longestPart {
			return broken(ErrBadFile, "IO-NAME-01", "part %.20q... of the name has %d bytes, more than %d", part, len(part), longestPart)
		}
	}
	return nil
}

// short returns a name as messages show it.
func short(name string) string {
	const shown, more = 60, "..."
	if len(name) <= shown+len(more) {
		return name
	}
	return name[:shown] + more
}

// A storeError is an error with its class.
type storeError struct {
	class errclass.Class
	err   error
}

func (e *storeError) Error() string   { return e.err.Error() }
func (e *storeError) Unwrap() []error { return []error{e.class, e.err} }

// errnoClasses maps error numbers of an operating system to classes. Others count as ErrIO.
var errnoClasses = []struct {
	class errclass.Class
	nos   []syscall.Errno
}{
	{ErrAccess, []syscall.Errno{syscall.EACCES, syscall.EPERM}},
	{ErrNoSuchFile, []syscall.Errno{syscall.ENOENT}},
	{ErrFileExists, []syscall.Errno{syscall.EEXIST}},
	{ErrReadOnly, []syscall.Errno{syscall.EROFS}},
	{ErrBadFile, []syscall.Errno{syscall.ENAMETOOLONG, syscall.EISDIR, syscall.ENOTDIR, syscall.ELOOP}},
	{ErrNoSpace, []syscall.Errno{syscall.ENOSPC}},
	{ErrQuota, []syscall.Errno{syscall.EDQUOT}},
	{ErrFileInUse, []syscall.Errno{syscall.EBUSY, errTextBusy}},
	{ErrFile, []syscall.Errno{syscall.EBADF}},
}

// systemError gives an error of the operating system its class; other is the class of
// errors without a number.
func systemError(err error, other errclass.Class) error {
	if err == nil {
		return nil
	}
	switch e := err.(type) {
	case *fs.PathError:
		err = &fs.PathError{Op: e.Op, Path: short(e.Path), Err: e.Err}
	case *os.LinkError:
		err = &os.LinkError{Op: e.Op, Old: short(e.Old), New: short(e.New), Err: e.Err}
	}
	var no syscall.Errno
	if errors.As(err, &no) {
		other = ErrIO
		for _, c := range errnoClasses {
			if slices.Contains(c.nos, no) {
				return &storeError{c.class, err}
			}
		}
	}
	switch { // errors without a number, or with another one on this system
	case errors.Is(err, fs.ErrNotExist):
		other = ErrNoSuchFile
	case errors.Is(err, fs.ErrExist):
		other = ErrFileExists
	case errors.Is(err, fs.ErrPermission):
		other = ErrAccess
	case errors.Is(err, fs.ErrClosed):
		other = ErrFile
	}
	return &storeError{other, err}
}

// NewMemStore returns the store of [NewMem], to be wrapped by another one.
func NewMemStore(opts ...Option) Store { return memStoreOf(optionsOf(opts)) }

// NewDirStore returns the store of [NewDir], to be wrapped by another one.
// Errors: as NewDir.
func NewDirStore(path string, opts ...Option) (Store, error) {
	s, err := newDirStore(path, optionsOf(opts))
	if err != nil {
		return nil, report("NewDirStore", errclass.NoRank, path, classified(err, ErrIO, "IO-NAME-01"))
	}
	return s, nil
}
