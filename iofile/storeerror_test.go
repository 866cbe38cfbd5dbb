package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

var errOfStore = errors.New("a sentinel of the store")

// A quotaError is an error type of a store.
type quotaError struct{ left int64 }

func (e *quotaError) Error() string { return fmt.Sprint(e.left, " bytes left") }

// A failingStore fails in one method, of it or of its files.
type failingStore struct {
	iofile.Store
	method string
	err    error
}

func (s *failingStore) fail(method string) error {
	if s.method == method {
		return s.err
	}
	return nil
}

func (s *failingStore) Open(name string, flag iofile.OpenFlag) (iofile.Backing, error) {
	b, err := s.Store.Open(name, flag)
	if err == nil {
		err = s.fail("Open")
	}
	return &failingFile{b, s}, err
}

func (s *failingStore) Remove(name string) error {
	return errors.Join(s.Store.Remove(name), s.fail("Remove"))
}

type failingFile struct {
	iofile.Backing
	s *failingStore
}

func (f *failingFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.s.fail("ReadAt"); err != nil {
		return 0, err
	}
	return f.Backing.ReadAt(p, off)
}

func (f *failingFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.s.fail("WriteAt"); err != nil {
		return 0, err
	}
	return f.Backing.WriteAt(p, off)
}

func (f *failingFile) SetSize(n int64) error {
	return errors.Join(f.s.fail("SetSize"), f.Backing.SetSize(n))
}

func (f *failingFile) Sync() error { return errors.Join(f.s.fail("Sync"), f.Backing.Sync()) }

func (f *failingFile) Close() error { return errors.Join(f.s.fail("Close"), f.Backing.Close()) }

// If this fails, errors.Is does not find the error of the program's own store.
func TestErrorsOfStores(t *testing.T) {
	_, ofMemory := iofile.NewMemStore().Open("absent", 0)
	_, ofSystem := os.Open("absent")
	causes := map[string]struct {
		err  error
		want []error
	}{
		"a sentinel":                {errOfStore, []error{errOfStore, iofile.ErrIO}},
		"ENOSPC":                    {syscall.ENOSPC, []error{syscall.ENOSPC}},
		"a class and ENOSPC":        {fmt.Errorf("%w: %w", iofile.ErrNoSpace, syscall.ENOSPC), []error{syscall.ENOSPC, iofile.ErrNoSpace}},
		"fs.ErrPermission":          {fs.ErrPermission, []error{fs.ErrPermission}},
		"a path error":              {ofSystem, []error{fs.ErrNotExist, syscall.ENOENT}},
		"a type":                    {&quotaError{7}, nil},
		"one around that of memory": {fmt.Errorf("%w: %w", errOfStore, ofMemory), []error{errOfStore, iofile.ErrNoSuchFile}},
		"that of memory first":      {errors.Join(ofMemory, errOfStore), []error{errOfStore, iofile.ErrNoSuchFile}},
		"one of a file system":      {fmt.Errorf("%w: %w", errOfStore, iofile.Delete(iofile.NewMem(), "absent")), []error{errOfStore, iofile.ErrNoSuchFile}},
	}
	for name, c := range causes {
		for _, method := range []string{"Open", "ReadAt", "WriteAt", "SetSize", "Sync", "Close", "Remove"} {
			for _, n := range []int{1, 2} {
				t.Run(fmt.Sprintf("ERR-09 %s of %s on %d ranks", name, method, n), func(t *testing.T) {
					store := &failingStore{Store: iofile.NewMemStore(), method: method, err: c.err}
					fsys := iofile.NewFS(store)
					err := world.Run(t.Context(), n, func(_ context.Context, w *comm.Comm) error {
						f, err := iofile.Open(w, fsys, "f", rw|iofile.Create)
						if err != nil {
							return err
						}
						defer f.Close()
						if _, err := f.WriteAtAll(types.Of([]byte("12")), iofile.Offset(2*w.Rank())); err != nil {
							return err
						}
						if err := f.Sync(); err != nil {
							return err
						}
						if err := f.SetSize(1); err != nil {
							return err
						}
						if _, err := f.ReadAtAll(types.Of(make([]byte, 2)), 0); err != nil {
							return err
						}
						if err := f.Close(); err != nil || w.Rank() > 0 {
							return err
						}
						return iofile.Delete(fsys, "f")
					}, world.Unchecked())
					var e *iofile.Error
					assert.ErrorAs(t, err, &e)
					for _, want := range c.want {
						assert.ErrorIs(t, err, want)
					}
					if c.want == nil {
						var q *quotaError
						assert.ErrorAs(t, err, &q)
					}
				})
			}
		}
	}
}
