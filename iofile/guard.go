package iofile

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"

	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/iofile/store"
)

// guard runs a function of the user and returns its error, or its panic as an error.
func guard(what, rule string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if e, ok := p.(error); ok {
				err = broken(ErrOther, rule, "%s panicked: %w", what, e)
			} else {
				err = broken(ErrOther, rule, "%s panicked: %v", what, p)
			}
		}
	}()
	return f()
}

// guarded returns s with its panics as errors: a store is called under locks that other
// ranks wait for. The stores of this package need no guard.
func guarded(s Store) Store {
	switch s.(type) {
	case nil, *store.Mem, *store.Dir, *guardedStore, *guardedRenamer:
		return s
	case Renamer:
		return &guardedRenamer{guardedStore{s, new(visits)}}
	}
	return &guardedStore{s, new(visits)}
}

// unguarded returns the store as it was given.
func unguarded(s Store) Store {
	switch g := s.(type) {
	case *guardedStore:
		return g.s
	case *guardedRenamer:
		return g.s
	}
	return s
}

// A guardedStore forwards explicitly, without embedding, so that no new method of stores is
// forgotten.
type guardedStore struct {
	s Store
	*visits
}

func (g *guardedStore) call(method string, f func() error) error {
	defer sched.Stores.Enter(g.visits)()
	return guard(fmt.Sprintf("%s of the store, a %T,", method, g.s), "IO-DA-01", f)
}

func (g *guardedStore) Open(name string, flag OpenFlag) (b Backing, err error) {
	err = g.call("Open", func() (err error) { b, err = g.s.Open(name, flag); return err })
	switch {
	case err != nil:
		return nil, err
	case b == nil:
		return nil, broken(ErrOther, "IO-NAME-01", "Open of the store, a %T, gave neither a file nor an error", g.s)
	}
	if store.InMemory(b) { // it calls no function of the program
		return b, nil
	}
	f := guardedFile{b, g.visits}
	switch b := b.(type) {
	case renewingPager:
		return &guardedRenewer{guardedPager{f, b}, b}, nil
	case image.Pager:
		return &guardedPager{f, b}, nil
	}
	return &f, nil
}

func (g *guardedStore) Remove(name string) error {
	return g.call("Remove", func() error { return g.s.Remove(name) })
}

func (g *guardedStore) Stat(name string) (info fs.FileInfo, err error) {
	err = g.call("Stat", func() (err error) {
		if info, err = g.s.Stat(name); err == nil {
			info, err = g.described("Stat", info)
		}
		return err
	})
	return info, err
}

func (g *guardedStore) List(dir string) (list []fs.FileInfo, err error) {
	err = g.call("List", func() (err error) {
		all, err := g.s.List(dir)
		for _, info := range all {
			if info, e := g.described("List", info); e != nil {
				err = cmp.Or(err, e)
			} else {
				list = append(list, info)
			}
		}
		return err
	})
	return list, err
}

// described copies info, whose methods may belong to the user, too.
func (g *guardedStore) described(method string, info fs.FileInfo) (fs.FileInfo, error) {
	if info == nil {
		return nil, broken(ErrOther, "IO-NAME-01", "%s of the store, a %T, described a file by nil", method, g.s)
	}
	return store.Info(info.Name(), info.Size(), info.Mode(), info.ModTime()), nil
}

func (g *guardedStore) Mkdir(name string) error {
	return g.call("Mkdir", func() error { return g.s.Mkdir(name) })
}

func (g *guardedStore) Close() error { return g.call("Close", g.s.Close) }

// visits represent a store of the user's own in [sched.Stores], while a goroutine is in the
// store or in a file of it.
type visits struct{ _ byte } // not of size 0, so that each has its own address

// insideStore returns the error of a call on a handle that a method of a store makes. The
// call could have to wait while files are locked.
func insideStore() error {
	if !sched.Stores.Here() {
		return nil
	}
	return broken(ErrOther, "REP-USR-10", "called from a method of a store, which must not use file handles: files are locked meanwhile, so ranks wait for it")
}

// refuse returns the error of a call on a file system that its own store makes: the file
// system is locked. It returns nil for stores of this package.
func (v *visits) refuse() error {
	if v == nil || !sched.Stores.In(v) {
		return nil
	}
	return broken(ErrOther, "REP-USR-10", "called from a method of the store that is part of a call on the same file system")
}

// A guardedRenamer is a guardedStore that can rename.
type guardedRenamer struct{ guardedStore }

func (g *guardedRenamer) Rename(from, to string) error {
	return g.call("Rename", func() error { return g.s.(Renamer).Rename(from, to) })
}

// A guardedFile is a file of a guardedStore.
type guardedFile struct {
	b Backing
	*visits
}

