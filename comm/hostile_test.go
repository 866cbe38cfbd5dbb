package comm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A function of a user operation that fails must end the reduction with an
// error on all ranks, whichever rank runs it: a panic that ends one rank, or a call
// that waits for the reduction itself, would take the others with it.
func TestHostileUserOps(t *testing.T) {
	const many = 100_000 // the work is shared then
	for _, x := range []struct {
		name string
		op   func(c *comm.Comm) comm.UserOp
		says string
	}{
		{"panics", func(*comm.Comm) comm.UserOp {
			return func(_, _ types.Buffer) error { panic("ouch") }
		}, "panicked: ouch"},
		{"meets", func(c *comm.Comm) comm.UserOp {
			return func(_, _ types.Buffer) error { return c.Barrier() }
		}, "must not call this package"},
		{"meets itself", func(c *comm.Comm) comm.UserOp {
			return func(_, _ types.Buffer) error { return c.Self().Barrier() }
		}, "must not call this package"},
		{"receives", func(c *comm.Comm) comm.UserOp {
			return func(_, _ types.Buffer) error {
				_, err := c.Recv(ints(0), comm.AnySource, 1)
				return err
			}
		}, "must not call this package"},
	} {
		for _, n := range []int{1, many} {
			t.Run(fmt.Sprintf("COLL-03 an operation %s, %d items", x.name, n), func(t *testing.T) {
				for _, s := range []setting{{}, seeded(1), seeded(2), seeded(3)} {
					ops := make([]*comm.Op, 3)
					errs := start(3, s, func(c *comm.Comm) error {
						ops[c.Rank()] = comm.NewOp("bad", x.op(c))
						if err := c.Barrier(); err != nil {
							return err
						}
						in, out := make([]int32, n), make([]int32, n)
						for _, op := range ops { // made with each rank's handle in turn
							err := c.AllReduce(types.Of(in), types.Of(out), op)
							refused(t, err, comm.ErrOp, "COLL-03")
							assert.ErrorContains(t, err, x.says)
							q, err := c.IScan(types.Of(in), types.Of(out), op)
							if err != nil {
								return err
							}
							_, err = q.Wait()
							refused(t, err, comm.ErrOp, "COLL-03")
							refused(t, c.ReduceLocal(types.Of(in), types.Of(out), op), comm.ErrOp, "COLL-03")
						}
						return c.Barrier() // nothing is left of it
					})
					require.NoError(t, errors.Join(errs...))
				}
			})
		}
	}
}

// A message without data may have many partitions, and an intercommunicator counts the ranks
// of the other group.
func TestPartitionSizes(t *testing.T) {
	t.Run("P2P-07 too many partitions of nothing", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			_, err := c.PSendInit(types.Of([]int32{}), math.MaxInt32, 0, 0)
			refused(t, err, comm.ErrArg, "P2P-07")
			return nil
		})
	})
	t.Run("P2P-07 COMM-02 between groups of unlike size", func(t *testing.T) {
		ranks(t, 5, func(c *comm.Comm) error {
			return across(c, func(ic *comm.Comm, small bool) error {
				if small { // one rank sends to the last of the other group
					q, err := ic.PSendInit(ints(1, 2, 3, 4), 2, 3, 7)
					if err != nil {
						return err
					}
					if err := errors.Join(q.Start(), q.PReadyRange(0, 1)); err != nil {
						return err
					}
					_, err = q.Wait()
					return errors.Join(err, q.Free())
				}
				if ic.Rank() != 3 {
					return nil
				}
				got := make([]int32, 4)
				q, err := ic.PRecvInit(types.Of(got), 4, 0, 7)
				if err != nil {
					return err
				}
				if err := q.Start(); err != nil {
					return err
				}
				_, err = q.Wait()
				return errors.Join(err, equal([]int32{1, 2, 3, 4}, got), q.Free())
			})
		})
	})
}

// across makes an intercommunicator of rank 0 and all others.
func across(c *comm.Comm, body func(ic *comm.Comm, small bool) error) error {
	small := c.Rank() == 0
	color, other := 1, 0
	if small {
		color, other = 0, 1
	}
	half, err := c.Split(color, 0)
	if err != nil {
		return err
	}
	ic, err := half.IntercommCreate(0, c, other, 1)
	if err != nil {
		return err
	}
	return body(ic, small)
}

