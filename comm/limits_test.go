package comm_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Buffers of nothing are data like others, whichever way there is nothing.
func TestNothingToMove(t *testing.T) {
	nothing := map[string]func() types.Buffer{
		"a nil slice":      func() types.Buffer { return types.Of([]int32(nil)) },
		"an empty slice":   func() types.Buffer { return ints() },
		"no items of none": func() types.Buffer { return types.Raw(nil, 0, types.Int32) },
	}
	for name, none := range nothing {
		for _, n := range []int{1, 3} {
			t.Run(fmt.Sprintf("P2P-01 COLL-01 %s on %d ranks", name, n), func(t *testing.T) {
				ranks(t, n, func(c *comm.Comm) error {
					b, next, last := none(), (c.Rank()+1)%n, (c.Rank()+n-1)%n
					st, err := c.SendRecv(b, next, 0, none(), last, 0)
					zero := make([]int64, n)
					got, whole := st.Elements(types.Int32)
					errs := []error{err, equal(int64(0), int64(got)), equal(true, whole)}
					errs = append(errs, c.Bcast(b, n-1), c.Gather(b, none(), 0), c.Scatter(b, none(), 0), c.AllGather(b, none()),
						c.AllToAll(b, none()), c.AllToAllV(b, zero, zero, none(), zero, zero), c.GatherV(b, none(), zero, zero, 0),
						c.ScatterV(b, zero, zero, none(), 0), c.AllGatherV(b, none(), zero, zero),
						c.Reduce(b, none(), comm.Sum, 0), c.AllReduce(b, none(), comm.Sum), c.Scan(b, none(), comm.Sum),
						c.ExScan(b, none(), comm.Sum), c.ReduceScatter(b, none(), zero, comm.Sum), c.ReduceScatterBlock(b, none(), comm.Sum))
					return errors.Join(errs...)
				})
			})
		}
	}
}

// Every collective of a thousand ranks, once: what grows with the square of
// their number, or with a table for each, shows here.
func TestThousandRanks(t *testing.T) {
	if testing.Short() {
		t.Skip("a thousand ranks")
	}
	const n = 1000
	t.Run("COLL-01 COLL-03 collectives of a thousand ranks", func(t *testing.T) {
		err := errors.Join(start(n, setting{}, func(c *comm.Comm) error { return every(c, 1, n/2, 0, 1, false) })...)
		assert.NoError(t, err)
	})
}

// A user who ends a program must not have to wait for what it waits for.
func TestEndOfTheContextInEveryWait(t *testing.T) {
	tired := errors.New("tired")
	waits := map[string]func(c *comm.Comm) error{
		"Barrier":   (*comm.Comm).Barrier,
		"Recv":      func(c *comm.Comm) error { return second(c.Recv(ints(1), comm.AnySource, 5)) },
		"SSend":     func(c *comm.Comm) error { return c.SSend(ints(1), 0, 5) },
		"Probe":     func(c *comm.Comm) error { return second(c.Probe(0, 5)) },
		"MProbe":    func(c *comm.Comm) error { _, _, err := c.MProbe(0, 5); return err },
		"IBarrier":  func(c *comm.Comm) error { return wait(c.IBarrier()) },
		"Split":     func(c *comm.Comm) error { return second(c.Split(0, 0)) },
		"BcastInit": func(c *comm.Comm) error { return second(c.BcastInit(ints(1), 0)) },
		"WaitAny": func(c *comm.Comm) error {
			q, err := c.IRecv(ints(1), 0, 5)
			_, _, err2 := comm.WaitAny(q, nil)
			return errors.Join(err, err2)
		},
		"WaitAll": func(c *comm.Comm) error {
			q, err := c.ISSend(ints(1), 0, 5)
			_, err2 := comm.WaitAll(q)
			return errors.Join(err, err2)
		},
		"a loop of Test": func(c *comm.Comm) error {
			q, err := c.IRecv(ints(1), 0, 5)
			for ok := false; !ok && err == nil; {
				_, ok, err = q.Test()
			}
			return err
		},
		"a loop of IProbe": func(c *comm.Comm) error {
			for {
				if _, _, err := c.IProbe(0, 5); err != nil {
					return err
				}
			}
		},
		"CreateGroup": func(c *comm.Comm) error {
			g, err := c.Group()
			if err != nil {
				return err
			}
			return second(c.CreateGroup(g, 0))
		},
	}
	for name, wait := range waits {
		for mode, opts := range map[string][]world.Option{"free": nil, "seeded": {world.Seed(1)}, "by turns": {world.RoundRobin()}} {
			t.Run(fmt.Sprintf("WORLD-01 %s, %s", name, mode), func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				err := world.Run(ctx, 3, func(ctx context.Context, c *comm.Comm) error {
					if c.Rank() == 0 {
						cancel(tired)
						<-ctx.Done()
						return nil
					}
					return wait(c)
				}, opts...)
				assert.ErrorIs(t, err, context.Canceled)
				assert.ErrorIs(t, err, tired)
				var dead *world.DeadlockError
				assert.False(t, errors.As(err, &dead), "%v", err)
			})
		}
		t.Run("WORLD-01 "+name+", explored", func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			all, err := world.Explore(ctx, 3, func() (func(context.Context, *comm.Comm) error, func() any) {
				return func(ctx context.Context, c *comm.Comm) error {
					if c.Rank() == 0 {
						cancel(tired)
						<-ctx.Done()
						return nil
					}
					return wait(c)
				}, func() any { return nil }
			})
			if assert.NoError(t, err) {
				assert.ErrorIs(t, all.Stopped, tired)
				assert.False(t, all.Complete)
			}
		})
	}
}
