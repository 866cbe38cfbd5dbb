package comm_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A trial is one collective call of one rank on fresh data, in each of its
// forms, and what its buffers must hold afterwards.
type trial struct {
	wait    func() error
	issue   func() (*comm.Request, error)
	prepare func() (*comm.Request, error)
	reset   func() // gives the buffers their first content
	check   func() error
}

// A step is a collective of a random program.
type step struct {
	Routine string
	Form    string // wait, issue, prepare
	Items   int
	Root    int
	InPlace bool
	Starts  int // of a persistent one
}

func (s step) String() string {
	type plain step
	return fmt.Sprintf("%+v", plain(s))
}

// numbers is a buffer of items in a row with a memory of its first content.
type numbers struct {
	first, now []int32
}

func newNumbers(first []int32) *numbers { return &numbers{first, slices.Clone(first)} }

func (f *numbers) buf() types.Buffer { return types.Of(f.now) }

// A maker makes the trial of one routine on one rank. All its data and results follow the
// definition directly.
type maker func(c *comm.Comm, s step) trial

// compose makes a trial of buffers and expectations.
func compose(wait func() error, issue, prepare func() (*comm.Request, error), fs []*numbers, want ...[]int32) trial {
	return trial{
		wait, issue, prepare,
		func() {
			for _, f := range fs {
				copy(f.now, f.first)
			}
		},
		func() error {
			var errs []error
			for i, f := range fs {
				errs = append(errs, differ(i, want[i], f.now))
			}
			return errors.Join(errs...)
		},
	}
}

// differ returns the first wrong place in buffer i.
func differ(i int, want, got []int32) error {
	if len(want) != len(got) {
		return fmt.Errorf("buffer %d: want %d items, got %d", i, len(want), len(got))
	}
	for j, v := range got {
		if v != want[j] {
			return fmt.Errorf("buffer %d, item %d: want %d, got %d", i, j, want[j], v)
		}
	}
	return nil
}

func concat(n int, of func(r int) []int32) (all []int32) {
	for r := range n {
		all = append(all, of(r)...)
	}
	return all
}

// sums adds up what ranks 0 to upTo bring.
func sums(upTo, n int) []int32 {
	acc := make([]int32, n)
	for r := range upTo + 1 {
		for i := range acc {
			acc[i] += val(r, i)
		}
	}
	return acc
}

// rankCounts returns a count for each of p ranks, different for every rank, and their sum.
func rankCounts(p, n int) (counts []int64, total int) {
	for r := range p {
		c := (n + r) % 4 * n
		counts = append(counts, int64(c))
		total += c
	}
	return counts, total
}

