package world_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A program that changes the buffer of a collective under way, or receives twice into one
// buffer, gets other data with another schedule; one run must show it.
func TestTouchedBuffers(t *testing.T) {
	for _, checks := range []world.Checks{world.Buffers, world.Samples} {
		for name, seed := range map[string]world.Option{"turns": world.Seed(1), "free": world.Check(0)} {
			err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
				a, b := make([]int32, 5000), make([]int32, 5000)
				q, err := c.IAllReduce(types.Of(a), types.Of(b), comm.Sum)
				if err != nil {
					return err
				}
				for i := range a {
					a[i] = 1
				}
				_, err = q.Wait()
				return err
			}, world.Check(checks), seed)
			assert.ErrorContains(t, err, "the program wrote into a buffer of IAllReduce", name)
			assert.ErrorIs(t, err, comm.ErrBuffer)
			err = world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
				b := make([]int32, 4)
				q, err := c.IRecv(types.Of(b[:3]), 1-c.Rank(), 0)
				if err != nil {
					return err
				}
				_, err = c.IRecv(types.Of(b[2:]), 1-c.Rank(), 1)
				_ = q.Free()
				return err
			}, world.Check(checks), seed)
			assert.ErrorContains(t, err, "shares memory with that of IRecv", name)
		}
	}
}
