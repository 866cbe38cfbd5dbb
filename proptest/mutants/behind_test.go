package mutants

import (
	"errors"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
)

// A behind file keeps writes in memory and writes them at a sync or close.
type behind struct {
	c       *comm.Comm
	d       proptest.Disk
	b       bug
	pending []part
}

func newBehind(b bug) func(*comm.Comm, proptest.Disk, *shared) proptest.File {
	return func(c *comm.Comm, d proptest.Disk, _ *shared) proptest.File { return &behind{c: c, d: d, b: b} }
}

var behindBugs = []bug{
	"a sync writes nothing",
	"a sync writes all but the last write",
	"a close writes nothing",
	"writes are written in reverse order",
	"reads do not see own writes",
	"reads see only the latest own write",
	"reads end at the file's end before own writes",
	"the size does not count own writes",
	"more than four writes lose the oldest",
	"adjacent writes are joined in the wrong order",
	"a sync writes on rank 0 only",
	"rank 0 waits for the others before it writes",
	"buffers are not copied",
	"writes that overlap are dropped",
}

func (f *behind) ReadAt(p []byte, off int64) (int, error) {
	n, err := untilEnd(f.d.ReadAt(p, off))
	if err != nil || f.b == "reads do not see own writes" {
		return n, err
	}
	own := f.pending
	if f.b == "reads see only the latest own write" {
		own = own[max(0, len(own)-1):]
	}
	size := off + int64(n)
	if f.b != "reads end at the file's end before own writes" {
		for _, w := range own {
			size = max(size, w.off+int64(len(w.p)))
		}
	}
	n = int(max(int64(n), min(int64(len(p)), size-off)))
	for _, w := range own {
		for i, b := range w.p {
			if at := w.off + int64(i) - off; at >= 0 && at < int64(n) {
				p[at] = b
			}
		}
	}
	return n, nil
}

func (f *behind) WriteAt(p []byte, off int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if f.b == "writes that overlap are dropped" {
		f.pending = slices.DeleteFunc(f.pending, func(w part) bool {
			return w.off < off+int64(len(p)) && off < w.off+int64(len(w.p))
		})
	}
	if f.b != "buffers are not copied" {
		p = slices.Clone(p)
	}
	last := len(f.pending) - 1
	if last >= 0 && f.b == "adjacent writes are joined in the wrong order" {
		if w := &f.pending[last]; off+int64(len(p)) == w.off {
			w.p, w.off = slices.Concat(w.p, p), off
			return len(p), nil
		}
	}
	f.pending = append(f.pending, part{off, p})
	if len(f.pending) > 4 && f.b == "more than four writes lose the oldest" {
		f.pending = f.pending[1:]
	}
	return len(p), nil
}

// flush writes the pending writes.
func (f *behind) flush() error {
	if f.b == "writes are written in reverse order" {
		slices.Reverse(f.pending)
	}
	for _, w := range f.pending {
		if _, err := f.d.WriteAt(w.p, w.off); err != nil {
			return err
		}
	}
	f.pending = nil
	return nil
}

func (f *behind) ReadAtAll(p []byte, off int64) (int, error)  { return f.ReadAt(p, off) }
func (f *behind) WriteAtAll(p []byte, off int64) (int, error) { return f.WriteAt(p, off) }

func (f *behind) Sync() error {
	switch f.b {
	case "a sync writes nothing":
		return nil
	case "a sync writes all but the last write":
		if n := len(f.pending); n > 0 {
			last := f.pending[n-1:]
			f.pending = f.pending[:n-1]
			err := f.flush()
			f.pending = slices.Clone(last)
			return err
		}
	case "a sync writes on rank 0 only":
		if f.c.Rank() > 0 {
			return nil
		}
	case "rank 0 waits for the others before it writes":
		if f.c.Rank() == 0 && len(f.pending) > 0 {
			if err := f.c.Barrier(); err != nil {
				return err
			}
		}
	}
	return f.flush()
}

func (f *behind) Close() error {
	var err error
	if f.b != "a close writes nothing" {
		err = f.flush()
	}
	return errors.Join(err, f.d.Close())
}

func (f *behind) Size() (int64, error) {
	size, err := sizeOf(f.d)
	if f.b != "the size does not count own writes" {
		for _, w := range f.pending {
			size = max(size, w.off+int64(len(w.p)))
		}
	}
	return size, err
}

func (f *behind) SetSize(n int64) error {
	err := f.flush()
	if f.c.Rank() == 0 {
		err = errors.Join(err, f.d.Truncate(n))
	}
	return errors.Join(err, f.c.Barrier())
}

func (f *behind) Preallocate(n int64) error {
	err := f.flush()
	if f.c.Rank() == 0 {
		var size int64
		if size, err = sizeOf(f.d); err == nil && size < n {
			err = f.d.Truncate(n)
		}
	}
	return errors.Join(err, f.c.Barrier())
}
