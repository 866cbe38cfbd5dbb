package comm_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// If a new communicator had the wrong ranks, or shared its messages with
// another, every library built on it would fail strangely.
func TestCommunicators(t *testing.T) {
	t.Run("COMM-01 split by color and key", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(1, 9).Draw(t, "ranks")
			colors := rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 5, comm.Undefined}), n, n).Draw(t, "colors")
			keys := rapid.SliceOfN(rapid.IntRange(-1, 1), n, n).Draw(t, "keys")
			s := setting{}
			if rapid.Bool().Draw(t, "seeded") {
				s = seeded(rapid.Uint64().Draw(t, "seed"))
			}
			err := errors.Join(start(n, s, func(c *comm.Comm) error {
				me := c.Rank()
				d, err := c.Split(colors[me], keys[me])
				if err != nil {
					return err
				}
				if colors[me] == comm.Undefined {
					return equal(true, d == nil)
				}
				var want []int32 // world ranks of my part
				for r := range n {
					if colors[r] == colors[me] {
						want = append(want, int32(r))
					}
				}
				slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
				got := make([]int32, d.Size())
				err = d.AllGather(ints(int32(me)), types.Of(got))
				return errors.Join(err, equal(want, got), equal(int32(me), want[d.Rank()]), every(d, 2, d.Size()-1, 0, 1, false), d.Free())
			})...)
			if err != nil {
				t.Fatal(err)
			}
		})
	})
	t.Run("COMM-01 dup, free, names, compare", func(t *testing.T) {
		ranks(t, 4, func(c *comm.Comm) error {
			d, err := c.Dup()
			if err != nil {
				return err
			}
			back, err := d.Split(0, -d.Rank())
			if err != nil {
				return err
			}
			uneven, err := d.Split(d.Rank()%2, 0)
			if err != nil {
				return err
			}
			how := func(a, b *comm.Comm) comm.Comparison {
				r, err := a.Compare(b)
				assert.NoError(t, err)
				return r
			}
			err = errors.Join(equal(comm.Ident, how(c, c)), equal(comm.Congruent, how(c, d)), equal(comm.Similar, how(d, back)),
				equal(comm.Unequal, how(c, uneven)), equal("MPI_COMM_WORLD", c.Name()), equal("MPI_COMM_SELF", c.Self().Name()), equal("", d.Name()),
				equal(3-c.Rank(), back.Rank()), equal(c.Rank()/2, uneven.Rank()), d.Free())
			refused(t, d.Free(), comm.ErrComm, "COMM-01")
			refused(t, d.Send(ints(1), 0, 0), comm.ErrComm, "COMM-01")
			refused(t, d.AllReduce(ints(1), ints(1), comm.Sum), comm.ErrComm, "COMM-01")
			return errors.Join(err, every(back, 1, 2, 0, 0, false))
		})
	})
	t.Run("COMM-01 self is each rank's own", func(t *testing.T) {
		ranks(t, 3, func(c *comm.Comm) error {
			x := []int32{0}
			s := c.Self()
			err := s.Send(ints(int32(c.Rank())), 0, 0)
			_, err2 := s.Recv(types.Of(x), comm.AnySource, comm.AnyTag)
			return errors.Join(err, err2, equal(int32(c.Rank()), x[0]), equal(1, s.Size()), equal(true, s == c.Self()), every(s, 3, 0, 1, 2, true))
		})
	})
	t.Run("COMM-01 create from groups", func(t *testing.T) {
		ranks(t, 5, func(c *comm.Comm) error {
			all, err := c.Group()
			if err != nil {
				return err
			}
			low, err := all.Incl([]int{2, 0})
			high, err2 := all.Excl([]int{0, 1, 2})
			g := map[int]*comm.Group{0: low, 2: low, 3: high, 4: high}[c.Rank()]
			d, err3 := c.Create(g)
			if err := errors.Join(err, err2, err3); err != nil || d == nil {
				return errors.Join(err, equal(1, c.Rank()))
			}
			wrong := g
			if c.Rank() == 0 {
				wrong, _ = all.Incl([]int{0, 2})
			}
			bad, err := d.Group()
			return errors.Join(equal(map[int]int{2: 0, 0: 1, 3: 0, 4: 1}[c.Rank()], d.Rank()), every(d, 2, 1, 0, 0, false),
				err, equal(comm.Ident, bad.Compare(g)), equal(comm.Similar, map[bool]comm.Comparison{true: wrong.Compare(g), false: comm.Similar}[c.Rank() == 0]))
		})
	})
	t.Run("COMM-01 create from groups that contradict each other", func(t *testing.T) {
		ranks(t, 3, func(c *comm.Comm) error {
			all, err := c.Group()
			g, err2 := all.Incl([]int{c.Rank(), (c.Rank() + 1) % 3})
			refused(t, second(c.Create(g)), comm.ErrNotSame, "COMM-01")
			uneven, err3 := c.Split(c.Rank()%2, 0)
			if c.Rank() != 1 {
				refused(t, second(uneven.Create(all)), comm.ErrGroup, "COMM-01")
			}
			return errors.Join(err, err2, err3)
		})
	})
	for name, c := range map[string]*comm.Comm{"nil": nil, "zero": new(comm.Comm)} {
		t.Run("COMM-01 "+name+" is harmless", func(t *testing.T) {
			assert.Equal(t, -1, c.Rank())
			assert.Equal(t, 0, c.Size())
			assert.Equal(t, "MPI_COMM_NULL", c.Name())
			assert.Nil(t, c.Self())
			assert.Nil(t, port.Rendezvous(c))
			assert.Nil(t, port.Faults(c))
			assert.Nil(t, port.Log(c))
			assert.NotNil(t, c.Arch())
			refused(t, second(c.Group()), comm.ErrComm, "COMM-01")
			refused(t, second(c.Compare(c)), comm.ErrComm, "COMM-01")
			assert.Nil(t, port.Thread(c))
			refused(t, c.Free(), comm.ErrComm, "COMM-01")
			refused(t, port.Dup(c, new(comm.Comm), "Open", nil, nil), comm.ErrComm, "COMM-01")
		})
	}
}

