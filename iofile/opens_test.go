package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"pgregory.net/rapid"
)

// A fileStep is a step of a program with several opens of several files. All ranks make
// it, or rank who alone if that is not -1. n has each rank's argument: bytes, or a size.
type fileStep struct {
	do   string // open, close, delete, write, read, size, preallocate, seek
	slot int    // of the open
	name string
	mode iofile.Mode
	at   string // explicit, individual, shared
	off  int64  // also the size, and how far behind the end to seek
	who  int
	n    []int64 // bytes
}

// A bare is a file as a list of bytes, without a name.
type bare struct {
	data   []byte
	opens  int
	unique bool
}

// anOpen is one open of a file.
type anOpen struct {
	*bare
	name   string
	mode   iofile.Mode
	pos    []int64
	shared int64
}

// A shelf is files and opens by the definition. POSIX shows all writes at once.
type shelf struct {
	files  map[string]*bare
	opens  [3]*anOpen
	strict bool
	ranks  int
}

// A seenBy is a rank's result: the class of an error, or the bytes read.
type seenBy struct {
	class       errclass.Class
	got         []byte
	size        int64
	pos, shared int64
}

// has reports a mode.
func has(m, bit iofile.Mode) bool { return m&bit == bit }

func (s *shelf) open(d *fileStep) errclass.Class {
	m := d.mode
	ways := 0
	for _, w := range []iofile.Mode{iofile.ReadOnly, iofile.WriteOnly, iofile.ReadWrite} {
		if has(m, w) {
			ways++
		}
	}
	f := s.files[d.name]
	switch {
	case ways != 1, has(m, iofile.ReadOnly) && m&(iofile.Create|iofile.Excl) != 0, has(m, iofile.ReadWrite|iofile.Sequential):
		return iofile.ErrAmode
	case f == nil && !has(m, iofile.Create):
		return iofile.ErrNoSuchFile
	case f != nil && has(m, iofile.Create|iofile.Excl):
		return iofile.ErrFileExists
	case f != nil && f.opens > 0 && (f.unique || has(m, iofile.UniqueOpen)):
		return iofile.ErrFileInUse
	case f == nil:
		f = new(bare)
		s.files[d.name] = f
	}
	o := &anOpen{bare: f, name: d.name, mode: m, pos: make([]int64, s.ranks)}
	if has(m, iofile.Append) {
		o.shared = int64(len(f.data))
		for r := range o.pos {
			o.pos[r] = o.shared
		}
	}
	f.opens, f.unique = f.opens+1, has(m, iofile.UniqueOpen)
	s.opens[d.slot] = o
	return 0
}

func (s *shelf) close(d *fileStep) errclass.Class {
	o := s.opens[d.slot]
	s.opens[d.slot] = nil
	o.opens, o.unique = o.opens-1, false
	if has(o.mode, iofile.DeleteOnClose) && s.files[o.name] == o.bare {
		return s.remove(o.name)
	}
	return 0
}

func (s *shelf) remove(name string) errclass.Class {
	switch f := s.files[name]; {
	case f == nil:
		return iofile.ErrNoSuchFile
	case s.strict && f.opens > 0:
		return iofile.ErrFileInUse
	}
	delete(s.files, name)
	return 0
}

func (o *anOpen) resize(n int64) {
	if grow := n - int64(len(o.data)); grow > 0 {
		o.data = append(o.data, make([]byte, grow)...)
	}
	o.data = o.data[:n]
}

// access is what rank r does in step k.
func (o *anOpen) access(d *fileStep, r, k int) seenBy {
	sequential, write := has(o.mode, iofile.Sequential), d.do == "write"
	switch {
	case write && has(o.mode, iofile.ReadOnly):
		return seenBy{class: iofile.ErrReadOnly}
	case !write && has(o.mode, iofile.WriteOnly):
		return seenBy{class: iofile.ErrAccess}
	case sequential && d.at != "shared":
		return seenBy{class: iofile.ErrUnsupportedOperation}
	}
	n, off := d.n[r], d.off
	switch d.at {
	case "individual":
		off = o.pos[r]
	case "shared":
		off = o.shared
	}
	moved := n
	var got []byte
	if write {
		if n > 0 {
			o.resize(max(int64(len(o.data)), off+n))
			copy(o.data[off:], texts(r, k, n))
		}
	} else {
		moved = max(0, min(n, int64(len(o.data))-off))
		got = slices.Clone(o.data[min(off, int64(len(o.data))):][:moved])
	}
	switch {
	case d.at == "individual":
		o.pos[r] += moved
	case d.at == "shared" && sequential:
		o.shared += moved
	case d.at == "shared":
		o.shared += n
	}
	return seenBy{got: got}
}

