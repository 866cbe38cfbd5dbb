package iofile

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/engine"
)

// NewDir returns the file system of the real files below the directory path, which must
// exist. No name, and no symbolic link, leads out of it. Bytes of a handle that synced or
// closed are on the storage device, and so are the names of the file and of the directories
// above it. Making a directory, removing a file and renaming are permanent when the call
// returns. The directory is locked against other processes, and against a second NewDir,
// until [FS.Close]. The lock covers that directory alone: you must make sure yourself that
// no other process uses a directory below it. Published bytes that no rank wrote read as
// the system has them, which is 0. Errors: ErrNoSuchFile, ErrBadFile if path is no
// directory, ErrAccess, ErrFileInUse if it is locked, ErrUnsupportedOperation if it cannot
// be locked; see [WithoutLock]. With [WithoutDurability] nothing is forced to the device.
func NewDir(path string, opts ...Option) (*FS, error) {
	o := optionsOf(opts)
	s, err := newDirStore(path, o)
	if err != nil {
		return nil, report("NewDir", errclass.NoRank, path, classified(err, ErrIO, "IO-NAME-01"))
	}
	return newFS(s, o), nil
}

// A dirStore is a store of real files.
type dirStore struct {
	root   tree
	cached bool // nothing is forced to the storage device
	lazy   bool // lock when the first file is opened in this process
	lock   func() (unlock func() error, err error)
	unlock func() error // nil without a lock
	names  nameBook
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

func newDirStore(path string, o options) (*dirStore, error) {
	lock := !o.unlocked
	if info, err := os.Stat(path); strings.ContainsRune(path, 0) || err == nil && !info.IsDir() { // opening a pipe might never return
		return nil, broken(ErrBadFile, "IO-NAME-01", "%q is no directory", short(path))
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, systemError(err, ErrBadFile)
	}
	s := &dirStore{root: osTree{root}, cached: o.undurable, lock: func() (func() error, error) { return lockDir(root) }}
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

func (s *dirStore) Open(name string, flag OpenFlag) (Backing, error) {
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
		return nil, broken(ErrBadFile, "IO-NAME-01", "%q is the lock of the directory", short(name))
	case err == nil && info.IsDir():
		return nil, broken(ErrBadFile, "IO-NAME-01", "%q is a directory", short(name))
	case err == nil && !info.Mode().IsRegular(): // opening a pipe might never return
		return nil, broken(ErrBadFile, "IO-NAME-01", "%q is no regular file", short(name))
	}
	made := errors.Is(err, fs.ErrNotExist)
	f, err := s.root.OpenFile(name, systemFlags(flag), cmp.Or(flag.Perm(), 0o666))
	if err != nil {
		return nil, systemError(err, ErrBadFile)
	}
	if info, err = f.Stat(); err != nil {
		f.Close()
		return nil, systemError(err, ErrIO)
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
func (s *dirStore) syncDir(dir string) error {
	if s.cached {
		return nil
	}
	d, err := s.root.OpenFile(dir, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func (s *dirStore) Remove(name string) error {
	info, err := s.root.Lstat(name)
	if err == nil && info.IsDir() {
		return broken(ErrBadFile, "IO-NAME-01", "%q is a directory", short(name))
	}
	if err = s.root.Remove(name); err != nil {
		return systemError(err, ErrBadFile)
	}
	s.names.gone(name)
	return systemError(s.syncDir(path.Dir(name)), ErrIO)
}

func (s *dirStore) Stat(name string) (fs.FileInfo, error) {
	info, err := s.root.Stat(name)
	return info, systemError(err, ErrBadFile)
}

// List leaves out entries that cannot be described, such as a link that leads out. A link
// to a directory is listed as a link, so that walking the tree does not go in circles.
func (s *dirStore) List(dir string) ([]fs.FileInfo, error) {
	entries, err := fs.ReadDir(s.root.FS(), dir)
	if err != nil {
		return nil, systemError(err, ErrBadFile)
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
		list = append(list, fileInfo{e.Name(), info.Size(), mode, info.ModTime()})
	}
	return list, nil
}

func (s *dirStore) Mkdir(name string) error {
	if err := s.root.Mkdir(name, 0o777); err != nil {
		return systemError(err, ErrBadFile)
	}
	s.names.made(name)
	return systemError(s.secure(name), ErrIO)
}

// Rename renames a file; the new name is permanent when it returns.
func (s *dirStore) Rename(from, to string) error {
	if info, err := s.root.Lstat(to); err == nil && info.IsDir() {
		return broken(ErrBadFile, "IO-NAME-01", "%q is a directory", short(to))
	}
	if err := s.root.Rename(from, to); err != nil {
		return systemError(err, ErrBadFile)
	}
	s.names.gone(from)
	s.names.made(to)
	err := s.secure(to)
	if path.Dir(from) != path.Dir(to) {
		err = errors.Join(err, s.syncDir(path.Dir(from)))
	}
	return systemError(err, ErrIO)
}

func (s *dirStore) Close() error {
	var err error
	if s.unlock != nil {
		err = s.unlock()
	}
	return systemError(errors.Join(err, s.root.Close()), ErrIO)
}

// A dirFile is a real file in use.
type dirFile struct {
	file  treeFile
	info  fs.FileInfo // from when it was opened; it identifies the file
	store *dirStore
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

func (f *dirFile) sameFile(b Backing) bool {
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

// dataError is systemError for calls on an open file. It does not change the error that
// marks the end of a file.
func dataError(err error) error {
	var sys *fs.PathError
	if err == nil || !errors.As(err, &sys) {
		return err
	}
	return systemError(err, ErrIO)
}
