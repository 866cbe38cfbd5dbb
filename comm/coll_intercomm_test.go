package comm_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A span is one rank's view of an intercommunicator.
type span struct {
	*comm.Comm
	side, far int // which group, and how many ranks the other has
}

// id returns the number that marks the data of rank r of a side.
func id(side, r int) int { return 10*side + r }

// trials are all collectives between two groups, with the root in group 0 as
// its rank root; each is written as the standard defines it.
func (w span) trials(n, root int) map[string]trial {
	me, other := w.Rank(), 1-w.side
	atRoot := w.side == 0 && me == root
	who := comm.ProcNull
	switch {
	case atRoot:
		who = comm.Root
	case w.side == 1:
		who = root
	}
	mine := func(n int) *numbers { return newNumbers(vals(id(w.side, me), 0, n)) }
	room := func(n int) *numbers { return newNumbers(blankVals(n)) }
	gathered := func(side, ranks int) []int32 {
		return concat(ranks, func(r int) []int32 { return vals(id(side, r), 0, n) })
	}
	folded := func(side, ranks int) []int32 {
		acc := make([]int32, n)
		for r := range ranks {
			for i := range acc {
				acc[i] += val(id(side, r), i)
			}
		}
		return acc
	}
	all := map[string]trial{}
	all["Barrier"] = compose(w.Barrier, w.IBarrier, w.BarrierInit, nil)
	{
		f := mine(n)
		want := f.first
		if w.side == 1 {
			want = vals(id(0, root), 0, n)
		}
		b := f.buf()
		all["Bcast"] = compose(
			func() error { return w.Bcast(b, who) },
			func() (*comm.Request, error) { return w.IBcast(b, who) },
			func() (*comm.Request, error) { return w.BcastInit(b, who) }, []*numbers{f}, want)
	}
	{
		out, in := mine(n), room(n*w.far)
		want := in.first
		if atRoot {
			want = gathered(1, w.far)
		}
		send, recv := out.buf(), in.buf()
		all["Gather"] = compose(
			func() error { return w.Gather(send, recv, who) },
			func() (*comm.Request, error) { return w.IGather(send, recv, who) },
			func() (*comm.Request, error) { return w.GatherInit(send, recv, who) }, []*numbers{in}, want)
	}
	{
		out, in := mine(n*w.far), room(n)
		want := in.first
		if w.side == 1 {
			want = vals(id(0, root), n*me, n)
		}
		send, recv := out.buf(), in.buf()
		all["Scatter"] = compose(
			func() error { return w.Scatter(send, recv, who) },
			func() (*comm.Request, error) { return w.IScatter(send, recv, who) },
			func() (*comm.Request, error) { return w.ScatterInit(send, recv, who) }, []*numbers{in}, want)
	}
	{
		out, in := mine(n), room(n*w.far)
		send, recv := out.buf(), in.buf()
		all["AllGather"] = compose(
			func() error { return w.AllGather(send, recv) },
			func() (*comm.Request, error) { return w.IAllGather(send, recv) },
			func() (*comm.Request, error) { return w.AllGatherInit(send, recv) }, []*numbers{in}, gathered(other, w.far))
	}
	{
		out, in := mine(n*w.far), room(n*w.far)
		send, recv := out.buf(), in.buf()
		all["AllToAll"] = compose(
			func() error { return w.AllToAll(send, recv) },
			func() (*comm.Request, error) { return w.IAllToAll(send, recv) },
			func() (*comm.Request, error) { return w.AllToAllInit(send, recv) }, []*numbers{in},
			concat(w.far, func(r int) []int32 { return vals(id(other, r), n*me, n) }))
	}
	{
		var sends, recvs []types.Buffer
		var ins []*numbers
		var want [][]int32
		for r := range w.far {
			ins = append(ins, room(n))
			sends, recvs = append(sends, types.Of(vals(id(w.side, me), r, n))), append(recvs, ins[r].buf())
			want = append(want, vals(id(other, r), me, n))
		}
		all["AllToAllW"] = compose(
			func() error { return w.AllToAllW(sends, recvs) },
			func() (*comm.Request, error) { return w.IAllToAllW(sends, recvs) },
			func() (*comm.Request, error) { return w.AllToAllWInit(sends, recvs) }, ins, want...)
	}
	for name, op := range map[string]*comm.Op{"Sum": comm.Sum, "an operation of the program's": addInts} {
		out, in := mine(n), room(n)
		want := in.first
		if atRoot {
			want = folded(1, w.far)
		}
		send, recv := out.buf(), in.buf()
		all["Reduce by "+name] = compose(
			func() error { return w.Reduce(send, recv, op, who) },
			func() (*comm.Request, error) { return w.IReduce(send, recv, op, who) },
			func() (*comm.Request, error) { return w.ReduceInit(send, recv, op, who) }, []*numbers{in}, want)
		every := room(n)
		to := every.buf()
		all["AllReduce by "+name] = compose(
			func() error { return w.AllReduce(send, to, op) },
			func() (*comm.Request, error) { return w.IAllReduce(send, to, op) },
			func() (*comm.Request, error) { return w.AllReduceInit(send, to, op) }, []*numbers{every}, folded(other, w.far))
	}
	for name, op := range map[string]*comm.Op{"Sum": comm.Sum, "an operation of the program's": addInts} {
		home := w.Size()
		per := n * w.far // of home*far*n items, which both groups have
		send, in := types.Of(vals(id(w.side, me), 0, per*home)), room(per)
		recv := in.buf()
		result := func(at, n int) []int32 { // of the other group
			acc := make([]int32, n)
			for r := range w.far {
				for i := range acc {
					acc[i] += val(id(other, r), at+i)
				}
			}
			return acc
		}
		all["ReduceScatterBlock by "+name] = compose(
			func() error { return w.ReduceScatterBlock(send, recv, op) },
			func() (*comm.Request, error) { return w.IReduceScatterBlock(send, recv, op) },
			func() (*comm.Request, error) { return w.ReduceScatterBlockInit(send, recv, op) }, []*numbers{in}, result(per*me, per))

		counts, at := make([]int64, home), 0 // uneven: all but the last two get one item each, the last but one none
		for r := range counts {
			counts[r] = int64(min(n, 1))
		}
		if home > 1 {
			counts[home-2] = 0
		}
		left := int64(per * home)
		for _, k := range counts[:home-1] {
			left -= k
		}
		counts[home-1] = left
		for _, k := range counts[:me] {
			at += int(k)
		}
		uneven := room(int(counts[me]))
		to := uneven.buf()
		all["ReduceScatter by "+name] = compose(
			func() error { return w.ReduceScatter(send, to, counts, op) },
			func() (*comm.Request, error) { return w.IReduceScatter(send, to, counts, op) },
			func() (*comm.Request, error) { return w.ReduceScatterInit(send, to, counts, op) }, []*numbers{uneven}, result(at, int(counts[me])))
	}
	return all
}

