package iofile

import (
	"fmt"
	"io/fs"

	"github.com/commworld/commworld/consistency"
)

// guard runs a function of the user's own: if it panics that is an error.
func guard(what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if e, ok := p.(error); ok {
				err = broken(ErrOther, "IO-DA-01", "%s panicked: %w", what, e)
			} else {
				err = broken(ErrOther, "IO-DA-01", "%s panicked: %v", what, p)
			}
		}
	}()
	return f()
}

// guarded returns s such that its panics are errors: it is called under locks that
// other ranks wait for. The stores of this package need no guard.
func guarded(s Store) Store {
	switch s.(type) {
	case nil, *memStore, *dirStore, *guardedStore, *guardedRenamer:
		return s
	case Renamer:
		return &guardedRenamer{guardedStore{s}}
	}
	return &guardedStore{s}
}

// unguarded is the store as it was given.
func unguarded(s Store) Store {
	switch g := s.(type) {
	case *guardedStore:
		return g.s
	case *guardedRenamer:
		return g.s
	}
	return s
}

// A guardedStore forwards by hand, so that a new method of stores is not
// forgotten here.
type guardedStore struct{ s Store }

func (g *guardedStore) call(method string, f func() error) error {
	return guard(fmt.Sprintf("%s of the store, a %T,", method, g.s), f)
}

func (g *guardedStore) Open(name string, flag OpenFlag) (b consistency.Backing, err error) {
	err = g.call("Open", func() (err error) { b, err = g.s.Open(name, flag); return err })
	switch {
	case err != nil:
		return nil, err
	case b == nil:
		return nil, broken(ErrOther, "IO-NAME-01", "Open of the store, a %T, gave neither a file nor an error", g.s)
	}
	if _, lends := b.(consistency.Pager); lends {
		return b, nil // its pages are used as they are
	}
	return &guardedFile{b}, nil
}

func (g *guardedStore) Remove(name string) error {
	return g.call("Remove", func() error { return g.s.Remove(name) })
}

func (g *guardedStore) Stat(name string) (info fs.FileInfo, err error) {
	err = g.call("Stat", func() (err error) {
		if info, err = g.s.Stat(name); err == nil { // which may be of the user's own, too
			info = fileInfo{info.Name(), info.Size(), info.Mode(), info.ModTime()}
		}
		return err
	})
	return info, err
}

func (g *guardedStore) List(dir string) (list []fs.FileInfo, err error) {
	err = g.call("List", func() (err error) {
		all, err := g.s.List(dir)
		for _, info := range all {
			list = append(list, fileInfo{info.Name(), info.Size(), info.Mode(), info.ModTime()})
		}
		return err
	})
	return list, err
}

func (g *guardedStore) Mkdir(name string) error {
	return g.call("Mkdir", func() error { return g.s.Mkdir(name) })
}

func (g *guardedStore) Close() error { return g.call("Close", g.s.Close) }

// A guardedRenamer is a guardedStore that can rename.
type guardedRenamer struct{ guardedStore }

func (g *guardedRenamer) Rename(from, to string) error {
	return g.call("Rename", func() error { return g.s.(Renamer).Rename(from, to) })
}

// A guardedFile is a file of a guardedStore.
type guardedFile struct{ b consistency.Backing }

func (g *guardedFile) call(method string, f func() error) error {
	return guard(fmt.Sprintf("%s of the file, a %T,", method, g.b), f)
}

func (g *guardedFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = g.call("ReadAt", func() (err error) { n, err = g.b.ReadAt(p, off); return err })
	return n, err
}

func (g *guardedFile) WriteAt(p []byte, off int64) (n int, err error) {
	err = g.call("WriteAt", func() (err error) { n, err = g.b.WriteAt(p, off); return err })
	return n, err
}

// Size is one that a file can have, whatever the store says.
func (g *guardedFile) Size() (n int64) {
	_ = g.call("Size", func() error { n = g.b.Size(); return nil })
	return min(max(n, 0), consistency.MaxSize)
}

func (g *guardedFile) SetSize(n int64) error {
	return g.call("SetSize", func() error { return g.b.SetSize(n) })
}

func (g *guardedFile) Sync() error  { return g.call("Sync", g.b.Sync) }
func (g *guardedFile) Close() error { return g.call("Close", g.b.Close) }

// Poison is what [consistency.Poisoner] asks for.
func (g *guardedFile) Poison() (b byte) {
	b = consistency.Poison
	if p, ok := g.b.(consistency.Poisoner); ok {
		_ = g.call("Poison", func() error { b = p.Poison(); return nil })
	}
	return b
}

// NextData is what [consistency.Sparse] asks for. It never goes back.
func (g *guardedFile) NextData(off int64) int64 {
	next := off
	if s, ok := g.b.(consistency.Sparse); ok {
		_ = g.call("NextData", func() error { next = s.NextData(off); return nil })
	}
	return max(next, off)
}
