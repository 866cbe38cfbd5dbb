package comm_test

import (
	"errors"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// TestEmptyMessages: copies of a datatype without data are an empty message, for any count
// and any displacement.
func TestEmptyMessages(t *testing.T) {
	empty := types.Indexed(nil, types.Double)
	none := func(n int64) types.Buffer { return types.Raw(nil, n, empty) }
	for _, n := range [][2]int64{{1, 0}, {0, 1}, {3, 2}, {2, 2}} {
		t.Run("P2P-MATCH-02 P2P-MATCH-03 DT-DEF-07 a message", func(t *testing.T) {
			ranks(t, 1, func(c *comm.Comm) error {
				_, err := c.SendRecv(none(n[0]), comm.To{Rank: 0}, none(n[1]), comm.From{Rank: 0})
				q, err2 := c.ISend(none(n[0]), 0, 0)
				st, err3 := c.Recv(none(n[1]), 0, 0)
				_, err4 := q.Wait()
				got, whole := st.Elements(types.Int)
				return errors.Join(err, err2, err3, err4, equal([]any{int64(0), true}, []any{got, whole}))
			})
		})
		t.Run("COLL-01 DT-DEF-07 a collective", func(t *testing.T) {
			ranks(t, 2, func(c *comm.Comm) error {
				k := n[c.Rank()]
				return errors.Join(
					c.Bcast(none(k), 0),
					c.Gather(none(n[0]), none(2*n[1]), 0),
					c.AllToAll(none(2*n[0]), none(2*n[1])),
					c.AllGather(none(n[0]), types.Raw(nil, 0, types.Int)),
				)
			})
		})
		t.Run("P2P-07 DT-DEF-07 a partitioned message", func(t *testing.T) {
			ranks(t, 1, func(c *comm.Comm) error {
				s, err := c.PSendInit(none(n[0]), 1, 0, 0)
				r, err2 := c.PRecvInit(none(n[1]), 1, 0, 0)
				if err := errors.Join(err, err2, comm.StartAll(s, r), s.PReady(0)); err != nil {
					return err
				}
				_, err = comm.WaitAll(s, r)
				return errors.Join(err, s.Free(), r.Free())
			})
		})
	}
	t.Run("P2P-08 a count that overflows after no items of the same datatype", func(t *testing.T) {
		huge := types.Vector(1<<20, 1<<20, 1<<20, types.Byte)
		ranks(t, 1, func(c *comm.Comm) error {
			err := c.Send(types.Raw(nil, 0, huge), comm.ProcNull, 0)
			refused(t, c.Send(types.Raw(make([]byte, 8), 1<<23, huge), comm.ProcNull, 0), comm.ErrBuffer, "P2P-08")
			return err
		})
	})
	t.Run("P2P-08 InPlace is not a buffer of a message", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			_, recv := c.Recv(comm.InPlace, 0, 0)
			_, started := c.ISend(comm.InPlace, 0, 0)
			_, kept := c.RecvInit(comm.InPlace, 0, 0)
			_, both := c.SendRecv(ints(1), comm.To{Rank: 0}, comm.InPlace, comm.From{Rank: 0})
			for _, err := range []error{c.Send(comm.InPlace, 0, 0), recv, started, kept, both} {
				refused(t, err, comm.ErrBuffer, "P2P-08")
			}
			return nil
		})
	})
	t.Run("P2P-07 a partitioned message that is too short is not a collective", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			s, err := c.PSendInit(ints(1), 1, 0, 0)
			r, err2 := c.PRecvInit(ints(1, 2), 1, 0, 0)
			err = errors.Join(err, err2, comm.StartAll(s, r))
			_, err2 = s.Wait()
			refused(t, err2, comm.ErrType, "P2P-07")
			_, err2 = r.Wait()
			refused(t, err2, comm.ErrType, "P2P-07")
			return errors.Join(err, s.Free(), r.Free())
		})
	})
}
