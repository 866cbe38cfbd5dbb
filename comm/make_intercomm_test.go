package comm_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// bridge splits c into two groups and links them: side says which group each
// rank is in. A rank of neither gets nil.
func bridge(c *comm.Comm, side []int, leaders [2]int) (*comm.Comm, error) {
	me := side[c.Rank()]
	if me < 0 {
		me = comm.Undefined
	}
	half, err := c.Split(me, 0)
	if err != nil || half == nil {
		return nil, err
	}
	far := -1 // the world rank of the other leader
	for r, s := range side {
		if s == 1-me {
			if far++; far == leaders[1-me] {
				far = r
				break
			}
		}
	}
	return half.IntercommCreate(leaders[me], c, far, 3)
}

// both lists the ranks of each side.
func both(side []int) (groups [2][]int) {
	for r, s := range side {
		if s >= 0 {
			groups[s] = append(groups[s], r)
		}
	}
	return groups
}

// crossTalk sends from every rank to every rank of the other group and checks
// who learns from whom; name is a number of each rank.
func crossTalk(d *comm.Comm, name int, far []int) error {
	n, err := d.RemoteSize()
	if err != nil || n != len(far) {
		return errors.Join(err, equal(len(far), n))
	}
	var reqs []*comm.Request
	for r := range n {
		q, err := d.ISend(ints(int32(name)), r, d.Rank())
		if err != nil {
			return err
		}
		reqs = append(reqs, q)
	}
	for r, want := range far {
		got := make([]int32, 1)
		st, err := d.Recv(types.Of(got), r, comm.AnyTag)
		if err := errors.Join(err, equal(int32(want), got[0]), equal(r, st.Source), equal(r, st.Tag)); err != nil {
			return err
		}
	}
	_, err = comm.WaitAll(reqs...)
	return err
}

