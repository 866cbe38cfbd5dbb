package iofile

import (
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/types"
)

// A split collective is under way between its two halves. The first half admits
// the access on all ranks and gives it its place, as the blocking call does; the
// bytes move in the second, the latest time at which they may.
type split struct {
	begin, end string // the calls
	a          access
	watch      *consistency.Pending

	moved bool // its bytes have moved
	st    Status
	err   error
}

// move moves the bytes, once.
func (s *split) move(f *File) {
	if s.moved {
		return
	}
	s.moved = true
	if s.err = f.holdAccess(&s.a); s.err == nil {
		s.st, s.err = f.carryOut(&s.a)
		s.a.rewatch()
	}
}

// splitBegin is the first half of a split collective.
func (f *File) splitBegin(begin, end string, c call) error {
	a := access{call: c}
	if err := f.alive(begin); err != nil {
		return err
	}
	a.op, a.with = begin, all
	s := &split{begin: begin, end: end, a: a}
	if f.far != nil {
		_, err := f.runFar(a, engine.Begin)
		if err == nil {
			f.split = s
		}
		return err
	}
	if f.log != nil {
		defer f.told(&a, f.log.Begin())
	}
	if err := f.thread.Step(&s.a); err != nil {
		return f.stopped(begin, err)
	}
	f.used()
	if err := f.start(&s.a); err != nil {
		return f.raise(err)
	}
	s.watch = f.noteBegun(&s.a)
	s.a.guard = f.c.Guard(s.a.buf)
	if err := f.announce(&s.a, s.watch); err != nil {
		return f.stopped(begin, err)
	}
	s.a.op = end
	f.split = s
	return nil
}

// splitEnd is the second half. The ranks meet in it before anything is done: one
// that gives another buffer, or ends what it has not begun, cannot know whether the
// others have, and what is under way stays so on all of them.
func (f *File) splitEnd(end string, buf types.Buffer) (Status, error) {
	if err := f.alive(end); err != nil {
		return Status{}, err
	}
	s, wrong := f.split, f.unlikeBegin(end, buf)
	if f.far != nil {
		return f.splitEndFar(end, buf, wrong)
	}
	var a *access
	if wrong == nil {
		a = &s.a
	} else {
		a = &access{call: call{op: end}}
	}
	if f.log != nil {
		defer f.told(a, f.log.Begin())
	}
	if err := f.thread.Step(a); err != nil {
		return Status{}, f.stopped(end, err)
	}
	if _, err := f.agree(end, nil, wrong, nil); err != nil {
		return Status{}, err
	}
	f.split = nil
	s.move(f)
	if s.err == nil {
		s.err = s.a.touched()
	}
	st, err := f.conclude(&s.a, s.st, s.err)
	f.noteEnded(s.watch, err, s.a.moved)
	return st, f.raise(err)
}

// unlikeBegin is what is wrong with a second half: it is not that of the first.
func (f *File) unlikeBegin(end string, buf types.Buffer) error {
	switch s := f.split; {
	case s == nil:
		return broken(ErrIO, "IO-SPLIT-02", "no split collective is under way on this rank")
	case s.end != end:
		return broken(ErrIO, "IO-SPLIT-02", "%s is under way on this rank; %s ends it", s.begin, s.end)
	case !sameBuffer(buf, s.a.buf):
		return broken(ErrBuffer, "IO-SPLIT-06", "the buffer is not the one of %s", s.begin)
	}
	return nil
}

// splitEndFar is splitEnd on a file that an engine has. Without checks the engine
// is asked even without a first half.
func (f *File) splitEndFar(end string, buf types.Buffer, wrong error) (Status, error) {
	a := access{call: call{op: end, write: strings.HasPrefix(end, "Write"), at: positionOf(end), with: all, buf: buf}}
	switch {
	case wrong == nil:
		a = f.split.a
		a.op = end
		f.split = nil
	case f.split != nil || f.checked():
		return Status{}, f.fail(end, wrong)
	}
	return f.runFar(a, engine.Finish)
}

// positionOf is the position of a split collective that ends without a beginning.
func positionOf(end string) position {
	switch {
	case strings.Contains(end, "At"):
		return explicit
	case strings.Contains(end, "Ordered"):
		return shared
	}
	return individual
}

// sameBuffer reports whether two buffers are the same items of the same memory.
func sameBuffer(a, b types.Buffer) bool {
	m, n := a.Mem(), b.Mem()
	return a.Count() == b.Count() && a.Type().Equal(b.Type()) && len(m) == len(n) &&
		(len(m) == 0 || &m[0] == &n[0])
}

// unsplit reports a collective access inside a split collective. (IO-SPLIT-01,
// IO-SPLIT-05)
func (f *File) unsplit(a *access) error {
	if f.split == nil || a.with == alone {
		return nil
	}
	rule := "IO-SPLIT-05"
	if strings.HasSuffix(a.op, "Begin") {
		rule = "IO-SPLIT-01"
	}
	return broken(ErrIO, rule, "%s is under way on this rank, so no other collective access may begin; call %s first",
		f.split.begin, f.split.end)
}

