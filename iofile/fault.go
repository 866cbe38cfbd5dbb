package iofile

import (
	"errors"
	"fmt"
	"io"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/faults"
	"github.com/commworld/commworld/internal/image"
)

// WithFaults has the files of a file system fail as plan says, whatever their
// store. The plan may be changed at any time, so what fails can also work again.
// The package world has an option for one run.
func WithFaults(plan *faults.Plan) Option { return func(o *options) { o.faults = plan } }

// misfortune is what goes wrong with the calls of one rank on one file.
type misfortune struct {
	plans [2]*faults.Plan // of the world, of the file system
	rank  int             // in the world
	name  string
	dead  error // the rank was killed
}

// misfortuneOf returns nil if nothing ever goes wrong.
func misfortuneOf(c *comm.Comm, fsys *FS, name string) *misfortune {
	plans := [2]*faults.Plan{c.Faults(), nil}
	if fsys != nil {
		plans[1] = fsys.opts.faults
	}
	if plans == [2]*faults.Plan{} {
		return nil
	}
	return &misfortune{plans: plans, rank: c.Sched().ID(), name: name}
}

// meet says what becomes of e, whose rank and file it fills in.
func (m *misfortune) meet(e faults.Event) faults.Outcome {
	e.Rank, e.File = m.rank, m.name
	for _, p := range m.plans {
		if o := p.Meet(e); o.Err != nil || o.Delay > 0 || o.Move < e.N {
			return o
		}
	}
	return faults.Outcome{Move: e.N}
}

// strikes returns the error with which one of the words of package faults fails.
func (f *File) strikes(op faults.Op) error {
	if f.faults == nil {
		return nil
	}
	return f.faults.meet(faults.Event{Op: op}).Err
}

// hold lets what a plan says happen to an access that is about to move its
// bytes, and stops one whose memory is not what it was.
//
//go:noinline
func (f *File) hold(a *access) error {
	if err := a.touched(); err != nil || f.faults == nil {
		return err
	}
	o := f.faults.meet(faults.Event{Op: faults.Call, Name: faults.Op(a.op)})
	for range o.Delay {
		if err := f.thread.Step(a); err != nil {
			return f.stopped(a.op, err)
		}
	}
	return o.Err
}

// dies ends the world if err says that this rank was killed, and returns the
// error of its call. It goes to no meeting any more: if it were the last to come,
// the others would go on as if it lived.
//
//go:noinline
func (f *File) dies(op string, err error) error {
	const code = 137 // as of a process that was killed
	if f.faults == nil {
		return nil
	}
	if f.faults.dead == nil && errors.Is(err, faults.ErrKilled) {
		f.faults.dead = fmt.Errorf("%w: %w", err, f.c.Abort(code))
	}
	if f.faults.dead == nil {
		return nil
	}
	return f.stopped(op, f.faults.dead)
}

// A faultyFile is a backing as one rank with bad luck finds it.
type faultyFile struct {
	image.Backing
	*misfortune
}

func (f *faultyFile) ReadAt(p []byte, off int64) (int, error) {
	o := f.meet(faults.Event{Op: faults.Read, Off: off, N: int64(len(p))})
	n, err := f.Backing.ReadAt(p[:o.Move], off)
	switch {
	case err != nil && err != io.EOF:
	case o.Err != nil:
		err = o.Err
	case n < len(p) && err == nil:
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (f *faultyFile) WriteAt(p []byte, off int64) (int, error) {
	o := f.meet(faults.Event{Op: faults.Write, Off: off, N: int64(len(p))})
	n, err := 0, error(nil)
	if o.Move > 0 {
		n, err = f.Backing.WriteAt(p[:o.Move], off)
	}
	switch {
	case err != nil:
	case o.Err != nil:
		err = o.Err
	case n < len(p):
		err = io.ErrShortWrite
	}
	return n, err
}

// strikesDelete returns the error with which deleting a file fails, whoever does
// it: the call knows no rank.
func (s *FS) strikesDelete(name string) error {
	return s.opts.faults.Meet(faults.Event{Op: faults.Delete, Rank: faults.NoRank, File: name}).Err
}

// unlucky is what a plan adds to the text of a file system.
func (s *FS) unlucky() string {
	if s.opts.faults == nil {
		return ""
	}
	return fmt.Sprintf(" with faults %q", s.opts.faults)
}
