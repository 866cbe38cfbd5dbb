package iofile

import (
	"io/fs"
	"testing"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/fault"
	"github.com/stretchr/testify/assert"
)

// storeMakers make an empty store of each kind, and a wrapped one, as a fault injector
// makes it, which hides the optional methods of the backing.
var storeMakers = map[string]func(testing.TB) Store{
	"memory": func(testing.TB) Store { return NewMemStore() },
	"directory": func(tb testing.TB) Store {
		s, err := NewDirStore(tb.TempDir())
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { s.Close() })
		return s
	},
	"directory, not durable": func(tb testing.TB) Store {
		s, err := NewDirStore(tb.TempDir(), WithDir(DirSettings{Undurable: true}))
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { s.Close() })
		return s
	},
	"wrapped": func(testing.TB) Store { return &wrapped{inner: NewMemStore()} },
}

// wrapped forwards by hand, so that a new method of Store is not forgotten.
type wrapped struct {
	inner  Store
	denied error // of opening for writing
	full   error // of writing
}

func (w *wrapped) Open(name string, flag OpenFlag) (Backing, error) {
	if w.denied != nil && flag&FlagWrite != 0 {
		return nil, w.denied
	}
	b, err := w.inner.Open(name, flag)
	if err != nil {
		return nil, err
	}
	return &wrappedFile{b, w}, nil
}
func (w *wrapped) Remove(name string) error                  { return w.inner.Remove(name) }
func (w *wrapped) Stat(name string) (fs.FileInfo, error)     { return w.inner.Stat(name) }
func (w *wrapped) List(dir string) ([]fs.FileInfo, error)    { return w.inner.List(dir) }
func (w *wrapped) Mkdir(name string) error                   { return w.inner.Mkdir(name) }
func (w *wrapped) Close() error                              { return w.inner.Close() }
func (f *wrappedFile) ReadAt(p []byte, o int64) (int, error) { return f.inner.ReadAt(p, o) }
func (f *wrappedFile) Size() int64                           { return f.inner.Size() }
func (f *wrappedFile) SetSize(n int64) error                 { return f.inner.SetSize(n) }
func (f *wrappedFile) Sync() error                           { return f.inner.Sync() }
func (f *wrappedFile) Close() error                          { return f.inner.Close() }

type wrappedFile struct {
	inner Backing
	store *wrapped
}

func (f *wrappedFile) WriteAt(p []byte, off int64) (int, error) {
	if f.store.full != nil {
		return 0, f.store.full
	}
	return f.inner.WriteAt(p, off)
}

// classIs asserts the class of an error that may still be a fault.
func classIs(t *testing.T, want errclass.Class, err error, what string) {
	t.Helper()
	if assert.Error(t, err, what) {
		got, rule := fault.ClassOf(err)
		assert.Equal(t, want, got, "%s: %v (%s)", what, err, rule)
	}
}