// The set algebra of groups, against sets.
func TestGroups(t *testing.T) {
	t.Run("GRP-01 set algebra keeps the order", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(1, 12).Draw(t, "ranks")
			perm := func(name string) []int {
				p := rapid.Permutation(slices.Collect(seq(n))).Draw(t, name)
				return p[:rapid.IntRange(0, n).Draw(t, name+" size")]
			}
			xs, ys := perm("a"), perm("b")
			err := errors.Join(start(n, setting{}, func(c *comm.Comm) error {
				if c.Rank() > 0 {
					return nil
				}
				all, err := c.Group()
				a, err2 := all.Incl(xs)
				b, err3 := all.Incl(ys)
				in := func(list []int) func(int) bool { return func(r int) bool { return slices.Contains(list, r) } }
				not := func(f func(int) bool) func(int) bool { return func(r int) bool { return !f(r) } }
				without, err4 := all.Excl(xs)
				return errors.Join(err, err2, err3, err4,
					isGroup(a, all, xs), isGroup(b, all, ys),
					isGroup(a.Union(b), all, append(slices.Clone(xs), filter(ys, not(in(xs)))...)),
					isGroup(a.Intersection(b), all, filter(xs, in(ys))),
					isGroup(a.Difference(b), all, filter(xs, not(in(ys)))),
					isGroup(without, all, filter(slices.Collect(seq(n)), not(in(xs)))),
					equal(slices.Equal(xs, ys), a.Compare(b) == comm.Ident),
					equal(slices.Equal(sorted(xs), sorted(ys)), a.Compare(b) != comm.Unequal))
			})...)
			if err != nil {
				t.Fatal(err)
			}
		})
	})
	t.Run("GRP-01 ranges and errors", func(t *testing.T) {
		ranks(t, 7, func(c *comm.Comm) error {
			all, err := c.Group()
			if err != nil {
				return err
			}
			g, err := all.RangeIncl([]comm.RankRange{{First: 6, Last: 1, Stride: -2}, {First: 1, Last: 3, Stride: 2}, {First: 0, Last: 0, Stride: 5}})
			h, err2 := all.RangeExcl([]comm.RankRange{{First: 1, Last: 6, Stride: 1}, {First: 5, Last: 2, Stride: 1}})
			for _, bad := range [][]int{{7}, {-1}, {1, 1}} {
				refused(t, second(all.Incl(bad)), comm.ErrRank, "GRP-01")
				refused(t, second(all.Excl(bad)), comm.ErrRank, "GRP-01")
			}
			refused(t, second(all.RangeIncl([]comm.RankRange{{First: 1, Last: 2}})), comm.ErrArg, "GRP-01")
			refused(t, second(all.RangeIncl([]comm.RankRange{{First: 1, Last: 9, Stride: 1}})), comm.ErrRank, "GRP-01")
			refused(t, second(all.Translate([]int{9}, g)), comm.ErrRank, "GRP-01")
			there, err3 := all.Translate([]int{2, 5, comm.ProcNull}, g)
			return errors.Join(err, err2, err3, isGroup(g, all, []int{6, 4, 2, 1, 3, 0}), isGroup(h, all, []int{0}),
				equal([]int{2, comm.Undefined, comm.ProcNull}, there), equal(0, (*comm.Group)(nil).Size()),
				equal(comm.Ident, g.Difference(g).Compare(nil)))
		})
	})
}

func seq(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func filter(xs []int, keep func(int) bool) (out []int) {
	for _, x := range xs {
		if keep(x) {
			out = append(out, x)
		}
	}
	return out
}

func sorted(xs []int) []int {
	xs = slices.Clone(xs)
	slices.Sort(xs)
	return xs
}

// isGroup compares a group with ranks of all, in order.
func isGroup(g, all *comm.Group, want []int) error {
	got, err := g.Translate(slices.Collect(seq(g.Size())), all)
	if err != nil {
		return err
	}
	me := slices.Index(want, all.Rank())
	if me < 0 {
		me = comm.Undefined
	}
	if !slices.Equal(want, got) || g.Rank() != me {
		return fmt.Errorf("want %v, got %v; rank %d, want %d", want, got, g.Rank(), me)
	}
	return nil
}
