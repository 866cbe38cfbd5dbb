package iofile_test

import (
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

func TestVersion(t *testing.T) {
	t.Run("CONS-C1 a write is a version when it is published, and seen when it is adopted", func(t *testing.T) {
		fsys := iofile.NewMem(iofile.WithModel(consistency.Weakest))
		require.NoError(t, world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite|iofile.Create)
			if err != nil {
				return err
			}
			sees := func(seen, newest int64) {
				v, err := f.Version()
				assert.NoError(t, err)
				assert.Equal(t, iofile.Version{Seen: seen, Newest: newest}, v, "rank %d", c.Rank())
				assert.NoError(t, c.Barrier())
			}
			sees(0, 0)
			if c.Rank() == 0 {
				_, err = f.WriteAt(types.Of([]int32{7}), 0)
				assert.NoError(t, err)
			}
			sees(0, 0)
			assert.NoError(t, f.Sync()) // rank 1 may adopt before rank 0 publishes
			assert.NoError(t, c.Barrier())
			assert.NoError(t, f.Sync())
			sees(1, 1)
			assert.NoError(t, f.SetAtomicity(true))
			v, err := f.Version()
			assert.NoError(t, err)
			assert.True(t, v.Live)
			if err := f.Close(); err != nil {
				return err
			}
			_, err = f.Version()
			assert.ErrorIs(t, err, iofile.ErrFile)
			return nil
		}, world.Seed(1)))
	})
	t.Run("of no file", func(t *testing.T) {
		_, err := (*iofile.File)(nil).Version()
		assert.ErrorIs(t, err, iofile.ErrFile)
	})
}
