package comm_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// If ranks in different forms of one routine met, or waited for ever, a program
// that no other MPI runs would seem right, or hang.
func TestMixedForms(t *testing.T) {
	one := func() types.Buffer { return ints(0) }
	wait := func(q *comm.Request, err error) error {
		if err == nil {
			_, err = q.Wait()
		}
		return err
	}
	for _, row := range []struct {
		name      string
		call      func(c *comm.Comm) error
		first     string
		otherwise func(c *comm.Comm) error
		second    string
	}{
		{
			"a waiting and a started one", func(c *comm.Comm) error { return c.Barrier() }, "Barrier",
			func(c *comm.Comm) error { return wait(c.IBarrier()) }, "IBarrier",
		},
		{
			"two started ones", func(c *comm.Comm) error { return wait(c.IBarrier()) }, "IBarrier",
			func(c *comm.Comm) error { return wait(c.IBcast(one(), 0)) }, "IBcast",
		},
		{
			"a waiting and a prepared one", func(c *comm.Comm) error { return c.Bcast(one(), 0) }, "Bcast",
			func(c *comm.Comm) error { _, err := c.BcastInit(one(), 0); return err }, "BcastInit",
		},
		{
			"a started and a prepared one", func(c *comm.Comm) error { return wait(c.IBcast(one(), 0)) }, "IBcast",
			func(c *comm.Comm) error { _, err := c.BcastInit(one(), 0); return err }, "BcastInit",
		},
	} {
		t.Run("COLL-02 GEN-06 "+row.name, func(t *testing.T) {
			for _, s := range []setting{{}, seeded(1), seeded(2), seeded(3)} {
				errs := start(3, s, func(c *comm.Comm) error {
					call := row.call
					if c.Rank() == 1 {
						call = row.otherwise
					}
					err := call(c)
					refused(t, err, comm.ErrNotSame, "GEN-06")
					assert.NoError(t, c.Barrier(), "the next round is not harmed")
					if err != nil {
						text := err.Error()
						assert.Regexp(t, `ranks 0, 2 in `+row.first+` \(forms_rules_test.go:\d+`, text)
						assert.Regexp(t, `rank 1 in `+row.second+` \(forms_rules_test.go:\d+`, text)
					}
					return nil
				})
				assert.NoError(t, errors.Join(errs...))
			}
		})
	}
	t.Run("COLL-02 GEN-06 a rank that is ahead", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			var reqs []*comm.Request
			for i := range 4 {
				start := c.IBarrier
				if i == 2 && c.Rank() == 1 {
					start = func() (*comm.Request, error) { return c.IBcast(one(), 0) }
				}
				q, err := start()
				if err != nil {
					return err
				}
				reqs = append(reqs, q)
			}
			for i, q := range reqs {
				_, err := q.Wait()
				if i == 2 {
					refused(t, err, comm.ErrNotSame, "GEN-06")
					assert.ErrorContains(t, err, "as the 3rd collective on COMM_WORLD")
				} else {
					assert.NoError(t, err)
				}
			}
			return nil
		})
	})
}

