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

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/stretchr/testify/assert"
)

// storeMakers make an empty store of each sort, and one wrapped as an injector
// of faults would do it, which hides what the backing can do beyond its
// interface.
var storeMakers = map[string]func(testing.TB) Store{
	"memory": func(testing.TB) Store { return newMemStore(consistency.Poison) },
	"directory": func(tb testing.TB) Store {
		s, err := newDirStore(tb.TempDir(), true)
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { s.Close() })
		return s
	},
	"wrapped": func(testing.TB) Store { return &wrapped{inner: newMemStore(consistency.Poison)} },
}

// wrapped forwards by hand, so that a new method of Store is not forgotten.
type wrapped struct {
	inner  Store
	denied error // of opening for writing
	full   error // of writing
}

func (w *wrapped) Open(name string, flag OpenFlag) (consistency.Backing, error) {
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
	inner consistency.Backing
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

func mustOpen(t *testing.T, s Store, name string, flag OpenFlag) consistency.Backing {
	t.Helper()
	b, err := s.Open(name, flag)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func text(t *testing.T, b consistency.Backing) string {
	t.Helper()
	p := make([]byte, b.Size()+1)
	n, err := b.ReadAt(p, 0)
	assert.Equal(t, io.EOF, err)
	return string(p[:n])
}

// If this fails, a program that works on one store breaks on another: each
// promises the same of names and bytes.
func TestStoreConformance(t *testing.T) {
	for name, make := range storeMakers {
		t.Run(name, func(t *testing.T) {
			t.Run("opening", func(t *testing.T) { storeOpening(t, make(t)) })
			t.Run("bytes", func(t *testing.T) { storeBytes(t, make(t)) })
			t.Run("removing", func(t *testing.T) { storeRemoving(t, make(t)) })
			t.Run("directories", func(t *testing.T) { storeDirectories(t, make(t)) })
		})
	}
}

func storeOpening(t *testing.T, s Store) {
	_, err := s.Open("f", FlagWrite)
	classIs(t, ErrNoSuchFile, err, "open what is not there")
	_, err = s.Open("f", FlagWrite|FlagExcl)
	classIs(t, ErrNoSuchFile, err, "excl alone creates nothing")
	b := mustOpen(t, s, "f", FlagWrite|FlagCreate|FlagExcl)
	assert.Zero(t, b.Size(), "IO-SIZE-10")
	_, err = b.WriteAt([]byte("kept"), 0)
	assert.NoError(t, err)
	assert.NoError(t, b.Sync())
	assert.NoError(t, b.Close())
	_, err = s.Open("f", FlagWrite|FlagCreate|FlagExcl)
	classIs(t, ErrFileExists, err, "excl finds the file")
	b = mustOpen(t, s, "f", FlagWrite|FlagCreate)
	assert.Equal(t, "kept", text(t, b), "create does not truncate")
	assert.NoError(t, b.Close())
}

func storeBytes(t *testing.T, s Store) {
	b := mustOpen(t, s, "f", FlagWrite|FlagCreate)
	const far = 3*consistency.PageSize - 2
	for _, w := range []struct {
		off  int64
		text string
	}{{0, "abcdef"}, {far, "across"}, {2, "XY"}} {
		n, err := b.WriteAt([]byte(w.text), w.off)
		assert.NoError(t, err)
		assert.Equal(t, len(w.text), n)
	}
	assert.EqualValues(t, far+6, b.Size())
	p := make([]byte, 6)
	n, err := b.ReadAt(p, far)
	assert.Equal(t, "across", string(p[:n]))
	assert.True(t, err == nil || err == io.EOF)
	n, err = b.ReadAt(p, far+4)
	assert.Equal(t, "ss", string(p[:n]))
	assert.Equal(t, io.EOF, err)
	n, err = b.ReadAt(p, far+400)
	assert.Zero(t, n)
	assert.Equal(t, io.EOF, err)
	assert.NoError(t, b.SetSize(4))
	assert.Equal(t, "abXY", text(t, b))
	assert.NoError(t, b.SetSize(6))
	assert.EqualValues(t, 6, b.Size())
	assert.Equal(t, "abXY", text(t, b)[:4])
	assert.NotEqual(t, "ef", text(t, b)[4:], "cut bytes do not come back")
	assert.NoError(t, b.Close())
}

func storeRemoving(t *testing.T, s Store) {
	classIs(t, ErrNoSuchFile, s.Remove("f"), "remove what is not there")
	b := mustOpen(t, s, "f", FlagWrite|FlagCreate)
	_, err := b.WriteAt([]byte("old"), 0)
	assert.NoError(t, err)
	assert.NoError(t, s.Remove("f"))
	_, err = s.Stat("f")
	classIs(t, ErrNoSuchFile, err, "the name is gone")
	assert.Equal(t, "old", text(t, b), "the bytes live on")
	second := mustOpen(t, s, "f", FlagWrite|FlagCreate)
	assert.Zero(t, second.Size(), "a new file of that name is another file")
	assert.NoError(t, b.Close())
	assert.NoError(t, second.Close())
}

func storeDirectories(t *testing.T, s Store) {
	_, err := s.Open("d/f", FlagWrite|FlagCreate)
	classIs(t, ErrNoSuchFile, err, "no directory, no file")
	assert.NoError(t, s.Mkdir("d"))
	classIs(t, ErrFileExists, s.Mkdir("d"), "the directory is there")
	classIs(t, ErrNoSuchFile, s.Mkdir("x/y"), "its parent is not there")
	for _, name := range []string{"d/g", "d/f", "b", "e"} {
		assert.NoError(t, mustOpen(t, s, name, FlagWrite|FlagCreate).Close())
	}
	_, err = s.Open("d", FlagWrite)
	classIs(t, ErrBadFile, err, "a directory is no file")
	_, err = s.Open("b/f", FlagWrite|FlagCreate)
	classIs(t, ErrBadFile, err, "a file is no directory")
	classIs(t, ErrBadFile, s.Remove("d"), "deleting a directory")
	for dir, want := range map[string]string{".": "b d/ e", "d": "f g"} {
		list, err := s.List(dir)
		assert.NoError(t, err)
		var names []string
		for _, i := range list {
			if i.IsDir() {
				names = append(names, i.Name()+"/")
			} else {
				names = append(names, i.Name())
			}
		}
		assert.Equal(t, want, strings.Join(names, " "))
	}
	_, err = s.List("nowhere")
	classIs(t, ErrNoSuchFile, err, "list what is not there")
	info, err := s.Stat("d")
	assert.NoError(t, err)
	assert.True(t, info.IsDir())
	info, err = s.Stat(".")
	assert.NoError(t, err)
	assert.True(t, info.IsDir())
}

// If this fails, users of a real file system get a class that says something
// else than what happened (USERS 5: other libraries lose it).
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

// If this fails, a name leads out of the directory, or blocks for ever, or a
// program learns of it by a class that means something else.
func TestDirectoryNames(t *testing.T) {
	outside := t.TempDir()
	assert.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o600))
	root := t.TempDir()
	assert.NoError(t, os.Symlink(outside, filepath.Join(root, "out")))
	assert.NoError(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(root, "leak")))
	assert.NoError(t, os.Symlink("loop", filepath.Join(root, "loop")))
	s, err := newDirStore(root, true)
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
