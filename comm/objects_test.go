package comm_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// Libraries keep what they know about a communicator on it. A value that is
// copied when it must not be, or not deleted, is a leak or a use after free.
func TestAttributes(t *testing.T) {
	t.Run("COMM-01 attributes are kept, copied as asked, deleted in reverse", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			var log []string
			del := func(name string) comm.DeleteAttr {
				return func(_ *comm.Comm, _ *comm.Keyval, v any) error {
					log = append(log, fmt.Sprint(name, v))
					return nil
				}
			}
			plus := comm.NewKeyval(func(_ *comm.Comm, _ *comm.Keyval, v any) (any, bool, error) { return v.(int) + 1, true, nil }, del("plus"))
			same := comm.NewKeyval(comm.DupAttr, del("same"))
			none := comm.NewKeyval(nil, del("none"))
			uneven := comm.NewKeyval(func(_ *comm.Comm, _ *comm.Keyval, v any) (any, bool, error) { return v, v.(int)%2 == 1, nil }, nil)
			d, err := c.Dup()
			if err != nil {
				return err
			}
			err = errors.Join(d.SetAttr(plus, 1), d.SetAttr(same, 2), d.SetAttr(none, 3), d.SetAttr(uneven, 4))
			e, err2 := d.Dup()
			if err = errors.Join(err, err2); err != nil {
				return err
			}
			has := func(c *comm.Comm, k *comm.Keyval, want any) error {
				v, ok, err := c.Attr(k)
				return errors.Join(err, equal(want, v), equal(want != nil, ok))
			}
			err = errors.Join(has(d, plus, 1), has(e, plus, 2), has(e, same, 2), has(e, none, nil), has(e, uneven, nil), has(c, plus, nil))
			err = errors.Join(err, d.SetAttr(same, 7), equal([]string{"same2"}, log), has(d, same, 7), has(e, same, 2))
			err = errors.Join(err, e.DeleteAttr(plus), equal([]string{"same2", "plus2"}, log), has(e, plus, nil))
			refused(t, e.DeleteAttr(plus), comm.ErrKeyval, "COMM-01")
			log = nil
			err = errors.Join(err, same.Free(), d.Free(), equal([]string{"same7", "none3", "plus1"}, log))
			refused(t, same.Free(), comm.ErrKeyval, "COMM-01")
			refused(t, e.SetAttr(same, 1), comm.ErrKeyval, "COMM-01")
			refused(t, e.SetAttr(nil, 1), comm.ErrKeyval, "COMM-01")
			_, _, nokey := e.Attr(nil)
			refused(t, nokey, comm.ErrKeyval, "COMM-01")
			return errors.Join(err, has(e, same, 2), e.Free())
		})
	})
	t.Run("COMM-01 what attribute functions find wrong", func(t *testing.T) {
		mine := errors.New("mine")
		for r, err := range start(3, setting{}, func(c *comm.Comm) error {
			k := comm.NewKeyval(func(*comm.Comm, *comm.Keyval, any) (any, bool, error) {
				if c.Rank() == 1 {
					return nil, false, mine
				}
				return nil, true, nil
			}, nil)
			if err := c.SetAttr(k, 1); err != nil {
				return nil
			}
			_, err := c.Dup()
			return err
		}) {
			refused(t, err, comm.ErrOther, "COMM-01")
			assert.ErrorIs(t, err, mine, "rank %d", r)
		}
		ranks(t, 1, func(c *comm.Comm) error {
			d, err := c.Dup()
			if err != nil {
				return err
			}
			stubborn := true
			k := comm.NewKeyval(nil, func(*comm.Comm, *comm.Keyval, any) error {
				if stubborn {
					return mine
				}
				return nil
			})
			err = d.SetAttr(k, 1)
			refused(t, d.DeleteAttr(k), comm.ErrOther, "COMM-01")
			refused(t, d.SetAttr(k, 2), comm.ErrOther, "COMM-01")
			refused(t, d.Free(), comm.ErrOther, "COMM-01")
			v, ok, err2 := d.Attr(k)
			stubborn = false
			return errors.Join(err, err2, equal(1, v), equal(true, ok), d.Free())
		})
	})
	t.Run("COMM-01 attributes of COMM_SELF are deleted before all else ends", func(t *testing.T) {
		w := sched.New(1, sched.Options{})
		u := port.Launch(w, commport.LaunchOptions{})
		var log []string
		w.Run(func(*sched.Rank) error {
			c := u.World(0)
			port.AtEnd(c, new(commport.Leftover), commport.EndFunc(func() error { log = append(log, "file"); return nil }))
			del := func(_ *comm.Comm, _ *comm.Keyval, v any) error { log = append(log, v.(string)); return nil }
			return errors.Join(c.Self().SetAttr(comm.NewKeyval(nil, del), "first"), c.Self().SetAttr(comm.NewKeyval(nil, del), "second"))
		})
		assert.Empty(t, w.Failures())
		u.End(func(_ int, err error) { t.Error(err) })
		assert.Equal(t, []string{"second", "first", "file"}, log)
	})
}

