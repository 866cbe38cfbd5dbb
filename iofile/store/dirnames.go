package store

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"sync"
)

// A nameBook knows which names of a directory tree are on the storage device. A sync brings
// the bytes of a file there; its name is an entry of a directory, which must be synced
// separately, and so on up to the root. That applies to every name, whichever handle or
// process made the file.
type nameBook struct {
	mu    sync.Mutex
	names map[string]*nameEntry
}

// A nameEntry is the record of one name since it was made. A name without an entry existed
// before the store.
type nameEntry struct {
	own     bool // this store made it
	lasting bool // it is on the device
}

func (b *nameBook) get(name string) (e *nameEntry, lasting bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e = b.names[name]
	return e, e != nil && e.lasting
}

// made records that a name is new.
func (b *nameBook) made(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.names == nil {
		b.names = map[string]*nameEntry{}
	}
	b.names[name] = &nameEntry{own: true}
}

// gone removes the entry of a name.
func (b *nameBook) gone(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.names, name)
}

// lasts records that a name is on the device, unless its entry is no longer e.
func (b *nameBook) lasts(name string, e *nameEntry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.names[name] != e:
	case e != nil:
		e.lasting = true
	case b.names == nil:
		b.names = map[string]*nameEntry{name: {lasting: true}}
	default:
		b.names[name] = &nameEntry{lasting: true}
	}
}

// secure brings name to the storage device, with the directories above it and the targets
// of links on the way.
func (s *Dir) secure(name string) error {
	const mostLinks = 40
	return s.secureVia(name, mostLinks)
}

func (s *Dir) secureVia(name string, links int) error {
	if name == "." || name == ".." || path.IsAbs(name) {
		return nil
	}
	e, lasting := s.names.get(name)
	if lasting {
		return nil // and then so are the directories above it
	}
	if err := s.syncDir(path.Dir(name)); err != nil {
		foreign := e == nil || !e.own
		if errors.Is(err, fs.ErrNotExist) || foreign && errors.Is(err, fs.ErrPermission) {
			return nil // the name is gone; or only processes that may read the directory could make it
		}
		return err
	}
	info, err := s.root.Lstat(name)
	if err != nil {
		return nil // a file that lost its name
	}
	if info.Mode()&os.ModeSymlink != 0 && links > 0 {
		if err := s.secureTarget(name, links-1); err != nil {
			return err
		}
	}
	if err := s.secureVia(path.Dir(name), links); err != nil {
		return err
	}
	s.names.lasts(name, e)
	return nil
}

// secureTarget secures the name that a symbolic link points to, within the directory.
func (s *Dir) secureTarget(name string, links int) error {
	to, err := s.root.Readlink(name)
	if err != nil || path.IsAbs(to) {
		return nil
	}
	return s.secureVia(path.Join(path.Dir(name), to), links)
}