// A report of a deadlock names the ranks of the other group.
func TestIntercommDeadlock(t *testing.T) {
	for _, x := range []struct {
		name string
		wait func(ic *comm.Comm) error
	}{
		{"receive", func(ic *comm.Comm) error {
			_, err := ic.Recv(ints(0), 3, 1)
			return err
		}},
		{"partitioned receive", func(ic *comm.Comm) error {
			q, err := ic.PRecvInit(ints(0), 1, 3, 1)
			if err != nil {
				return err
			}
			if err := q.Start(); err != nil {
				return err
			}
			_, err = q.Wait()
			return err
		}},
	} {
		t.Run("P2P-08 COMM-02 deadlock in a "+x.name+" from the other group", func(t *testing.T) {
			err := world.Run(context.Background(), 5, func(_ context.Context, c *comm.Comm) error {
				return across(c, func(ic *comm.Comm, small bool) error {
					if small {
						return x.wait(ic)
					}
					return c.Barrier()
				})
			})
			var d *world.DeadlockError
			require.ErrorAs(t, err, &d)
			for _, w := range d.Ranks {
				if w.Rank == 0 {
					assert.Equal(t, []int{4}, w.For, "rank 3 of the other group")
				}
			}
		})
	}
}

// Functions of the program that run after the ranks must not bring the process
// down, and a call within a call keeps its name.
func TestNestedAndLateCallbacks(t *testing.T) {
	t.Run("COMM-01 a delete function panics at the end", func(t *testing.T) {
		err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
			k := comm.NewKeyval(nil, func(*comm.Comm, *comm.Keyval, any) error { panic("ouch") })
			return c.Self().SetAttr(k, 1)
		})
		refused(t, err, comm.ErrOther, "COMM-01")
		assert.ErrorContains(t, err, "the delete function of an attribute: it panicked: ouch")
	})
	t.Run("GREQ-01 ERR-08 a query waits for other requests", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			bad, err := c.GRequestStart(comm.GRequest{Query: func(*comm.Status) error { return errors.New("no") }})
			if err != nil {
				return err
			}
			inner, err := c.GRequestStart(comm.GRequest{})
			if err != nil {
				return err
			}
			outer, err := c.GRequestStart(comm.GRequest{Query: func(*comm.Status) error {
				_, err := comm.WaitAll(inner)
				return err
			}})
			if err != nil {
				return err
			}
			if err := errors.Join(bad.GRequestComplete(), inner.GRequestComplete(), outer.GRequestComplete()); err != nil {
				return err
			}
			_, err = comm.WaitAll(outer, bad)
			refused(t, err, comm.ErrInStatus, "ERR-08")
			assert.ErrorContains(t, err, "WaitAll")
			return nil
		})
	})
}

// Ranks of two worlds have the same numbers, and nothing else in common.
func TestHandlesOfAnotherWorld(t *testing.T) {
	t.Run("GRP-01 COMM-01 groups and communicators of two worlds", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			mine, err := c.Group()
			if err != nil {
				return err
			}
			return errors.Join(start(2, seeded(1), func(o *comm.Comm) error {
				theirs, err := o.Group()
				if err != nil {
					return err
				}
				_, err = o.Compare(c)
				refused(t, err, comm.ErrComm, "COMM-01")
				for _, g := range []*comm.Group{mine, mine.Union(theirs), theirs.Union(mine)} {
					_, err = o.CreateGroup(g, 0)
					refused(t, err, comm.ErrGroup, "COMM-01")
					_, err = o.Create(g)
					refused(t, err, comm.ErrGroup, "COMM-01")
				}
				assert.Equal(t, comm.Unequal, mine.Compare(theirs))
				assert.Equal(t, 0, mine.Intersection(theirs).Size())
				return nil
			})...)
		})
	})
}