var routines = map[string]maker{
	"Barrier": func(c *comm.Comm, _ step) trial { return compose(c.Barrier, c.IBarrier, c.BarrierInit, nil) },
	"Bcast": func(c *comm.Comm, s step) trial {
		f := newNumbers(vals(c.Rank(), 0, s.Items))
		b := f.buf()
		return compose(
			func() error { return c.Bcast(b, s.Root) },
			func() (*comm.Request, error) { return c.IBcast(b, s.Root) },
			func() (*comm.Request, error) { return c.BcastInit(b, s.Root) },
			[]*numbers{f}, vals(s.Root, 0, s.Items))
	},
	"Gather": func(c *comm.Comm, s step) trial {
		p, me, n := c.Size(), c.Rank(), s.Items
		out, in := newNumbers(vals(me, 0, n)), newNumbers(blankVals(n*p))
		send, want := out.buf(), in.first
		if me == s.Root {
			want = concat(p, func(r int) []int32 { return vals(r, 0, n) })
			if s.InPlace {
				send = comm.InPlace
				copy(in.first[n*me:], vals(me, 0, n))
				copy(in.now, in.first)
			}
		}
		recv := in.buf()
		return compose(
			func() error { return c.Gather(send, recv, s.Root) },
			func() (*comm.Request, error) { return c.IGather(send, recv, s.Root) },
			func() (*comm.Request, error) { return c.GatherInit(send, recv, s.Root) },
			[]*numbers{out, in}, out.first, want)
	},
	"GatherV": func(c *comm.Comm, s step) trial {
		p, me := c.Size(), c.Rank()
		counts, total := rankCounts(p, s.Items)
		out, in := newNumbers(vals(me, 0, int(counts[me]))), newNumbers(blankVals(total))
		want := in.first
		if me == s.Root {
			want = concat(p, func(r int) []int32 { return vals(r, 0, int(counts[r])) })
		}
		send, recv := out.buf(), in.buf()
		return compose(
			func() error { return c.GatherV(send, recv, counts, nil, s.Root) },
			func() (*comm.Request, error) { return c.IGatherV(send, recv, counts, nil, s.Root) },
			func() (*comm.Request, error) { return c.GatherVInit(send, recv, counts, nil, s.Root) },
			[]*numbers{out, in}, out.first, want)
	},
	"Scatter": func(c *comm.Comm, s step) trial {
		p, me, n := c.Size(), c.Rank(), s.Items
		out, in := newNumbers(vals(me, 0, n*p)), newNumbers(blankVals(n))
		send, recv, want := out.buf(), in.buf(), vals(s.Root, n*me, n)
		if me == s.Root && s.InPlace {
			recv, want = comm.InPlace, in.first
		}
		return compose(
			func() error { return c.Scatter(send, recv, s.Root) },
			func() (*comm.Request, error) { return c.IScatter(send, recv, s.Root) },
			func() (*comm.Request, error) { return c.ScatterInit(send, recv, s.Root) },
			[]*numbers{out, in}, out.first, want)
	},
	"ScatterV": func(c *comm.Comm, s step) trial {
		p, me := c.Size(), c.Rank()
		counts, total := rankCounts(p, s.Items)
		before := 0
		for _, n := range counts[:me] {
			before += int(n)
		}
		out, in := newNumbers(vals(me, 0, total)), newNumbers(blankVals(int(counts[me])))
		send, recv := out.buf(), in.buf()
		return compose(
			func() error { return c.ScatterV(send, counts, nil, recv, s.Root) },
			func() (*comm.Request, error) { return c.IScatterV(send, counts, nil, recv, s.Root) },
			func() (*comm.Request, error) { return c.ScatterVInit(send, counts, nil, recv, s.Root) },
			[]*numbers{out, in}, out.first, vals(s.Root, before, int(counts[me])))
	},
	"AllGather": func(c *comm.Comm, s step) trial {
		p, me, n := c.Size(), c.Rank(), s.Items
		out, in := newNumbers(vals(me, 0, n)), newNumbers(blankVals(n*p))
		send := out.buf()
		if s.InPlace {
			send = comm.InPlace
			copy(in.first[n*me:], vals(me, 0, n))
			copy(in.now, in.first)
		}
		recv := in.buf()
		return compose(
			func() error { return c.AllGather(send, recv) },
			func() (*comm.Request, error) { return c.IAllGather(send, recv) },
			func() (*comm.Request, error) { return c.AllGatherInit(send, recv) },
			[]*numbers{out, in}, out.first, concat(p, func(r int) []int32 { return vals(r, 0, n) }))
	},
	"AllGatherV": func(c *comm.Comm, s step) trial {
		p, me := c.Size(), c.Rank()
		counts, total := rankCounts(p, s.Items)
		out, in := newNumbers(vals(me, 0, int(counts[me]))), newNumbers(blankVals(total))
		send, recv := out.buf(), in.buf()
		return compose(
			func() error { return c.AllGatherV(send, recv, counts, nil) },
			func() (*comm.Request, error) { return c.IAllGatherV(send, recv, counts, nil) },
			func() (*comm.Request, error) { return c.AllGatherVInit(send, recv, counts, nil) },
			[]*numbers{out, in}, out.first, concat(p, func(r int) []int32 { return vals(r, 0, int(counts[r])) }))
	},
	"AllToAll": func(c *comm.Comm, s step) trial {
		p, me, n := c.Size(), c.Rank(), s.Items
		out, in := newNumbers(vals(me, 0, n*p)), newNumbers(blankVals(n*p))
		send := out.buf()
		if s.InPlace {
			send, in = comm.InPlace, newNumbers(vals(me, 0, n*p))
		}
		recv := in.buf()
		return compose(
			func() error { return c.AllToAll(send, recv) },
			func() (*comm.Request, error) { return c.IAllToAll(send, recv) },
			func() (*comm.Request, error) { return c.AllToAllInit(send, recv) },
			[]*numbers{out, in}, out.first, concat(p, func(r int) []int32 { return vals(r, n*me, n) }))
	},
	"AllToAllV": func(c *comm.Comm, s step) trial {
		// Rank r sends (r+d) % 3 * n items to rank d: the same in both directions.
		p, me, n := c.Size(), c.Rank(), s.Items
		size := func(a, b int) int { return (a + b) % 3 * n }
		at := func(r, d int) (sum int) { // where in r's buffer the block of d begins
			for i := range d {
				sum += size(r, i)
			}
			return sum
		}
		var counts []int64
		for d := range p {
			counts = append(counts, int64(size(me, d)))
		}
		out, in := newNumbers(vals(me, 0, at(me, p))), newNumbers(blankVals(at(me, p)))
		send := out.buf()
		if s.InPlace {
			send, in = comm.InPlace, newNumbers(vals(me, 0, at(me, p)))
		}
		recv := in.buf()
		return compose(
			func() error { return c.AllToAllV(send, counts, nil, recv, counts, nil) },
			func() (*comm.Request, error) { return c.IAllToAllV(send, counts, nil, recv, counts, nil) },
			func() (*comm.Request, error) { return c.AllToAllVInit(send, counts, nil, recv, counts, nil) },
			[]*numbers{out, in}, out.first, concat(p, func(r int) []int32 { return vals(r, at(r, me), size(r, me)) }))
	},
	"AllToAllW": func(c *comm.Comm, s step) trial {
		// Every block has a datatype of its own; where both ranks are odd it has holes.
		p, me := c.Size(), c.Rank()
		var ins []*numbers
		var send, recv []types.Buffer
		var want [][]int32
		for r := range p {
			n := (me + r) % 3 * s.Items
			o, i := newNumbers(vals(me, r, 2*n)), newNumbers(blankVals(2*n))
			t, count := types.Int32, int64(2*n)
			if me%2 == 1 && r%2 == 1 {
				t, count = types.Resized(types.Int32, 0, 8), int64(n)
			}
			full := slices.Clone(i.first)
			for j := range int(count) {
				full[j*2*n/max(int(count), 1)] = val(r, me+j*2*n/max(int(count), 1))
			}
			ins, want = append(ins, i), append(want, full)
			raw := func(f *numbers) types.Buffer {
				mem, _ := types.Of(f.now).Contiguous(c.Arch())
				return types.Raw(mem, count, t)
			}
			send, recv = append(send, raw(o)), append(recv, raw(i))
		}
		if s.InPlace {
			send = []types.Buffer{comm.InPlace}
			for r, i := range ins {
				i.first = vals(me, r, len(i.first))
				copy(i.now, i.first)
				if me%2 == 1 && r%2 == 1 {
					for j := 1; j < len(i.first); j += 2 {
						want[r][j] = i.first[j]
					}
				}
			}
		}
		return compose(
			func() error { return c.AllToAllW(send, recv) },
			func() (*comm.Request, error) { return c.IAllToAllW(send, recv) },
			func() (*comm.Request, error) { return c.AllToAllWInit(send, recv) },
			ins, want...)
	},
	"Reduce": func(c *comm.Comm, s step) trial {
		me, n := c.Rank(), s.Items
		out, in := newNumbers(vals(me, 0, n)), newNumbers(blankVals(n))
		send, want := out.buf(), in.first
		if me == s.Root {
			want = sums(c.Size()-1, n)
			if s.InPlace {
				send, in = comm.InPlace, newNumbers(vals(me, 0, n))
			}
		}
		recv := in.buf()
		return compose(
			func() error { return c.Reduce(send, recv, comm.Sum, s.Root) },
			func() (*comm.Request, error) { return c.IReduce(send, recv, comm.Sum, s.Root) },
			func() (*comm.Request, error) { return c.ReduceInit(send, recv, comm.Sum, s.Root) },
			[]*numbers{out, in}, out.first, want)
	},
	"AllReduce": func(c *comm.Comm, s step) trial {
		return reduction(c, s, sums(c.Size()-1, s.Items), c.AllReduce, c.IAllReduce, c.AllReduceInit)
	},
	"Scan": func(c *comm.Comm, s step) trial {
		return reduction(c, s, sums(c.Rank(), s.Items), c.Scan, c.IScan, c.ScanInit)
	},
	"ExScan": func(c *comm.Comm, s step) trial {
		want := sums(c.Rank()-1, s.Items)
		if c.Rank() == 0 {
			want = nil
		}
		return reduction(c, s, want, c.ExScan, c.IExScan, c.ExScanInit)
	},
	"ReduceScatterBlock": func(c *comm.Comm, s step) trial {
		p, me, n := c.Size(), c.Rank(), s.Items
		out, in := newNumbers(vals(me, 0, n*p)), newNumbers(blankVals(n))
		send, want := out.buf(), sums(p-1, n*p)[n*me:n*me+n]
		if s.InPlace {
			send, in = comm.InPlace, newNumbers(vals(me, 0, n*p))
			want = append(slices.Clone(want), in.first[n:]...)
		}
		recv := in.buf()
		return compose(
			func() error { return c.ReduceScatterBlock(send, recv, comm.Sum) },
			func() (*comm.Request, error) { return c.IReduceScatterBlock(send, recv, comm.Sum) },
			func() (*comm.Request, error) { return c.ReduceScatterBlockInit(send, recv, comm.Sum) },
			[]*numbers{out, in}, out.first, want)
	},
	"ReduceScatter": func(c *comm.Comm, s step) trial {
		p, me := c.Size(), c.Rank()
		counts, total := rankCounts(p, s.Items)
		before := 0
		for _, n := range counts[:me] {
			before += int(n)
		}
		out, in := newNumbers(vals(me, 0, total)), newNumbers(blankVals(int(counts[me])))
		send, want := out.buf(), sums(p-1, total)[before:before+int(counts[me])]
		if s.InPlace {
			send, in = comm.InPlace, newNumbers(vals(me, 0, total))
			want = append(slices.Clone(want), in.first[counts[me]:]...)
		}
		recv := in.buf()
		return compose(
			func() error { return c.ReduceScatter(send, recv, counts, comm.Sum) },
			func() (*comm.Request, error) { return c.IReduceScatter(send, recv, counts, comm.Sum) },
			func() (*comm.Request, error) { return c.ReduceScatterInit(send, recv, counts, comm.Sum) },
			[]*numbers{out, in}, out.first, want)
	},
}

