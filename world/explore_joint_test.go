package world_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// TestLITX1JointEnds: a rank returns from a collective read and writes bytes that another
// rank of the call may not have read yet. If the ranks notify each other whether the read
// failed, they return together, and the exploration says that other orders were not tried.
func TestLITX1JointEnds(t *testing.T) {
	explore := func(opts ...world.Option) (*world.Exploration, error) {
		return world.Explore(t.Context(), 2, func() (func(context.Context, *comm.Comm) error, func() any) {
			fs := iofile.NewMem()
			require.NoError(t, fs.Import("f", bytes.NewReader([]byte{9})))
			var got [2]byte
			return func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, fs, "f", iofile.ReadWrite)
				if err != nil {
					return err
				}
				if _, err := f.ReadAtAll(types.Of(got[c.Rank():][:1]), 0); err != nil {
					return err
				}
				if c.Rank() == 1 {
					if _, err := f.WriteAt(types.Of([]byte{5}), 0); err != nil {
						return err
					}
				}
				return f.Close()
			}, func() any { return got }
		}, opts...)
	}
	x, err := explore()
	require.NoError(t, err)
	assert.True(t, x.Complete)
	assert.Len(t, x.Outcomes, 2)

	x, err = explore(world.Check(world.Buffers))
	require.NoError(t, err)
	assert.Len(t, x.Outcomes, 1)
	assert.False(t, x.Complete)
	require.ErrorIs(t, x.Stopped, world.ErrUntried)
	assert.ErrorContains(t, x.Stopped, "returns on one rank before another")
}
