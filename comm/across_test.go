package comm_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A span is one rank's view of an intercommunicator.
type span struct {
	*comm.Comm
	side, far int // which group, and how many ranks the other has
}

// id is the number that rank r of a side brings its data under.
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
	return all
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
func TestCollectivesAcross(t *testing.T) {
	for _, name := range []string{
		"Barrier", "Bcast", "Gather", "Scatter", "AllGather", "AllToAll", "AllToAllW", "Reduce by Sum", "AllReduce by Sum",
		"Reduce by an operation of the program's", "AllReduce by an operation of the program's",
	} {
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

func TestErrorsAcross(t *testing.T) {
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
			refused(t, c.AllReduce(types.Of(n), types.Of(n), comm.Sum), comm.ErrNotSame, "COLL-01")
			refused(t, c.AllGather(comm.InPlace, ints(1, 2)), comm.ErrBuffer, "COLL-01")
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
			assert.ErrorContains(t, err, "ranks 0, 2 called Barrier at across_test.go:")
			assert.ErrorContains(t, err, "ranks 1, 3 called AllReduce at across_test.go:")
			return nil
		})
	})
}
