package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// converted gives the file a view in which moving bytes may fail.
func converted(f *iofile.File, t *types.Type) error {
	view := v(0, t, t)
	view.Rep = "external32"
	return f.SetView(view)
}

// meetsAgain runs on one rank beside the completion of q, a collective read that all ranks
// have started; it calls done once.
type meetsAgain func(f *iofile.File, c *comm.Comm, done func() error) error

// elsewhere lets rank 1 wait in a call that rank 0 makes only after it has completed the
// access.
func elsewhere(call func(f *iofile.File, c *comm.Comm) error) meetsAgain {
	return func(f *iofile.File, c *comm.Comm, done func() error) error {
		if c.Rank() == 1 {
			return errors.Join(call(f, c), done())
		}
		return errors.Join(done(), call(f, c))
	}
}

var progressing = map[string]meetsAgain{
	"Barrier": elsewhere(func(_ *iofile.File, c *comm.Comm) error { return c.Barrier() }),
	"WaitAll": elsewhere(func(_ *iofile.File, c *comm.Comm) error {
		q, err := c.IBarrier()
		if err != nil {
			return err
		}
		_, err = comm.WaitAll(q)
		return err
	}),
	"ReadAll": elsewhere(func(f *iofile.File, _ *comm.Comm) error {
		_, err := f.ReadAtAll(intsIn(make([]int32, 1)), 1)
		return err
	}),
	"Dup": elsewhere(func(_ *iofile.File, c *comm.Comm) error {
		d, err := c.Dup()
		if err != nil {
			return err
		}
		return d.Free()
	}),
	"Recv": func(_ *iofile.File, c *comm.Comm, done func() error) error {
		switch c.Rank() {
		case 0:
			return errors.Join(done(), c.Send(ints(1), 1, 0))
		case 1:
			_, err := c.Recv(intsIn(make([]int32, 1)), 0, 0)
			return errors.Join(err, done())
		}
		return done()
	},
	"Probe": func(_ *iofile.File, c *comm.Comm, done func() error) error {
		switch c.Rank() {
		case 0:
			return errors.Join(done(), c.Send(ints(1), 1, 0))
		case 1:
			_, err := c.Probe(0, 0)
			if err == nil {
				_, err = c.Recv(intsIn(make([]int32, 1)), 0, 0)
			}
			return errors.Join(err, done())
		}
		return done()
	},
	"Test": func(_ *iofile.File, c *comm.Comm, done func() error) error {
		switch c.Rank() {
		case 0:
			return errors.Join(done(), c.Send(ints(1), 1, 0))
		case 1:
			q, err := c.IRecv(intsIn(make([]int32, 1)), 0, 0)
			for ok := false; err == nil && !ok; {
				_, ok, err = q.Test()
			}
			return errors.Join(err, done())
		}
		return done()
	},
	"a collective of some": func(_ *iofile.File, c *comm.Comm, done func() error) error {
		some, err := c.Split(min(c.Rank(), 1), 0) // rank 0; the others
		if err != nil {
			return err
		}
		if c.Rank() == 1 {
			if err := errors.Join(done(), some.Barrier()); err != nil {
				return err
			}
			return some.Free()
		}
		err = errors.Join(some.Barrier(), done())
		return errors.Join(err, some.Free())
	},
}

