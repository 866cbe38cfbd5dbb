package world_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// If a world of any size did not start and end, nothing else would work.
func TestSizes(t *testing.T) {
	for _, n := range []int{1, 2, 7, 1_000, 100_000} {
		if n > 8_000 && (raceEnabled || testing.Short() || !thorough.All()) {
			continue // the race detector has room for 8,128 goroutines
		}
		eachMode(t, fmt.Sprintf("WORLD-01 %d ranks meet", n), func(t *testing.T, opts ...world.Option) {
			seen := make([]atomic.Bool, n)
			err := world.Run(t.Context(), n, func(ctx context.Context, c *comm.Comm) error {
				if c.Size() != n || seen[c.Rank()].Swap(true) {
					return fmt.Errorf("rank %d of %d", c.Rank(), c.Size())
				}
				if err := c.Barrier(); err != nil {
					return err
				}
				if other := (c.Rank() + 1) % n; !seen[other].Load() {
					return fmt.Errorf("rank %d has left the barrier before rank %d came", c.Rank(), other)
				}
				return ctx.Err()
			}, opts...)
			assert.NoError(t, err)
		})
	}
}

// If a senseless argument panicked or were accepted, the mistake would show
// up somewhere else.
func TestArguments(t *testing.T) {
	nop := func(context.Context, *comm.Comm) error { return nil }
	var noContext context.Context
	for _, c := range []struct {
		name, text string
		err        error
	}{
		{"no ranks", "0 ranks: 0 is the number of processes that a launcher has started", world.Run(t.Context(), 0, nop)},
		{"fewer", "-3 ranks", world.Run(t.Context(), -3, nop)},
		{"no context", "the context is nil", world.Run(noContext, 1, nop)},
		{"no program", "the ranks have no program", world.Run(t.Context(), 1, nil)},
		{"nil option", "an option is nil", world.Run(t.Context(), 1, nop, nil)},
		{"unknown rank", "Arch for rank 2: the ranks are 0 to 1", world.Run(t.Context(), 2, nop, world.Arch(2, reps.LP64BE))},
		{"no architecture", "Arch for rank 0: no architecture", world.Run(t.Context(), 2, nop, world.Arch(0, nil))},
		{"negative limit", "Eager of -1 bytes", world.Run(t.Context(), 2, nop, world.Eager(-1))},
	} {
		t.Run("WORLD-01 "+c.name, func(t *testing.T) {
			var e *world.Error
			assert.ErrorIs(t, c.err, world.ErrArg)
			assert.ErrorAs(t, c.err, &e)
			assert.ErrorContains(t, c.err, c.text)
		})
	}
}

// A rank is counted in 32 bits.
func TestTooManyRanks(t *testing.T) {
	t.Run("WORLD-01 too many ranks", func(t *testing.T) {
		n := math.MaxInt
		if n == math.MaxInt32 {
			t.Skip("this machine cannot count so many")
		}
		err := world.Run(t.Context(), n, func(context.Context, *comm.Comm) error { return nil })
		assert.ErrorIs(t, err, world.ErrArg)
		assert.ErrorContains(t, err, fmt.Sprint(n, " ranks"))
	})
}

// If an architecture went to another rank, heterogeneous files would be
// tested on the wrong one.
func TestArch(t *testing.T) {
	t.Run("REP-NAT-03 each rank its own", func(t *testing.T) {
		err := world.Run(t.Context(), 3, func(_ context.Context, c *comm.Comm) error {
			want := []*reps.Arch{reps.LP64LE, reps.ILP32BE, reps.LP64LE}[c.Rank()]
			if c.Arch() != want {
				return fmt.Errorf("is %v, not %v", c.Arch(), want)
			}
			return nil
		}, world.Arch(1, reps.ILP32BE))
		assert.NoError(t, err)
	})
}

// waits is a program whose rank 2 runs how while the others wait for a message from it.
func waits(how func() error) program {
	return func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 2 {
			for range 50 { // the others wait first, most of the time
				runtime.Gosched()
			}
			return how()
		}
		_, err := c.Recv(types.Of(make([]int32, 1)), 2, 7)
		return err
	}
}

