package proptest_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
)

func TestLayer(t *testing.T) { proptest.Conformance(t, newLayer) }

func FuzzLayer(f *testing.F) { proptest.Fuzz(f, newLayer, "everything") }

// newLayer makes a layer for one program, with a folder of its own.
func newLayer() (proptest.Layer, error) {
	dir, err := os.MkdirTemp("", "layer")
	return layer{dir}, err
}

type layer struct{ dir string }

// Open opens the file on each rank: put the open of your library here.
func (l layer) Open(c *comm.Comm, name string) (proptest.File, error) {
	f, err := os.OpenFile(filepath.Join(l.dir, name), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	return &file{c, proptest.YieldingDisk(c, f)}, nil
}

// Stored returns the bytes that remain if all ranks die now.
func (l layer) Stored(name string) ([]byte, error) {
	return proptest.ReadStored(filepath.Join(l.dir, name))
}

// Close ends the layer, after its program.
func (l layer) Close() error { return os.RemoveAll(l.dir) }

// A file is one rank's handle.
type file struct {
	c *comm.Comm
	d proptest.Disk
}

// ReadAt returns fewer bytes at the end of the file, and no error.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.d.ReadAt(p, off)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

func (f *file) WriteAt(p []byte, off int64) (int, error) { return f.d.WriteAt(p, off) }

// Collective accesses, if your library has them.
func (f *file) ReadAtAll(p []byte, off int64) (int, error)  { return f.ReadAt(p, off) }
func (f *file) WriteAtAll(p []byte, off int64) (int, error) { return f.WriteAt(p, off) }

// Sync publishes what this rank has written, and drops what it has cached.
func (f *file) Sync() error { return nil }

func (f *file) Close() error { return f.d.Close() }

// Size, SetSize and Preallocate, if your library has them.
func (f *file) Size() (int64, error) {
	info, err := f.d.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f *file) SetSize(n int64) error {
	var err error
	if f.c.Rank() == 0 {
		err = f.d.Truncate(n)
	}
	return errors.Join(err, f.c.Barrier())
}

func (f *file) Preallocate(n int64) error {
	var err error
	if size, e := f.Size(); f.c.Rank() == 0 && size < n {
		err = errors.Join(e, f.d.Truncate(n))
	}
	return errors.Join(err, f.c.Barrier())
}
