package comm_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/world"
)

// A handle in a variable that all ranks share is a mistake easily made in Go,
// and impossible elsewhere. A collective with it used to count for the other
// rank, whose own came too late. Where ranks run by turns it is an error.
func TestHandlesOfAnotherRank(t *testing.T) {
	calls := map[string]func(c *comm.Comm, q *comm.Request) error{
		"Barrier":   func(c *comm.Comm, _ *comm.Request) error { return c.Barrier() },
		"AllReduce": func(c *comm.Comm, _ *comm.Request) error { return c.AllReduce(ints(1), ints(0), comm.Sum) },
		"IBarrier":  func(c *comm.Comm, _ *comm.Request) error { return second(c.IBarrier()) },
		"BcastInit": func(c *comm.Comm, _ *comm.Request) error { return second(c.BcastInit(ints(1), 0)) },
		"Dup":       func(c *comm.Comm, _ *comm.Request) error { return second(c.Dup()) },
		"Split":     func(c *comm.Comm, _ *comm.Request) error { return second(c.Split(0, 0)) },
		"CreateGroup": func(c *comm.Comm, _ *comm.Request) error {
			g, err := c.Group()
			if err != nil {
				return err
			}
			return second(c.CreateGroup(g, 0))
		},
		"CartCreate": func(c *comm.Comm, _ *comm.Request) error {
			return second(c.CartCreate([]comm.CartDim{{Size: 2}}, false))
		},
		"Send":   func(c *comm.Comm, _ *comm.Request) error { return c.Send(ints(1), 1, 5) },
		"BSend":  func(c *comm.Comm, _ *comm.Request) error { return c.BSend(ints(1), 1, 5) },
		"SSend":  func(c *comm.Comm, _ *comm.Request) error { return c.SSend(ints(1), 1, 5) },
		"Recv":   func(c *comm.Comm, _ *comm.Request) error { return second(c.Recv(ints(1), 1, 5)) },
		"ISend":  func(c *comm.Comm, _ *comm.Request) error { return second(c.ISend(ints(1), 1, 5)) },
		"IRecv":  func(c *comm.Comm, _ *comm.Request) error { return second(c.IRecv(ints(1), 1, 5)) },
		"Probe":  func(c *comm.Comm, _ *comm.Request) error { return second(c.Probe(1, 5)) },
		"IProbe": func(c *comm.Comm, _ *comm.Request) error { _, _, err := c.IProbe(1, 5); return err },
		"MProbe": func(c *comm.Comm, _ *comm.Request) error { _, _, err := c.MProbe(1, 5); return err },
		"SendRecv": func(c *comm.Comm, _ *comm.Request) error {
			return second(c.SendRecv(ints(1), comm.To{Rank: 1, Tag: 5}, ints(1), comm.From{Rank: 1, Tag: 5}))
		},
		"Request.Wait": func(_ *comm.Comm, q *comm.Request) error { return second(q.Wait()) },
		"Request.Test": func(_ *comm.Comm, q *comm.Request) error { _, _, err := q.Test(); return err },
		"WaitAll":      func(_ *comm.Comm, q *comm.Request) error { return second(comm.WaitAll(q)) },
		"WaitAny":      func(_ *comm.Comm, q *comm.Request) error { _, _, err := comm.WaitAny(q); return err },
		"WaitSome":     func(_ *comm.Comm, q *comm.Request) error { _, _, err := comm.WaitSome(q); return err },
		"TestAll":      func(_ *comm.Comm, q *comm.Request) error { _, _, err := comm.TestAll(q); return err },
	}
	schedules := []world.Option{world.Seed(1), world.Seed(2), world.Replay("roundrobin"), world.Replay("pct:1:2")}
	for name, call := range calls {
		t.Run("COMM-01 another rank's handle in "+name, func(t *testing.T) {
			for _, opt := range schedules {
				var shared *comm.Comm
				var req *comm.Request
				err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
					var err error
					if c.Rank() == 0 {
						shared = c
						if req, err = c.IRecv(ints(0), 0, 6); err != nil {
							return err
						}
					}
					if err := c.Barrier(); err != nil {
						return err
					}
					if c.Rank() == 1 {
						err := call(shared, req)
						refused(t, err, comm.ErrComm, "COMM-01")
						assert.ErrorContains(t, err, "belongs to rank 0 of the world, but rank 1 is running")
						var f *sched.ForeignError
						assert.ErrorAs(t, err, &f)
					}
					if err := c.Barrier(); err != nil {
						return err
					}
					if c.Rank() == 0 { // all is as it was
						return errors.Join(c.Send(ints(1), 0, 6), second(req.Wait()))
					}
					return nil
				}, opt)
				assert.NoError(t, err)
			}
		})
	}
	t.Run("COMM-01 another rank's handle in an explored program", func(t *testing.T) {
		all, err := world.Explore(t.Context(), 2, func() (func(context.Context, *comm.Comm) error, func() any) {
			var shared [2]*comm.Comm
			return func(_ context.Context, c *comm.Comm) error {
				shared[c.Rank()] = c
				if err := c.Barrier(); err != nil {
					return err
				}
				if c.Rank() == 1 {
					err := shared[0].Send(ints(1), 1, 0)
					refused(t, err, comm.ErrComm, "COMM-01")
				}
				return nil
			}, func() any { return nil }
		})
		assert.NoError(t, err)
		assert.Len(t, all.Outcomes, 1)
	})
}