// If the failure of one rank went unnoticed, the world would hang; if every rank repeated
// it, the error would be hard to read.
func TestFailingRank(t *testing.T) {
	boom := errors.New("boom")
	eachMode(t, "WORLD-01 returns an error", func(t *testing.T, opts ...world.Option) {
		err := world.Run(t.Context(), 5, waits(func() error { return boom }), opts...)
		says(t, err, "rank 2: boom")
		assert.ErrorIs(t, err, boom)
		var e *world.RankError
		assert.ErrorAs(t, err, &e)
		assert.Equal(t, 2, e.Rank)
	})
	eachMode(t, "WORLD-01 panics", func(t *testing.T, opts ...world.Option) {
		var at string
		err := world.Run(t.Context(), 5, waits(func() error { at = here(); panic(boom) }), opts...)
		assert.ErrorContains(t, err, "rank 2: panic: boom at "+at+" < run_test.go:")
		assert.ErrorIs(t, err, boom)
		var p *world.PanicError
		assert.ErrorAs(t, err, &p)
		assert.Equal(t, at, p.Place.Base())
		assert.Contains(t, string(p.Stack), "run_test.go")
	})
	eachMode(t, "WORLD-01 leaves as t.FailNow does", func(t *testing.T, opts ...world.Option) {
		var at string
		err := world.Run(t.Context(), 5, waits(func() error { at = here(); runtime.Goexit(); return nil }), opts...)
		assert.ErrorContains(t, err, "rank 2: left without returning at "+at)
		var left *world.GoexitError
		assert.ErrorAs(t, err, &left)
		assert.Equal(t, at, left.Place.Base())
	})
	eachMode(t, "WORLD-01 ends while others are in a collective", func(t *testing.T, opts ...world.Option) {
		err := world.Run(t.Context(), 4, func(_ context.Context, c *comm.Comm) error {
			if c.Rank() == 2 {
				return nil
			}
			return c.Barrier()
		}, opts...)
		var dead *world.DeadlockError
		assert.ErrorAs(t, err, &dead)
		assert.Len(t, dead.Ranks, 4)
		assert.True(t, dead.Ranks[2].Ended)
		assert.Contains(t, dead.Ranks[1].Why, "Barrier")
		assert.Equal(t, "run_test.go", dead.Ranks[1].Place.String()[:len("run_test.go")])
	})
	eachMode(t, "WORLD-01 ends its context", func(t *testing.T, opts ...world.Option) {
		err := world.Run(t.Context(), 3, func(ctx context.Context, c *comm.Comm) error {
			if c.Rank() == 0 {
				return boom
			}
			_ = c.Barrier() // the seeded world lets rank 0 have its turn here
			<-ctx.Done()
			assert.ErrorIs(t, context.Cause(ctx), boom)
			return ctx.Err()
		}, opts...)
		says(t, err, "rank 0: boom")
	})
}

// If only the first of several errors came out, the others would have to be
// found one by one.
func TestErrorsAreJoined(t *testing.T) {
	eachMode(t, "WORLD-01 several ranks fail", func(t *testing.T, opts ...world.Option) {
		err := world.Run(t.Context(), 6, func(_ context.Context, c *comm.Comm) error {
			switch c.Rank() {
			case 1, 4, 5:
				return fs.ErrExist
			case 3:
				return fmt.Errorf("at home: %w", fs.ErrClosed)
			}
			return c.Barrier()
		}, opts...)
		says(t, err, "ranks 1, 4-5: file already exists\nrank 3: at home: file already closed")
		assert.ErrorIs(t, err, fs.ErrExist)
		assert.ErrorIs(t, err, fs.ErrClosed)
		var e *world.RunError
		assert.ErrorAs(t, err, &e)
		assert.Len(t, e.Ranks, 4)
		assert.NoError(t, e.Cause)
	})
	eachMode(t, "WORLD-01 many ranks stay short", func(t *testing.T, opts ...world.Option) {
		err := world.Run(t.Context(), 200, func(_ context.Context, c *comm.Comm) error {
			return fmt.Errorf("mine is %d", c.Rank())
		}, opts...)
		assert.ErrorContains(t, err, "rank 0: mine is 0\n")
		assert.ErrorContains(t, err, "\nand 168 more")
	})
}

