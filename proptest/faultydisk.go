package proptest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile/faults"
)

// FaultyDisk returns d, file name, with a scheduling point before each call, and with the
// faults of a plan in the calls of the rank: errors, short and torn reads and writes, a full
// disk. The error is that of an injected fault at the open. Rules about whole accesses
// (call) do not strike: a disk does not see them. A layer over such disks can be a [Faulty]
// whose Fail sets the rules of the plan.
func FaultyDisk(c *comm.Comm, d Disk, name string, plan *faults.Plan) (Disk, error) {
	f := &faultyDisk{c, YieldingDisk(c, d), name, plan}
	return f, f.meet(faults.Open)
}

type faultyDisk struct {
	c    *comm.Comm
	d    Disk
	name string
	plan *faults.Plan
}

// move returns how many bytes of a movement take place, and its error.
func (f *faultyDisk) move(op faults.Op, off int64, n int) (int, error) {
	o := f.plan.Meet(faults.Event{Op: op, Rank: port.Thread(f.c).ID(), File: f.name, Off: off, N: int64(n)})
	for range o.Delay {
		if err := f.c.Yield(); err != nil {
			return 0, err
		}
	}
	if errors.Is(o.Err, faults.ErrKilled) {
		return int(o.Move), errors.Join(o.Err, f.c.Abort(powerCode))
	}
	return int(o.Move), o.Err
}

func (f *faultyDisk) meet(op faults.Op) error {
	_, err := f.move(op, 0, 0)
	return err
}

func (f *faultyDisk) ReadAt(p []byte, off int64) (int, error) {
	most, fault := f.move(faults.Read, off, len(p))
	n, err := f.d.ReadAt(p[:most], off)
	switch {
	case fault != nil:
		return n, fault
	case err == nil && n < len(p):
		return n, fmt.Errorf("read of %d bytes: %w", len(p), io.ErrUnexpectedEOF)
	}
	return n, err
}

func (f *faultyDisk) WriteAt(p []byte, off int64) (int, error) {
	most, fault := f.move(faults.Write, off, len(p))
	n, err := 0, error(nil)
	if most > 0 || fault == nil {
		n, err = f.d.WriteAt(p[:most], off)
	}
	switch {
	case fault != nil:
		return n, fault
	case err == nil && n < len(p):
		return n, io.ErrShortWrite
	}
	return n, err
}

// before performs a call unless a fault is injected.
func (f *faultyDisk) before(op faults.Op, call func() error) error {
	if err := f.meet(op); err != nil {
		return err
	}
	return call()
}

func (f *faultyDisk) Sync() error { return f.before(faults.Sync, f.d.Sync) }

// Close closes the disk in any case: a close that fails leaves no open file.
func (f *faultyDisk) Close() error { return errors.Join(f.meet(faults.Close), f.d.Close()) }

func (f *faultyDisk) Truncate(size int64) error {
	return f.before(faults.Size, func() error { return f.d.Truncate(size) })
}

func (f *faultyDisk) Stat() (fs.FileInfo, error) { return f.d.Stat() }
