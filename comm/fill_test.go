package comm_test

import (
	"context"
	"errors"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Messages and collectives of buffers without memory match, are checked and are counted like any
// other; what memory receives from them is the pattern of types.Fill.
func TestFill(t *testing.T) {
	const far = 1 << 40 // bytes that no machine has
	run := func(body func(c *comm.Comm) error) error {
		return world.Run(context.Background(), 4, func(_ context.Context, c *comm.Comm) error {
			defer func() {
				if x := recover(); x != nil {
					debug.PrintStack()
					panic(x)
				}
			}()
			return body(c)
		},
			world.Seed(3), world.Eager(1<<50))
	}
	fill := func(n int64) types.Buffer { return types.Fill(n, types.Double) }
	t.Run("messages", func(t *testing.T) {
		require.NoError(t, run(func(c *comm.Comm) error {
			if c.Rank() == 0 {
				q, err := c.ISend(fill(far), 1, 5)
				if err == nil {
					_, err = q.Wait()
				}
				return errors.Join(err, c.Send(fill(3), 1, 6), c.SSend(fill(3), 1, 7))
			}
			if c.Rank() != 1 {
				return nil
			}
			st, err := c.Recv(fill(far), comm.AnySource, 5)
			assert.EqualValues(t, 8*int64(far), st.Bytes())
			xs := []float64{1, 1, 1}
			_, err2 := c.Recv(types.Of(xs), 0, 6)
			var want [8]byte
			for i := range want {
				want[i] = types.FillByte(int64(i))
			}
			assert.NotEqual(t, 1.0, xs[0])
			st, err3 := c.Recv(fill(9), 0, 7)
			assert.EqualValues(t, 24, st.Bytes())
			return errors.Join(err, err2, err3)
		}))
	})
	t.Run("collectives", func(t *testing.T) {
		require.NoError(t, run(func(c *comm.Comm) error {
			op := comm.NewOp("never called", func(types.Buffer, types.Buffer) error { return errors.New("called") })
			return errors.Join(
				c.Bcast(fill(far), 2), c.AllReduce(fill(far), fill(far), comm.Sum), c.AllReduce(comm.InPlace, fill(far), op),
				c.Reduce(fill(far), fill(far), comm.Max, 1), c.Scan(fill(9), fill(9), comm.Sum), c.ExScan(fill(9), fill(9), comm.Sum),
				c.Gather(fill(far), fill(4*far), 0), c.AllGather(fill(far), fill(4*far)), c.AllToAll(fill(4*far), fill(4*far)),
				c.AllToAll(comm.InPlace, fill(4*far)), c.Scatter(fill(4*far), fill(far), 3),
				c.AllGatherV(fill(2), fill(8), []int64{2, 2, 2, 2}, []int64{0, 2, 4, 6}), c.ReduceScatterBlock(fill(4), fill(1), comm.Sum))
		}))
	})
	t.Run("P2P-07 and COLL-01: mistakes are found", func(t *testing.T) {
		err := run(func(c *comm.Comm) error {
			return c.Bcast(fill(int64(2+c.Rank())), 0)
		})
		assert.ErrorIs(t, err, comm.ErrNotSame)
		err = run(func(c *comm.Comm) error {
			if c.Rank() == 0 {
				return c.Send(fill(1), 1, 0)
			} else if c.Rank() == 1 {
				_, err := c.Recv(types.Fill(1, types.Int32), 0, 0)
				return err
			}
			return nil
		})
		assert.ErrorIs(t, err, comm.ErrType)
		err = run(func(c *comm.Comm) error { return c.Bcast(fill(-1), 0) })
		assert.ErrorIs(t, err, comm.ErrCount)
	})
}