// A deadlock must be reported at once and not by a time-out, also if the program drops the
// error.
func TestDeadlock(t *testing.T) {
	eachMode(t, "WORLD-01 two ranks receive first", func(t *testing.T, opts ...world.Option) {
		var at [2]string
		err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			other, buf := 1-c.Rank(), types.Of(make([]int32, 1))
			at[c.Rank()] = here()
			if _, err := c.Recv(buf, other, 7); err != nil {
				return err
			}
			return c.Send(buf, other, 7)
		}, opts...)
		var dead *world.DeadlockError
		assert.ErrorAs(t, err, &dead)
		assert.ErrorContains(t, err, "world: deadlock")
		for i, w := range dead.Ranks {
			assert.Equal(t, i, w.Rank)
			assert.Contains(t, w.Why, "Recv from")
			assert.Contains(t, w.Why, "tag 7")
			assert.Equal(t, here()[:12], w.Place.String()[:12])
		}
		var e *world.RunError
		assert.ErrorAs(t, err, &e)
		assert.Empty(t, e.Ranks, "both ranks only handed the deadlock on")
	})
	eachMode(t, "WORLD-01 swallowed by the program", func(t *testing.T, opts ...world.Option) {
		err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			_, _ = c.Recv(types.Of(make([]int32, 1)), 1-c.Rank(), 0)
			return nil
		}, opts...)
		var dead *world.DeadlockError
		assert.ErrorAs(t, err, &dead)
	})
	eachMode(t, "WORLD-01 a program that relies on buffering", func(t *testing.T, opts ...world.Option) {
		exchange := func(_ context.Context, c *comm.Comm) error {
			other, buf := 1-c.Rank(), types.Of(make([]int32, 1))
			if err := c.Send(buf, other, 0); err != nil {
				return err
			}
			_, err := c.Recv(buf, other, 0)
			return err
		}
		assert.NoError(t, world.Run(t.Context(), 2, exchange, opts...))
		err := world.Run(t.Context(), 2, exchange, append(opts, world.Eager(0))...)
		var dead *world.DeadlockError
		assert.ErrorAs(t, err, &dead)
	})
}

// If a cancelled world went on, a user could not stop it.
func TestContext(t *testing.T) {
	eachMode(t, "WORLD-01 ended before", func(t *testing.T, opts ...world.Option) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := world.Run(ctx, 2, func(context.Context, *comm.Comm) error {
			t.Error("a rank has started")
			return nil
		}, opts...)
		assert.ErrorIs(t, err, context.Canceled)
		says(t, err, "world: context canceled")
	})
	tired := errors.New("tired")
	eachMode(t, "WORLD-01 ended while ranks wait", func(t *testing.T, opts ...world.Option) {
		for range 100 {
			ctx, cancel := context.WithCancelCause(t.Context())
			err := world.Run(ctx, 4, func(ctx context.Context, c *comm.Comm) error {
				if c.Rank() == 3 {
					cancel(tired)
					<-ctx.Done()
					return ctx.Err()
				}
				return c.Barrier()
			}, opts...)
			assert.ErrorIs(t, err, context.Canceled)
			assert.ErrorIs(t, err, tired)
			says(t, err, "world: context canceled: tired")
		}
	})
	eachMode(t, "WORLD-01 a rank sees the end and leaves the others alone", func(t *testing.T, opts ...world.Option) {
		for range 300 {
			ctx, cancel := context.WithCancelCause(t.Context())
			err := world.Run(ctx, 4, func(ctx context.Context, c *comm.Comm) error {
				if c.Rank() == 3 {
					cancel(tired)
					<-ctx.Done()
					return nil
				}
				return c.Barrier()
			}, opts...)
			says(t, err, "world: context canceled: tired")
			assert.ErrorIs(t, err, tired)
		}
	})
	eachMode(t, "WORLD-01 deadline", func(t *testing.T, opts ...world.Option) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err := world.Run(ctx, 4, func(ctx context.Context, c *comm.Comm) error {
				if c.Rank() == 3 { // no Barrier: the ranks might be through before the world ends
					<-ctx.Done()
					return ctx.Err()
				}
				return c.Barrier()
			}, opts...)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			var e *world.RunError
			if assert.ErrorAs(t, err, &e) {
				assert.Empty(t, e.Ranks)
			}
		})
	})
	eachMode(t, "WORLD-01 an error of one's own beside it", func(t *testing.T, opts ...world.Option) {
		ctx, cancel := context.WithCancel(t.Context())
		err := world.Run(ctx, 2, func(ctx context.Context, c *comm.Comm) error {
			if c.Rank() == 1 {
				return c.Barrier()
			}
			cancel()
			<-ctx.Done()
			return fmt.Errorf("lost my notes: %w", tired)
		}, opts...)
		assert.ErrorIs(t, err, tired)
	})
}