// TestNonblockingProgress: a rank that waits in another call must not delay ranks that
// complete a nonblocking collective access.
func TestNonblockingProgress(t *testing.T) {
	for name, and := range progressing {
		t.Run("CONS-PROG-03 a rank in "+name, func(t *testing.T) {
			everyWay(t, 3, func(f *iofile.File, c *comm.Comm) error {
				if err := converted(f, types.Int); err != nil {
					return err
				}
				got := make([]int32, 1)
				q, err := f.IReadAtAll(intsIn(got), iofile.Offset(c.Rank()))
				if err != nil {
					return err
				}
				err = and(f, c, func() error { _, err := q.Wait(); return err })
				if want := int32(c.Rank()+1) * 0x01010101; got[0] != want {
					return errors.Join(err, fmt.Errorf("read %#x, want %#x", got[0], want))
				}
				return err
			})
		})
	}
	t.Run("CONS-PROG-03 IO-NBC-04 several complete in other orders on other ranks", func(t *testing.T) {
		everyWay(t, 3, func(f *iofile.File, c *comm.Comm) error {
			if err := converted(f, types.Int); err != nil {
				return err
			}
			var reqs []*comm.Request
			for i := range 3 {
				q, err := f.IWriteAtAll(ints(int32(i)), iofile.Offset(3*i+c.Rank()))
				if err != nil {
					return err
				}
				reqs = append(reqs, q)
			}
			for i := range reqs {
				if _, err := reqs[(i+c.Rank())%3].Wait(); err != nil {
					return err
				}
			}
			if err := syncBarrierSync(f, c); err != nil {
				return err
			}
			got := make([]int32, 9)
			_, err := f.ReadAtAll(intsIn(got), 0)
			if assert.ObjectsAreEqual([]int32{0, 0, 0, 1, 1, 1, 2, 2, 2}, got) {
				return err
			}
			return errors.Join(err, fmt.Errorf("read %v", got))
		})
	})
	t.Run("CONS-PROG-03 REP-X32-09 all hear of a rank that fails while it waits elsewhere", func(t *testing.T) {
		everyWay(t, 3, func(f *iofile.File, c *comm.Comm) error {
			if err := converted(f, types.WChar); err != nil {
				return err
			}
			x := []int32{'a'}
			if c.Rank() == 1 {
				x[0] = 0x1f600
			}
			q, err := f.IWriteAtAll(types.Raw(bytesOf(x), 1, types.WChar), iofile.Offset(c.Rank()))
			if err != nil {
				return err
			}
			if c.Rank() > 0 {
				err = c.Barrier()
			}
			if _, e := q.Wait(); !errors.Is(e, iofile.ErrConversion) {
				err = errors.Join(err, fmt.Errorf("completed with %w", e))
			}
			if c.Rank() == 0 {
				err = errors.Join(err, c.Barrier())
			}
			return err
		})
	})
	for name, complete := range map[string]func(q, other *comm.Request) error{
		"Test": func(q, _ *comm.Request) error {
			for {
				if _, done, err := q.Test(); done || err != nil {
					return err
				}
			}
		},
		"TestAll": func(q, other *comm.Request) error {
			for {
				if _, done, err := comm.TestAll(q, other); done || err != nil {
					return err
				}
			}
		},
		"WaitAny": func(q, other *comm.Request) error {
			_, _, err := comm.WaitAny(q, other)
			_, _, err2 := comm.WaitAny(q, other)
			return errors.Join(err, err2)
		},
	} {
		t.Run("CONS-PROG-03 IO-NBC-04 completed by "+name, func(t *testing.T) {
			everyWay(t, 2, func(f *iofile.File, c *comm.Comm) error {
				q, err := f.IWriteAtAll(ints(7), iofile.Offset(c.Rank()))
				if err != nil {
					return err
				}
				other, err := c.IBarrier()
				if err != nil {
					return err
				}
				if err := complete(q, other); err != nil {
					return err
				}
				_, err = other.Wait()
				return err
			})
		})
	}
	for name, complete := range map[string]func(reqs ...*comm.Request) (int, error){
		"TestAny": func(reqs ...*comm.Request) (int, error) {
			_, _, ok, err := comm.TestAny(reqs...)
			if ok {
				return 1, err
			}
			return 0, err
		},
		"TestSome": func(reqs ...*comm.Request) (int, error) {
			done, _, err := comm.TestSome(reqs...)
			return len(done), err
		},
		"WaitSome": func(reqs ...*comm.Request) (int, error) {
			done, _, err := comm.WaitSome(reqs...)
			return len(done), err
		},
	} {
		t.Run("CONS-PROG-03 IO-NBC-04 P2P-02 among messages and others, completed by "+name, func(t *testing.T) {
			everyWay(t, 2, func(f *iofile.File, c *comm.Comm) error {
				got, msg := make([]int32, 1), make([]int32, 1)
				q1, e1 := f.IWriteAtAll(ints(7), iofile.Offset(3+c.Rank()))
				q2, e2 := f.IReadAtAll(intsIn(got), iofile.Offset(c.Rank()))
				q3, e3 := c.IRecv(intsIn(msg), 1-c.Rank(), 0)
				q4, e4 := c.ISend(ints(int32(c.Rank())), 1-c.Rank(), 0)
				q5, e5 := f.IWriteAt(ints(9), iofile.Offset(5+c.Rank()))
				err := errors.Join(e1, e2, e3, e4, e5)
				for left := 5; left > 0 && err == nil; {
					var n int
					n, err = complete(q1, q2, q3, q4, q5)
					left -= n
				}
				if want := int32(c.Rank()+1) * 0x01010101; err == nil && (got[0] != want || msg[0] != int32(1-c.Rank())) {
					err = fmt.Errorf("read %#x, got %d", got[0], msg[0])
				}
				return err
			})
		})
	}
	t.Run("CONS-PROG-03 IO-SPLIT-09 a rank at the end of a split access", func(t *testing.T) {
		everyWay(t, 3, func(f *iofile.File, c *comm.Comm) error {
			if err := converted(f, types.Int); err != nil {
				return err
			}
			q, err := f.IWriteAtAll(ints(7), iofile.Offset(3+c.Rank()))
			if err != nil {
				return err
			}
			buf := ints(8)
			if err := f.WriteAtAllBegin(buf, iofile.Offset(6+c.Rank())); err != nil {
				return err
			}
			end := func() error { return second(f.WriteAtAllEnd(buf)) }
			wait := func() error { return second(q.Wait()) }
			if c.Rank() == 1 {
				end, wait = wait, end
			}
			return errors.Join(end(), wait())
		})
	})
	t.Run("CONS-PROG-03 CONS-ATOM-03 the mode changes before some ranks have begun to exchange", func(t *testing.T) {
		everyWay(t, 3, func(f *iofile.File, c *comm.Comm) error {
			q, err := f.IWriteAtAll(ints(7), iofile.Offset(c.Rank()))
			if err != nil {
				return err
			}
			if c.Rank() == 0 {
				if _, _, err := q.Test(); err != nil {
					return err
				}
			}
			if err := f.SetAtomicity(true); err != nil {
				return err
			}
			if _, err := q.Wait(); err != nil {
				return err
			}
			got := make([]int32, 3)
			if _, err := f.ReadAt(intsIn(got[:1]), iofile.Offset(c.Rank())); err != nil || got[0] != 7 {
				return errors.Join(err, fmt.Errorf("read %d", got[0]))
			}
			return nil
		})
	})
	t.Run("CONS-PROG-03 an observer hears of it once", func(t *testing.T) {
		for seed := range uint64(10) {
			var seen [2]int
			fsys := iofile.NewMem(iofile.WithCallbacks(iofile.Callbacks{Access: func(o *iofile.Observed) {
				if !o.Write {
					seen[o.Offset/4]++
				}
			}}))
			put(t, fsys, "f", "aaaabbbb")
			assert.NoError(t, world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite)
				if err != nil {
					return err
				}
				q, err := f.IReadAtAll(types.Of(make([]byte, 4)), iofile.Offset(4*c.Rank()))
				if err != nil {
					return err
				}
				if c.Rank() == 1 {
					err = c.Barrier()
				}
				_, e := q.Wait()
				if err = errors.Join(err, e); c.Rank() == 0 {
					err = errors.Join(err, c.Barrier())
				}
				return errors.Join(err, f.Close())
			}, world.Seed(seed)))
			assert.Equal(t, [2]int{1, 1}, seen)
		}
	})
	t.Run("CONS-PROG-03 a real deadlock is still one", func(t *testing.T) {
		ends := inEveryWay(t, 3, func(f *iofile.File, c *comm.Comm) error {
			if err := converted(f, types.Int); err != nil {
				return err
			}
			if c.Rank() == 2 {
				return c.Barrier()
			}
			q, err := f.IReadAtAll(intsIn(make([]int32, 1)), 0)
			if err != nil {
				return err
			}
			if c.Rank() == 1 {
				return c.Barrier()
			}
			_, err = q.Wait()
			return err
		})
		for _, err := range ends {
			var dead *world.DeadlockError
			if assert.ErrorAs(t, err, &dead) {
				assert.Contains(t, dead.Ranks[0].Why, "IReadAtAll")
				assert.Contains(t, dead.Ranks[1].Why, "Barrier")
				assert.Contains(t, dead.Ranks[2].Why, "Barrier")
			}
		}
	})
	t.Run("CONS-PROG-03 the end of the world ends it", func(t *testing.T) {
		stop := errors.New("stop")
		for _, err := range inEveryWay(t, 3, func(f *iofile.File, c *comm.Comm) error {
			if err := converted(f, types.Int); err != nil {
				return err
			}
			if c.Rank() == 2 {
				return stop
			}
			q, err := f.IReadAtAll(intsIn(make([]int32, 1)), 0)
			if err != nil {
				return err
			}
			if c.Rank() == 1 {
				return errors.Join(c.Barrier(), func() error { _, err := q.Wait(); return err }())
			}
			_, err = q.Wait()
			return err
		}) {
			assert.ErrorIs(t, err, stop)
		}
	})
}

