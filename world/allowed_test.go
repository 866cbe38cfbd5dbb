package world_test

import (
	"bytes"
	"cmp"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// twoRanks explores a program of two ranks that begins with a file of bytes and returns the
// standard's judgement of it.
func twoRanks(t *testing.T, body func(f *iofile.File, c *comm.Comm) error, opts ...world.Option) (*world.Exploration, world.Judgement) {
	t.Helper()
	x, err := world.Explore(t.Context(), 2, func() (func(context.Context, *comm.Comm) error, func() any) {
		fsys := iofile.NewMem()
		require.NoError(t, fsys.Import("f", bytes.NewReader([]byte{0, 0})))
		return func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite)
			if err == nil {
				err = body(f, c)
			}
			if err == nil {
				err = f.Close()
			}
			return err
		}, func() any { return nil }
	}, append(opts, world.Check(world.Results))...)
	require.NoError(t, err)
	all, err := x.Allowed()
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, "f", all[0].File)
	assert.Empty(t, all[0].Forbidden, "%v", &all[0])
	return x, all[0]
}

// If this fails, the allowed outcomes of a Go program are not computed from the order of its
// run, or the library has an outcome that the standard forbids.
func TestAllowed(t *testing.T) {
	one := func(b byte) types.Buffer { return types.Of([]byte{b}) }
	t.Run("CONS-C2 a synced write", func(t *testing.T) {
		_, j := twoRanks(t, func(f *iofile.File, c *comm.Comm) error {
			if c.Rank() == 0 {
				if _, err := f.WriteAt(one(7), 0); err != nil {
					return err
				}
			}
			if err := cmp.Or(f.Sync(), c.Barrier(), f.Sync()); err != nil {
				return err
			}
			_, err := f.ReadAt(one(0), 0)
			return err
		})
		require.Len(t, j.Allowed, 1)
		assert.Equal(t, "0700", j.Allowed[0].File)
		for name, v := range j.Allowed[0].Vars {
			assert.Equal(t, "07", v, name)
		}
		assert.Len(t, j.Allowed[0].Vars, 2)
		assert.Empty(t, j.Missing())
	})
	t.Run("CONS-C4 a race", func(t *testing.T) {
		x, j := twoRanks(t, func(f *iofile.File, c *comm.Comm) (err error) {
			if c.Rank() == 0 {
				_, err = f.WriteAt(one(7), 0)
			} else {
				_, err = f.ReadAt(one(0), 0)
			}
			return err
		})
		assert.True(t, j.Allowed.Undefined(), "%v", &j)
		assert.Len(t, j.Found, 2, "%v", j.Found)
		assert.NotEmpty(t, x.Outcomes)
		assert.Empty(t, j.Missing())
	})
	t.Run("CONS-C5 two flags in atomic mode", func(t *testing.T) {
		_, j := twoRanks(t, func(f *iofile.File, c *comm.Comm) error {
			if err := f.SetAtomicity(true); err != nil {
				return err
			}
			if _, err := f.WriteAt(one(1), iofile.Offset(c.Rank())); err != nil {
				return err
			}
			_, err := f.ReadAt(one(0), iofile.Offset(1-c.Rank()))
			return err
		})
		require.Len(t, j.Allowed, 3, "%v", &j) // all but that neither sees the other
		for _, a := range j.Allowed {
			both := ""
			for _, v := range a.Vars {
				both += v
			}
			assert.NotEqual(t, "0000", both)
		}
		assert.Empty(t, j.Missing(), "%v", &j)
	})
	t.Run("IO-NBC-01 a read under way", func(t *testing.T) {
		_, j := twoRanks(t, func(f *iofile.File, c *comm.Comm) error {
			if err := f.SetAtomicity(true); err != nil {
				return err
			}
			if c.Rank() == 0 {
				_, err := f.WriteAt(one(1), 0)
				return err
			}
			q, err := f.IReadAt(one(0), 0)
			if err == nil {
				_, err = q.Wait()
			}
			return err
		})
		assert.Len(t, j.Allowed, 2, "%v", &j)
		assert.Empty(t, j.Missing(), "%v", &j)
	})
	t.Run("CONS-D08 a size", func(t *testing.T) {
		_, j := twoRanks(t, func(f *iofile.File, _ *comm.Comm) error {
			if err := f.SetSize(5); err != nil {
				return err
			}
			_, err := f.Size()
			return err
		})
		require.Len(t, j.Allowed, 1, "%v", &j)
		for name, v := range j.Allowed[0].Vars {
			assert.Equal(t, "5", v, name)
		}
		assert.Empty(t, j.Missing(), "%v", &j)
	})
}

// If this fails, an exploration says what the standard allows although it cannot know.
func TestNotAllowed(t *testing.T) {
	x, err := world.Explore(t.Context(), 1, func() (func(context.Context, *comm.Comm) error, func() any) {
		return func(context.Context, *comm.Comm) error { return nil }, nil
	})
	require.NoError(t, err)
	_, err = x.Allowed()
	assert.ErrorContains(t, err, "world.Check(world.Results)")

	x, err = world.Explore(t.Context(), 1, func() (func(context.Context, *comm.Comm) error, func() any) {
		fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX))
		return func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite|iofile.Create)
			if err != nil {
				return err
			}
			return f.Close()
		}, nil
	}, world.Check(world.Results))
	require.NoError(t, err)
	_, err = x.Allowed()
	assert.ErrorContains(t, err, "model")
}
