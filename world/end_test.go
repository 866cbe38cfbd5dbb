package world_test

import (
	"context"
	"errors"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program that aborts while its attributes are deleted, at the end of the world, must not
// count as a success.
func TestAbortInDeleteCallback(t *testing.T) {
	for name, opts := range map[string][]world.Option{"free": nil, "seeded": {world.Seed(1)}} {
		t.Run(name, func(t *testing.T) {
			err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
				self := c.Self()
				key := comm.NewKeyval(nil, func(c *comm.Comm, _ *comm.Keyval, _ any) error { return c.Abort(7) })
				return self.SetAttr(key, 1)
			}, opts...)
			var abort *world.AbortError
			require.True(t, errors.As(err, &abort), "%v", err)
			assert.Equal(t, 7, abort.Code)
		})
	}
}

// A report of four equal requests of rank 0 must name the rank once.
func TestErrorsNameRankOnce(t *testing.T) {
	err := world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
		for range 4 {
			if _, err := c.RecvInit(types.Of(make([]byte, 1)), comm.ProcNull, 0); err != nil {
				return err
			}
		}
		return nil
	}, world.Check(world.Handles))
	require.Error(t, err)
	assert.Contains(t, err.Error(), "rank 0, 4 times: ")
	assert.NotContains(t, err.Error(), "0, 0")
}
