package comm_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// TestReceiveRefusesOverlap: if two items are received in one place, the program gets one of
// them by chance, and a check of 2^40 items one by one takes hours.
func TestReceiveRefusesOverlap(t *testing.T) {
	same := types.Resized(types.Int32, 0, 0)
	ring := comm.CartDims(false, 1)
	bad := func(n int64) types.Buffer { return types.Raw(make([]byte, 8), n, same) }
	ok := func(n int64) types.Buffer { return types.Of(make([]int32, n)) }
	none := func(q *comm.Request, err error) error {
		if err == nil {
			_, err = q.Wait()
		}
		return err
	}
	near := func(c *comm.Comm) *comm.Comm {
		n, err := c.CartCreate(ring, false)
		assert.NoError(t, err)
		return n
	}
	two := []int64{2}
	for _, v := range []struct {
		name string
		rule string
		call func(c *comm.Comm, n int64) error
	}{
		{"Recv", "P2P-08", func(c *comm.Comm, n int64) error { return second(c.Recv(bad(n), 0, 0)) }},
		{"IRecv", "P2P-08", func(c *comm.Comm, n int64) error { return second(c.IRecv(bad(n), 0, 0)) }},
		{"RecvInit", "P2P-08", func(c *comm.Comm, n int64) error { return second(c.RecvInit(bad(n), 0, 0)) }},
		{"PRecvInit", "P2P-07 P2P-08", func(c *comm.Comm, n int64) error { return second(c.PRecvInit(bad(n), 1, 0, 0)) }},
		{"MRecv", "P2P-05 P2P-08", func(c *comm.Comm, n int64) error {
			q, err := c.ISend(ok(2), 0, 0)
			m, _, err2 := c.MProbe(0, 0)
			_, err3 := m.MRecv(bad(n))
			_, err4 := m.IMRecv(bad(n))
			refused(t, err4, comm.ErrType, "P2P-08")
			_, err5 := m.MRecv(ok(2)) // the message is still there
			_, err6 := q.Wait()
			assert.NoError(t, errors.Join(err, err2, err5, err6))
			return err3
		}},
		{"SendRecv", "P2P-03 P2P-08", func(c *comm.Comm, n int64) error {
			return second(c.SendRecv(ok(2), comm.To{Rank: 0}, bad(n), comm.From{Rank: 0}))
		}},
		{"ISendRecv", "P2P-03 P2P-08", func(c *comm.Comm, n int64) error {
			return second(c.ISendRecv(ok(2), comm.To{Rank: 0}, bad(n), comm.From{Rank: 0}))
		}},
		{"SendRecvReplace", "P2P-03 P2P-08", func(c *comm.Comm, n int64) error {
			return second(c.SendRecvReplace(bad(n), comm.To{Rank: 0}, comm.From{Rank: 0}))
		}},
		{"ISendRecvReplace", "P2P-03 P2P-08", func(c *comm.Comm, n int64) error {
			return second(c.ISendRecvReplace(bad(n), comm.To{Rank: 0}, comm.From{Rank: 0}))
		}},
		{"Gather", "COLL-01 P2P-08", func(c *comm.Comm, n int64) error { return c.Gather(ok(2), bad(n), 0) }},
		{"IGather", "COLL-02 P2P-08", func(c *comm.Comm, n int64) error { return none(c.IGather(ok(2), bad(n), 0)) }},
		{"GatherInit", "COLL-02 P2P-08", func(c *comm.Comm, n int64) error { return none(c.GatherInit(ok(2), bad(n), 0)) }},
		{"GatherV", "COLL-01 P2P-08", func(c *comm.Comm, n int64) error { return c.GatherV(ok(2), bad(n), []int64{n}, nil, 0) }},
		{"Scatter", "COLL-01 P2P-08", func(c *comm.Comm, n int64) error { return c.Scatter(ok(2), bad(n), 0) }},
		{"ScatterV", "COLL-01 P2P-08", func(c *comm.Comm, n int64) error { return c.ScatterV(ok(2), two, nil, bad(n), 0) }},
		{"AllGather", "COLL-01 P2P-08", func(c *comm.Comm, n int64) error { return c.AllGather(ok(2), bad(n)) }},
		{"AllGatherV", "COLL-01 P2P-08", func(c *comm.Comm, n int64) error { return c.AllGatherV(ok(2), bad(n), []int64{n}, []int64{0}) }},
		{"AllToAll", "COLL-01 P2P-08", func(c *comm.Comm, n int64) error { return c.AllToAll(ok(2), bad(n)) }},
		{"AllToAll in place", "COLL-01 P2P-08", func(c *comm.Comm, n int64) error { return c.AllToAll(comm.InPlace, bad(n)) }},
		{"AllToAllV", "COLL-01 P2P-08", func(c *comm.Comm, n int64) error { return c.AllToAllV(ok(2), two, nil, bad(n), []int64{n}, nil) }},
		{"AllToAllW", "COLL-01 P2P-08", func(c *comm.Comm, n int64) error {
			return c.AllToAllW([]types.Buffer{ok(2)}, []types.Buffer{bad(n)})
		}},
		{"Reduce", "COLL-03 P2P-08", func(c *comm.Comm, n int64) error { return c.Reduce(ok(2), bad(n), comm.Sum, 0) }},
		{"AllReduce", "COLL-03 P2P-08", func(c *comm.Comm, n int64) error { return c.AllReduce(ok(2), bad(n), comm.Sum) }},
		{"AllReduce in place", "COLL-03 P2P-08", func(c *comm.Comm, n int64) error { return c.AllReduce(comm.InPlace, bad(n), comm.Sum) }},
		{"Scan", "COLL-03 P2P-08", func(c *comm.Comm, n int64) error { return c.Scan(ok(2), bad(n), comm.Sum) }},
		{"ExScan", "COLL-03 P2P-08", func(c *comm.Comm, n int64) error { return c.ExScan(ok(2), bad(n), comm.Sum) }},
		{"ReduceScatter", "COLL-03 P2P-08", func(c *comm.Comm, n int64) error { return c.ReduceScatter(ok(2), bad(n), two, comm.Sum) }},
		{"ReduceScatterBlock", "COLL-03 P2P-08", func(c *comm.Comm, n int64) error { return c.ReduceScatterBlock(ok(2), bad(n), comm.Sum) }},
		{"ReduceLocal", "COLL-03 P2P-08", func(c *comm.Comm, n int64) error { return c.ReduceLocal(ok(2), bad(n), comm.Sum) }},
		{"NeighborAllGather", "COLL-04 P2P-08", func(c *comm.Comm, n int64) error { return near(c).NeighborAllGather(ok(2), bad(2*n)) }},
		{"NeighborAllGatherV", "COLL-04 P2P-08", func(c *comm.Comm, n int64) error {
			return near(c).NeighborAllGatherV(ok(2), bad(2*n), []int64{n, n}, nil)
		}},
		{"NeighborAllToAll", "COLL-04 P2P-08", func(c *comm.Comm, n int64) error { return near(c).NeighborAllToAll(ok(4), bad(2*n)) }},
		{"NeighborAllToAllV", "COLL-04 P2P-08", func(c *comm.Comm, n int64) error {
			return near(c).NeighborAllToAllV(ok(4), []int64{2, 2}, nil, bad(2*n), []int64{n, n}, nil)
		}},
		{"NeighborAllToAllW", "COLL-04 P2P-08", func(c *comm.Comm, n int64) error {
			return near(c).NeighborAllToAllW([]types.Buffer{ok(2), ok(2)}, []types.Buffer{bad(n), bad(n)})
		}},
		{"Unpack", "PK-01 P2P-08", func(c *comm.Comm, n int64) error {
			_, err := c.Unpack(make([]byte, 8), 0, bad(2))
			refused(t, err, comm.ErrType, "PK-01")
			return c.ReduceLocal(ok(2), bad(n), comm.Sum) // for the check below
		}},
	} {
		t.Run(v.rule+" "+v.name, func(t *testing.T) {
			for _, n := range []int64{2, 1 << 40} {
				ranks(t, 1, func(c *comm.Comm) error {
					refused(t, v.call(c, n), comm.ErrType, "P2P-08")
					return nil
				})
			}
		})
	}
	t.Run("COLL-01 P2P-08 Bcast", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			if c.Rank() == 0 { // sending one place many times is legal
				refused(t, c.Bcast(bad(2), 0), comm.ErrType, "P2P-08")
				return c.Bcast(bad(2), 0)
			}
			refused(t, c.Bcast(bad(1<<40), 0), comm.ErrType, "P2P-08")
			return c.Bcast(ok(2), 0)
		})
	})
}