// texts returns the text that rank r writes in step k.
func texts(r, k int, n int64) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(1 + 50*r + 7*k + i)
	}
	return p
}

// step does d, and returns the results of each rank.
func (s *shelf) step(d *fileStep, k int) []seenBy {
	all := make([]seenBy, s.ranks)
	o := s.opens[d.slot]
	class := errclass.Class(0)
	switch d.do {
	case "open":
		class = s.open(d)
		o = s.opens[d.slot]
	case "close":
		class = s.close(d)
		o = nil
	case "delete":
		class, o = s.remove(d.name), nil
	case "size", "preallocate":
		switch {
		case has(o.mode, iofile.Sequential):
			class = iofile.ErrUnsupportedOperation
		case has(o.mode, iofile.ReadOnly):
			class = iofile.ErrReadOnly
		case d.do == "size" || d.off > int64(len(o.data)):
			o.resize(d.off)
		}
	case "seek":
		if has(o.mode, iofile.Sequential) {
			class = iofile.ErrUnsupportedOperation
		} else {
			o.shared = int64(len(o.data)) + d.off
		}
	default:
		for r := range all {
			if d.who < 0 || d.who == r {
				all[r] = o.access(d, r, k)
			}
		}
	}
	for r := range all {
		if class != 0 && (d.who < 0 || d.who == r) {
			all[r].class = class
		}
		if o != nil {
			all[r].size, all[r].pos, all[r].shared = int64(len(o.data)), o.pos[r], o.shared
		}
	}
	return all
}

func drawFileSteps(t *rapid.T, s *shelf) (list []fileStep, found [][]seenBy) {
	for k := range rapid.IntRange(1, 25).Draw(t, "steps") {
		d := fileStep{slot: rapid.IntRange(0, 2).Draw(t, "slot"), who: -1, n: make([]int64, s.ranks)}
		d.name = rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name")
		o := s.opens[d.slot]
		d.do = rapid.SampledFrom([]string{"write", "read", "write", "read", "size", "preallocate", "seek", "close", "delete"}).Draw(t, "do")
		if o == nil && d.do != "delete" {
			d.do = "open"
		}
		d.off = rapid.Int64Range(0, 9).Draw(t, "off")
		switch d.do {
		case "open":
			d.mode = rapid.SampledFrom([]iofile.Mode{iofile.ReadWrite, iofile.ReadWrite, iofile.ReadOnly, iofile.WriteOnly}).Draw(t, "way")
			for _, bit := range []iofile.Mode{iofile.Create, iofile.Append, iofile.Sequential, iofile.UniqueOpen, iofile.DeleteOnClose, iofile.Excl} {
				if rapid.IntRange(0, 3).Draw(t, "bit") == 0 != (bit == iofile.Create) {
					d.mode |= bit
				}
			}
		case "delete":
			d.who = rapid.IntRange(0, s.ranks-1).Draw(t, "who")
		case "write", "read":
			d.at = rapid.SampledFrom([]string{"explicit", "individual", "shared"}).Draw(t, "at")
			for r := range d.n {
				d.n[r] = rapid.Int64Range(0, 5).Draw(t, "n")
			}
			if d.at != "shared" || rapid.Bool().Draw(t, "alone") {
				d.who = rapid.IntRange(0, s.ranks-1).Draw(t, "who")
			}
		}
		list, found = append(list, d), append(found, s.step(&d, k))
	}
	return list, found
}

