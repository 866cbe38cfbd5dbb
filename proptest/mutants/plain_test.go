package mutants

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
)

// folder returns a maker of layers over files of the operating system, each in a new
// directory.
func folder(dir string, open func(c *comm.Comm, d proptest.Disk, shared *shared) proptest.File) proptest.Maker {
	return func() (proptest.Layer, error) {
		own, err := os.MkdirTemp(dir, "layer")
		return &folderLayer{own, open, new(shared)}, err
	}
}

type folderLayer struct {
	dir    string
	open   func(c *comm.Comm, d proptest.Disk, shared *shared) proptest.File
	shared *shared
}

func (l *folderLayer) Open(c *comm.Comm, name string) (proptest.File, error) {
	f, err := os.OpenFile(filepath.Join(l.dir, name), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	return l.open(c, proptest.YieldingDisk(c, f), l.shared), nil
}

func (l *folderLayer) Close() error { return os.RemoveAll(l.dir) }

// A plain file reads and writes a file of the operating system directly.
type plain struct {
	c *comm.Comm
	d proptest.Disk
	b bug

	size int64 // at the open, for the bug that remembers it
}

func newPlain(b bug) func(c *comm.Comm, d proptest.Disk, _ *shared) proptest.File {
	return func(c *comm.Comm, d proptest.Disk, _ *shared) proptest.File {
		f := &plain{c: c, d: d, b: b}
		if b == "remembers the size of the open" {
			f.size, _ = sizeOf(d)
		}
		return f
	}
}

func sizeOf(d proptest.Disk) (int64, error) {
	info, err := d.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// untilEnd removes io.EOF: here the end of the file is not an error.
func untilEnd(n int, err error) (int, error) {
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

func (f *plain) at(off int64) int64 {
	switch f.b {
	case "offsets have 32 bits":
		return int64(int32(off))
	case "offsets are unsigned and have 32 bits":
		return int64(uint32(off))
	case "offsets have 43 bits":
		return off & (1<<43 - 1)
	case "block numbers of 2048 bytes have 30 bits":
		return off & (1<<41 - 1)
	case "offsets are converted to float32":
		return int64(float32(off))
	}
	return off
}

func (f *plain) ReadAt(p []byte, off int64) (int, error) {
	n, err := untilEnd(f.d.ReadAt(p, f.at(off)))
	switch f.b {
	case "a read at the end counts the requested bytes":
		n = len(p)
	case "a read at the end is an error":
		if err == nil && n < len(p) {
			err = io.EOF
		}
	case "a read stops at a multiple of 64":
		if stop := 64 - off%64; err == nil && int64(n) > stop {
			n = int(stop)
		}
	case "remembers the size of the open":
		n = int(min(int64(n), max(0, f.size-off)))
	}
	return n, err
}

func (f *plain) WriteAt(p []byte, off int64) (int, error) {
	switch f.b {
	case "a write of nothing makes the file longer":
		if len(p) == 0 {
			_, err := f.d.WriteAt([]byte{0}, off)
			return 0, err
		}
	case "writes end at a multiple of 512":
		if over := (off + int64(len(p))) % 512; int64(len(p)) > over && off/512 != (off+int64(len(p))-1)/512 {
			_, err := f.d.WriteAt(p[:int64(len(p))-over], off)
			return len(p), err
		}
	case "long writes count one byte less":
		if len(p) > 3 {
			n, err := f.d.WriteAt(p, off)
			return n - 1, err
		}
	case "writes behind the end go to the end":
		size, err := sizeOf(f.d)
		if err != nil {
			return 0, err
		}
		return f.d.WriteAt(p, min(off, size))
	case "remembers the size of the open":
		f.size = max(f.size, off+int64(len(p)))
	case "a write that crosses a multiple of 4096 puts the rest one byte late":
		if first := 4096 - off%4096; int64(len(p)) > first {
			if _, err := f.d.WriteAt(p[:first], off); err != nil {
				return 0, err
			}
			_, err := f.d.WriteAt(p[first:], off+first+1)
			return len(p), err
		}
	case "neighbours of a write are written back":
		return f.writeBack(p, off)
	}
	return f.d.WriteAt(p, f.at(off))
}

// writeBack also writes the 4 bytes before and after p, with the values that it has just
// read.
func (f *plain) writeBack(p []byte, off int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	lo := max(0, off-4)
	around := make([]byte, off-lo+int64(len(p))+4)
	n, err := untilEnd(f.d.ReadAt(around, lo))
	if err != nil {
		return 0, err
	}
	copy(around[off-lo:], p)
	_, err = f.d.WriteAt(around[:max(n, int(off-lo)+len(p))], lo)
	return len(p), err
}

func (f *plain) ReadAtAll(p []byte, off int64) (int, error) {
	if f.b == "collective reads of nothing stay away" {
		if len(p) == 0 {
			return 0, nil
		}
		if err := f.c.Barrier(); err != nil {
			return 0, err
		}
	}
	return f.ReadAt(p, off)
}

func (f *plain) WriteAtAll(p []byte, off int64) (int, error) {
	return aggregate(f.c, f.b, f.WriteAt, p, off)
}

// Sync has nothing to do: all ranks share the kernel's pages.
func (f *plain) Sync() error { return nil }

func (f *plain) Close() error { return f.d.Close() }

func (f *plain) Size() (int64, error) {
	size, err := sizeOf(f.d)
	switch f.b {
	case "the size has 32 bits":
		size = int64(int32(size))
	case "remembers the size of the open":
		size = f.size
	case "the size counts whole units of 8":
		size = (size + 7) / 8 * 8
	}
	return size, err
}

func (f *plain) SetSize(n int64) error {
	var err error
	switch {
	case f.b == "set_size only makes longer":
		return f.Preallocate(n)
	case f.c.Rank() == 0:
		if f.b == "set_size rounds up to 8" {
			n = (n + 7) / 8 * 8
		}
		err = f.d.Truncate(n)
	}
	f.size = n
	if f.b == "set_size does not wait for the rank that sets it" {
		return err
	}
	return errors.Join(err, f.c.Barrier())
}

func (f *plain) Preallocate(n int64) error {
	var err error
	if f.c.Rank() == 0 {
		var size int64
		if size, err = sizeOf(f.d); err == nil && (size < n || f.b == "preallocate cuts") {
			err = f.d.Truncate(n)
		}
	}
	f.size = max(f.size, n)
	return errors.Join(err, f.c.Barrier())
}

var plainBugs = []bug{
	"set_size does not wait for the rank that sets it", // of others, see Origins
	"offsets have 32 bits",
	"offsets are unsigned and have 32 bits",
	"offsets are converted to float32",
	"offsets have 43 bits",
	"block numbers of 2048 bytes have 30 bits",
	"a read at the end counts the requested bytes",
	"a read at the end is an error",
	"a read stops at a multiple of 64",
	"a write of nothing makes the file longer",
	"writes end at a multiple of 512",
	"long writes count one byte less",
	"writes behind the end go to the end",
	"a write that crosses a multiple of 4096 puts the rest one byte late",
	"neighbours of a write are written back",
	"collective reads of nothing stay away",
	"collective writes use the offset of rank 0",
	"collective writes fill holes with zeros",
	"collective writes lose the last rank's bytes",
	"collective writes go in the order of arrival at one place",
	"remembers the size of the open",
	"the size has 32 bits",
	"the size counts whole units of 8",
	"set_size only makes longer",
	"set_size rounds up to 8",
	"preallocate cuts",
}
