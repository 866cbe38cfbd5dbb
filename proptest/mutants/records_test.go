package mutants

import (
	"encoding/binary"
	"errors"
	"io/fs"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/types"
)

// A recordLayer is a container over this module's files: a header with the length of the
// data, then the data. SyncAll is its one collective call that publishes, orders and
// fetches.
type recordLayer struct {
	fsys *iofile.FS
	b    bug
}

func newRecords(b bug) proptest.Maker {
	return func() (proptest.Layer, error) { return &recordLayer{iofile.NewMem(), b}, nil }
}

var recordBugs = []bug{
	"SyncAll has no barrier",
	"SyncAll has no second sync",
	"SyncAll has no first sync",
	"SyncAll is a barrier",
	"every rank writes the header",
	"every rank reads the header, one writes it",
	"every rank writes the length that it knows",
	"the length is read from the header without a sync",
	"the length is not fetched by a sync",
	"bytes are written back in blocks of 8",
	"reads and writes go through two handles",
	"collective accesses go through a handle of their own",
}

func (l *recordLayer) Open(c *comm.Comm, name string) (proptest.File, error) {
	mode := iofile.Create | iofile.ReadWrite
	f, err := iofile.Open(c, l.fsys, name, mode)
	if err != nil {
		return nil, err
	}
	r := &records{c: c, f: f, second: f, b: l.b}
	if l.b == "reads and writes go through two handles" || l.b == "collective accesses go through a handle of their own" {
		if r.second, err = iofile.Open(c, l.fsys, name, mode); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return r, r.opened()
}

// opened lets rank 0 alone read the header, because only rank 0 writes it; the other
// ranks write only after that.
func (r *records) opened() (err error) {
	if r.b == "every rank reads the header, one writes it" {
		r.length, err = r.stored()
		return err
	}
	length := make([]int64, 1)
	if r.c.Rank() == 0 {
		if length[0], err = r.stored(); err != nil {
			return err
		}
	}
	// A read that meets the end of an empty file depends on writes that make it longer.
	if err := errors.Join(r.syncs(), r.c.Bcast(types.Of(length), 0), r.syncs()); err != nil {
		return err
	}
	r.length = length[0]
	return nil
}

// Stored returns the data without the header.
func (l *recordLayer) Stored(name string) ([]byte, error) {
	all, err := fs.ReadFile(l.fsys, name)
	if err != nil || len(all) < header {
		return nil, err
	}
	n := min(binary.BigEndian.Uint64(all), uint64(len(all)-header))
	return all[header : header+n], nil
}

type records struct {
	c         *comm.Comm
	f, second *iofile.File
	b         bug
	length    int64
}

func (r *records) readAt(f *iofile.File, p []byte, off int64) (int, error) {
	st, err := f.ReadAt(types.Of(p), iofile.Offset(off))
	n, _ := st.Count(types.Byte)
	return int(n), err
}

func (r *records) writeAt(f *iofile.File, p []byte, off int64) (int, error) {
	st, err := f.WriteAt(types.Of(p), iofile.Offset(off))
	n, _ := st.Count(types.Byte)
	return int(n), err
}

func (r *records) stored() (int64, error) {
	var h [header]byte
	n, err := r.readAt(r.f, h[:], 0)
	if err != nil || n < header {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(h[:])), nil
}

func (r *records) store() error {
	_, err := r.writeAt(r.f, binary.BigEndian.AppendUint64(nil, uint64(r.length)), 0)
	return err
}

func (r *records) clip(p []byte, off int64) ([]byte, error) {
	if r.b == "the length is read from the header without a sync" {
		length, err := r.stored()
		if err != nil {
			return nil, err
		}
		r.length = max(r.length, length)
	}
	return p[:max(0, min(int64(len(p)), r.length-off))], nil
}

func (r *records) ReadAt(p []byte, off int64) (int, error) {
	p, err := r.clip(p, off)
	if err != nil {
		return 0, err
	}
	f := r.f
	if r.b == "reads and writes go through two handles" {
		f = r.second
	}
	n, err := r.readAt(f, p, header+off)
	if err == nil && n < len(p) { // after the written bytes, but before the length
		clear(p[n:])
		n = len(p)
	}
	return n, err
}

func (r *records) WriteAt(p []byte, off int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	r.length = max(r.length, off+int64(len(p)))
	if r.b == "bytes are written back in blocks of 8" {
		return r.writeBlocks(p, off)
	}
	return r.writeAt(r.f, p, header+off)
}

// writeBlocks reads the blocks around p, changes them and writes them back.
func (r *records) writeBlocks(p []byte, off int64) (int, error) {
	lo, hi := off/8*8, (off+int64(len(p))+7)/8*8
	blocks := make([]byte, hi-lo)
	if _, err := r.readAt(r.f, blocks, header+lo); err != nil {
		return 0, err
	}
	copy(blocks[off-lo:], p)
	_, err := r.writeAt(r.f, blocks, header+lo)
	return len(p), err
}

func (r *records) ReadAtAll(p []byte, off int64) (int, error) {
	p, err := r.clip(p, off)
	if err != nil {
		return 0, err
	}
	f := r.f
	if r.b == "collective accesses go through a handle of their own" {
		f = r.second
	}
	st, err := f.ReadAtAll(types.Of(p), iofile.Offset(header+off))
	n, _ := st.Count(types.Byte)
	if err == nil && int(n) < len(p) {
		clear(p[n:])
		n = int64(len(p))
	}
	return int(n), err
}

func (r *records) WriteAtAll(p []byte, off int64) (int, error) {
	if len(p) > 0 {
		r.length = max(r.length, off+int64(len(p)))
	}
	f := r.f
	if r.b == "collective accesses go through a handle of their own" {
		f = r.second
	}
	st, err := f.WriteAtAll(types.Of(p), iofile.Offset(header+off))
	n, _ := st.Count(types.Byte)
	return int(n), err
}

// agree sets the length to the largest that a rank knows, and writes it.
func (r *records) agree() error {
	switch r.b {
	case "every rank writes the length that it knows":
		return r.store()
	case "the length is not fetched by a sync":
		most := make([]int64, 1)
		if err := r.c.AllReduce(types.Of([]int64{r.length}), types.Of(most), comm.Max); err != nil || r.c.Rank() > 0 {
			return err
		}
		r.length = most[0]
		return r.store()
	}
	most := make([]int64, 1)
	if err := r.c.AllReduce(types.Of([]int64{r.length}), types.Of(most), comm.Max); err != nil {
		return err
	}
	r.length = most[0]
	if r.c.Rank() == 0 || r.b == "every rank writes the header" {
		return r.store()
	}
	return nil
}

func (r *records) syncs() error {
	err := r.f.Sync()
	if r.second != r.f {
		err = errors.Join(err, r.second.Sync())
	}
	return err
}

// Sync publishes and fetches, as MPI_File_sync does.
func (r *records) Sync() error { return errors.Join(r.agree(), r.syncs()) }

// SyncAll publishes, orders and fetches.
func (r *records) SyncAll() error {
	if err := r.agree(); err != nil {
		return err
	}
	for _, part := range []struct {
		without bug
		call    func() error
	}{
		{"SyncAll has no first sync", r.syncs},
		{"SyncAll has no barrier", r.c.Barrier},
		{"SyncAll has no second sync", r.syncs},
	} {
		if r.b == part.without || r.b == "SyncAll is a barrier" && part.without != "SyncAll has no barrier" {
			continue
		}
		if err := part.call(); err != nil {
			return err
		}
	}
	return nil
}

func (r *records) Close() error {
	err := r.agree()
	if r.second != r.f {
		err = errors.Join(err, r.second.Close())
	}
	return errors.Join(err, r.f.Close())
}

func (r *records) Size() (int64, error) { return r.length, nil }

func (r *records) SetSize(n int64) error {
	r.length = n
	if err := r.f.SetSize(header + n); err != nil {
		return err
	}
	if r.c.Rank() == 0 {
		if err := r.store(); err != nil {
			return err
		}
	}
	return r.c.Barrier()
}

func (r *records) Preallocate(n int64) error { return r.SetSize(max(r.length, n)) }