// acrossNames has the names of the collectives that trials makes.
var acrossNames = []string{
	"Barrier", "Bcast", "Gather", "Scatter", "AllGather", "AllToAll", "AllToAllW", "Reduce by Sum", "AllReduce by Sum",
	"Reduce by an operation of the program's", "AllReduce by an operation of the program's",
	"ReduceScatterBlock by Sum", "ReduceScatterBlock by an operation of the program's",
	"ReduceScatter by Sum", "ReduceScatter by an operation of the program's",
}

var addInts = comm.NewOp("add", func(in, inout types.Buffer) error {
	a, b := make([]byte, 4*in.Count()), make([]byte, 4*in.Count())
	in.Pack(a, 0, reps.LP64LE)
	inout.Pack(b, 0, reps.LP64LE)
	for i := 0; i < len(a); i += 4 {
		native.PutUint32(b[i:], native.Uint32(a[i:])+native.Uint32(b[i:]))
	}
	inout.Unpack(b, 0, reps.LP64LE)
	return nil
})

// If a collective between two groups kept to one of them, or mixed the two up,
// coupled programs would exchange the wrong halves.
func TestIntercommCollectives(t *testing.T) {
	for _, name := range acrossNames {
		t.Run("COMM-02 COLL-01 COLL-02 between groups: "+name, func(t *testing.T) {
			ranks(t, 5, func(c *comm.Comm) error {
				side := []int{1, 0, 0, 1, 1}
				d, err := bridge(c, side, [2]int{0, 0})
				if err != nil {
					return err
				}
				w := span{d, side[c.Rank()], 3 - side[c.Rank()]}
				for form := range 3 {
					for _, n := range []int{0, 3} {
						tr := w.trials(n, 1)[name]
						if err := errors.Join(tr.perform(form), tr.check()); err != nil {
							return fmt.Errorf("form %d, %d items, rank %d of group %d: %w", form, n, d.Rank(), w.side, err)
						}
					}
				}
				return nil
			})
		})
	}
}

// If groups of other sizes were mixed up, only programs with as many ranks on
// both sides would work.
func TestIntercommRandomCollectives(t *testing.T) {
	t.Run("COMM-02 COLL-01 COLL-02 COLL-03 between groups of any sizes", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			side := rapid.SliceOfN(rapid.IntRange(0, 1), 2, 7).Draw(t, "side")
			groups := both(side)
			if len(groups[0]) == 0 || len(groups[1]) == 0 {
				t.Skip("one side is empty")
			}
			root := rapid.IntRange(0, len(groups[0])-1).Draw(t, "root")
			type turn struct {
				Name    string
				Form, N int
			}
			turns := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) turn {
				return turn{rapid.SampledFrom(acrossNames).Draw(t, "name"), rapid.IntRange(0, 2).Draw(t, "form"), rapid.SampledFrom([]int{0, 1, 2, 3, 700}).Draw(t, "n")}
			}), 1, 4).Draw(t, "turns")
			s := setting{}
			if rapid.Bool().Draw(t, "seeded") {
				s = seeded(rapid.Uint64().Draw(t, "seed"))
			}
			err := errors.Join(start(len(side), s, func(c *comm.Comm) error {
				d, err := bridge(c, side, [2]int{})
				if err != nil {
					return err
				}
				me := side[c.Rank()]
				w := span{d, me, len(groups[1-me])}
				for _, x := range turns {
					tr := w.trials(x.N, root)[x.Name]
					if err := errors.Join(tr.perform(x.Form), tr.check()); err != nil {
						return fmt.Errorf("%+v: %w", x, err)
					}
				}
				return d.Free()
			})...)
			if err != nil {
				t.Fatal(err)
			}
		})
	})
}