// TestReceiveOverlappingTiles: copies of a tile may overlap, as long as the used ones do not; programs
// use displacements to collect a matrix from tiles.
func TestReceiveOverlappingTiles(t *testing.T) {
	tile := types.Resized(types.Subarray(types.OrderC, []types.Slab{{Size: 4, Sub: 2}, {Size: 4, Sub: 2}}, types.Int32), 0, 8)
	t.Run("COLL-01 P2P-08 tiles of a matrix", func(t *testing.T) {
		ranks(t, 4, func(c *comm.Comm) error {
			r := int32(c.Rank())
			mem := make([]int32, 16)
			all, displs := types.Of(mem).As(tile).Times(6), []int64{0, 1, 4, 5}
			want := []int32{0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3}
			for range 2 {
				clear(mem)
				if err := c.AllGatherV(ints(r, r, r, r), all, []int64{1, 1, 1, 1}, displs); err != nil {
					return err
				}
				if err := equal(want, mem); err != nil {
					return err
				}
			}
			refused(t, c.AllGatherV(ints(r, r, r, r), all, []int64{1, 1, 1, 1}, []int64{0, 1, 2, 5}), comm.ErrArg, "COLL-01")
			refused(t, c.AllGatherV(ints(r, r, r, r, r, r, r, r, r, r, r, r), all, []int64{3, 3, 3, 3}, []int64{0, 1, 2, 3}), comm.ErrType, "P2P-08")
			return nil
		})
	})
	t.Run("COLL-01 P2P-08 columns of a matrix", func(t *testing.T) {
		ranks(t, 4, func(c *comm.Comm) error {
			r := int32(c.Rank())
			mem := make([]int32, 12)
			column := types.Resized(types.Vector(3, 1, 4, types.Int32), 0, 4)
			err := c.AllGather(ints(r, r+10, r+20), types.Of(mem).As(column).Times(4))
			return errors.Join(err, equal([]int32{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}, mem))
		})
	})
}