// A library that works on a part of the ranks can make its communicator without
// troubling the others.
func TestCreateGroup(t *testing.T) {
	t.Run("COMM-01 create_group asks the group alone", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(1, 8).Draw(t, "ranks")
			part := rapid.SliceOfN(rapid.IntRange(-1, 2), n, n).Draw(t, "part")
			back := rapid.Bool().Draw(t, "reversed")
			s := setting{}
			if rapid.Bool().Draw(t, "seeded") {
				s = seeded(rapid.Uint64().Draw(t, "seed"))
			}
			err := errors.Join(start(n, s, func(c *comm.Comm) error {
				me := part[c.Rank()]
				if me < 0 {
					return nil // takes no part in anything
				}
				var mine []int
				for r, p := range part {
					if p == me {
						mine = append(mine, r)
					}
				}
				if back {
					slices.Reverse(mine)
				}
				all, err := c.Group()
				g, e := all.Incl(mine)
				if err = errors.Join(err, e); err != nil {
					return err
				}
				for range 2 { // the same group may gather again
					d, err := c.CreateGroup(g, 7)
					if err != nil {
						return err
					}
					got, err := d.Group()
					sum := make([]int32, 1)
					err = errors.Join(err, equal(comm.Ident, g.Compare(got)), equal(slices.Index(mine, c.Rank()), d.Rank()),
						d.AllReduce(ints(1), types.Of(sum), comm.Sum), equal(int32(len(mine)), sum[0]), d.Free())
					if err != nil {
						return err
					}
				}
				return nil
			})...)
			if err != nil {
				t.Fatal(err)
			}
		})
	})
	t.Run("COMM-01 create_group: errors, outsiders, ranks that never come", func(t *testing.T) {
		ranks(t, 3, func(c *comm.Comm) error {
			all, err := c.Group()
			one, e := all.Incl([]int{1})
			half, e2 := c.Split(c.Rank()/2, 0)
			if err = errors.Join(err, e, e2); err != nil {
				return err
			}
			refused(t, second(half.CreateGroup(all, 0)), comm.ErrGroup, "COMM-01")
			refused(t, second(c.CreateGroup(all, -1)), comm.ErrTag, "COMM-01")
			if c.Rank() != 1 {
				d, err := c.CreateGroup(one, 0)
				return errors.Join(err, equal(true, d == nil))
			}
			return second(c.CreateGroup(one, 0))
		})
		errs := start(2, setting{}, func(c *comm.Comm) error {
			all, _ := c.Group()
			_, err := c.CreateGroup(all, c.Rank())
			return err
		})
		wrong := errors.Join(errs...)
		assert.ErrorIs(t, wrong, comm.ErrGroup)
		assert.ErrorContains(t, wrong, "ranks wait for each other in different groups")
	})
	t.Run("COMM-01 create_group: groups that differ are an error at once", func(t *testing.T) {
		for _, s := range []setting{{}, seeded(1), seeded(2), seeded(3)} {
			errs := start(3, s, func(c *comm.Comm) error {
				all, err := c.Group()
				mine, e := all.Incl([][]int{{0, 1}, {1, 0}, nil}[c.Rank()])
				if err = errors.Join(err, e); err != nil {
					return err
				}
				return second(c.CreateGroup(mine, 4))
			})
			wrong := errors.Join(errs...)
			assert.ErrorIs(t, wrong, comm.ErrGroup)
			var dead *sched.DeadlockError
			assert.False(t, errors.As(wrong, &dead), "%v", wrong)
			a, b := "rank 0 gives [0 1], but rank 1 waits with [1 0]", "rank 1 gives [1 0], but rank 0 waits with [0 1]"
			assert.True(t, strings.Contains(wrong.Error(), a) || strings.Contains(wrong.Error(), b), "%v", wrong)
		}
	})
	t.Run("COMM-01 create_group: a rank may wait in one group while others begin the next", func(t *testing.T) {
		for _, s := range []setting{{}, seeded(1), seeded(2), seeded(3)} {
			assert.NoError(t, errors.Join(start(4, s, func(c *comm.Comm) error {
				all, err := c.Group()
				for first := range 3 { // a chain: 0 and 1, 1 and 2, 2 and 3
					pair, e := all.Incl([]int{first, first + 1})
					d, e2 := c.CreateGroup(pair, 0)
					if err = errors.Join(err, e, e2); err != nil {
						return err
					}
					if d != nil {
						err = d.Free()
					}
				}
				return err
			})...))
		}
	})
	t.Run("COMM-01 create_group: a circle of three waits", func(t *testing.T) {
		errs := start(3, setting{}, func(c *comm.Comm) error {
			all, err := c.Group()
			pair, e := all.Incl([]int{c.Rank(), (c.Rank() + 1) % 3})
			if err = errors.Join(err, e); err != nil {
				return err
			}
			return second(c.CreateGroup(pair, 0))
		})
		var dead *sched.DeadlockError
		if assert.ErrorAs(t, errors.Join(errs...), &dead) {
			assert.Contains(t, dead.Error(), "CreateGroup of 2 ranks tag 0 on COMM_WORLD")
		}
	})
	t.Run("COMM-01 split_type: one memory for all", func(t *testing.T) {
		ranks(t, 4, func(c *comm.Comm) error {
			shared := comm.NewInfo()
			err := shared.Set(comm.ResourceHint, comm.SharedMemory)
			s, e := c.SplitType(comm.Shared, -c.Rank(), nil)
			g, e2 := c.SplitType(comm.HWGuided, 0, shared)
			n, e3 := c.SplitType(comm.HWGuided, 0, nil)
			u, e4 := c.SplitType(comm.HWUnguided, 0, nil)
			kind := comm.SplitKind(comm.Undefined)
			if c.Rank() > 0 {
				kind = comm.Shared
			}
			p, e5 := c.SplitType(kind, 0, nil)
			if err = errors.Join(err, e, e2, e3, e4, e5); err != nil {
				return err
			}
			refused(t, second(c.SplitType(99, 0, nil)), comm.ErrArg, "COMM-01")
			refused(t, second(c.SplitType(comm.Shared+comm.SplitKind(c.Rank()%2), 0, nil)), comm.ErrNotSame, "COMM-01")
			refused(t, second(c.SplitType(comm.Shared+comm.SplitKind(1-min(c.Rank(), 1)), 0, nil)), comm.ErrNotSame, "COMM-01") // rank 0 alone
			return errors.Join(equal(3-c.Rank(), s.Rank()), equal(4, g.Size()), equal(true, n == nil), equal(true, u == nil),
				equal(c.Rank() == 0, p == nil), equal(max(0, 3*min(1, c.Rank())), p.Size()))
		})
	})
}