func TestIntercommCollectiveErrors(t *testing.T) {
	across := func(t *testing.T, body func(c *comm.Comm, side int) error) {
		ranks(t, 4, func(c *comm.Comm) error {
			side := []int{0, 1, 0, 1}
			d, err := bridge(c, side, [2]int{0, 0})
			if err != nil {
				return err
			}
			return body(d, side[c.Rank()])
		})
	}
	t.Run("COMM-02 GEN-05 roots that do not fit", func(t *testing.T) {
		across(t, func(c *comm.Comm, side int) error {
			refused(t, c.Bcast(ints(1), comm.ProcNull), comm.ErrRoot, "COMM-02")
			root := comm.Root // both ranks of group 0
			if side == 1 {
				root = 0
			}
			refused(t, c.Bcast(ints(1), root), comm.ErrNotSame, "GEN-05")
			refused(t, c.Bcast(ints(1), 2), comm.ErrRoot, "COLL-01")
			return nil
		})
	})
	t.Run("COMM-02 COLL-01 data that do not fit, on all ranks of both groups", func(t *testing.T) {
		across(t, func(c *comm.Comm, side int) error {
			n := make([]int32, 1+side)
			refused(t, c.AllReduce(types.Of(n), types.Of(slices.Clone(n)), comm.Sum), comm.ErrNotSame, "COLL-01")
			refused(t, c.AllGather(comm.InPlace, ints(1, 2)), comm.ErrBuffer, "COLL-01")
			return nil
		})
	})
	t.Run("COMM-02 COLL-03 results that cannot be scattered", func(t *testing.T) {
		across(t, func(c *comm.Comm, side int) error {
			two, three := make([]int32, 2), make([]int32, 4+2*side)
			refused(t, c.ReduceScatterBlock(types.Of(three), types.Of(make([]int32, 2+side)), comm.Sum), comm.ErrNotSame, "COLL-03")
			refused(t, c.ReduceScatterBlock(comm.InPlace, types.Of(two), comm.Sum), comm.ErrBuffer, "COLL-01")
			refused(t, c.ReduceScatterBlock(types.Of(make([]int32, 3)), types.Of(two), comm.Sum), comm.ErrCount, "COLL-01")
			refused(t, c.ReduceScatter(types.Of(two), ints(0), []int64{1}, comm.Sum), comm.ErrArg, "COLL-01")
			counts := []int64{1, 1}
			if c.Rank() == 1 {
				counts = []int64{0, 2}
			}
			refused(t, c.ReduceScatter(types.Of(two), types.Of(make([]int32, counts[c.Rank()])), counts, comm.Sum), comm.ErrNotSame, "GEN-05")
			refused(t, c.ReduceScatter(types.Of(two), ints(0, 0), []int64{1, 1}, comm.Sum), comm.ErrNotSame, "COLL-01")
			return nil
		})
	})
	t.Run("COMM-02 COLL-03 scans have no meaning between groups", func(t *testing.T) {
		across(t, func(c *comm.Comm, side int) error {
			refused(t, c.Scan(ints(1), ints(1), comm.Sum), comm.ErrComm, "COMM-02")
			refused(t, c.ExScan(ints(1), ints(1), comm.Sum), comm.ErrComm, "COMM-02")
			_, err := c.ScanInit(ints(1), ints(1), comm.Sum)
			refused(t, err, comm.ErrComm, "COMM-02")
			q, err := c.IExScan(ints(1), ints(1), comm.Sum)
			if err == nil {
				_, err = q.Wait()
			}
			refused(t, err, comm.ErrComm, "COMM-02")
			return nil
		})
	})
	t.Run("COMM-02 GEN-06 different calls", func(t *testing.T) {
		across(t, func(c *comm.Comm, side int) error {
			var err error
			if side == 0 {
				err = c.Barrier()
			} else {
				err = c.AllReduce(ints(1), ints(1), comm.Sum)
			}
			refused(t, err, comm.ErrNotSame, "GEN-06")
			assert.ErrorContains(t, err, "ranks 0, 2 in Barrier (coll_intercomm_test.go:")
			assert.ErrorContains(t, err, "ranks 1, 3 in AllReduce (coll_intercomm_test.go:")
			return nil
		})
	})
}