// ReadAtAllBegin starts [File.ReadAtAll]; buf must be left alone until
// [File.ReadAtAllEnd]. Collective, and it may wait for the other ranks. Between
// the two no other collective access can begin on the file. Errors: as
// ReadAtAll, ErrIO if a split collective is under way.
//
// MPI_File_read_at_all_begin
func (f *File) ReadAtAllBegin(buf types.Buffer, off Offset) error {
	return f.splitBegin("ReadAtAllBegin", "ReadAtAllEnd", call{at: explicit, off: off, buf: buf})
}

// ReadAtAllEnd completes [File.ReadAtAllBegin], with the same buffer.
// Collective, and it waits for the other ranks: if one gives another buffer, or
// has no such access under way, all get its error, and what is under way stays so.
// Errors: ErrIO if no such access is under way, ErrBuffer for another buffer,
// ErrNotSame if ranks make different calls, those of the access. (IO-SPLIT-02,
// IO-SPLIT-06, GEN-06)
//
// MPI_File_read_at_all_end
func (f *File) ReadAtAllEnd(buf types.Buffer) (Status, error) { return f.splitEnd("ReadAtAllEnd", buf) }

// WriteAtAllBegin starts [File.WriteAtAll]; see [File.ReadAtAllBegin].
// Collective.
//
// MPI_File_write_at_all_begin
func (f *File) WriteAtAllBegin(buf types.Buffer, off Offset) error {
	return f.splitBegin("WriteAtAllBegin", "WriteAtAllEnd", call{write: true, at: explicit, off: off, buf: buf})
}

// WriteAtAllEnd completes [File.WriteAtAllBegin]; see [File.ReadAtAllEnd].
// Collective.
//
// MPI_File_write_at_all_end
func (f *File) WriteAtAllEnd(buf types.Buffer) (Status, error) {
	return f.splitEnd("WriteAtAllEnd", buf)
}

// ReadAllBegin starts [File.ReadAll], and moves this rank's pointer; see
// [File.ReadAtAllBegin]. Collective.
//
// MPI_File_read_all_begin
func (f *File) ReadAllBegin(buf types.Buffer) error {
	return f.splitBegin("ReadAllBegin", "ReadAllEnd", call{at: individual, buf: buf})
}

// ReadAllEnd completes [File.ReadAllBegin]; see [File.ReadAtAllEnd]. Collective.
//
// MPI_File_read_all_end
func (f *File) ReadAllEnd(buf types.Buffer) (Status, error) { return f.splitEnd("ReadAllEnd", buf) }

// WriteAllBegin starts [File.WriteAll], and moves this rank's pointer; see
// [File.ReadAtAllBegin]. Collective.
//
// MPI_File_write_all_begin
func (f *File) WriteAllBegin(buf types.Buffer) error {
	return f.splitBegin("WriteAllBegin", "WriteAllEnd", call{write: true, at: individual, buf: buf})
}

// WriteAllEnd completes [File.WriteAllBegin]; see [File.ReadAtAllEnd].
// Collective.
//
// MPI_File_write_all_end
func (f *File) WriteAllEnd(buf types.Buffer) (Status, error) { return f.splitEnd("WriteAllEnd", buf) }

// ReadOrderedBegin starts [File.ReadOrdered], and moves the shared pointer; see
// [File.ReadAtAllBegin]. Collective.
//
// MPI_File_read_ordered_begin
func (f *File) ReadOrderedBegin(buf types.Buffer) error {
	return f.splitBegin("ReadOrderedBegin", "ReadOrderedEnd", call{at: shared, buf: buf})
}

// ReadOrderedEnd completes [File.ReadOrderedBegin]; see [File.ReadAtAllEnd].
// Collective.
//
// MPI_File_read_ordered_end
func (f *File) ReadOrderedEnd(buf types.Buffer) (Status, error) {
	return f.splitEnd("ReadOrderedEnd", buf)
}

// WriteOrderedBegin starts [File.WriteOrdered], and moves the shared pointer;
// see [File.ReadAtAllBegin]. Collective.
//
// MPI_File_write_ordered_begin
func (f *File) WriteOrderedBegin(buf types.Buffer) error {
	return f.splitBegin("WriteOrderedBegin", "WriteOrderedEnd", call{write: true, at: shared, buf: buf})
}

// WriteOrderedEnd completes [File.WriteOrderedBegin]; see [File.ReadAtAllEnd].
// Collective.
//
// MPI_File_write_ordered_end
func (f *File) WriteOrderedEnd(buf types.Buffer) (Status, error) {
	return f.splitEnd("WriteOrderedEnd", buf)
}