// A program reads the time and its surroundings to report on itself; in a run
// that repeats, the report has to repeat too.
func TestEnvironment(t *testing.T) {
	t.Run("WORLD-02 clock", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			last := c.WTime()
			for range 100 {
				now := c.WTime()
				if now < last {
					return errors.New("the clock went back")
				}
				last = now
			}
			var none *comm.Comm
			return errors.Join(equal(true, c.WTick() > 0), equal(0.0, none.WTick()))
		})
		var first []float64
		for range 2 {
			times := make([]float64, 6)
			errs := start(3, seeded(5), func(c *comm.Comm) error {
				times[2*c.Rank()] = c.WTime()
				err := c.Barrier()
				times[2*c.Rank()+1] = c.WTime()
				return err
			})
			assert.NoError(t, errors.Join(errs...))
			if first == nil {
				first = times
			}
			assert.Equal(t, first, times, "a seeded run repeats, times included")
		}
	})
	t.Run("WORLD-02 names and versions", func(t *testing.T) {
		assert.NotEmpty(t, comm.ProcessorName())
		assert.Contains(t, comm.LibraryVersion(), "commworld")
		assert.Equal(t, []int{4, 1}, []int{comm.Version, comm.Subversion})
		ranks(t, 3, func(c *comm.Comm) error { return equal(3, c.Self().UniverseSize()) })
	})
	t.Run("WORLD-01 abort releases those that wait", func(t *testing.T) {
		errs := start(3, setting{}, func(c *comm.Comm) error {
			if c.Rank() == 1 {
				return c.Abort(42)
			}
			return c.Barrier()
		})
		for _, err := range errs {
			var e *comm.AbortError
			if assert.ErrorAs(t, err, &e) {
				assert.Equal(t, "objects_test.go", filepath.Base(e.Place.File))
				assert.Equal(t, comm.AbortError{Code: 42, Rank: 1, Comm: "COMM_WORLD", Place: e.Place}, *e)
			}
		}
	})
}

// A communicator that is never freed is a leak under a real library.
func TestCheckHandles(t *testing.T) {
	t.Run("COMM-01 handles never freed are reported with their line", func(t *testing.T) {
		for _, check := range []bool{false, true} {
			w := sched.New(1, sched.Options{})
			u := port.Launch(w, commport.LaunchOptions{CheckHandles: check})
			w.Run(func(*sched.Rank) error {
				c := u.World(0)
				a, err := c.Dup()
				_, err2 := c.Split(0, 0)
				err3 := port.Dup(c, new(comm.Comm), "Open", nil, nil)
				return errors.Join(err, err2, err3, a.Free())
			})
			assert.Empty(t, w.Failures())
			var hints []string
			u.End(func(_ int, err error) { hints = append(hints, err.Error()) })
			if !check {
				assert.Empty(t, hints)
			} else if assert.Len(t, hints, 1) {
				assert.Contains(t, hints[0], `"split 0 of COMM_WORLD"`)
				assert.True(t, strings.Contains(hints[0], "objects_test.go:"), hints[0])
			}
		}
	})
}
