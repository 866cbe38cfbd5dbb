package world_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/world"
)

// The error of an aborted world has the code of the rank that ended it, and does not list
// the ranks that were ended.
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
		assert.Regexp(t, `^world: comm: rank 2 of the world: Abort "COMM_WORLD": at abort_test\.go:\d+: the world ends with code 7 \(WORLD-01\)$`, err.Error())
	})
	t.Run("WORLD-01 any goroutine may abort, and its line is reported", func(t *testing.T) {
		err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
			if c.Rank() == 1 {
				// The world knows only its ranks: if they all waited
				// before this goroutine comes to its call, it would be a deadlock.
				done := make(chan struct{})
				go func() { defer close(done); _ = c.Abort(8) }()
				<-done
			}
			return c.Self().Send(num(1), 0, c.Rank()) // and then it waits
		}, world.Eager(0))
		var e *world.AbortError
		if assert.ErrorAs(t, err, &e) {
			assert.Equal(t, "abort_test.go", filepath.Base(e.Place.File))
			assert.Contains(t, err.Error(), fmt.Sprintf(": at abort_test.go:%d: the world ends with code 8 ", e.Place.Line))
		}
	})
	t.Run("COMM-01 handles never freed are errors of the run, if asked for", func(t *testing.T) {
		body := func(_ context.Context, c *comm.Comm) error {
			_, err := c.Dup()
			return err
		}
		assert.NoError(t, world.Run(context.Background(), 2, body))
		assert.ErrorContains(t, world.Run(context.Background(), 2, body, world.Check(world.Handles)), "abort_test.go:")
	})
}
