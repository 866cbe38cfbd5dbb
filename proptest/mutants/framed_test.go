package mutants

import (
	"encoding/binary"
	"errors"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/types"
)

// header is the number of bytes of a framed file before the data.
const header = 8

// A framed file keeps the length of the data, big-endian, in a header; the length of the
// file itself has no meaning. At each sync the ranks agree on the length, and rank 0
// writes it.
type framed struct {
	c      *comm.Comm
	d      proptest.Disk
	b      bug
	length int64
}

func newFramed(b bug) func(*comm.Comm, proptest.Disk, *shared) proptest.File {
	return func(c *comm.Comm, d proptest.Disk, _ *shared) proptest.File {
		f := &framed{c: c, d: d, b: b}
		f.length, _ = f.stored()
		return f
	}
}

var framedBugs = []bug{
	"the length is written in the wrong byte order",
	"every rank writes the length that it knows",
	"the length is that of rank 0",
	"the length is the sum of all ranks' growth",
	"the length is written at the close only, by rank 0",
	"the length is read at the open only",
	"the size counts the header",
	"the length has 16 bits",
	"data begin a byte early where there is no length yet",
	"a sync writes the length and not for readers",
	"set_size leaves the length",
	"a write behind the end writes from the end",
	"a read of the header's bytes is not refused at the end",
}

// stored returns the length in the header, 0 if there is none.
func (f *framed) stored() (int64, error) {
	var h [header]byte
	n, err := untilEnd(f.d.ReadAt(h[:], 0))
	if err != nil || n < header {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(h[:])), nil
}

func (f *framed) store() error {
	var h [header]byte
	switch f.b {
	case "the length is written in the wrong byte order":
		binary.LittleEndian.PutUint64(h[:], uint64(f.length))
	case "the length has 16 bits":
		binary.BigEndian.PutUint64(h[:], uint64(uint16(f.length)))
	default:
		binary.BigEndian.PutUint64(h[:], uint64(f.length))
	}
	_, err := f.d.WriteAt(h[:], 0)
	return err
}

func (f *framed) ReadAt(p []byte, off int64) (int, error) {
	want := p[:max(0, min(int64(len(p)), f.length-off))]
	n, err := untilEnd(f.d.ReadAt(want, header+off))
	if f.b == "a read of the header's bytes is not refused at the end" && off+int64(len(p)) > f.length {
		n = min(len(p), n+1)
	}
	return n, err
}

func (f *framed) WriteAt(p []byte, off int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	at := header + off
	switch {
	case f.b == "data begin a byte early where there is no length yet" && f.length == 0:
		at--
	case f.b == "a write behind the end writes from the end" && off > f.length:
		at = header + f.length
	}
	n, err := f.d.WriteAt(p, at)
	f.length = max(f.length, off+int64(n))
	return n, err
}

func (f *framed) ReadAtAll(p []byte, off int64) (int, error)  { return f.ReadAt(p, off) }
func (f *framed) WriteAtAll(p []byte, off int64) (int, error) { return f.WriteAt(p, off) }

// agree sets the length to the largest that a rank knows.
func (f *framed) agree() error {
	switch f.b {
	case "the length is that of rank 0":
		at := []int64{f.length}
		err := f.c.Bcast(types.Of(at), 0)
		f.length = at[0]
		return err
	case "the length is the sum of all ranks' growth":
		old, err := f.stored()
		if err != nil {
			return err
		}
		sum := make([]int64, 1)
		err = f.c.AllReduce(types.Of([]int64{f.length - old}), types.Of(sum), comm.Sum)
		f.length = old + sum[0]
		return err
	case "every rank writes the length that it knows":
		return f.store()
	}
	most := make([]int64, 1)
	err := f.c.AllReduce(types.Of([]int64{f.length}), types.Of(most), comm.Max)
	f.length = most[0]
	return err
}

func (f *framed) Sync() error {
	switch f.b {
	case "the length is written at the close only, by rank 0", "the length is read at the open only":
		return nil
	case "every rank writes the length that it knows":
		if err := f.store(); err != nil {
			return err
		}
		length, err := f.stored()
		f.length = length
		return err
	case "a sync writes the length and not for readers":
		mine := f.length
		err := f.agree()
		if err == nil && f.c.Rank() == 0 {
			err = f.store()
		}
		f.length = mine
		return err
	}
	err := f.agree()
	if err == nil && f.c.Rank() == 0 {
		err = f.store()
	}
	return err
}

func (f *framed) Close() error {
	var err error
	switch f.b {
	case "the length is read at the open only":
		err = f.store()
	case "the length is written at the close only, by rank 0":
		if f.c.Rank() == 0 {
			err = f.store()
		}
	default:
		if err = f.agree(); err == nil && f.c.Rank() == 0 {
			err = f.store()
		}
	}
	return errors.Join(err, f.d.Close())
}

func (f *framed) Size() (int64, error) {
	if f.b == "the size counts the header" {
		return sizeOf(f.d)
	}
	return f.length, nil
}

func (f *framed) SetSize(n int64) error {
	if f.b == "set_size leaves the length" {
		return f.c.Barrier()
	}
	f.length = n
	var err error
	if f.c.Rank() == 0 {
		err = errors.Join(f.d.Truncate(header+n), f.store())
	}
	return errors.Join(err, f.c.Barrier())
}

func (f *framed) Preallocate(n int64) error { return f.SetSize(max(f.length, n)) }
