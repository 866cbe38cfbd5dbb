package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/fault"
	"github.com/stretchr/testify/assert"
)

// classIs asserts the class of an error that may still be a fault.
func classIs(t *testing.T, want errclass.Class, err error, what string) {
	t.Helper()
	if assert.Error(t, err, what) {
		got, rule := fault.ClassOf(err)
		assert.Equal(t, want, got, "%s: %v (%s)", what, err, rule)
	}
}

// If this fails, errors of a real file system have a wrong class (USERS 5: other libraries
// lose the class).
func TestSystemErrors(t *testing.T) {
	for no, want := range map[syscall.Errno]errclass.Class{
		syscall.EACCES:       errclass.Access,
		syscall.EPERM:        errclass.Access,
		syscall.ENOENT:       errclass.NoSuchFile,
		syscall.EEXIST:       errclass.FileExists,
		syscall.EROFS:        errclass.ReadOnly,
		syscall.ENAMETOOLONG: errclass.BadFile,
		syscall.EISDIR:       errclass.BadFile,
		syscall.ENOTDIR:      errclass.BadFile,
		syscall.ELOOP:        errclass.BadFile,
		syscall.ENOSPC:       errclass.NoSpace,
		syscall.EDQUOT:       errclass.Quota,
		syscall.EBUSY:        errclass.FileInUse,
		syscall.EBADF:        errclass.File,
		syscall.EIO:          errclass.IO,
		syscall.EFBIG:        errclass.IO,
	} {
		if errors.Is(no, fs.ErrNotExist) {
			want = errclass.NoSuchFile // ENOTDIR, too, on Windows
		}
		err := dataError(&fs.PathError{Op: "write", Path: "f", Err: no})
		classIs(t, want, err, no.Error())
		assert.ErrorIs(t, err, want)
		assert.ErrorIs(t, err, no)
		got, _ := fault.ClassOf(fmt.Errorf("wrapped: %w", err))
		assert.Equal(t, want, got)
	}
	classIs(t, errclass.File, dataError(&fs.PathError{Op: "read", Err: os.ErrClosed}), "closed")
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
	s, err := NewDir(root, DirSettings{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range []string{"out/secret", "leak", "loop", "../" + filepath.Base(outside) + "/secret"} {
		_, err := s.Open(name, FlagWrite|FlagCreate)
		classIs(t, errclass.BadFile, err, name)
	}
	t.Run("longest name, part of IO-NAME-01", func(t *testing.T) {
		_, err = s.Open(strings.Repeat("a", 300), FlagWrite|FlagCreate)
		classIs(t, errclass.BadFile, err, "long")
	})
	list, err := s.List(".")
	assert.NoError(t, err)
	assert.Empty(t, list, "what leads out is not shown")
}

// BenchmarkStore is one write of 1 MiB through a page of memory or a call of
// the operating system.
func BenchmarkStore(b *testing.B) {
	dir, err := NewDir(b.TempDir(), DirSettings{})
	if err != nil {
		b.Fatal(err)
	}
	for name, s := range map[string]Store{"memory": NewMem(MemSettings{}), "directory": dir} {
		b.Run(name, func(b *testing.B) {
			f, err := s.Open("f", FlagWrite|FlagCreate)
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
