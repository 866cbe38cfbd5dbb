package iofile

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/image"
	"github.com/stretchr/testify/assert"
)

// storeMakers make an empty store of each kind, and a wrapped one, as a fault injector
// makes it, which hides the optional methods of the backing.
var storeMakers = map[string]func(testing.TB) Store{
	"memory": func(testing.TB) Store { return newMemStore(image.Poison) },
	"directory": func(tb testing.TB) Store {
		s, err := newDirStore(tb.TempDir(), options{})
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { s.Close() })
		return s
	},
	"directory, not durable": func(tb testing.TB) Store {
		s, err := newDirStore(tb.TempDir(), optionsOf([]Option{WithoutDurability()}))
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { s.Close() })
		return s
	},
	"wrapped": func(testing.TB) Store { return &wrapped{inner: newMemStore(image.Poison)} },
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
		got, rule := classOf(err)
		assert.Equal(t, want, got, "%s: %v (%s)", what, err, rule)
	}
}

// If this fails, errors of a real file system have a wrong class (USERS 5: other libraries
// lose the class).
func TestSystemErrors(t *testing.T) {
	for no, want := range map[syscall.Errno]errclass.Class{
		syscall.EACCES:       ErrAccess,
		syscall.EPERM:        ErrAccess,
		syscall.ENOENT:       ErrNoSuchFile,
		syscall.EEXIST:       ErrFileExists,
		syscall.EROFS:        ErrReadOnly,
		syscall.ENAMETOOLONG: ErrBadFile,
		syscall.EISDIR:       ErrBadFile,
		syscall.ENOTDIR:      ErrBadFile,
		syscall.ELOOP:        ErrBadFile,
		syscall.ENOSPC:       ErrNoSpace,
		syscall.EDQUOT:       ErrQuota,
		syscall.EBUSY:        ErrFileInUse,
		syscall.EBADF:        ErrFile,
		syscall.EIO:          ErrIO,
		syscall.EFBIG:        ErrIO,
	} {
		err := dataError(&fs.PathError{Op: "write", Path: "f", Err: no})
		classIs(t, want, err, no.Error())
		assert.ErrorIs(t, err, want)
		assert.ErrorIs(t, err, no)
		got, _ := classOf(fmt.Errorf("wrapped: %w", err))
		assert.Equal(t, want, got)
	}
	classIs(t, ErrFile, dataError(&fs.PathError{Op: "read", Err: os.ErrClosed}), "closed")
	assert.Equal(t, io.EOF, dataError(io.EOF))
	assert.NoError(t, dataError(nil))
}

// If this fails, a name leads out of the directory, blocks for ever, or returns an error
// of a wrong class.
func TestDirectoryNames(t *testing.T) {
	outside := t.TempDir()
	assert.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o600))
	root := t.TempDir()
	assert.NoError(t, os.Symlink(outside, filepath.Join(root, "out")))
	assert.NoError(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(root, "leak")))
	assert.NoError(t, os.Symlink("loop", filepath.Join(root, "loop")))
	s, err := newDirStore(root, options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range []string{"out/secret", "leak", "loop", "../" + filepath.Base(outside) + "/secret"} {
		_, err := s.Open(name, FlagWrite|FlagCreate)
		classIs(t, ErrBadFile, err, name)
	}
	t.Run("longest name, part of IO-NAME-01", func(t *testing.T) {
		_, err = s.Open(strings.Repeat("a", 300), FlagWrite|FlagCreate)
		classIs(t, ErrBadFile, err, "long")
	})
	list, err := s.List(".")
	assert.NoError(t, err)
	assert.Empty(t, list, "what leads out is not shown")
}

// BenchmarkStore is one write of 1 MiB through a page of memory or a call of
// the operating system.
func BenchmarkStore(b *testing.B) {
	for name, make := range storeMakers {
		b.Run(name, func(b *testing.B) {
			f, err := make(b).Open("f", FlagWrite|FlagCreate)
			if err != nil {
				b.Fatal(err)
			}
			p := [1 << 20]byte{}
			b.SetBytes(int64(len(p)))
			for b.Loop() {
				if _, err := f.WriteAt(p[:], 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
