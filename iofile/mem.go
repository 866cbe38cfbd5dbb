package iofile

import (
	"cmp"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sort"
	"sync/atomic"
	"time"

	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/internal/sched"
)

// NewMem returns an empty file system in memory. Files are sparse: they may be
// as long as [extent.MaxSize], and hold memory only where something was
// written.
func NewMem(opts ...Option) *FS {
	o := optionsOf(opts)
	return newFS(memStoreOf(o), o)
}

// A memStore is a store in memory.
type memStore struct {
	poison byte
	room   *atomic.Int64 // free pages; nil: no limit

	mu    sched.Mutex
	files map[string]*memFile
	dirs  map[string]bool
}

func newMemStore(poison byte) *memStore {
	return &memStore{poison: poison, files: map[string]*memFile{}, dirs: map[string]bool{".": true}}
}

func memStoreOf(o options) *memStore {
	s := newMemStore(o.poison)
	if o.bounded {
		s.room = new(atomic.Int64)
		s.room.Store(o.capacity / image.PageSize)
	}
	return s
}

func (s *memStore) Open(name string, flag OpenFlag) (Backing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.placeFor(name); err != nil {
		return nil, err
	}
	f := s.files[name]
	switch {
	case f == nil && flag&FlagCreate == 0:
		return nil, broken(ErrNoSuchFile, "IO-AMODE-04", "there is no file %q; open it with Create to make one", short(name))
	case f != nil && flag&FlagCreate != 0 && flag&FlagExcl != 0:
		return nil, broken(ErrFileExists, "IO-AMODE-05", "file %q exists", short(name))
	case f == nil:
		f = &memFile{Memory: image.NewMemory(s.poison), store: s, perm: cmp.Or(flag.Perm(), 0o644)}
		f.Within(s.room)
		s.files[name] = f
	}
	f.opens++
	return f, nil
}

// placeFor checks that a file may be called name.
func (s *memStore) placeFor(name string) error {
	if s.dirs[name] {
		return broken(ErrBadFile, "IO-NAME-01", "%q is a directory", short(name))
	}
	for dir := path.Dir(name); !s.dirs[dir]; dir = path.Dir(dir) {
		if s.files[dir] != nil {
			return broken(ErrBadFile, "IO-NAME-01", "%q is a file, not a directory", short(dir))
		}
		if s.dirs[path.Dir(dir)] {
			return broken(ErrNoSuchFile, "IO-NAME-01", "there is no directory %q", short(dir))
		}
	}
	return nil
}

func (s *memStore) Remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.placeFor(name); err != nil {
		return err
	}
	f := s.files[name]
	if f == nil {
		return broken(ErrNoSuchFile, "IO-DEL-01", "there is no file %q", short(name))
	}
	delete(s.files, name)
	f.unlinked = true
	f.recycle()
	return nil
}

func (s *memStore) Stat(name string) (fs.FileInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if info := s.info(name); info != nil {
		return info, nil
	}
	return nil, broken(ErrNoSuchFile, "IO-NAME-01", "there is no file %q", short(name))
}

func (s *memStore) info(name string) fs.FileInfo {
	if s.dirs[name] {
		return fileInfo{name: path.Base(name), mode: fs.ModeDir | 0o755}
	}
	if f := s.files[name]; f != nil {
		return fileInfo{name: path.Base(name), mode: f.perm, size: f.Size()}
	}
	return nil
}

func (s *memStore) List(dir string) ([]fs.FileInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.dirs[dir] {
		if s.files[dir] != nil {
			return nil, broken(ErrBadFile, "IO-NAME-01", "%q is a file, not a directory", short(dir))
		}
		return nil, broken(ErrNoSuchFile, "IO-NAME-01", "there is no directory %q", short(dir))
	}
	var list []fs.FileInfo
	for _, names := range [][]string{slices.Collect(maps.Keys(s.files)), slices.Collect(maps.Keys(s.dirs))} {
		for _, name := range names {
			if name != "." && path.Dir(name) == dir {
				list = append(list, s.info(name))
			}
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name() < list[j].Name() })
	return list, nil
}

func (s *memStore) Mkdir(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dirs[name] || s.files[name] != nil {
		return broken(ErrFileExists, "IO-NAME-01", "%q exists", short(name))
	}
	if err := s.placeFor(name); err != nil {
		return err
	}
	s.dirs[name] = true
	return nil
}

// Rename gives a file another name.
func (s *memStore) Rename(from, to string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[from]
	if err := s.placeFor(to); err != nil {
		return err
	}
	if f == nil {
		return broken(ErrNoSuchFile, "IO-NAME-01", "there is no file %q", short(from))
	}
	if old := s.files[to]; old != nil && old != f {
		old.unlinked = true
		old.recycle()
	}
	delete(s.files, from)
	s.files[to] = f
	return nil
}

func (s *memStore) Close() error { return nil }

// A memFile is a file in memory.
type memFile struct {
	*image.Memory
	store *memStore
	perm  fs.FileMode // reported, not enforced

	// Guarded by store.mu.
	opens    int
	unlinked bool
}

// Close ends one use of the file.
func (f *memFile) Close() error {
	f.store.mu.Lock()
	defer f.store.mu.Unlock()
	f.opens--
	f.recycle()
	return nil
}

// recycle frees the bytes of a file that has neither name nor user.
func (f *memFile) recycle() {
	if f.unlinked && f.opens == 0 {
		f.Recycle()
	}
}

// fileInfo describes a file of a store. Files in memory have no times, so that runs repeat.
type fileInfo struct {
	name string
	size int64
	mode fs.FileMode
	time time.Time
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return i.mode }
func (i fileInfo) ModTime() time.Time { return i.time }
func (i fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i fileInfo) Sys() any           { return nil }
