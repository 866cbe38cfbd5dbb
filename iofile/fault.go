package iofile

import (
	"errors"
	"fmt"
	"io"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile/faults"
)

// WithFaults injects the faults of plan into calls on the files of a file system, whatever
// their store. The plan may be changed at any time, so a failing call can work again later.
// Package world has an option for one run.
func WithFaults(plan *faults.Plan) Option { return option(func(o *options) { o.faults = plan }) }

// An injector injects faults into the calls of one rank on one file.
type injector struct {
	plans [2]*faults.Plan // of the world, of the file system
	rank  int             // in the world
	name  string
	dead  error // the rank was killed
}

// injectorOf returns the injector for a file, nil if no plan has rules.
func injectorOf(c *comm.Comm, fsys *FS, name string) *injector {
	plans := [2]*faults.Plan{port.Faults(c), nil}
	if fsys != nil {
		plans[1] = fsys.opts.faults
	}
	if plans == [2]*faults.Plan{} {
		return nil
	}
	return &injector{plans: plans, rank: port.Thread(c).ID(), name: name}
}

// meet returns the outcome of e, whose rank and file it fills in.
func (m *injector) meet(e faults.Event) faults.Outcome {
	e.Rank, e.File = m.rank, m.name
	for _, p := range m.plans {
		if o := p.Meet(e); o.Err != nil || o.Delay > 0 || o.Move < e.N {
			return o
		}
	}
	return faults.Outcome{Move: e.N}
}

// inject returns the error that the plans inject at op, nil if there is none.
func (f *File) inject(op faults.Op) error {
	if f.faults == nil {
		return nil
	}
	return f.faults.meet(faults.Event{Op: op}).Err
}

// failLocal returns the error of a local call at op into which the plans inject a fault, nil if
// there is none.
func (f *File) failLocal(call string, op faults.Op, rule string) error {
	err := f.inject(op)
	if err == nil {
		return nil
	}
	if dead := f.endIfKilled(call, err); dead != nil {
		return dead
	}
	return f.fail(call, classified(err, ErrIO, rule))
}

// hold injects the faults of a plan into an access that is about to move its bytes, and
// returns an error if the program has changed the access's memory.
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

// endIfKilled ends the world if err says that this rank was killed, and returns the error
// of its call. The rank must join no further meeting: if it were the last to come, the
// others would continue as if it lived.
//
//go:noinline
func (f *File) endIfKilled(op string, err error) error {
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

// A faultyFile is a backing into whose calls the faults of one rank are injected.
type faultyFile struct {
	Backing
	*injector
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

// injectDelete returns the error with which deleting a file fails, in any call: Delete
// knows no rank.
func (s *FS) injectDelete(name string) error {
	return s.opts.faults.Meet(faults.Event{Op: faults.Delete, Rank: faults.NoRank, File: name}).Err
}

// faultText returns the text that a plan adds to the name of a file system.
func (s *FS) faultText() string {
	if s.opts.faults == nil {
		return ""
	}
	return fmt.Sprintf(" with faults %q", s.opts.faults)
}
