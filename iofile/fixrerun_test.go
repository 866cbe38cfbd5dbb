package iofile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFixSeesAllOfTheRun: if a row fails, a fix of a Go program is judged without something that the
// run did: it is not found, does more than is necessary, or does not work.
func TestFixSeesAllOfTheRun(t *testing.T) {
	write := func(f *iofile.File, at iofile.Offset) error { return second(f.WriteAt(types.Of([]byte{1}), at)) }
	read := func(f *iofile.File, at iofile.Offset) error {
		return second(f.ReadAt(types.Of(make([]byte, 1)), at))
	}
	each := func(c *comm.Comm, calls ...func() error) error { // by rank
		return calls[c.Rank()]()
	}
	visible := iofile.WithRaceDetector(consistency.ROMIO)
	plan := new(faults.Plan)
	fails := []iofile.Option{iofile.WithModel(consistency.POSIX), iofile.WithFaults(plan)} // as soon as it is complete
	retried := func(f *iofile.File, c *comm.Comm, _ *iofile.FS) (err error) {
		err = plan.Set(faults.Must("write error=io rank=0 call=1")...)
		for i := range 2 {
			err = errors.Join(err, each(c, func() error {
				q, err := f.IWriteAt(types.Of([]byte{1}), 0)
				_, failed := q.Wait()
				assert.Equal(t, i == 0, failed != nil)
				return err
			}, func() error { return read(f, iofile.Offset(9-9*i)) }))
		}
		return err
	}
	farFromOpen := func(body func(f *iofile.File, c *comm.Comm) error) func(*iofile.File, *comm.Comm, *iofile.FS) error {
		return func(f *iofile.File, c *comm.Comm, _ *iofile.FS) (err error) {
			for range 30 + 10*c.Rank() {
				err = errors.Join(err, read(f, 9))
			}
			err = errors.Join(err, body(f, c))
			for _, call := range []func() error{
				func() error { return f.Preallocate(1) },
				func() error { return f.Preallocate(1) },
				func() error { return f.Preallocate(1) },
				func() error { return f.Preallocate(1) },
				func() error { return f.Preallocate(1) },
				func() error { return f.Preallocate(1) },
				func() error { return f.Preallocate(1) },
				func() error { return f.Preallocate(1) },
				func() error { return f.Preallocate(1) },
				func() error { return f.Preallocate(1) },
				func() error { return f.Preallocate(1) },
			} {
				err = errors.Join(err, call())
			}
			return err
		}
	}
	for _, l := range []struct {
		name, fix string
		opts      []iofile.Option
		body      func(f *iofile.File, c *comm.Comm, fsys *iofile.FS) error
	}{
		{
			"CONS-C2 the end of an access that was under way", ` before ReadAt @: add Barrier after Wait @ on rank 0, before ReadAt @ on rank 1;`,
			[]iofile.Option{visible},
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
				return each(c, func() error {
					q, err := f.IWriteAt(types.Of([]byte{1}), 0)
					return errors.Join(err, second(q.Wait()))
				}, func() error { return read(f, 0) })
			},
		},
		{"CONS-C2 an access that failed under way", ` before ReadAt @: add Sync, Barrier, Sync after Wait @ on rank 0, before each ReadAt @ on rank 1;`, fails, retried},
		{"CONS-C2 an access that failed under way, if writes are visible at once", ` before ReadAt @: add Barrier after Wait @ on rank 0, before each ReadAt @ on rank 1;`, append(fails, visible), retried},
		{
			"CONS-C3 the close of the writer", `^add Sync on the handle of ReadAt @ before ReadAt @ on rank 1$`, nil,
			func(_ *iofile.File, c *comm.Comm, fsys *iofile.FS) error {
				return each(c, func() error {
					err := onceMore(c, fsys, func(g *iofile.File) error { return write(g, 0) })
					return errors.Join(err, c.Barrier())
				}, func() error {
					return onceMore(c, fsys, func(g *iofile.File) error { return errors.Join(c.Barrier(), read(g, 0)) })
				})
			},
		},
		{
			"CONS-C2 a message", `^add Sync after WriteAt @ on rank 0, before the receive @ on rank 1, and add Sync after the send @ on rank 0, before ReadAt @ on rank 1;`, nil,
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
				return each(c, func() error {
					err := write(f, 0)
					return errors.Join(err, c.Send(types.Of([]byte{1}), 1, 0))
				}, func() error {
					_, err := c.Recv(types.Of([]byte{1}), 0, 0)
					return errors.Join(err, read(f, 0))
				})
			},
		},
		{
			"CONS-C2 the nearest calls only", `^add Sync before Barrier @ on all ranks of the file, and add Sync after Barrier @ on all ranks of the file;`, nil,
			farFromOpen(func(f *iofile.File, c *comm.Comm) (err error) {
				if c.Rank() == 0 {
					err = write(f, 0)
				}
				err = errors.Join(err, c.Barrier())
				if c.Rank() == 1 {
					err = errors.Join(err, read(f, 0))
				}
				return err
			}),
		},
		{
			"CONS-C2 collective calls in a loop", `^add Sync, Barrier, Sync before WriteAtAll @ on all ranks of the file, and add Sync, Barrier, Sync after WriteAtAll @ on all ranks of the file;`, nil,
			farFromOpen(func(f *iofile.File, c *comm.Comm) (err error) {
				for range 3 {
					err = errors.Join(err, second(f.WriteAtAll(types.Of([]byte{1, 1}), iofile.Offset(2*c.Rank()))))
					err = errors.Join(err, second(f.ReadAtAll(types.Of(make([]byte, 4)), 0)))
				}
				return err
			}),
		},
		{
			"CONS-C3 a barrier at a call of all ranks", `^add Sync on the handle of WriteAt @ after each WriteAt @ on rank 0, and add Barrier before Preallocate @ on all ranks, ` +
				`and add Sync on the handle of ReadAt @ before ReadAt @ on rank 1$`, nil,
			func(_ *iofile.File, c *comm.Comm, fsys *iofile.FS) error {
				return onceMore(c, fsys, func(g *iofile.File) (err error) {
					for range 2 * (1 - c.Rank()) {
						err = errors.Join(err, write(g, 0))
					}
					err = errors.Join(err, g.Preallocate(1))
					if c.Rank() == 1 {
						err = errors.Join(err, read(g, 0))
					}
					return err
				})
			},
		},
		{
			"CONS-C1 split, begun on both ranks", `^move WriteAtAllEnd @ to before ReadAt @ on ranks 0, 1$`, nil,
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
				p := types.Of(make([]byte, 8))
				err := f.WriteAtAllBegin(p, iofile.Offset(8*c.Rank()))
				err = errors.Join(err, read(f, iofile.Offset(8*c.Rank())))
				return errors.Join(err, second(f.WriteAtAllEnd(p)))
			},
		},
		{
			"CONS-C1 split, ended on two lines", `\(not tried in this run: the record of the run does not say enough\)$`, nil,
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
				p := types.Of(make([]byte, 8))
				err := f.WriteAtAllBegin(p, iofile.Offset(8*c.Rank()))
				err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 1)), iofile.Offset(8*c.Rank()))))
				return errors.Join(err, each(c, func() error {
					return second(f.WriteAtAllEnd(p))
				}, func() error {
					return second(f.WriteAtAllEnd(p))
				}))
			},
		},
		{
			"CONS-C1 split, and a meeting after a like call", `^move WriteAtAllEnd @ to before ReadAt @ on rank 0$`, nil,
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
				p := types.Of(make([]byte, 8))
				err := f.WriteAtAllBegin(p, iofile.Offset(8*c.Rank()))
				err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 1)), 40)))
				err = errors.Join(err, c.Barrier())
				if c.Rank() == 0 {
					err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 1)), 0)))
				}
				return errors.Join(err, second(f.WriteAtAllEnd(p)))
			},
		},
		{
			"CONS-C1 split, whose end is not recorded", `\(not tried in this run: the record of the run does not say enough\)$`, nil,
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
				p := types.Of(make([]byte, 8))
				err := f.WriteAtAllBegin(p, iofile.Offset(8*c.Rank()))
				if c.Rank() == 0 {
					err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 1)), 0)))
					for range 2000 {
						err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 1)), 40)))
					}
				}
				return errors.Join(err, second(f.WriteAtAllEnd(p)))
			},
		},
	} {
		t.Run(l.name, func(t *testing.T) {
			assert.NoError(t, plan.Set())
			var race *consistency.RaceError
			require.ErrorAs(t, ofTwo(t, l.body, l.opts...).Err, &race)
			assert.Regexp(t, strings.ReplaceAll(l.fix, "@", `\(\w+_test.go:\d+\)`), race.Fix)
		})
	}
}

