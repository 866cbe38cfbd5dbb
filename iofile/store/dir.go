package store

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/internal/sched"
)

// DirSettings says how [NewDir] uses a directory.
type DirSettings struct {
	// Unlocked makes it work on a directory that cannot be locked, such as one on some network
	// file systems. You must then make sure that no second process uses it.
	Unlocked bool
	// Undurable leaves bytes and names in the cache of the operating system: a Sync does not
	// wait for the storage device. Files outlive the process, but may not outlive a crash of
	// the machine. It is for tests that open and close many files.
	Undurable bool
}

// A Dir is a store of the real files below a directory. No name, and no symbolic link, leads
// out of it. A Sync brings the bytes of a file to the storage device, its name, and the names
// of the directories above it. Making a directory, removing a file and renaming are permanent
// when the call returns.
type Dir struct {
	root   tree
	cached bool // nothing is forced to the storage device
	lazy   bool // lock when the first file is opened in this process
	lock   func() (unlock func() error, err error)
	unlock func() error // nil without a lock
	names  nameBook
}

// NewDir returns the store of the files below the directory path, which must exist. It
// is locked against other processes, and against a second NewDir, until Close. Errors:
// [errclass.NoSuchFile], BadFile if path is not a directory, Access, FileInUse if it is
// locked, UnsupportedOperation if it cannot be locked.
func NewDir(path string, settings DirSettings) (*Dir, error) {
	s, err := openDir(path, settings)
	if err != nil {
		return nil, fault.Report(&errclass.Error{
			Pkg: "store", Op: "NewDir", Rank: errclass.NoRank, Object: path, Class: errclass.IO, Rule: "IO-NAME-01", Place: sched.CallSite(),
		}, err)
	}
	return s, nil
}

// Path returns the path by which other processes can open the file called name.
func (s *Dir) Path(name string) (string, error) {
	abs, err := filepath.Abs(filepath.Join(s.root.Name(), filepath.FromSlash(name)))
	if err != nil {
		return "", fault.System(err, errclass.BadFile)
	}
	return abs, nil
}

// A tree is a directory with everything below it, as [os.Root].
type tree interface {
	Name() string
	Stat(name string) (fs.FileInfo, error)
	Lstat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
	OpenFile(name string, flag int, perm fs.FileMode) (treeFile, error)
	Mkdir(name string, perm fs.FileMode) error
	Remove(name string) error
	Rename(from, to string) error
	FS() fs.FS
	Close() error
}

// A treeFile is an open file or directory of a tree.
type treeFile interface {
	io.ReaderAt
	io.WriterAt
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Sync() error
	Close() error
}

// osTree is a directory of the operating system.
type osTree struct{ *os.Root }

