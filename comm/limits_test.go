package comm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Empty buffers are treated like others, for each reason why they may be empty.
func TestEmptyBuffers(t *testing.T) {
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
					st, err := c.SendRecv(b, comm.To{Rank: next}, none(), comm.From{Rank: last})
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

// Every collective of a thousand ranks, once: costs that grow with the square of their
// number, or with a table for each rank, show here.
func TestThousandRanks(t *testing.T) {
	thorough.Only(t)
	if testing.Short() {
		t.Skip("a thousand ranks")
	}
	const n = 1000
	t.Run("COLL-01 COLL-03 collectives of a thousand ranks", func(t *testing.T) {
		err := errors.Join(start(n, setting{}, func(c *comm.Comm) error { return every(c, 1, n/2, 0, 1, false) })...)
		assert.NoError(t, err)
	})
}

// A user who ends a program must not have to wait for the program's own waits.
func TestCancelledContextEndsEveryWait(t *testing.T) {
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
		"SendRecv": func(c *comm.Comm) error {
			return second(c.SendRecv(ints(1), comm.To{Rank: 0, Tag: 5}, ints(1), comm.From{Rank: 0, Tag: 5}))
		},
		"a buffer": func(c *comm.Comm) error { return detachWhileInUse(c) },
		"WaitSome": func(c *comm.Comm) error { return waitSomeOf(c) },
		"a loop of PArrived": func(c *comm.Comm) error {
			q, err := c.PRecvInit(ints(1), 1, 0, 5)
			for err = errors.Join(err, q.Start()); err == nil; {
				_, err = q.PArrived(0)
			}
			return err
		},
		"RecvInit":      func(c *comm.Comm) error { return restart(c.RecvInit(ints(1), 0, 5)) },
		"PRecvInit":     func(c *comm.Comm) error { return restart(c.PRecvInit(ints(1), 1, 0, 5)) },
		"PSendInit":     func(c *comm.Comm) error { return restart(c.PSendInit(ints(1), 1, 0, 5)) },
		"GRequestStart": func(c *comm.Comm) error { return wait(c.GRequestStart(comm.GRequest{})) },
		"IDup": func(c *comm.Comm) error {
			_, q, err := c.IDup()
			return wait(q, err)
		},
		"IntercommCreate":                   func(c *comm.Comm) error { return second(c.Self().IntercommCreate(0, c, 0, 5)) },
		"NeighborAllGather on a grid":       func(c *comm.Comm) error { return c.NeighborAllGather(ints(1), ints(0, 0)) },
		"INeighborAllToAll on a grid":       func(c *comm.Comm) error { return wait(c.INeighborAllToAll(ints(1, 2), ints(0, 0))) },
		"Barrier between two groups":        (*comm.Comm).Barrier,
		"IAllReduce between two groups":     func(c *comm.Comm) error { return wait(c.IAllReduce(ints(1), ints(0), comm.Sum)) },
		"IntercommMerge between two groups": func(c *comm.Comm) error { return second(c.IntercommMerge(false)) },
		"Recv between two groups":           func(c *comm.Comm) error { return second(c.Recv(ints(1), 0, 5)) },
		"a restarted call, agreed before":   func(c *comm.Comm) error { return second(port.Kept(c, "restart").(*comm.Request).Wait()) },
	}
	prepare := func(name string, c *comm.Comm) (*comm.Comm, error) {
		switch {
		case strings.HasSuffix(name, "on a grid"):
			return c.CartCreate(comm.CartDims(true, 3), false)
		case strings.HasSuffix(name, "two groups"):
			half, err := c.Split(min(c.Rank(), 1), 0)
			if err != nil {
				return nil, err
			}
			return half.IntercommCreate(0, c, 1-min(c.Rank(), 1), 0)
		case strings.HasSuffix(name, "agreed before"):
			q, err := c.BarrierInit()
			if err != nil || c.Rank() == 0 {
				return c, err
			}
			port.Keep(c, "restart", q)
			return c, q.Start()
		}
		return c, nil
	}
	for name, wait := range waits {
		waiting := func(cancel context.CancelCauseFunc) func(context.Context, *comm.Comm) error {
			return func(ctx context.Context, c *comm.Comm) error {
				on, err := prepare(name, c)
				if err != nil {
					return err
				}
				if c.Rank() == 0 {
					cancel(tired)
					<-ctx.Done()
					return nil
				}
				return wait(on)
			}
		}
		for mode, opts := range map[string][]world.Option{"free": nil, "seeded": {world.Seed(1)}, "by turns": {world.Replay("roundrobin")}} {
			t.Run(fmt.Sprintf("WORLD-01 %s, %s", name, mode), func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				err := world.Run(ctx, 3, waiting(cancel), opts...)
				assert.ErrorIs(t, err, context.Canceled)
				assert.ErrorIs(t, err, tired)
				var dead *world.DeadlockError
				assert.False(t, errors.As(err, &dead), "%v", err)
			})
		}
		t.Run("WORLD-01 "+name+", explored", func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			all, err := world.Explore(ctx, 3, func() (func(context.Context, *comm.Comm) error, func() any) {
				return waiting(cancel), func() any { return nil }
			})
			if assert.NoError(t, err) {
				assert.ErrorIs(t, all.Stopped, tired)
				assert.False(t, all.Complete)
			}
		})
	}
}