func (g *guardedFile) call(method string, f func() error) error {
	defer sched.Stores.Enter(g.visits)()
	return guard(fmt.Sprintf("%s of the file, a %T,", method, g.b), "IO-DA-01", f)
}

func (g *guardedFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = g.call("ReadAt", func() (err error) { n, err = g.b.ReadAt(p, off); return err })
	return n, err
}

func (g *guardedFile) WriteAt(p []byte, off int64) (n int, err error) {
	err = g.call("WriteAt", func() (err error) { n, err = g.b.WriteAt(p, off); return err })
	return n, err
}

// Size returns a valid size, whatever the store returns.
func (g *guardedFile) Size() (n int64) {
	_ = g.call("Size", func() error { n = g.b.Size(); return nil })
	return min(max(n, 0), extent.MaxSize)
}

func (g *guardedFile) SetSize(n int64) error {
	return g.call("SetSize", func() error { return g.b.SetSize(n) })
}

func (g *guardedFile) Sync() error  { return g.call("Sync", g.b.Sync) }
func (g *guardedFile) Close() error { return g.call("Close", g.b.Close) }

// Poison implements [image.Poisoner].
func (g *guardedFile) Poison() (b byte) {
	b = image.Poison
	if p, ok := g.b.(image.Poisoner); ok {
		_ = g.call("Poison", func() error { b = p.Poison(); return nil })
	}
	return b
}

// NextData implements [image.Sparse]. It never goes back.
func (g *guardedFile) NextData(off int64) int64 {
	next := off
	if s, ok := g.b.(image.Sparse); ok {
		_ = g.call("NextData", func() error { next = s.NextData(off); return nil })
	}
	return max(next, off)
}

// Reserve implements [image.Reserver].
func (g *guardedFile) Reserve(n int64) error {
	if r, ok := g.b.(image.Reserver); ok {
		return g.call("Reserve", func() error { return r.Reserve(n) })
	}
	return nil
}

// A guardedPager is a file of a guardedStore that lends its pages. Methods without an error
// result let a panic through, because no page could take the place of the result.
type guardedPager struct {
	guardedFile
	p image.Pager
}

func (g *guardedPager) Grow(n int64) {
	defer sched.Stores.Enter(g.visits)()
	g.p.Grow(n)
}

func (g *guardedPager) Page(i int64) []byte {
	defer sched.Stores.Enter(g.visits)()
	return g.p.Page(i)
}

func (g *guardedPager) Pages(lo, hi int64) []int64 {
	defer sched.Stores.Enter(g.visits)()
	return g.p.Pages(lo, hi)
}

func (g *guardedPager) Make(i, n int64, whole bool) (page []byte, err error) {
	err = g.call("Make", func() (err error) { page, err = g.p.Make(i, n, whole); return err })
	return page, err
}

// A renewingPager is a pager that accepts new pages in place of its own.
type renewingPager interface {
	image.Pager
	image.Renewer
}

// A guardedRenewer is a guardedPager that accepts new pages in place of its own.
type guardedRenewer struct {
	guardedPager
	r image.Renewer
}

func (g *guardedRenewer) Renew(i int64, page []byte) (old []byte, err error) {
	err = g.call("Renew", func() (err error) { old, err = g.r.Renew(i, page); return err })
	return old, err
}

// A guardedReader is a reader of the user's own. Its panics are errors, and so is an
// impossible count.
type guardedReader struct{ r io.Reader }

func (g guardedReader) Read(p []byte) (n int, err error) {
	err = guard(fmt.Sprintf("Read of a %T", g.r), "REP-INT-02", func() (err error) { n, err = g.r.Read(p); return err })
	if n < 0 || n > len(p) {
		return 0, broken(ErrOther, "REP-INT-02", "Read of a %T says that it read %d bytes into %d", g.r, n, len(p))
	}
	return n, err
}

// length returns how many bytes there are to read, or more if the reader does not say.
func (g guardedReader) length(more int) int {
	if l, ok := g.r.(interface{ Len() int }); ok {
		_ = guard("Len", "REP-INT-02", func() error { more = l.Len(); return nil }) // after a panic, Read returns the error
	}
	return more
}

// A guardedWriter is a writer of the user's own. Its panics are errors, and so are an
// impossible count and a count that is too low without an error.
type guardedWriter struct{ w io.Writer }

func (g guardedWriter) Write(p []byte) (n int, err error) {
	err = guard(fmt.Sprintf("Write of a %T", g.w), "REP-INT-02", func() (err error) { n, err = g.w.Write(p); return err })
	switch {
	case n < 0 || n > len(p):
		return 0, broken(ErrOther, "REP-INT-02", "Write of a %T says that it wrote %d of %d bytes", g.w, n, len(p))
	case n < len(p) && err == nil:
		err = io.ErrShortWrite
	}
	return n, err
}
