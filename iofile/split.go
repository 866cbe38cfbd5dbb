package iofile

import (
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// A split collective is a started access between its two halves. The first half admits the
// access on all ranks and gives it its place, as the blocking call does; the bytes move in
// the second half, the latest possible time.

// carry moves the bytes of a split collective, once.
func (s *started) carry() {
	s.undefer()
	if s.phase != phaseMove {
		return
	}
	s.phase = phaseDone
	if s.err = s.f.chooser.access(&s.a); s.err == nil {
		s.carryNow()
	}
}

// carryNow is carry for an access whose moment has been chosen.
func (s *started) carryNow() {
	s.phase = phaseDone
	s.n, s.err = s.f.carryOut(&s.a)
	s.a.rewatch()
}

// splitBegin is the first half of a split collective; end is the name of the second half.
func (f *File) splitBegin(c call, end string) error {
	if err := f.alive(c.op); err != nil {
		return err
	}
	f.used()
	s := &started{f: f, a: access{call: c}, phase: phaseMove, begin: c.op, finish: end}
	if f.log != nil {
		a := s.a
		defer f.logEnd(&a, f.log.Begin())
	}
	if err := f.enter(&s.a); err != nil {
		return err
	}
	if err := f.start(&s.a); err != nil {
		return f.raise(err)
	}
	if err := s.goesOn(); err != nil {
		return err
	}
	s.a.op = end
	f.split = s
	f.chooser.later(s)
	return nil
}

// splitEnd is the second half. The ranks meet before anything is done: a rank that gives
// another buffer, or ends an access that it has not begun, cannot know what the other ranks
// do, so in that case the access remains under way on all of them.
func (f *File) splitEnd(c call) (Status, error) {
	if err := f.alive(c.op); err != nil {
		return Status{}, err
	}
	s, wrong := f.split, f.unlikeBegin(&c)
	var a *access
	if wrong == nil {
		a = &s.a
	} else {
		a = &access{call: call{op: c.op}}
	}
	if f.log != nil {
		defer f.logEnd(a, f.log.Begin())
	}
	if err := f.thread.Step(a); err != nil {
		return Status{}, f.stopped(c.op, err)
	}
	if _, err := f.chooser.depart(c.op, nil, wrong, nil, nil, nil); err != nil {
		return Status{}, f.raise(err)
	}
	for s.deferred != nil && !s.deferred.Done() {
		if err := f.thread.Park(s); err != nil {
			return Status{}, f.stopped(c.op, err)
		}
	}
	f.split = nil
	s.carry()
	if s.err == nil {
		s.err = s.a.touched()
	}
	s.a.guard.Release()
	err := f.conclude(&s.a, s.err)
	if err == nil {
		f.noteShort(s.a.op, &s.a)
	}
	f.noteEnded(&s.a, err)
	return comm.NewStatus(s.n, f.c.Arch()), f.raise(err)
}

// unlikeBegin returns the error of a second half that does not match the first.
func (f *File) unlikeBegin(c *call) error {
	switch s := f.split; {
	case s == nil:
		return broken(ErrIO, "IO-SPLIT-02", "no split collective is under way on this rank")
	case s.finish != c.op:
		return broken(ErrIO, "IO-SPLIT-02", "%s is under way on this rank; %s ends it", s.begin, s.finish)
	case !sameBuffer(c.buf, s.a.buf):
		return broken(ErrBuffer, "IO-SPLIT-06", "the buffer is not the one of %s", s.begin)
	}
	return nil
}

// sameBuffer reports whether two buffers are the same items of the same memory.
func sameBuffer(a, b types.Buffer) bool {
	m, n := a.Mem(), b.Mem()
	return a.Count() == b.Count() && a.Type().Equal(b.Type()) && len(m) == len(n) &&
		(len(m) == 0 || &m[0] == &n[0])
}

// unsplit returns an error for a collective access during a split collective. (IO-SPLIT-01,
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
		f.split.begin, f.split.finish)
}

// ReadAtAllBegin starts [File.ReadAtAll]; buf must be left alone until
// [File.ReadAtAllEnd]. Collective, and it may wait for the other ranks. Between
// the two no other collective access can begin on the file. Errors: as
// ReadAtAll, ErrIO if a split collective is under way.
//
// MPI_File_read_at_all_begin
func (f *File) ReadAtAllBegin(buf types.Buffer, off Offset) error {
	return f.to().splitBegin(call{op: "ReadAtAllBegin", at: explicit, with: all, off: off, buf: buf}, "ReadAtAllEnd")
}

