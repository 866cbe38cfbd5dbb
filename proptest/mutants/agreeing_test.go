package mutants

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/types"
)

// An agreeingLayer is over files of the operating system that can fail. All ranks of a
// collective call return an error if one of them has one.
type agreeingLayer struct {
	dir  string
	b    bug
	plan faults.Plan
}

func newAgreeing(dir string, b bug) proptest.Maker {
	return func() (proptest.Layer, error) {
		own, err := os.MkdirTemp(dir, "layer")
		return &agreeingLayer{dir: own, b: b}, err
	}
}

func (l *agreeingLayer) Fail(rules ...faults.Rule) error { return l.plan.Set(rules...) }
func (l *agreeingLayer) Close() error                    { return os.RemoveAll(l.dir) }

var agreeingBugs = []bug{
	"an error of a sync stays on its rank",
	"an error of an open stays on its rank",
	"writes that fail count all bytes",
	"writes that fail are an error without a count",
	"short writes are not an error",
	"a rank with an error stays away from the sync",
	"a sync that failed once always fails",
}

// agreed returns an error on all ranks if one has one.
func agreed(c *comm.Comm, err error) error {
	bad := []int32{0}
	if err != nil {
		bad[0] = 1
	}
	worst := []int32{0}
	if e := c.AllReduce(types.Of(bad), types.Of(worst), comm.Max); e != nil {
		return errors.Join(err, e)
	}
	if err == nil && worst[0] > 0 {
		err = errors.New("another rank failed")
	}
	return err
}

func (l *agreeingLayer) Open(c *comm.Comm, name string) (proptest.File, error) {
	var d proptest.Disk
	f, err := os.OpenFile(filepath.Join(l.dir, name), os.O_RDWR|os.O_CREATE, 0o666)
	if err == nil {
		d, err = proptest.FaultyDisk(c, f, name, &l.plan)
	}
	if l.b == "an error of an open stays on its rank" {
		return &agreeing{c: c, d: d, b: l.b}, err
	}
	if err = agreed(c, err); err != nil && f != nil {
		err = errors.Join(err, f.Close())
	}
	return &agreeing{c: c, d: d, b: l.b}, err
}

type agreeing struct {
	c      *comm.Comm
	d      proptest.Disk
	b      bug
	failed error // for a bug
}

func (f *agreeing) ReadAt(p []byte, off int64) (int, error) { return untilEnd(f.d.ReadAt(p, off)) }

func (f *agreeing) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.d.WriteAt(p, off)
	switch {
	case err == nil:
	case f.b == "writes that fail count all bytes":
		n = len(p)
	case f.b == "writes that fail are an error without a count":
		n = 0
	case f.b == "short writes are not an error" && n > 0:
		return len(p), nil
	}
	return n, err
}

func (f *agreeing) Sync() error {
	err := f.d.Sync()
	switch f.b {
	case "an error of a sync stays on its rank":
		return err
	case "a rank with an error stays away from the sync":
		if err != nil {
			return err
		}
	case "a sync that failed once always fails":
		f.failed = errors.Join(f.failed, err)
		err = f.failed
	}
	return agreed(f.c, err)
}

func (f *agreeing) Close() error {
	return agreed(f.c, f.d.Close())
}