// If an error of one rank's arguments stayed there, the others would wait.
func TestNonblockingCollectiveErrors(t *testing.T) {
	t.Run("COLL-02 an error on one rank is one on all", func(t *testing.T) {
		ranks(t, 3, func(c *comm.Comm) error {
			root := 0
			if c.Rank() == 2 {
				root = 7
			}
			buf := ints(int32(c.Rank()))
			q, err := c.IBcast(buf, root)
			assert.NoError(t, err)
			_, err = q.Wait()
			refused(t, err, comm.ErrRoot, "COLL-01")
			_, err = c.BcastInit(buf, root)
			refused(t, err, comm.ErrRoot, "COLL-01")
			return c.Barrier()
		})
	})
	t.Run("COLL-02 cannot be cancelled, nor freed under way", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			q, err := c.IBarrier()
			if err != nil {
				return err
			}
			refused(t, q.Cancel(), comm.ErrRequest, "P2P-02")
			refused(t, q.Free(), comm.ErrRequest, "COLL-02")
			_, err = q.Wait()
			return err
		})
	})
	t.Run("COLL-02 on a communicator that is freed", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			d, err := c.Dup()
			if err != nil {
				return err
			}
			assert.NoError(t, d.Free())
			_, err = d.IBarrier()
			refused(t, err, comm.ErrComm, "COMM-01")
			_, err = d.AllReduceInit(ints(1), ints(1), comm.Sum)
			refused(t, err, comm.ErrComm, "COMM-01")
			refused(t, d.AllToAllW(nil, nil), comm.ErrComm, "COMM-01")
			return nil
		})
	})
	t.Run("COLL-01 wrong arguments of the new routines", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			two := func() types.Buffer { return ints(1, 2) }
			refused(t, c.AllToAllW([]types.Buffer{two()}, []types.Buffer{two(), two()}), comm.ErrArg, "COLL-01")
			refused(t, c.AllToAllW([]types.Buffer{two(), two()}, []types.Buffer{two(), ints(1)}), comm.ErrTruncate, "COLL-01")
			refused(t, c.ReduceScatterBlock(ints(1, 2, 3), ints(0), comm.Sum), comm.ErrCount, "COLL-01")
			refused(t, c.ReduceScatter(ints(1, 2, 3), ints(0), []int64{2, 2}, comm.Sum), comm.ErrBuffer, "COLL-01")
			refused(t, c.ReduceScatter(ints(1, 2, 3), ints(0), []int64{3}, comm.Sum), comm.ErrArg, "COLL-01")
			refused(t, c.ReduceScatter(ints(1, 2, 3), two(), []int64{int64(1 + c.Rank()), int64(2 - c.Rank())}, comm.Sum), comm.ErrNotSame, "GEN-05")
			return nil
		})
	})
}

// If a deadlock report did not know of started collectives, a student would
// look for a call that is not there.
func TestNonblockingCollectiveDeadlock(t *testing.T) {
	errs := start(2, setting{}, func(c *comm.Comm) error {
		if c.Rank() == 1 {
			return nil
		}
		q, err := c.IBarrier()
		if err == nil {
			_, err = q.Wait()
		}
		return err
	})
	assert.ErrorContains(t, errs[0], "waits in Wait for IBarrier (1st collective) on COMM_WORLD")
}