// restart starts a persistent request and waits for it.
func restart(q *comm.Request, err error) error {
	return errors.Join(err, q.Start(), second(q.Wait()))
}

// detachWhileInUse waits for a buffered message that no rank receives.
func detachWhileInUse(c *comm.Comm) error {
	if err := errors.Join(c.BufferAttach(make([]byte, 1000)), c.BSend(ints(1), 0, 5)); err != nil {
		return err
	}
	return second(c.BufferDetach())
}

func waitSomeOf(c *comm.Comm) error {
	q, err := c.IRecv(ints(1), 0, 5)
	p, err2 := c.PRecvInit(ints(1), 1, 0, 6)
	g, err3 := c.GRequestStart(comm.GRequest{})
	k, err4 := c.IBarrier()
	_, _, err5 := comm.WaitSome(nil, q, p, g, k)
	return errors.Join(err, err2, err3, err4, err5)
}

// The same for the other forms and communicators, and for partitioned messages.
func TestThousandRanksInEveryForm(t *testing.T) {
	if testing.Short() {
		t.Skip("COLL-02 COLL-04 COMM-02 P2P-07: a thousand ranks take a second")
	}
	const n = 1000
	for name, body := range map[string]func(c *comm.Comm) error{
		"COLL-02 started collectives outstanding together": func(c *comm.Comm) error {
			sum, all := []int32{0}, make([]int32, n)
			a, err := c.IAllReduce(ints(int32(c.Rank())), types.Of(sum), comm.Sum)
			b, err2 := c.IAllGather(ints(int32(-c.Rank())), types.Of(all))
			d, err3 := c.IBarrier()
			if err := errors.Join(err, err2, err3, second(comm.WaitAll(d, b, a))); err != nil {
				return err
			}
			return errors.Join(equal(int32(n*(n-1)/2), sum[0]), equal(int32(1-n), all[n-1]), equal(int32(-1), all[1]))
		},
		"COLL-02 persistent collectives": func(c *comm.Comm) error {
			in, sum := []int32{0}, []int32{0}
			q, err := c.AllReduceInit(types.Of(in), types.Of(sum), comm.Max)
			for i := range 3 {
				in[0] = int32(c.Rank() * (i + 1))
				err = errors.Join(err, q.Start(), second(q.Wait()), equal(int32((n-1)*(i+1)), sum[0]))
			}
			return errors.Join(err, q.Free())
		},
		"COLL-04 neighbours in a torus": func(c *comm.Comm) error {
			g, err := c.CartCreate(comm.CartDims(true, 10, 100), false)
			if err != nil {
				return err
			}
			got := make([]int32, 4)
			q, err := g.INeighborAllGather(ints(int32(g.Rank())), types.Of(got))
			if err = errors.Join(err, second(q.Wait())); err != nil {
				return err
			}
			up, down, err := g.CartShift(0, 1)
			left, right, err2 := g.CartShift(1, 1)
			want := []int32{int32(up), int32(down), int32(left), int32(right)}
			return errors.Join(err, err2, equal(want, got), g.NeighborAllToAll(types.Of(want), types.Of(got)))
		},
		"COMM-02 two groups": func(c *comm.Comm) error {
			half, err := c.Split(c.Rank()%2, 0)
			if err != nil {
				return err
			}
			ic, err := half.IntercommCreate(0, c, 1-c.Rank()%2, 0)
			if err != nil {
				return err
			}
			sum := []int32{0}
			err = ic.AllReduce(ints(int32(c.Rank()%2)), types.Of(sum), comm.Sum)
			one, err2 := ic.IntercommMerge(c.Rank()%2 == 0)
			return errors.Join(err, err2, equal(int32((1-c.Rank()%2)*n/2), sum[0]), equal(n, one.Size()), one.Barrier())
		},
		"COMM-01 split, of the split, and back": func(c *comm.Comm) error {
			tens, err := c.Split(c.Rank()/10, -c.Rank())
			if err != nil {
				return err
			}
			pairs, err := tens.Split(tens.Rank()/2, 0)
			if err != nil {
				return err
			}
			got := make([]int32, 2)
			err = pairs.AllGather(ints(int32(c.Rank())), types.Of(got))
			return errors.Join(err, equal(9-c.Rank()%10, tens.Rank()), equal(got[0]-1, got[1]), tens.Free(), pairs.Free())
		},
		"P2P-07 a ring of partitions": func(c *comm.Comm) error {
			next, last := (c.Rank()+1)%n, (c.Rank()+n-1)%n
			out, got := make([]int32, 8), make([]int32, 8)
			s, err := c.PSendInit(types.Of(out), 8, next, 0)
			r, err2 := c.PRecvInit(types.Of(got), 2, last, 0)
			err = errors.Join(err, err2)
			for round := range 3 {
				out[7] = int32(c.Rank() + round)
				err = errors.Join(err, comm.StartAll(r, s), s.PReadyRange(0, 7), second(comm.WaitAll(s, r)), equal(int32(last+round), got[7]))
			}
			return errors.Join(err, s.Free(), r.Free())
		},
	} {
		t.Run(name+", a thousand ranks", func(t *testing.T) {
			for _, s := range []setting{{}, seeded(1)} {
				assert.NoError(t, errors.Join(start(n, s, body)...))
			}
		})
	}
}