// TestAtomicFixWhereTheModeIsSet: if it fails, a report advises atomic mode where a call of the program
// takes it from an access under way, or does not advise it where it works.
func TestAtomicFixWhereTheModeIsSet(t *testing.T) {
	for name, x := range map[string]struct {
		works bool
		body  func(f *iofile.File, c *comm.Comm, fsys *iofile.FS) error
	}{
		"CONS-ATOM-03 off while an access is under way": {false, func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
			if c.Rank() == 1 {
				return errors.Join(lookedAt(f), f.SetAtomicity(false))
			}
			q, err := f.IWriteAt(types.Of([]byte{1}), 0)
			return errors.Join(err, f.SetAtomicity(false), second(q.Wait()))
		}},
		"CONS-ATOM-03 on while an access is under way": {true, func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
			if c.Rank() == 1 {
				return errors.Join(f.SetAtomicity(true), lookedAt(f))
			}
			q, err := f.IWriteAt(types.Of([]byte{1}), 0)
			return errors.Join(err, f.SetAtomicity(true), second(q.Wait()))
		}},
		"CONS-ATOM-01 of another open": {true, func(f *iofile.File, c *comm.Comm, fsys *iofile.FS) error {
			g, err := iofile.Open(c, fsys, "f", iofile.ReadWrite)
			if err == nil {
				err = g.SetAtomicity(false)
			}
			if c.Rank() == 1 {
				err = errors.Join(err, lookedAt(f))
			} else {
				err = errors.Join(err, written(f))
			}
			return errors.Join(err, g.Close())
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var race *consistency.RaceError
			require.ErrorAs(t, ofTwo(t, x.body).Err, &race)
			assert.Equal(t, x.works, strings.Contains(race.Fix, "add SetAtomicity(true) after Open"), race.Fix)
			err := ofTwo(t, func(f *iofile.File, c *comm.Comm, fsys *iofile.FS) error {
				return errors.Join(f.SetAtomicity(true), x.body(f, c, fsys))
			}).Err
			assert.Equal(t, x.works, err == nil, err)
		})
	}
}
