package store

import (
	"cmp"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sort"
	"sync/atomic"
	"time"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/internal/sched"
)

// MemSettings say what [NewMem] makes.
type MemSettings struct {
	Poison   byte  // what bytes inside a file read as that were never written
	Capacity int64 // memory of all files together, in bytes, counted in whole pages of 64 KiB; 0: no limit
}

// A Mem is a store in memory. Its files are sparse: they hold memory only where something was
// written. It is safe for concurrent use.
type Mem struct {
	poison byte
	room   *atomic.Int64 // free pages; nil: no limit

	mu    sched.Mutex
	files map[string]*memFile
	dirs  map[string]bool
}

// NewMem returns an empty store in memory.
func NewMem(settings MemSettings) *Mem {
	s := &Mem{poison: settings.Poison, files: map[string]*memFile{}, dirs: map[string]bool{".": true}}
	if settings.Capacity != 0 {
		s.room = new(atomic.Int64)
		s.room.Store(max(settings.Capacity, 0) / image.PageSize)
	}
	return s
}

// Poison returns what bytes inside a file read as that were never written.
func (s *Mem) Poison() byte { return s.poison }

// CheckName returns an error if no file can have that name: it is a directory's, or is not in
// one.
func (s *Mem) CheckName(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.placeFor(name)
}

// Open implements [Store].
func (s *Mem) Open(name string, flag OpenFlag) (Backing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.placeFor(name); err != nil {
		return nil, err
	}
	f := s.files[name]
	switch {
	case f == nil && flag&FlagCreate == 0:
		return nil, fault.New(errclass.NoSuchFile, "IO-AMODE-04", "there is no file %q; open it with Create to make one", brief.Name(name))
	case f != nil && flag&FlagCreate != 0 && flag&FlagExcl != 0:
		return nil, fault.New(errclass.FileExists, "IO-AMODE-05", "file %q exists, and with Excl each open must make a new one: open it once, with the communicator of all its ranks, or leave Excl out", brief.Name(name))
	case f == nil:
		f = &memFile{Memory: image.NewMemory(s.poison), store: s, perm: cmp.Or(flag.Perm(), 0o644)}
		f.Within(s.room)
		s.files[name] = f
	}
	f.opens++
	return f, nil
}

// placeFor checks that a file may be called name.
func (s *Mem) placeFor(name string) error {
	if s.dirs[name] {
		return fault.New(errclass.BadFile, "IO-NAME-01", "%q is a directory", brief.Name(name))
	}
	for dir := path.Dir(name); !s.dirs[dir]; dir = path.Dir(dir) {
		if s.files[dir] != nil {
			return fault.New(errclass.BadFile, "IO-NAME-01", "%q is a file, not a directory", brief.Name(dir))
		}
		if s.dirs[path.Dir(dir)] {
			return fault.New(errclass.NoSuchFile, "IO-NAME-01", "there is no directory %q", brief.Name(dir))
		}
	}
	return nil
}

// Remove implements [Store].
func (s *Mem) Remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.placeFor(name); err != nil {
		return err
	}
	f := s.files[name]
	if f == nil {
		return fault.New(errclass.NoSuchFile, "IO-DEL-01", "there is no file %q", brief.Name(name))
	}
	delete(s.files, name)
	f.unlinked = true
	f.recycle()
	return nil
}

// Stat implements [Store].
func (s *Mem) Stat(name string) (fs.FileInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if info := s.info(name); info != nil {
		return info, nil
	}
	return nil, fault.New(errclass.NoSuchFile, "IO-NAME-01", "there is no file %q", brief.Name(name))
}

func (s *Mem) info(name string) fs.FileInfo {
	if s.dirs[name] {
		return Info(path.Base(name), 0, fs.ModeDir|0o755, time.Time{})
	}
	if f := s.files[name]; f != nil {
		return Info(path.Base(name), f.Size(), f.perm, time.Time{})
	}
	return nil
}

// List implements [Store].
func (s *Mem) List(dir string) ([]fs.FileInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.dirs[dir] {
		if s.files[dir] != nil {
			return nil, fault.New(errclass.BadFile, "IO-NAME-01", "%q is a file, not a directory", brief.Name(dir))
		}
		return nil, fault.New(errclass.NoSuchFile, "IO-NAME-01", "there is no directory %q", brief.Name(dir))
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

// Mkdir implements [Store].
func (s *Mem) Mkdir(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dirs[name] || s.files[name] != nil {
		return fault.New(errclass.FileExists, "IO-NAME-01", "%q exists", brief.Name(name))
	}
	if err := s.placeFor(name); err != nil {
		return err
	}
	s.dirs[name] = true
	return nil
}

// Rename implements [Renamer].
func (s *Mem) Rename(from, to string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[from]
	if err := s.placeFor(to); err != nil {
		return err
	}
	if f == nil {
		return fault.New(errclass.NoSuchFile, "IO-NAME-01", "there is no file %q", brief.Name(from))
	}
	if old := s.files[to]; old != nil && old != f {
		old.unlinked = true
		old.recycle()
	}
	delete(s.files, from)
	s.files[to] = f
	return nil
}

// Close implements [Store].
func (s *Mem) Close() error { return nil }

// A memFile is a file in memory.
type memFile struct {
	*image.Memory
	store *Mem
	perm  fs.FileMode // reported, not enforced

	// Guarded by store.mu.
	opens    int
	unlinked bool
}

// InMemory reports whether b is a file of a [Mem]: its methods call no other store.
func InMemory(b Backing) bool {
	switch b.(type) {
	case *memFile, *image.Memory:
		return true
	}
	return false
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