// If a rank's own error were dropped because it came together with the error that released
// the rank, a full disk would look like the failure of another rank.
func TestOwnErrorJoinedWithEcho(t *testing.T) {
	boom, full := errors.New("boom"), errors.New("disk full")
	eachMode(t, "WORLD-01 joined with the end of the world", func(t *testing.T, opts ...world.Option) {
		err := world.Run(t.Context(), 3, func(ctx context.Context, c *comm.Comm) error {
			switch c.Rank() {
			case 0:
				return boom
			case 1:
				return errors.Join(full, c.Barrier())
			}
			err := c.Barrier()
			return errors.Join(err, ctx.Err()) // an echo and an echo
		}, opts...)
		var e *world.RunError
		if assert.ErrorAs(t, err, &e) && assert.Len(t, e.Ranks, 2) {
			assert.Equal(t, 0, e.Ranks[0].Rank)
			assert.Equal(t, 1, e.Ranks[1].Rank)
			assert.ErrorIs(t, e.Ranks[1], full)
		}
	})
	eachMode(t, "WORLD-01 joined with the end of the context", func(t *testing.T, opts ...world.Option) {
		ctx, cancel := context.WithCancel(t.Context())
		err := world.Run(ctx, 2, func(ctx context.Context, c *comm.Comm) error {
			if c.Rank() == 1 {
				return c.Barrier()
			}
			cancel()
			<-ctx.Done()
			return errors.Join(full, ctx.Err())
		}, opts...)
		assert.ErrorIs(t, err, full)
	})
	eachMode(t, "WORLD-01 the context ends after a rank has failed", func(t *testing.T, opts ...world.Option) {
		ctx, cancel := context.WithCancel(t.Context())
		err := world.Run(ctx, 2, func(_ context.Context, c *comm.Comm) error {
			if c.Rank() == 0 {
				return boom
			}
			err := c.Barrier() // until the other has failed
			cancel()
			return err
		}, opts...)
		assert.ErrorIs(t, err, boom)
		assert.NotErrorIs(t, err, context.Canceled)
	})
}

// A world inside a world must not affect the outer one, so that a rank can compare a
// pattern with a run on one rank.
func TestNested(t *testing.T) {
	t.Run("WORLD-01 a deadlock inside stays inside", func(t *testing.T) {
		var inside atomic.Int32
		err := world.Run(t.Context(), 3, func(ctx context.Context, c *comm.Comm) error {
			err := world.Run(ctx, 2, func(_ context.Context, c *comm.Comm) error {
				_, err := c.Recv(types.Of(make([]byte, 1)), 1-c.Rank(), 0)
				return err
			})
			var dead *world.DeadlockError
			if errors.As(err, &dead) {
				inside.Add(1)
			}
			return c.Barrier()
		})
		assert.NoError(t, err)
		assert.EqualValues(t, 3, inside.Load())
	})
}

// If a communicator could be used after its world, the call would wait for
// ranks that never come.
func TestCommAfterWorldEnd(t *testing.T) {
	eachMode(t, "COMM-01 WORLD-01 calls after the world has ended", func(t *testing.T, opts ...world.Option) {
		kept := make([]*comm.Comm, 2)
		err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			kept[c.Rank()] = c
			return nil
		}, opts...)
		assert.NoError(t, err)
		one := types.Of(make([]byte, 1))
		for _, c := range kept {
			assert.ErrorIs(t, c.Barrier(), comm.ErrComm)
			assert.ErrorIs(t, c.Send(one, 0, 0), comm.ErrComm)
			_, err = c.Recv(one, 0, 0)
			assert.ErrorIs(t, err, comm.ErrComm)
			_, err = c.Dup()
			assert.ErrorIs(t, err, comm.ErrComm)
		}
		assert.ErrorIs(t, new(comm.Comm).Barrier(), comm.ErrComm, "a communicator that no rank made")
	})
}