func (t osTree) OpenFile(name string, flag int, perm fs.FileMode) (treeFile, error) {
	f, err := t.Root.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func openDir(path string, settings DirSettings) (*Dir, error) {
	lock := !settings.Unlocked
	if info, err := os.Stat(path); strings.ContainsRune(path, 0) || err == nil && !info.IsDir() { // opening a pipe might never return
		return nil, fault.New(errclass.BadFile, "IO-NAME-01", "%q is not a directory", brief.Name(path))
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fault.System(err, errclass.BadFile)
	}
	s := &Dir{root: osTree{root}, cached: settings.Undurable, lock: func() (func() error, error) { return lockDir(root) }}
	if s.lazy = lock && engine.Any(); s.lazy {
		// All processes of a job make this store, and their library opens the files; a
		// process that runs ranks itself locks later.
		return s, nil
	}
	if lock {
		if s.unlock, err = s.lock(); err != nil {
			root.Close()
			return nil, err
		}
	}
	return s, nil
}

// Open implements [Store].
func (s *Dir) Open(name string, flag OpenFlag) (Backing, error) {
	if s.lazy {
		unlock, err := s.lock()
		if err != nil {
			return nil, err
		}
		s.unlock, s.lazy = unlock, false
	}
	info, err := s.root.Stat(name)
	switch {
	case name == lockName:
		return nil, fault.New(errclass.BadFile, "IO-NAME-01", "%q is the lock of the directory", brief.Name(name))
	case err == nil && info.IsDir():
		return nil, fault.New(errclass.BadFile, "IO-NAME-01", "%q is a directory", brief.Name(name))
	case err == nil && !info.Mode().IsRegular(): // opening a pipe might never return
		return nil, fault.New(errclass.BadFile, "IO-NAME-01", "%q is not a regular file", brief.Name(name))
	}
	made := errors.Is(err, fs.ErrNotExist)
	f, err := s.root.OpenFile(name, systemFlags(flag), cmp.Or(flag.Perm(), 0o666))
	if err != nil {
		return nil, fault.System(err, errclass.BadFile)
	}
	if info, err = f.Stat(); err != nil {
		f.Close()
		return nil, fault.System(err, errclass.IO)
	}
	if made {
		s.names.made(name)
	}
	return &dirFile{file: f, info: info, store: s, name: name}, nil
}

func systemFlags(flag OpenFlag) int {
	sys := os.O_RDONLY | largeFile
	if flag&FlagWrite != 0 {
		sys |= os.O_RDWR
	}
	if flag&FlagCreate != 0 {
		sys |= os.O_CREATE
		if flag&FlagExcl != 0 {
			sys |= os.O_EXCL
		}
	}
	return sys
}

// syncDir brings the names in dir to the storage device.
func (s *Dir) syncDir(dir string) error {
	if s.cached {
		return nil
	}
	d, err := s.root.OpenFile(dir, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer d.Close()
	return syncNames(d)
}

// Remove implements [Store].
func (s *Dir) Remove(name string) error {
	info, err := s.root.Lstat(name)
	if err == nil && info.IsDir() {
		return fault.New(errclass.BadFile, "IO-NAME-01", "%q is a directory", brief.Name(name))
	}
	if err = s.root.Remove(name); err != nil {
		return fault.System(err, errclass.BadFile)
	}
	s.names.gone(name)
	return fault.System(s.syncDir(path.Dir(name)), errclass.IO)
}

// Stat implements [Store].
func (s *Dir) Stat(name string) (fs.FileInfo, error) {
	info, err := s.root.Stat(name)
	return info, fault.System(err, errclass.BadFile)
}

// List implements [Store]. It leaves out entries that cannot be described, such as a link that leads out. A link
// to a directory is listed as a link, so that walking the tree does not go in circles.
func (s *Dir) List(dir string) ([]fs.FileInfo, error) {
	entries, err := fs.ReadDir(s.root.FS(), dir)
	if err != nil {
		return nil, fault.System(err, errclass.BadFile)
	}
	var list []fs.FileInfo
	for _, e := range entries {
		info, err := s.root.Stat(path.Join(dir, e.Name()))
		if err != nil || e.Name() == lockName {
			continue
		}
		mode := info.Mode()
		if info.IsDir() && e.Type()&fs.ModeSymlink != 0 {
			mode = mode.Perm() | fs.ModeSymlink
		}
		list = append(list, Info(e.Name(), info.Size(), mode, info.ModTime()))
	}
	return list, nil
}

// Mkdir implements [Store].
func (s *Dir) Mkdir(name string) error {
	if err := s.root.Mkdir(name, 0o777); err != nil {
		return fault.System(err, errclass.BadFile)
	}
	s.names.made(name)
	return fault.System(s.secure(name), errclass.IO)
}

// Rename implements [Renamer].
func (s *Dir) Rename(from, to string) error {
	if info, err := s.root.Lstat(to); err == nil && info.IsDir() {
		return fault.New(errclass.BadFile, "IO-NAME-01", "%q is a directory", brief.Name(to))
	}
	if err := s.root.Rename(from, to); err != nil {
		return fault.System(err, errclass.BadFile)
	}
	s.names.gone(from)
	s.names.made(to)
	err := s.secure(to)
	if path.Dir(from) != path.Dir(to) {
		err = errors.Join(err, s.syncDir(path.Dir(from)))
	}
	return fault.System(err, errclass.IO)
}

// Close implements [Store].
func (s *Dir) Close() error {
	var err error
	if s.unlock != nil {
		err = s.unlock()
	}
	return fault.System(errors.Join(err, s.root.Close()), errclass.IO)
}

// A dirFile is a real file in use.
type dirFile struct {
	file  treeFile
	info  fs.FileInfo // from when it was opened; it identifies the file
	store *Dir
	name  string
}

func (f *dirFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.file.ReadAt(p, off)
	return n, dataError(err)
}

func (f *dirFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.file.WriteAt(p, off)
	if err != nil && n < len(p) {
		var more int
		if file, ok := f.file.(*os.File); ok {
			more, err = writeCounted(file, p[n:], off+int64(n))
			n += more
		}
	}
	return n, dataError(err)
}

func (f *dirFile) Size() int64 {
	info, err := f.file.Stat()
	if err != nil {
		return f.info.Size()
	}
	return info.Size()
}

func (f *dirFile) SetSize(n int64) error { return dataError(f.file.Truncate(n)) }

// Reserve asks the operating system to allocate space.
func (f *dirFile) Reserve(n int64) error {
	file, ok := f.file.(*os.File)
	if !ok {
		return nil
	}
	return dataError(reserve(file, n))
}

func (f *dirFile) Sync() error {
	if f.store.cached {
		return nil
	}
	if err := f.store.secure(f.name); err != nil {
		return dataError(err)
	}
	return dataError(f.file.Sync())
}

func (f *dirFile) Close() error { return dataError(f.file.Close()) }

// FillsGaps says that no other process writes the file, as the directory is locked.
func (f *dirFile) FillsGaps() bool { return f.store.unlock != nil }

// SameFile reports whether b is the same file, opened by another name.
func (f *dirFile) SameFile(b Backing) bool {
	o, ok := b.(*dirFile)
	return ok && os.SameFile(f.info, o.info)
}

// NextData asks the file system, where it can.
func (f *dirFile) NextData(off int64) int64 {
	const seekData = 3
	file, ok := f.file.(*os.File)
	if runtime.GOOS != "linux" || !ok {
		return off
	}
	next, err := file.Seek(off, seekData)
	switch {
	case err == nil:
		return next
	case off >= f.Size() || isNoData(err):
		return math.MaxInt64
	}
	return off
}

// dataError is [fault.System] for calls on an open file. It does not change the error that
// marks the end of a file.
func dataError(err error) error {
	var sys *fs.PathError
	if err == nil || !errors.As(err, &sys) {
		return err
	}
	return fault.System(err, errclass.IO)
}
