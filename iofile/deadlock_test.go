package iofile_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A deadlock in a collective call on a file must name the file and the ranks that are
// missing: those of the communicator that opened it, by their numbers in the world.
func TestDeadlockNamesTheFileAndTheRanks(t *testing.T) {
	one := func() types.Buffer { return types.Of([]byte("x")) }
	wait := func(q *comm.Request, err error) error {
		if err == nil {
			_, err = q.Wait()
		}
		return err
	}
	failed := func(_ comm.Status, err error) error { return err }
	type row struct {
		name string
		call func(f *iofile.File) error
		want string
	}
	rows := []row{
		{"CONS-SYNC-01 Sync", (*iofile.File).Sync, `Sync on file "grid"`},
		{"IO-CLOSE-01 Close", (*iofile.File).Close, `Close on file "grid"`},
		{"IO-VIEW-01 SetView", func(f *iofile.File) error { return f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte}) }, `SetView on file "grid"`},
		{"IO-DA-01 WriteAtAll", func(f *iofile.File) error { return failed(f.WriteAtAll(one(), 0)) }, `WriteAtAll on file "grid"`},
		{"IO-SHP-06 ReadOrdered", func(f *iofile.File) error { return failed(f.ReadOrdered(one())) }, `ReadOrdered on file "grid"`},
		{"IO-SPLIT-01 WriteAllBegin", func(f *iofile.File) error {
			if err := f.WriteAllBegin(one()); err != nil {
				return err
			}
			return failed(f.WriteAllEnd(one()))
		}, `WriteAllBegin on file "grid"`},
		{"IO-NBC-01 IWriteAtAll", func(f *iofile.File) error { return wait(f.IWriteAtAll(one(), 0)) }, `Wait for IWriteAtAll on file "grid"`},
	}
	const at = `(?: < \w+.go:\d+)*`
	check := func(t *testing.T, n int, body func(c *comm.Comm, fsys *iofile.FS) error, want string) {
		want = strings.ReplaceAll(want, "FILE", `deadlock_test.go:\d+`+at)
		run := func(opts ...world.Option) error {
			fsys := iofile.NewMem()
			return world.Run(t.Context(), n, func(_ context.Context, c *comm.Comm) error { return body(c, fsys) }, opts...)
		}
		assert.Regexp(t, want, run().Error())
		assert.Regexp(t, want, run(world.Seed(4)).Error())
		x, err := world.Explore(t.Context(), n, func() (func(context.Context, *comm.Comm) error, func() any) {
			fsys := iofile.NewMem()
			return func(_ context.Context, c *comm.Comm) error { return body(c, fsys) }, nil
		})
		require.NoError(t, err)
		if assert.Len(t, x.Outcomes, 1) {
			assert.Regexp(t, want, x.Outcomes[0].Err.Error())
		}
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			check(t, 3, func(c *comm.Comm, fsys *iofile.FS) error {
				f, err := iofile.Open(c, fsys, "grid", create)
				if err != nil || c.Rank() > 0 {
					return errors.Join(err, c.Barrier())
				}
				return r.call(f)
			}, `\n  rank 0: waits in `+r.want+` at FILE, which needs all ranks of the file: ranks 1-2 are missing`+
				`\n  ranks 1-2: wait in Barrier \(1st collective\) on COMM_WORLD at FILE, which needs all ranks of COMM_WORLD: rank 0 is missing`+
				`\n  rank 0 waits for rank 1, 1 for 0(\n|$)`)
		})
	}
	t.Run("IO-OPEN-01 Open", func(t *testing.T) {
		check(t, 3, func(c *comm.Comm, fsys *iofile.FS) error {
			if c.Rank() == 1 {
				_, err := c.Recv(one(), 0, 0)
				return err
			}
			_, err := iofile.Open(c, fsys, "grid", create)
			return err
		}, `\n  ranks 0, 2: wait in Open on file "grid" at FILE, which needs all ranks of COMM_WORLD: rank 1 is missing\n  rank 1: waits in Recv `)
	})
	t.Run("IO-OPEN-01 a file of part of the ranks", func(t *testing.T) {
		check(t, 4, func(c *comm.Comm, fsys *iofile.FS) error {
			d, err := c.Split(c.Rank()/2, 0)
			if err != nil || c.Rank() < 2 {
				return err
			}
			f, err := iofile.Open(d, fsys, "grid", create)
			if err != nil || c.Rank() == 2 {
				return errors.Join(err, c.Barrier())
			}
			return f.Sync()
		}, `\n  rank 3: waits in Sync on file "grid" at FILE, which needs all ranks of the file: rank 2 is missing`)
	})
	t.Run("GEN-06 opening a file is not counted", func(t *testing.T) {
		check(t, 2, func(c *comm.Comm, fsys *iofile.FS) error {
			f, err := iofile.Open(c, fsys, "grid", create)
			if err != nil || c.Rank() == 1 {
				return err
			}
			return errors.Join(c.Barrier(), f.Close())
		}, `\n  rank 0: waits in Barrier \(1st collective\) on COMM_WORLD at FILE`)
	})
}