// play does this rank's part of d, and returns the difference from the reference.
func (d *fileStep) play(c *comm.Comm, fsys *iofile.FS, opens *[3]*iofile.File, k int, want seenBy) error {
	r := c.Rank()
	if d.who >= 0 && d.who != r {
		return nil
	}
	f, err := opens[d.slot], error(nil)
	var st iofile.Status
	mem := make([]byte, d.n[r])
	buf := types.Of(mem)
	if d.do == "write" {
		buf = types.Of(texts(r, k, d.n[r]))
	}
	switch d.do + " " + d.at {
	case "open ":
		f, err = iofile.Open(c, fsys, d.name, d.mode)
		opens[d.slot] = f
	case "close ":
		err = f.Close()
		opens[d.slot], f = nil, nil
	case "delete ":
		err, f = iofile.Delete(fsys, d.name), nil
	case "size ":
		err = f.SetSize(d.off)
	case "preallocate ":
		err = f.Preallocate(d.off)
	case "seek ":
		err = f.SeekShared(iofile.Offset(d.off), iofile.SeekEnd)
	case "write explicit":
		st, err = f.WriteAt(buf, iofile.Offset(d.off))
	case "read explicit":
		st, err = f.ReadAt(buf, iofile.Offset(d.off))
	case "write individual":
		st, err = f.Write(buf)
	case "read individual":
		st, err = f.Read(buf)
	case "write shared":
		if d.who < 0 {
			st, err = f.WriteOrdered(buf)
		} else {
			st, err = f.WriteShared(buf)
		}
	case "read shared":
		if d.who < 0 {
			st, err = f.ReadOrdered(buf)
		} else {
			st, err = f.ReadShared(buf)
		}
	}
	if want.class != 0 {
		if !errors.Is(err, want.class) {
			return fmt.Errorf("%v, want %v", err, want.class)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if n, _ := st.Count(types.Byte); d.do == "read" && (int(n) != len(want.got) || !slices.Equal(mem[:n], want.got)) {
		return fmt.Errorf("read %x, want %x", mem[:n], want.got)
	}
	return nil
}

// check compares size and pointers.
func (s *seenBy) check(f *iofile.File) error {
	size, err := f.Size()
	if err != nil || size != s.size {
		return fmt.Errorf("size %d, want %d: %v", size, s.size, err)
	}
	if m, err := f.Amode(); err != nil || has(m, iofile.Sequential) {
		return err
	}
	pos, err := f.Position()
	shared, wrong := f.PositionShared()
	if err = errors.Join(err, wrong); err != nil || int64(pos) != s.pos || int64(shared) != s.shared {
		return fmt.Errorf("positions %d and %d, want %d and %d: %v", pos, shared, s.pos, s.shared, err)
	}
	return nil
}

// TestOpensOfFiles: if it fails, several opens of files that are made, deleted and
// appended to have other bytes, places or errors than they should.
func TestOpensOfFiles(t *testing.T) {
	t.Run("IO-OPEN-07 IO-AMODE-04 IO-AMODE-05 IO-AMODE-06 IO-AMODE-07 IO-AMODE-09 IO-CLOSE-03 IO-DEL-02 random programs", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			s := &shelf{files: map[string]*bare{}, strict: rapid.Bool().Draw(rt, "strict"), ranks: rapid.IntRange(1, 3).Draw(rt, "ranks")}
			list, found := drawFileSteps(rt, s)
			opts := []iofile.Option{iofile.WithModel(consistency.POSIX)}
			if s.strict {
				opts = append(opts, iofile.WithStrictDelete())
			}
			fsys := iofile.NewMem(opts...)
			err := world.Run(t.Context(), s.ranks, func(_ context.Context, c *comm.Comm) error {
				var opens [3]*iofile.File
				for k := range list {
					d, want := &list[k], found[k][c.Rank()]
					if err := d.play(c, fsys, &opens, k, want); err != nil {
						return fmt.Errorf("step %d, %+v: %w", k, *d, err)
					}
					if err := c.Barrier(); err != nil {
						return err
					}
					if f := opens[d.slot]; f != nil && d.do != "delete" {
						if err := want.check(f); err != nil {
							return fmt.Errorf("step %d, %+v: %w", k, *d, err)
						}
					}
					if err := c.Barrier(); err != nil {
						return err
					}
				}
				for _, f := range opens {
					if f != nil && f.Close() != nil && !s.strict {
						return errors.New("a file was not closed")
					}
				}
				return nil
			}, world.Unchecked())
			if err != nil {
				rt.Fatalf("%v\n%+v", err, list)
			}
		})
	})
}