// everyWay runs body freely, under some seeds and explored; no run may fail.
func everyWay(t *testing.T, n int, body func(f *iofile.File, c *comm.Comm) error) {
	t.Helper()
	for _, err := range inEveryWay(t, n, body) {
		assert.NoError(t, err)
	}
}

// inEveryWay runs body with ranks that move their own bytes, with aggregators, and with
// plans only, and returns the errors of the runs.
func inEveryWay(t *testing.T, n int, body func(f *iofile.File, c *comm.Comm) error) (errs []error) {
	t.Helper()
	together := iofile.WithStrategy(strategy.TwoPhase{Nodes: 2, Buffer: 8, Read: strategy.Enable, Write: strategy.Enable})
	errs = inEveryOrder(t, n, body, nil)
	errs = append(errs, inEveryOrder(t, n, body, nil, together)...)
	return append(errs, inEveryOrder(t, n, body, []iofile.Option{iofile.WithModel(consistency.POSIX)}, together)...)
}

func inEveryOrder(t *testing.T, n int, body func(f *iofile.File, c *comm.Comm) error, opts []iofile.Option, open ...iofile.OpenOption) (errs []error) {
	t.Helper()
	made := func() func(context.Context, *comm.Comm) error {
		fsys := iofile.NewMem(opts...)
		put(t, fsys, "f", "\x01\x01\x01\x01\x02\x02\x02\x02\x03\x03\x03\x03")
		return asInts(fsys, body, open...)
	}
	for range 10 {
		errs = append(errs, world.Run(t.Context(), n, made()))
	}
	for seed := range uint64(20) {
		errs = append(errs, world.Run(t.Context(), n, made(), world.Seed(seed)))
	}
	all, err := world.Explore(t.Context(), n, func() (func(context.Context, *comm.Comm) error, func() any) {
		return made(), nil
	}, world.Limit(world.Limits{Schedules: 100}))
	if !errors.Is(err, world.ErrLimit) {
		assert.NoError(t, err)
	}
	assert.NotEmpty(t, all.Outcomes)
	for _, o := range all.Outcomes {
		errs = append(errs, o.Err)
	}
	return errs
}
