package world_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Programs that rely on memory shared by the ranks of one process are reported, because on
// a cluster they would silently give other results.
func TestStrict(t *testing.T) {
	type body = func(context.Context, *comm.Comm) error
	send := func(c *comm.Comm, n int) error {
		all := make([]int64, c.Size())
		return c.AllGather(types.Of([]int64{int64(n)}), types.Of(all))
	}
	for name, setup := range map[string]func() body{
		"a shared counter": func() body {
			count := 0
			return func(_ context.Context, c *comm.Comm) error {
				count++
				return send(c, count)
			}
		},
		"a shared slice": func() body {
			var list []int
			return func(_ context.Context, c *comm.Comm) error {
				list = append(list, c.Rank())
				return send(c, list[0])
			}
		},
		"a shared map with a mutex": func() body {
			var mu sync.Mutex
			place := map[int]int{}
			return func(_ context.Context, c *comm.Comm) error {
				mu.Lock()
				place[c.Rank()] = len(place)
				mine := place[c.Rank()]
				mu.Unlock()
				return send(c, mine)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := world.Strict(t.Context(), 3, func() (func(context.Context, *comm.Comm) error, func() any) { return setup(), nil })
			var found *world.UncontrolledError
			require.ErrorAs(t, err, &found)
			assert.True(t, found.Reordered)
			assert.ErrorContains(t, err, "ranks share a Go variable")
			assert.ErrorContains(t, err, "AllGather")
			assert.ErrorContains(t, err, "strict_test.go:")
		})
	}
	t.Run("only messages", func(t *testing.T) {
		assert.NoError(t, world.Strict(t.Context(), 3, func() (func(context.Context, *comm.Comm) error, func() any) {
			return func(_ context.Context, c *comm.Comm) error {
				sum := []int64{0}
				if err := c.Scan(types.Of([]int64{1}), types.Of(sum), comm.Sum); err != nil {
					return err
				}
				return send(c, int(sum[0]))
			}, nil
		}))
	})
	t.Run("a context that has ended", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := world.Strict(ctx, 2, func() (func(context.Context, *comm.Comm) error, func() any) {
			return func(context.Context, *comm.Comm) error { return nil }, nil
		})
		var ended *world.RunError
		require.ErrorAs(t, err, &ended)
		assert.ErrorIs(t, ended.Cause, context.Canceled)
	})
	t.Run("a program that fails", func(t *testing.T) {
		assert.ErrorContains(t, world.Strict(t.Context(), 2, func() (func(context.Context, *comm.Comm) error, func() any) {
			return func(_ context.Context, c *comm.Comm) error {
				_, err := c.Recv(types.Of([]byte{0}), 1-c.Rank(), 0)
				return err
			}, nil
		}), "deadlock")
	})
}
