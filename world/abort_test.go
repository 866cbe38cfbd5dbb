package world_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/world"
)

// Who started the world wants the code with which a rank ended it, and no
// list of ranks that only heard of it.
func TestAbort(t *testing.T) {
	t.Run("WORLD-01 abort ends the world with a code", func(t *testing.T) {
		err := world.Run(context.Background(), 4, func(_ context.Context, c *comm.Comm) error {
			if c.Rank() == 2 {
				return c.Abort(7)
			}
			return c.Barrier()
		})
		var e *world.AbortError
		if assert.ErrorAs(t, err, &e) {
			assert.Equal(t, 7, e.Code)
		}
		assert.EqualError(t, err, `world: comm: rank 2 of the world: Abort "COMM_WORLD": the world ends with code 7 (WORLD-01)`)
	})
	t.Run("COMM-01 handles never freed are errors of the run, if asked for", func(t *testing.T) {
		body := func(_ context.Context, c *comm.Comm) error {
			_, err := c.Dup()
			return err
		}
		assert.NoError(t, world.Run(context.Background(), 2, body))
		assert.ErrorContains(t, world.Run(context.Background(), 2, body, world.CheckHandles()), "abort_test.go:")
	})
}