// ReadAtAllEnd completes [File.ReadAtAllBegin], with the same buffer. Collective, and it
// waits for the other ranks: if one gives another buffer, or has no such access under way,
// all get its error, and the access remains under way. Errors: ErrIO if no such access is
// under way, ErrBuffer for another buffer, ErrNotSame if ranks make different calls, those
// of the access. (IO-SPLIT-02, IO-SPLIT-06, GEN-06)
//
// MPI_File_read_at_all_end
func (f *File) ReadAtAllEnd(buf types.Buffer) (Status, error) {
	return f.to().splitEnd(call{op: "ReadAtAllEnd", at: explicit, with: all, buf: buf})
}

// WriteAtAllBegin starts [File.WriteAtAll]; see [File.ReadAtAllBegin].
// Collective.
//
// MPI_File_write_at_all_begin
func (f *File) WriteAtAllBegin(buf types.Buffer, off Offset) error {
	return f.to().splitBegin(call{op: "WriteAtAllBegin", write: true, at: explicit, with: all, off: off, buf: buf}, "WriteAtAllEnd")
}

// WriteAtAllEnd completes [File.WriteAtAllBegin]; see [File.ReadAtAllEnd].
// Collective.
//
// MPI_File_write_at_all_end
func (f *File) WriteAtAllEnd(buf types.Buffer) (Status, error) {
	return f.to().splitEnd(call{op: "WriteAtAllEnd", write: true, at: explicit, with: all, buf: buf})
}

// ReadAllBegin starts [File.ReadAll], and moves this rank's pointer; see
// [File.ReadAtAllBegin]. Collective.
//
// MPI_File_read_all_begin
func (f *File) ReadAllBegin(buf types.Buffer) error {
	return f.to().splitBegin(call{op: "ReadAllBegin", at: individual, with: all, buf: buf}, "ReadAllEnd")
}

// ReadAllEnd completes [File.ReadAllBegin]; see [File.ReadAtAllEnd]. Collective.
//
// MPI_File_read_all_end
func (f *File) ReadAllEnd(buf types.Buffer) (Status, error) {
	return f.to().splitEnd(call{op: "ReadAllEnd", at: individual, with: all, buf: buf})
}

// WriteAllBegin starts [File.WriteAll], and moves this rank's pointer; see
// [File.ReadAtAllBegin]. Collective.
//
// MPI_File_write_all_begin
func (f *File) WriteAllBegin(buf types.Buffer) error {
	return f.to().splitBegin(call{op: "WriteAllBegin", write: true, at: individual, with: all, buf: buf}, "WriteAllEnd")
}

// WriteAllEnd completes [File.WriteAllBegin]; see [File.ReadAtAllEnd].
// Collective.
//
// MPI_File_write_all_end
func (f *File) WriteAllEnd(buf types.Buffer) (Status, error) {
	return f.to().splitEnd(call{op: "WriteAllEnd", write: true, at: individual, with: all, buf: buf})
}

// ReadOrderedBegin starts [File.ReadOrdered], and moves the shared pointer; see
// [File.ReadAtAllBegin]. Collective.
//
// MPI_File_read_ordered_begin
func (f *File) ReadOrderedBegin(buf types.Buffer) error {
	return f.to().splitBegin(call{op: "ReadOrderedBegin", at: shared, with: all, buf: buf}, "ReadOrderedEnd")
}

// ReadOrderedEnd completes [File.ReadOrderedBegin]; see [File.ReadAtAllEnd].
// Collective.
//
// MPI_File_read_ordered_end
func (f *File) ReadOrderedEnd(buf types.Buffer) (Status, error) {
	return f.to().splitEnd(call{op: "ReadOrderedEnd", at: shared, with: all, buf: buf})
}

// WriteOrderedBegin starts [File.WriteOrdered], and moves the shared pointer;
// see [File.ReadAtAllBegin]. Collective.
//
// MPI_File_write_ordered_begin
func (f *File) WriteOrderedBegin(buf types.Buffer) error {
	return f.to().splitBegin(call{op: "WriteOrderedBegin", write: true, at: shared, with: all, buf: buf}, "WriteOrderedEnd")
}

// WriteOrderedEnd completes [File.WriteOrderedBegin]; see [File.ReadAtAllEnd].
// Collective.
//
// MPI_File_write_ordered_end
func (f *File) WriteOrderedEnd(buf types.Buffer) (Status, error) {
	return f.to().splitEnd(call{op: "WriteOrderedEnd", write: true, at: shared, with: all, buf: buf})
}
