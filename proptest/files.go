package proptest

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
)

// Files makes the simplest layers: each rank opens the file in the operating system by
// itself, and reads and writes at offsets. Each layer has files of its own in dir, which are
// removed with the layer.
func Files(dir string) Maker {
	own, made := rand.Uint64(), new(atomic.Int64) // names that no other process has
	return func() (Layer, error) {
		return &osLayer{prefix: filepath.Join(dir, fmt.Sprintf("files%x-%d-", own, made.Add(1)))}, nil
	}
}

type osLayer struct {
	prefix string // of the paths of files
	mu     sync.Mutex
	names  []string
}

// Open opens the file on each rank.
func (l *osLayer) Open(c *comm.Comm, name string) (File, error) {
	f, err := os.OpenFile(l.prefix+name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.names, name) {
		l.names = append(l.names, name)
	}
	return &osFile{f, c, 0}, nil
}

// Stored returns the content in the file system.
func (l *osLayer) Stored(name string) ([]byte, error) { return ReadStored(l.prefix + name) }

// mostStored bounds the files that ReadStored reads.
const mostStored = 1 << 30

// ReadStored reads a file of the operating system for [Storage]. It returns an error for one of
// more than 1 GiB, such as a layer makes that writes at a wrong offset: no program has as many
// bytes unless it has far offsets, and then the suite does not ask for them.
func ReadStored(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > mostStored {
		return nil, fmt.Errorf("the stored file has %d bytes, more than any program writes: an offset is wrong", info.Size())
	}
	return os.ReadFile(path)
}

// Close removes the files.
func (l *osLayer) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	for _, name := range l.names {
		err = errors.Join(err, os.Remove(l.prefix+name))
	}
	return err
}

type osFile struct {
	f   *os.File
	c   *comm.Comm
	pos int64
}

func (o *osFile) ReadAt(p []byte, off int64) (int, error) { return untilEnd(o.f.ReadAt(p, off)) }

func (o *osFile) WriteAt(p []byte, off int64) (int, error) { return o.f.WriteAt(p, off) }

func (o *osFile) ReadAtAll(p []byte, off int64) (int, error) { return o.ReadAt(p, off) }

func (o *osFile) WriteAtAll(p []byte, off int64) (int, error) { return o.WriteAt(p, off) }

// Sync has nothing to do: all ranks share the kernel's pages.
func (o *osFile) Sync() error { return nil }

func (o *osFile) Close() error { return o.f.Close() }

func (o *osFile) Read(p []byte) (int, error) {
	n, err := o.ReadAt(p, o.pos)
	o.pos += int64(n)
	return n, err
}

func (o *osFile) Write(p []byte) (int, error) {
	n, err := o.WriteAt(p, o.pos)
	o.pos += int64(n)
	return n, err
}

func (o *osFile) ReadAll(p []byte) (int, error)  { return o.Read(p) }
func (o *osFile) WriteAll(p []byte) (int, error) { return o.Write(p) }

func (o *osFile) Seek(off iofile.Offset, whence iofile.Whence) error {
	switch whence {
	case iofile.SeekCur:
		off += iofile.Offset(o.pos)
	case iofile.SeekEnd:
		n, err := o.Size()
		if err != nil {
			return err
		}
		off += iofile.Offset(n)
	}
	if off < 0 {
		return os.ErrInvalid
	}
	o.pos = int64(off)
	return nil
}

func (o *osFile) Position() (int64, error) { return o.pos, nil }

func (o *osFile) Size() (int64, error) {
	st, err := o.f.Stat()
	if err != nil {
		return 0, err
	}
	return st.Size(), nil
}

// SetSize lets one rank set the size; the others wait until it is done.
func (o *osFile) SetSize(n int64) error {
	var err error
	if o.c.Rank() == 0 {
		err = o.f.Truncate(n)
	}
	return errors.Join(err, o.c.Barrier())
}

func (o *osFile) Preallocate(n int64) error {
	var err error
	if o.c.Rank() == 0 {
		var size int64
		if size, err = o.Size(); err == nil && size < n {
			err = o.f.Truncate(n)
		}
	}
	return errors.Join(err, o.c.Barrier())
}

// untilEnd removes io.EOF: here the end of the file is not an error.
func untilEnd(n int, err error) (int, error) {
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}
