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

// A Store keeps files by name: slash-separated paths as [fs.ValidPath] has
// them. An [FS] calls it for one thing at a time and opens a file once however
// many ranks use it, so a store need not know about MPI, and one store can wrap
// another to log or to fail. The FS, and the bytes of a file, are locked meanwhile:
// a method that uses the FS it is for, a [File] of any FS, or a communicator or
// request of package comm gets ErrOther. (REP-USR-10)
//
// Errors wrap the class that MPI_File_open and the others shall report:
// ErrNoSuchFile, ErrFileExists, ErrBadFile for a name that is a directory or
// impossible, ErrAccess, ErrReadOnly, ErrNoSpace, ErrQuota, ErrFileInUse.
// Those without a class count as ErrIO.
type Store interface {
	// Open opens the file called name. It is closed before it is opened again.
	Open(name string, flag OpenFlag) (image.Backing, error)
	// Remove takes the name away. Bytes of a file that is open stay until it
	// is closed.
	Remove(name string) error
	// Stat describes the file or directory called name; "." is the root.
	Stat(name string) (fs.FileInfo, error)
	// List describes what is in a directory, sorted by name.
	List(dir string) ([]fs.FileInfo, error)
	// Mkdir makes a directory in one that exists.
	Mkdir(name string) error
	// Close gives the store up. No file is open.
	Close() error
}

// OpenFlag says how [Store].Open opens, and which permissions a file gets that
// it makes; see [FlagPerm].
type OpenFlag uint32

const (
	FlagWrite  OpenFlag = 1 << iota // for writing as well as for reading
	FlagCreate                      // make the file, empty, if it does not exist
	FlagExcl                        // with FlagCreate: the file must not exist
)

const permShift = 16 // of permissions in an OpenFlag

// FlagPerm is the flag of a file's permissions; 0 leaves them to the store.
func FlagPerm(perm fs.FileMode) OpenFlag { return OpenFlag(perm.Perm()) << permShift }

// Perm returns the permissions of [FlagPerm], 0 if they are left to the store.
func (f OpenFlag) Perm() fs.FileMode { return fs.FileMode(f >> permShift) }

// An Option changes what [NewMem] and [NewDir] make.
type Option func(*options)

type options struct {
	capacity int64 // of memory, if bounded
	bounded  bool

	poison       byte
	poisoned     bool // poison was given
	strictDelete bool
	unlocked     bool
	unwatched    bool
	provenance   bool
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

// WithCapacity bounds the memory that the files of a memory file system hold
// together, in bytes, in pages of [image.PageSize]: one byte far from all
// others takes a whole page. What finds no room fails with ErrNoSpace. It does
// nothing for [NewDir].
func WithCapacity(bytes int64) Option {
	return func(o *options) { o.capacity, o.bounded = max(bytes, 0), true }
}

// WithModel says when the writes of one rank become visible to others, for all
// files of a file system. The default is [consistency.Weakest]; with
// [consistency.POSIX] files are as on a laptop, and holes read as 0.
func WithModel(m consistency.Model) Option { return func(o *options) { o.model = m } }

// WithStrictDelete makes deleting a file that is open fail with ErrFileInUse.
// The default takes the name away at once and keeps the bytes until the last
// close. The standard allows both.
func WithStrictDelete() Option { return func(o *options) { o.strictDelete = true } }

// WithoutLock makes [NewDir] work on a directory that cannot be locked, such
// as one on some network file systems. Keeping a second process off it is then
// up to you.
func WithoutLock() Option { return func(o *options) { o.unlocked = true } }

// nameError reports a name that no store can have.
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

// short returns what messages show of a name.
func short(name string) string {
	const shown, more = 60, "..."
	if len(name) <= shown+len(more) {
		return name
	}
	return name[:shown] + more
}

// A storeError is an error with the class it stands for.
type storeError struct {
	class errclass.Class
	err   error
}

func (e *storeError) Error() string   { return e.err.Error() }
func (e *storeError) Unwrap() []error { return []error{e.class, e.err} }

// errnoClasses maps what an operating system reports. What is not listed
// counts as ErrIO.
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

// systemError gives an error of the operating system its class; other is that
// of errors which carry no number.
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
	switch { // what has no number, or on this system another one
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
	s, err := newDirStore(path, !optionsOf(opts).unlocked)
	if err != nil {
		return nil, report("NewDirStore", errclass.NoRank, path, classified(err, ErrIO, "IO-NAME-01"))
	}
	return s, nil
}
