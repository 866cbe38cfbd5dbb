package world_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// staleRead is a write of rank 0, a Sync, a Barrier, fences more Syncs, and a read of rank 1.
func staleRead(fences int) world.Setup {
	return func() (program, func() any) {
		fsys, got := iofile.NewMem(), []int32{0}
		return func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "grid", iofile.Create|iofile.ReadWrite)
			if err != nil {
				return err
			}
			if c.Rank() == 0 {
				_, err = f.WriteAt(types.Of([]int32{5}), 0)
			}
			err = errors.Join(err, f.Sync())
			err = errors.Join(err, c.Barrier())
			for range fences {
				err = errors.Join(err, f.Sync())
			}
			if c.Rank() == 1 {
				_, e := f.ReadAt(types.Of(got), 0)
				err = errors.Join(err, e)
			}
			return errors.Join(err, f.Close())
		}, func() any { return got[0] }
	}
}

// If an exploration printed an untested fix, the fix could lead to a deadlock.
func TestExploreTriesFixes(t *testing.T) {
	x, err := world.Explore(context.Background(), 2, staleRead(0))
	require.NoError(t, err)
	seen := 0
	for _, o := range x.Outcomes {
		var races consistency.Races
		if !errors.As(o.Err, &races) {
			continue
		}
		for _, r := range races {
			seen++
			assert.NotContains(t, r.Fix, "not tried")
			assert.Contains(t, r.Fix, "add Sync after Barrier")
		}
	}
	assert.Positive(t, seen)

	x, err = world.Explore(context.Background(), 2, staleRead(1)) // what the fix says
	require.NoError(t, err)
	assert.True(t, x.Complete)
	for _, o := range x.Outcomes {
		assert.NoError(t, o.Err)
		assert.Equal(t, int32(5), o.Value)
	}
}