// If one call reads and writes the same memory, the read may come before or after the write:
// another library, or another size, gives other results.
func TestOverlappingBuffers(t *testing.T) {
	calls := map[string]struct {
		rule string
		call func(c *comm.Comm, xs []int32) error
	}{
		"AllReduce": {"COLL-01", func(c *comm.Comm, xs []int32) error {
			return c.AllReduce(types.Of(xs[:2]), types.Of(xs[1:3]), comm.Sum)
		}},
		"AllReduce of the same": {"COLL-01", func(c *comm.Comm, xs []int32) error {
			return c.AllReduce(types.Of(xs), types.Of(xs), comm.Sum)
		}},
		"AllGather": {"COLL-01", func(c *comm.Comm, xs []int32) error {
			return c.AllGather(types.Of(xs[c.Rank():c.Rank()+1]), types.Of(xs[:2]))
		}},
		"IAllToAll": {"COLL-01", func(c *comm.Comm, xs []int32) error {
			return wait(c.IAllToAll(types.Of(xs[:2]), types.Of(xs[:2])))
		}},
		"ScanInit": {"COLL-01", func(c *comm.Comm, xs []int32) error {
			return second(c.ScanInit(types.Of(xs[:2]), types.Of(xs[:2]), comm.Sum))
		}},
		"ReduceLocal": {"COLL-01", func(c *comm.Comm, xs []int32) error {
			return c.ReduceLocal(types.Of(xs[:2]), types.Of(xs[:2]), comm.Sum)
		}},
		"SendRecv": {"P2P-03", func(c *comm.Comm, xs []int32) error {
			return second(c.SendRecv(types.Of(xs[:2]), comm.To{Rank: 1 - c.Rank()}, types.Of(xs[1:3]), comm.From{Rank: 1 - c.Rank()}))
		}},
		"ISendRecv": {"P2P-03", func(c *comm.Comm, xs []int32) error {
			return second(c.ISendRecv(types.Of(xs[:2]), comm.To{Rank: 1 - c.Rank()}, types.Of(xs[1:3]), comm.From{Rank: 1 - c.Rank()}))
		}},
		"SendRecv of every second item": {"P2P-03", func(c *comm.Comm, xs []int32) error {
			uneven := types.Of(xs[1:]).As(types.Vector(2, 1, 2, types.Int32))
			return second(c.SendRecv(types.Of(xs[:2]), comm.To{Rank: 1 - c.Rank()}, uneven, comm.From{Rank: 1 - c.Rank()}))
		}},
		"AllToAll of every second item": {"COLL-01", func(c *comm.Comm, xs []int32) error {
			even := types.Of(xs).As(types.Resized(types.Int32, 0, 8))
			return c.AllToAll(even, even)
		}},
		"AllGatherV": {"COLL-01", func(c *comm.Comm, xs []int32) error {
			return c.AllGatherV(types.Of(xs[2:3]), types.Of(xs), []int64{1, 1}, []int64{0, 2})
		}},
		"AllToAllV": {"COLL-01", func(c *comm.Comm, xs []int32) error {
			return c.AllToAllV(types.Of(xs), []int64{1, 1}, []int64{0, 3}, types.Of(xs), []int64{1, 1}, []int64{1, 3})
		}},
		"AllToAllW": {"COLL-01", func(c *comm.Comm, xs []int32) error {
			return c.AllToAllW([]types.Buffer{types.Of(xs[:1]), types.Of(xs[1:2])}, []types.Buffer{types.Of(xs[2:3]), types.Of(xs[1:2])})
		}},
		"ReduceScatter": {"COLL-01", func(c *comm.Comm, xs []int32) error {
			return c.ReduceScatter(types.Of(xs[:2]), types.Of(xs[1:2]), []int64{1, 1}, comm.Sum)
		}},
	}
	for name, x := range calls {
		t.Run("GEN-02 COLL-01 P2P-03 "+name, func(t *testing.T) {
			ranks(t, 2, func(c *comm.Comm) error {
				xs := []int32{1, 2, 3, 4}
				err := x.call(c, xs)
				refused(t, err, comm.ErrBuffer, x.rule)
				assert.ErrorContains(t, err, "share memory")
				return errors.Join(equal([]int32{1, 2, 3, 4}, xs), c.Barrier())
			})
		})
	}
	t.Run("COLL-01 blocks in the gaps between each other", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			xs, one := []int32{1, 2, 3, 4}, []int64{1, 1}
			even, uneven := []int64{0, 2}, []int64{1, 3}
			err := c.AllToAllV(types.Of(xs), one, even, types.Of(xs), one, uneven)
			err2 := c.AllGatherV(types.Of(xs[2:3]), types.Of(xs), one, uneven)
			piece := func(i int) types.Buffer { return types.Of(xs[i : i+1]) }
			err3 := c.AllToAllW([]types.Buffer{piece(0), piece(2)}, []types.Buffer{piece(3), piece(1)})
			return errors.Join(err, err2, err3)
		})
	})
	t.Run("COLL-01 P2P-03 pieces side by side, and in the gaps of each other", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			xs, other := []int32{1, 2, 3, 4}, 1-c.Rank()
			err := c.AllReduce(types.Of(xs[:2]), types.Of(xs[2:]), comm.Sum)
			_, err2 := c.SendRecv(types.Of(xs[2:]), comm.To{Rank: other}, types.Of(xs[:2]), comm.From{Rank: other})
			mem := make([]byte, 16)
			mem[0], mem[8] = byte(10+c.Rank()), byte(20+c.Rank())
			sparse := types.Resized(types.Int32, 0, 8)
			err3 := c.AllToAll(types.Raw(mem, 2, sparse), types.Raw(mem[4:], 2, sparse))
			all := byte(10 * (1 + c.Rank()))
			return errors.Join(err, err2, err3, equal([]int32{2, 4, 2, 4}, xs), equal([]byte{all, all + 1}, []byte{mem[4], mem[12]}))
		})
	})
}