// Coupled programs talk through an intercommunicator: each addresses the other
// by its ranks. A message to the wrong group would look like a right one.
func TestIntercomm(t *testing.T) {
	t.Run("COMM-02 create, talk, dup, merge", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(2, 7).Draw(t, "ranks")
			side := rapid.SliceOfN(rapid.IntRange(-1, 1), n, n).Draw(t, "side")
			groups := both(side)
			if len(groups[0]) == 0 || len(groups[1]) == 0 {
				t.Skip("one side is empty")
			}
			leaders := [2]int{rapid.IntRange(0, len(groups[0])-1).Draw(t, "leader 0"), rapid.IntRange(0, len(groups[1])-1).Draw(t, "leader 1")}
			high := [2]bool{rapid.Bool().Draw(t, "high 0"), rapid.Bool().Draw(t, "high 1")}
			s := setting{}
			if rapid.Bool().Draw(t, "seeded") {
				s = seeded(rapid.Uint64().Draw(t, "seed"))
			}
			err := errors.Join(start(n, s, func(c *comm.Comm) error {
				me := c.Rank()
				d, err := bridge(c, side, leaders)
				if err != nil || side[me] < 0 {
					return errors.Join(err, equal(true, d == nil))
				}
				near, far := groups[side[me]], groups[1-side[me]]
				inter, err := d.TestInter()
				plain, e := c.TestInter()
				world, e2 := c.Group()
				g, e3 := d.RemoteGroup()
				if err = errors.Join(err, e, e2, e3, equal(true, inter), equal(false, plain)); err != nil {
					return err
				}
				err = errors.Join(equal(len(near), d.Size()), equal(slices.Index(near, me), d.Rank()), isGroup(g, world, far), crossTalk(d, me, far))
				b, e := d.Dup()
				if err = errors.Join(err, e); err != nil {
					return err
				}
				how, e := d.Compare(b)
				err = errors.Join(e, equal(comm.Congruent, how), crossTalk(b, me, far))
				m, e := d.IntercommMerge(high[side[me]])
				if err = errors.Join(err, e); err != nil {
					return err
				}
				first := 0
				switch {
				case high[0] != high[1] && high[0]:
					first = 1
				case high[0] == high[1] && groups[1][leaders[1]] < groups[0][leaders[0]]:
					first = 1
				}
				order := slices.Concat(groups[first], groups[1-first])
				mg, e := m.Group()
				got := make([]int32, m.Size())
				return errors.Join(e, isGroup(mg, world, order), m.AllGather(ints(int32(me)), types.Of(got)),
					equal(fmt.Sprint(order), fmt.Sprint(got)), d.Free(), b.Free(), m.Free())
			})...)
			if err != nil {
				t.Fatal(err)
			}
		})
	})
	t.Run("COMM-02 split and create link what both sides have", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			side := rapid.SliceOfN(rapid.IntRange(0, 1), 2, 7).Draw(t, "side")
			groups, n := both(side), len(side)
			if len(groups[0]) == 0 || len(groups[1]) == 0 {
				t.Skip("one side is empty")
			}
			colors := rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, comm.Undefined}), n, n).Draw(t, "colors")
			keys := rapid.SliceOfN(rapid.IntRange(0, 2), n, n).Draw(t, "keys")
			err := errors.Join(start(n, setting{}, func(c *comm.Comm) error {
				me := c.Rank()
				d, err := bridge(c, side, [2]int{})
				if err != nil {
					return err
				}
				part := func(s int) (list []int) {
					for _, r := range groups[s] {
						if colors[r] == colors[me] {
							list = append(list, r)
						}
					}
					slices.SortStableFunc(list, func(a, b int) int { return keys[a] - keys[b] })
					return list
				}
				near, far := part(side[me]), part(1-side[me])
				p, err := d.Split(colors[me], keys[me])
				if err != nil {
					return err
				}
				if colors[me] == comm.Undefined || len(far) == 0 {
					err = equal(true, p == nil)
				} else {
					err = errors.Join(equal(len(near), p.Size()), equal(slices.Index(near, me), p.Rank()), crossTalk(p, me, far), p.Free())
				}
				// Create takes the ranks of colour 1 of each side, backwards.
				g, e := d.Group()
				var pick []int
				for i, r := range groups[side[me]] {
					if colors[r] == 1 {
						pick = append([]int{i}, pick...)
					}
				}
				g, e2 := g.Incl(pick)
				x, e3 := d.Create(g)
				err = errors.Join(err, e, e2, e3)
				one := func(s int) (list []int) {
					for _, r := range groups[s] {
						if colors[r] == 1 {
							list = append([]int{r}, list...)
						}
					}
					return list
				}
				if colors[me] != 1 || len(one(1-side[me])) == 0 {
					return errors.Join(err, equal(true, x == nil))
				}
				return errors.Join(err, crossTalk(x, me, one(1-side[me])), x.Free())
			})...)
			if err != nil {
				t.Fatal(err)
			}
		})
	})
	t.Run("COMM-02 errors, on every rank", func(t *testing.T) {
		ranks(t, 4, func(c *comm.Comm) error {
			half, err := c.Split(c.Rank()/2, 0)
			if err != nil {
				return err
			}
			far := 2 - 2*(c.Rank()/2)
			refused(t, second(half.IntercommCreate(2, c, far, 0)), comm.ErrRank, "COMM-02")
			refused(t, second(half.IntercommCreate(0, c, far, -1)), comm.ErrTag, "COMM-02")
			refused(t, second(half.IntercommCreate(0, nil, far, 0)), comm.ErrComm, "COMM-02")
			refused(t, second(half.IntercommCreate(0, c, 4, 0)), comm.ErrRank, "COMM-02")
			refused(t, second(half.IntercommCreate(0, c, 2*(c.Rank()/2), 0)), comm.ErrRank, "COMM-02") // itself
			refused(t, second(half.IntercommCreate(half.Rank(), c, far, 0)), comm.ErrNotSame, "COMM-02")
			refused(t, second(c.IntercommMerge(false)), comm.ErrComm, "COMM-02")
			refused(t, second(c.RemoteSize()), comm.ErrComm, "COMM-02")
			refused(t, second(c.RemoteGroup()), comm.ErrComm, "COMM-02")
			d, err := half.IntercommCreate(0, c, far, 0)
			if err != nil {
				return err
			}
			refused(t, d.Send(ints(1), 2, 0), comm.ErrRank, "P2P-08")
			refused(t, second(d.IntercommMerge(d.Rank() == 0)), comm.ErrNotSame, "COMM-02")
			refused(t, second(d.Split(-5, 0)), comm.ErrArg, "COMM-01")
			refused(t, d.Scan(ints(1), types.Of(make([]int32, 1)), comm.Sum), comm.ErrComm, "COMM-02")
			refused(t, second(d.CartCreate(comm.CartDims(false, 2), false)), comm.ErrComm, "COMM-02")
			all, err := c.Group()
			refused(t, second(d.Create(all)), comm.ErrGroup, "COMM-01")
			return errors.Join(err, d.SetInfo(nil), d.Free())
		})
	})
	t.Run("COMM-02 IO-OPEN-01 a file takes no intercommunicator", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			d, err := bridge(c, []int{0, 1}, [2]int{})
			if err != nil {
				return err
			}
			refused(t, port.Dup(d, new(comm.Comm), "Open", nil, nil), comm.ErrComm, "COMM-02")
			return nil
		})
	})
	t.Run("COMM-02 GEN-06 different calls are errors, groups that overlap too", func(t *testing.T) {
		for _, err := range start(2, setting{}, func(c *comm.Comm) error {
			d, err := bridge(c, []int{0, 1}, [2]int{})
			if err != nil {
				return nil
			}
			if c.Rank() == 0 {
				return second(d.Dup())
			}
			return second(d.Split(0, 0))
		}) {
			refused(t, err, comm.ErrNotSame, "GEN-06")
		}
		// Rank 1 cannot join the group of rank 0 and lead its own at one time.
		errs := start(2, setting{}, func(c *comm.Comm) error {
			if c.Rank() == 0 {
				return second(c.IntercommCreate(0, c, 1, 0))
			}
			return second(c.Self().IntercommCreate(0, c, 0, 0))
		})
		var dead *sched.DeadlockError
		assert.ErrorAs(t, errors.Join(errs...), &dead)
	})
	t.Run("COMM-02 a leader that never comes", func(t *testing.T) {
		errs := start(2, setting{}, func(c *comm.Comm) error {
			if c.Rank() == 0 {
				return nil
			}
			return second(c.Self().IntercommCreate(0, c, 0, 9))
		})
		var dead *sched.DeadlockError
		if assert.ErrorAs(t, errors.Join(errs...), &dead) {
			assert.Contains(t, dead.Error(), "IntercommCreate with rank 0 of the world tag 9 as leader of COMM_SELF")
		}
	})
}
