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
			if name == "free" && raceEnabled { // the program is wrong, and Go's race detector says so
				continue
			}
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

// Data that arrive in a buffer that the rank sends from, too, are none of the program's writes.
func TestUntouchedInPlace(t *testing.T) {
	for _, checks := range []world.Checks{world.Buffers, world.Samples} {
		for name, start := range map[string]func(c *comm.Comm, b []int32) (*comm.Request, error){
			"IAllGather": func(c *comm.Comm, b []int32) (*comm.Request, error) {
				return c.IAllGather(comm.InPlace, types.Of(b))
			},
			"IAllGatherV": func(c *comm.Comm, b []int32) (*comm.Request, error) {
				return c.IAllGatherV(comm.InPlace, types.Of(b), []int64{2, 2, 2}, []int64{0, 2, 4})
			},
			"IAllReduce": func(c *comm.Comm, b []int32) (*comm.Request, error) {
				return c.IAllReduce(comm.InPlace, types.Of(b), comm.Sum)
			},
			"IAllToAll": func(c *comm.Comm, b []int32) (*comm.Request, error) {
				return c.IAllToAll(comm.InPlace, types.Of(b))
			},
			"IScan": func(c *comm.Comm, b []int32) (*comm.Request, error) {
				return c.IScan(comm.InPlace, types.Of(b), comm.Sum)
			},
			"IExScan": func(c *comm.Comm, b []int32) (*comm.Request, error) {
				return c.IExScan(comm.InPlace, types.Of(b), comm.Sum)
			},
			"IReduceScatterBlock": func(c *comm.Comm, b []int32) (*comm.Request, error) {
				return c.IReduceScatterBlock(comm.InPlace, types.Of(b), comm.Sum)
			},
			"IGather": func(c *comm.Comm, b []int32) (*comm.Request, error) {
				if c.Rank() == 0 {
					return c.IGather(comm.InPlace, types.Of(b), 0)
				}
				return c.IGather(types.Of(b[:2]), types.Buffer{}, 0)
			},
			"IScatter": func(c *comm.Comm, b []int32) (*comm.Request, error) {
				if c.Rank() == 0 {
					return c.IScatter(types.Of(b), comm.InPlace, 0)
				}
				return c.IScatter(types.Buffer{}, types.Of(b[:2]), 0)
			},
			"IReduce": func(c *comm.Comm, b []int32) (*comm.Request, error) {
				if c.Rank() == 0 {
					return c.IReduce(comm.InPlace, types.Of(b), comm.Sum, 0)
				}
				return c.IReduce(types.Of(b), types.Buffer{}, comm.Sum, 0)
			},
			"IBcast": func(c *comm.Comm, b []int32) (*comm.Request, error) { return c.IBcast(types.Of(b), 0) },
		} {
			err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
				b := make([]int32, 6)
				for i := range b {
					b[i] = int32(10*c.Rank() + i + 1)
				}
				q, err := start(c, b)
				if err != nil {
					return err
				}
				_, err = q.Wait()
				return err
			}, world.Check(checks), world.Seed(1))
			assert.NoError(t, err, name)
		}
	}
}