// If restarts of several requests had to come in one order, a program that the
// standard allows would hang.
func TestPersistentStartOrder(t *testing.T) {
	t.Run("COLL-02 persistent requests are started in any order", func(t *testing.T) {
		ranks(t, 3, func(c *comm.Comm) error {
			const n = 3
			var reqs []*comm.Request
			sums := make([]int32, n)
			for i := range n {
				q, err := c.AllReduceInit(ints(int32(10*i+c.Rank())), types.Of(sums[i:i+1]), comm.Sum)
				if err != nil {
					return err
				}
				reqs = append(reqs, q)
			}
			for round := range 4 {
				clear(sums)
				for i := range n {
					if err := reqs[(i+round*c.Rank())%n].Start(); err != nil {
						return err
					}
				}
				if _, err := comm.WaitAll(reqs...); err != nil {
					return err
				}
				if err := equal([]int32{3, 33, 63}, sums); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// If a busy rank delayed the data of the others, nothing would overlap: waiting ranks do its
// share of the work.
func TestProgressForBusyRanks(t *testing.T) {
	t.Run("COLL-02 a rank that is busy holds no rank up", func(t *testing.T) {
		ranks(t, 3, func(c *comm.Comm) error {
			buf := make([]byte, 1<<20)
			q, err := c.IBcast(types.Of(buf), 0)
			if err != nil {
				return err
			}
			if c.Rank() == 2 { // comes back only when the others are through
				if _, err := c.Recv(ints(0), 0, 0); err != nil {
					return err
				}
			}
			if _, err := q.Wait(); err != nil {
				return err
			}
			if c.Rank() == 0 {
				return c.Send(ints(0), 2, 0)
			}
			return nil
		})
	})
}

// If an abort in the middle left a rank waiting, or somebody writing into its
// memory, the end of a world would be no end.
func TestAbortInNonblockingCollectives(t *testing.T) {
	boom := errors.New("boom")
	for i := range 300 {
		s := setting{}
		if i%2 == 0 {
			s = seeded(uint64(i))
		}
		errs := start(4, s, func(c *comm.Comm) error {
			var reqs []*comm.Request
			for k := range 5 {
				if c.Rank() == 3 && k == i%5 {
					return boom
				}
				size := 8
				if k%2 == 1 {
					size = 1 << 18
				}
				q, err := c.IAllGather(types.Of(make([]byte, size)), types.Of(make([]byte, 4*size)))
				if err != nil {
					return err
				}
				reqs = append(reqs, q)
			}
			_, err := comm.WaitAll(reqs...)
			return err
		})
		for r, err := range errs {
			assert.ErrorIs(t, err, boom, "rank %d, run %d", r, i)
		}
	}
}

// If an operation did not follow the standard, a result would be wrong without an error.
func TestMinLocMaxLoc(t *testing.T) {
	type doubleInt struct {
		V float64
		I int32
	}
	nan := math.NaN()
	for _, row := range []struct {
		name string
		op   *comm.Op
		in   []doubleInt
		want doubleInt
	}{
		{"greatest", comm.MaxLoc, []doubleInt{{1, 5}, {3, 6}, {2, 7}}, doubleInt{3, 6}},
		{"least", comm.MinLoc, []doubleInt{{1, 5}, {3, 6}, {2, 7}}, doubleInt{1, 5}},
		{"least index of equals", comm.MaxLoc, []doubleInt{{3, 9}, {3, 2}, {3, 4}}, doubleInt{3, 2}},
		{"least index of least", comm.MinLoc, []doubleInt{{3, 9}, {3, 2}, {4, 1}}, doubleInt{3, 2}},
	} {
		t.Run("COLL-03 MaxLoc and MinLoc: "+row.name, func(t *testing.T) {
			for _, s := range []setting{{}, unlike(reps.LP64LE, reps.ILP32BE)} {
				errs := start(3, s, func(c *comm.Comm) error {
					x := row.in[c.Rank()]
					send, recv := make([]byte, 16), make([]byte, 16)
					native.PutUint64(send, math.Float64bits(x.V))
					native.PutUint32(send[8:], uint32(x.I))
					if err := c.AllReduce(types.Raw(send, 1, types.DoubleInt), types.Raw(recv, 1, types.DoubleInt), row.op); err != nil {
						return err
					}
					got := doubleInt{math.Float64frombits(native.Uint64(recv)), int32(native.Uint32(recv[8:]))}
					if err := equal(row.want, got); err != nil {
						return err
					}
					native.PutUint32(send, math.Float32bits(float32(x.V)))
					native.PutUint32(send[4:], uint32(x.I))
					if err := c.AllReduce(types.Raw(send, 1, types.FloatInt), types.Raw(recv, 1, types.FloatInt), row.op); err != nil {
						return err
					}
					return equal(row.want, doubleInt{float64(math.Float32frombits(native.Uint32(recv))), int32(native.Uint32(recv[4:]))})
				})
				assert.NoError(t, errors.Join(errs...))
			}
		})
	}
	t.Run("COLL-03 no number wins in any order", func(t *testing.T) {
		for bad := range 3 {
			ranks(t, 3, func(c *comm.Comm) error {
				v := float64(c.Rank())
				if c.Rank() == bad {
					v = nan
				}
				send, recv := make([]byte, 16), make([]byte, 16)
				native.PutUint64(send, math.Float64bits(v))
				native.PutUint32(send[8:], uint32(c.Rank()))
				err := c.AllReduce(types.Raw(send, 1, types.DoubleInt), types.Raw(recv, 1, types.DoubleInt), comm.MinLoc)
				return errors.Join(err, equal(uint32(bad), native.Uint32(recv[8:])))
			})
		}
	})
	t.Run("COLL-03 pairs of Fortran, of short, long and long double", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			two := types.Contiguous(2, types.Integer)
			got := []int32{0, 0}
			mem, _ := types.Of(got).Contiguous(c.Arch())
			in, _ := ints(int32(5-c.Rank()), int32(c.Rank())).Contiguous(c.Arch())
			err := c.AllReduce(types.Raw(in, 1, two), types.Raw(mem, 1, two), comm.MinLoc)
			errs := []error{err, equal([]int32{4, 1}, got)}
			named := []int32{0, 0}
			errs = append(errs, c.AllReduce(ints(int32(5-c.Rank()), int32(c.Rank())).As(types.TwoInteger), types.Of(named).As(types.TwoInteger), comm.MinLoc))
			errs = append(errs, equal([]int32{4, 1}, named))
			reals := []float32{0, 0}
			errs = append(errs, c.AllReduce(types.Of([]float32{float32(c.Rank()) / 2, float32(c.Rank())}).As(types.TwoReal), types.Of(reals).As(types.TwoReal), comm.MaxLoc))
			errs = append(errs, equal([]float32{0.5, 1}, reals))
			doubles := []float64{0, 0}
			errs = append(errs, c.AllReduce(types.Of([]float64{2.5, float64(3 - c.Rank())}).As(types.TwoDoublePrecision), types.Of(doubles).As(types.TwoDoublePrecision), comm.MinLoc))
			errs = append(errs, equal([]float64{2.5, 2}, doubles))
			refused(t, c.AllReduce(ints(1, 2).As(types.TwoInteger), ints(1, 2).As(types.TwoInteger), comm.Sum), comm.ErrOp, "COLL-03")
			for _, p := range types.Pairs() {
				a, b := make([]byte, 32), make([]byte, 32)
				a[0] = byte(c.Rank()) // a small number in every format, or nearly zero
				errs = append(errs, c.AllReduce(types.Raw(a, 1, p), types.Raw(b, 1, p), comm.MaxLoc))
			}
			return errors.Join(errs...)
		})
	})
}

func TestReductionOps(t *testing.T) {
	t.Run("COLL-03 what is not for reductions is refused", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			for _, op := range []*comm.Op{comm.Replace, comm.NoOp, comm.MaxLoc, comm.MinLoc} {
				refused(t, c.AllReduce(ints(1), ints(1), op), comm.ErrOp, "COLL-03")
				refused(t, c.ReduceLocal(ints(1), ints(1), op), comm.ErrOp, "COLL-03")
			}
			return nil
		})
	})
	t.Run("COLL-03 an operation that the type does not have, in place and not", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			for _, inPlace := range []bool{false, true} {
				calls := map[string]func(send, recv types.Buffer) error{
					"Reduce": func(send, recv types.Buffer) error {
						if c.Rank() == 1 {
							return c.Reduce(recv, types.Buffer{}, comm.BAnd, 0)
						}
						return c.Reduce(send, recv, comm.BAnd, 0)
					},
					"AllReduce":          func(send, recv types.Buffer) error { return c.AllReduce(send, recv, comm.BAnd) },
					"IAllReduce":         func(send, recv types.Buffer) error { return wait(c.IAllReduce(send, recv, comm.BAnd)) },
					"Scan":               func(send, recv types.Buffer) error { return c.Scan(send, recv, comm.BAnd) },
					"ExScan":             func(send, recv types.Buffer) error { return c.ExScan(send, recv, comm.BAnd) },
					"ReduceScatterBlock": func(send, recv types.Buffer) error { return c.ReduceScatterBlock(send, recv, comm.BAnd) },
					"ReduceScatter": func(send, recv types.Buffer) error {
						return c.ReduceScatter(send, recv, []int64{1, 1}, comm.BAnd)
					},
				}
				for _, name := range slices.Sorted(maps.Keys(calls)) {
					values := []float64{1, 2}
					send, recv := types.Of([]float64{3, 4}), types.Of(values)
					if strings.HasPrefix(name, "ReduceScatter") && !inPlace {
						recv = types.Of(values[:1])
					}
					if inPlace {
						send = comm.InPlace
					}
					err := calls[name](send, recv)
					refused(t, err, comm.ErrOp, "COLL-03")
					assert.ErrorContains(t, err, "BAnd is not defined on double", name)
					assert.Equal(t, []float64{1, 2}, values, name)
				}
			}
			return nil
		})
	})
	t.Run("COLL-03 Commutative", func(t *testing.T) {
		assert.True(t, comm.Sum.Commutative())
		assert.True(t, comm.MaxLoc.Commutative())
		assert.False(t, comm.Replace.Commutative())
		assert.False(t, comm.NewOp("mine", nil).Commutative())
		assert.True(t, comm.NewCommutativeOp("mine", nil).Commutative())
		assert.False(t, (*comm.Op)(nil).Commutative())
	})
	t.Run("COLL-03 ReduceLocal", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			inout := []int32{1, 2}
			errs := []error{c.ReduceLocal(ints(10, 20), types.Of(inout), comm.Sum), equal([]int32{11, 22}, inout)}
			first := comm.NewOp("first", func(in, inout types.Buffer) error {
				a, _ := in.Contiguous(c.Arch())
				b, _ := inout.Contiguous(c.Arch())
				copy(b, a)
				return nil
			})
			errs = append(errs, c.ReduceLocal(ints(7, 8), types.Of(inout), first), equal([]int32{7, 8}, inout))
			refused(t, c.ReduceLocal(ints(1), types.Of(inout), comm.Sum), comm.ErrCount, "COLL-03")
			refused(t, c.ReduceLocal(comm.InPlace, types.Of(inout), comm.Sum), comm.ErrBuffer, "COLL-01")
			refused(t, c.ReduceLocal(ints(1, 2), types.Of([]float32{1, 2}), comm.Sum), comm.ErrType, "P2P-MATCH-02")
			return errors.Join(errs...)
		})
	})
	t.Run("COLL-03 floating results are the same in every run and form", func(t *testing.T) {
		results := map[string]bool{}
		for seed := range uint64(20) {
			for _, items := range []int{1, 5000} { // by one rank, by several
				got := make([]string, 5)
				errs := start(5, seeded(seed), func(c *comm.Comm) error {
					send, recv := make([]float64, items), make([]float64, items)
					for i := range send {
						send[i] = math.Pow(0.1, float64(c.Rank()*3)) * 1.1
					}
					q, err := c.IAllReduce(types.Of(send), types.Of(recv), comm.Sum)
					if err == nil {
						_, err = q.Wait()
					}
					got[c.Rank()] = fmt.Sprint(recv[items-1])
					return err
				})
				assert.NoError(t, errors.Join(errs...))
				results[strings.Join(got, " ")] = true
			}
		}
		assert.Len(t, results, 1)
	})
}

// If a collective that is not defined between two groups took place within
// each, a program would get half of what it asked for.
func TestCollectivesUndefinedOnIntercomm(t *testing.T) {
	t.Run("COLL-01 COMM-02 refused on an intercommunicator", func(t *testing.T) {
		ranks(t, 4, func(c *comm.Comm) error {
			d, err := bridge(c, []int{0, 1, 0, 1}, [2]int{0, 0})
			if err != nil {
				return err
			}
			refused(t, d.Scan(ints(1), ints(1), comm.Sum), comm.ErrComm, "COMM-02")
			q, err := d.IExScan(ints(1), ints(1), comm.Sum)
			assert.NoError(t, err)
			_, err = q.Wait()
			refused(t, err, comm.ErrComm, "COMM-02")
			return nil
		})
	})
}
