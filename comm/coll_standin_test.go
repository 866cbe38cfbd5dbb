package comm_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// TestStandIn: a rank may start a collective in which others wait, if the started call stands in
// for one that waits; errors then have the name of that one.
func TestStandIn(t *testing.T) {
	t.Run("COLL-02 ranks start or wait", func(t *testing.T) {
		ranks(t, 4, func(c *comm.Comm) error {
			port.StandIn(c, true)
			own := comm.NewOp("sum", func(in, inout types.Buffer) error {
				a, b := make([]byte, 1), make([]byte, 1)
				in.Pack(a, 0, c.Arch())
				inout.Pack(b, 0, c.Arch())
				b[0] += a[0]
				inout.Unpack(b, 0, c.Arch())
				return nil
			})
			for round := range 8 {
				starts := (c.Rank()+round)%3 == 0
				wait := func(q *comm.Request, err error) error {
					if err == nil {
						_, err = q.Wait()
					}
					return err
				}
				one, sum, all := []byte{1}, []byte{0}, make([]byte, 4)
				steps := []func() error{
					func() error { return c.Barrier() },
					func() error { return c.Bcast(types.Of(one), 1) },
					func() error { return c.AllReduce(types.Of(one), types.Of(sum), own) },
					func() error { return c.AllGather(types.Of(sum), types.Of(all)) },
				}
				if starts {
					steps = []func() error{
						func() error { return wait(c.IBarrier()) },
						func() error { return wait(c.IBcast(types.Of(one), 1)) },
						func() error { return wait(c.IAllReduce(types.Of(one), types.Of(sum), own)) },
						func() error { return wait(c.IAllGather(types.Of(sum), types.Of(all))) },
					}
				}
				for _, step := range steps {
					if err := step(); err != nil {
						return err
					}
				}
				if string(all) != "\x04\x04\x04\x04" {
					return fmt.Errorf("round %d: %v", round, all)
				}
			}
			return nil
		})
	})
	err := errors.Join(start(2, seeded(1), func(c *comm.Comm) error {
		port.StandIn(c, true)
		if c.Rank() == 0 {
			q, err := c.IBcast(types.Of([]byte{1}), 0)
			if err == nil {
				_, err = q.Wait()
			}
			return err
		}
		return c.Barrier()
	})...)
	require.ErrorIs(t, err, comm.ErrNotSame)
	require.ErrorContains(t, err, "rank 0 in Bcast")
}

// TestAwaitAny: it returns when one of the first requests or all of a group are complete.
func TestAwaitAny(t *testing.T) {
	ranks(t, 2, func(c *comm.Comm) error {
		if c.Rank() == 1 {
			for tag := range 3 {
				if err := c.SSend(types.Of([]byte{byte(tag)}), 0, tag); err != nil {
					return err
				}
			}
			return nil
		}
		var qs []*comm.Request
		for tag := range 3 {
			q, err := c.IRecv(types.Of(make([]byte, 1)), 1, tag)
			if err != nil {
				return err
			}
			qs = append(qs, q)
		}
		for { // a part of the group wakes the caller, too
			if err := port.AwaitAny(nil, [][]*comm.Request{qs}); err != nil {
				return err
			}
			if _, done, err := comm.StatusAll(qs...); done || err != nil {
				break
			}
		}
		if err := port.AwaitAny(qs[:1], nil); err != nil {
			return err
		}
		_, err := comm.WaitAll(qs...)
		return err
	})
	err := errors.Join(start(1, setting{}, func(c *comm.Comm) error {
		q, err := c.IRecv(types.Of(make([]byte, 1)), 0, 5)
		if err != nil {
			return err
		}
		return port.AwaitAny([]*comm.Request{q}, nil)
	})...)
	var deadlock *sched.DeadlockError
	require.ErrorAs(t, err, &deadlock)
}

// TestMatchSizes: messages match receives of other types where the world says so.
func TestMatchSizes(t *testing.T) {
	for _, loose := range []bool{false, true} {
		errs := start(2, seeded(1), func(c *comm.Comm) error {
			if loose {
				port.MatchSizes(c)
			}
			if c.Rank() == 0 {
				return c.Send(types.Of([]int32{1, 2, 3}), 1, 0)
			}
			b := make([]byte, 14)
			st, err := c.Recv(types.Raw(b, 14, types.Byte), 0, 0)
			if n, ok := st.Count(types.Byte); err == nil && (!ok || n != 12 || b[8] != 3) {
				return fmt.Errorf("%d bytes: %v", n, b)
			}
			return err
		})
		if loose {
			require.NoError(t, errors.Join(errs...))
		} else {
			require.ErrorIs(t, errs[1], comm.ErrType)
		}
	}
}