// reduction is the trial of a reduction with a result on all ranks. Without one
// the receive buffer stays as it is.
func reduction(c *comm.Comm, s step, want []int32, wait func(send, recv types.Buffer, op *comm.Op) error,
	issue, prepare func(send, recv types.Buffer, op *comm.Op) (*comm.Request, error),
) trial {
	out, in := newNumbers(vals(c.Rank(), 0, s.Items)), newNumbers(blankVals(s.Items))
	send := out.buf()
	if s.InPlace {
		send, in = comm.InPlace, newNumbers(out.first)
	}
	if want == nil {
		want = in.first
	}
	recv := in.buf()
	return compose(
		func() error { return wait(send, recv, comm.Sum) },
		func() (*comm.Request, error) { return issue(send, recv, comm.Sum) },
		func() (*comm.Request, error) { return prepare(send, recv, comm.Sum) },
		[]*numbers{out, in}, out.first, want)
}

func routineNames() (names []string) {
	for name := range routines {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func drawStep(ranks int) *rapid.Generator[step] {
	return rapid.Custom(func(t *rapid.T) step {
		return step{
			Routine: rapid.SampledFrom(routineNames()).Draw(t, "routine"),
			Form:    rapid.SampledFrom([]string{"wait", "issue", "prepare"}).Draw(t, "form"),
			Items:   rapid.SampledFrom([]int{0, 1, 2, 5, 7000}).Draw(t, "items"),
			Root:    rapid.IntRange(0, ranks-1).Draw(t, "root"),
			InPlace: rapid.Bool().Draw(t, "in place"),
			Starts:  rapid.IntRange(0, 3).Draw(t, "starts"),
		}
	})
}

// under is a request, with the check that follows its completion.
type under struct {
	q     *comm.Request
	check func() error
}

// runSteps is one rank of a program: it waits, starts, restarts, and completes
// pending requests in an order of its own.
func runSteps(c *comm.Comm, steps []step, order uint64) error {
	rnd := rand.New(rand.NewPCG(order, uint64(c.Rank())))
	var open []under
	complete := func() error {
		i := rnd.IntN(len(open))
		u := open[i]
		open = slices.Delete(open, i, i+1)
		if rnd.IntN(2) == 0 {
			for ok := false; !ok; {
				var err error
				if _, ok, err = u.q.Test(); err != nil {
					return err
				}
			}
		} else if _, err := u.q.Wait(); err != nil {
			return err
		}
		return u.check()
	}
	for i, s := range steps {
		t := routines[s.Routine](c, s)
		check := func() error {
			if err := t.check(); err != nil {
				return fmt.Errorf("rank %d, step %d, %v: %w", c.Rank(), i, s, err)
			}
			return nil
		}
		switch s.Form {
		case "wait":
			if err := errors.Join(t.wait(), check()); err != nil {
				return err
			}
		case "issue":
			q, err := t.issue()
			if err != nil {
				return err
			}
			open = append(open, under{q, check})
		case "prepare":
			q, err := t.prepare()
			if err != nil {
				return err
			}
			for range s.Starts {
				t.reset()
				if err := q.Start(); err != nil {
					return err
				}
				if _, err := q.Wait(); err != nil {
					return err
				}
				if err := check(); err != nil {
					return err
				}
			}
			if err := q.Free(); err != nil {
				return err
			}
		}
		for len(open) > 0 && rnd.IntN(3) == 0 {
			if err := complete(); err != nil {
				return err
			}
		}
	}
	for len(open) > 0 {
		if err := complete(); err != nil {
			return err
		}
	}
	return nil
}

// If a nonblocking collective took the data of another one, or a restart took those of the
// previous start, programs that overlap communication with work would sometimes compute
// wrong results.
func TestFormsMatchTheModel(t *testing.T) {
	t.Run("COLL-01 COLL-02 COLL-03 random programs of all routines in all forms", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(1, 6).Draw(t, "ranks")
			steps := rapid.SliceOfN(drawStep(n), 1, 12).Draw(t, "steps")
			order := rapid.Uint64().Draw(t, "order")
			s := setting{}
			if rapid.Bool().Draw(t, "unlike") {
				s = unlike(reps.LP64LE, reps.ILP32BE)
			}
			if rapid.Bool().Draw(t, "seeded") {
				s.sched = seeded(rapid.Uint64().Draw(t, "seed")).sched
			}
			if err := errors.Join(start(n, s, func(c *comm.Comm) error { return runSteps(c, steps, order) })...); err != nil {
				t.Fatalf("%v\n%v", err, steps)
			}
		})
	})
	for _, name := range routineNames() {
		t.Run("COLL-01 COLL-02 "+name+" waiting, started, restarted", func(t *testing.T) {
			var steps []step
			for _, form := range []string{"wait", "issue", "prepare"} {
				for _, items := range []int{0, 3, 9000} {
					steps = append(steps, step{Routine: name, Form: form, Items: items, Root: 1, InPlace: form != "issue", Starts: 2})
				}
			}
			ranks(t, 3, func(c *comm.Comm) error { return runSteps(c, steps, 7) })
		})
	}
	assert.Len(t, routines, 17)
}
