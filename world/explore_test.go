package world_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func num(n int) types.Buffer { return types.Of([]int32{int32(n)}) }

// from receives from any source and returns the source.
func from(c *comm.Comm) (int, error) {
	st, err := c.Recv(num(0), comm.AnySource, comm.AnyTag)
	return st.Source, err
}

// workers is rank 0 that receives each messages of each other rank.
func workers(each int) world.Setup {
	return func() (program, func() any) {
		var got []int
		return func(_ context.Context, c *comm.Comm) error {
			if c.Rank() > 0 {
				for range each {
					if err := c.Send(num(c.Rank()), 0, 0); err != nil {
						return err
					}
				}
				return nil
			}
			for range each * (c.Size() - 1) {
				src, err := from(c)
				if err != nil {
					return err
				}
				got = append(got, src)
			}
			return nil
		}, func() any { return fmt.Sprint(got) }
	}
}

// If a class of schedules were missed, a bug could hide in it; if many were tried twice,
// larger programs could not be explored.
func TestScheduleCounts(t *testing.T) {
	for _, row := range []struct {
		name            string
		ranks           int
		setup           world.Setup
		schedules, ends int
	}{
		{"3 workers, 2 messages each", 4, workers(2), 90, 90},
		{"2 workers, 3 messages each", 3, workers(3), 20, 20},
		{"4 workers", 5, workers(1), 24, 24},
		{"disjoint pairs", 6, func() (program, func() any) {
			return func(_ context.Context, c *comm.Comm) error {
				if c.Rank()%2 == 1 {
					return c.Send(num(1), c.Rank()-1, 0)
				}
				_, err := from(c)
				return err
			}, nil
		}, 1, 1},
		{"independent races multiply", 6, func() (program, func() any) {
			got := [6]int{}
			return func(_ context.Context, c *comm.Comm) (err error) {
				if c.Rank()%3 > 0 {
					return c.Send(num(1), c.Rank()/3*3, 0)
				}
				got[c.Rank()], err = from(c)
				return err
			}, func() any { return got }
		}, 4, 4},
		{"late: the second sender waits for a choice elsewhere", 5, func() (program, func() any) {
			// Rank 2 sends to 0 only if it got the message of 4 rather than that of 3.
			got := -1
			return func(_ context.Context, c *comm.Comm) (err error) {
				switch c.Rank() {
				case 0:
					got, err = from(c)
				case 1:
					err = c.Send(num(1), 0, 0)
				case 2:
					var src int
					if src, err = from(c); err == nil && src == 4 {
						err = c.Send(num(2), 0, 0)
					}
				default:
					err = c.Send(num(1), 2, 0)
				}
				return err
			}, func() any { return got }
		}, 3, 2},
		{"a message that waits for the match", 3, func() (program, func() any) {
			// Rank 2 sends only after rank 0 has received from 1.
			got := -1
			return func(_ context.Context, c *comm.Comm) (err error) {
				switch c.Rank() {
				case 0:
					if got, err = from(c); err == nil {
						if err = c.Send(num(1), 2, 0); err == nil {
							_, err = from(c)
						}
					}
				case 1:
					err = c.Send(num(1), 0, 0)
				case 2:
					if _, err = c.Recv(num(1), 0, 0); err == nil {
						err = c.Send(num(2), 0, 0)
					}
				}
				return err
			}, func() any { return got }
		}, 1, 1},
	} {
		t.Run("WORLD-01 "+row.name, func(t *testing.T) {
			x, err := world.Explore(t.Context(), row.ranks, row.setup, world.Unchecked())
			if assert.NoError(t, err) {
				assert.Equal(t, row.schedules, x.Schedules, "%v", x)
				assert.Len(t, x.Outcomes, row.ends, "%v", x)
				assert.True(t, x.Complete)
				assert.Zero(t, x.Redundant, "runs begun for nothing")
			}
		})
	}
}

// Exploring must find a deadlock that only one order of messages leads to.
func TestExploreFindsRareDeadlock(t *testing.T) {
	setup := func() (program, func() any) {
		return func(_ context.Context, c *comm.Comm) error {
			if c.Rank() > 0 {
				return c.Send(num(1), 0, 0)
			}
			if _, err := from(c); err != nil { // may take the message of rank 1
				return err
			}
			_, err := c.Recv(num(0), 1, 0)
			return err
		}, func() any { return "done" }
	}
	t.Run("P2P-04 WORLD-01 a wildcard takes what another receive needs", func(t *testing.T) {
		x, err := world.Explore(t.Context(), 3, setup)
		assert.NoError(t, err)
		assert.Equal(t, 2, x.Schedules)
		if !assert.Len(t, x.Outcomes, 2, "%v", x) {
			return
		}
		for _, o := range x.Outcomes {
			body, _ := setup()
			again := world.Run(t.Context(), 3, body, world.Replay(o.Witness))
			assert.Equal(t, fmt.Sprint(o.Err), fmt.Sprint(again))
			if o.Err != nil {
				var dead *world.DeadlockError
				assert.ErrorAs(t, o.Err, &dead)
				assert.ErrorContains(t, o.Err, `world.Replay("`+o.Witness+`")`)
			}
		}
	})
	t.Run("WORLD-01 two sends race", func(t *testing.T) {
		x, err := world.Explore(t.Context(), 3, workers(1))
		assert.NoError(t, err)
		assert.Equal(t, "2 schedules, 2 outcomes\n     1  [1 2]\n        witness choices:0.0\n     1  [2 1]\n        witness choices:1.0", x.String())
	})
}

// If a loop that polls could go on for ever, so would the exploration.
func TestExplorePolling(t *testing.T) {
	loop := func(sender bool) world.Setup {
		return func() (program, func() any) {
			polls := 0
			return func(_ context.Context, c *comm.Comm) error {
				if c.Rank() == 1 {
					if sender {
						return c.Send(num(1), 0, 0)
					}
					return nil
				}
				for {
					_, ok, err := c.IProbe(comm.AnySource, 0)
					if err != nil || ok {
						return err
					}
					polls++
				}
			}, func() any { return polls > 0 }
		}
	}
	t.Run("WORLD-01 a loop of probes is served at once or later", func(t *testing.T) {
		x, err := world.Explore(t.Context(), 2, loop(true), world.Unchecked())
		assert.NoError(t, err)
		assert.True(t, x.Complete)
		assert.Equal(t, 2, x.Schedules, "%v", x)
		assert.Len(t, x.Outcomes, 2, "%v", x)
	})
	t.Run("WORLD-01 a loop of probes that no rank serves", func(t *testing.T) {
		x, err := world.Explore(t.Context(), 2, loop(false))
		assert.NoError(t, err)
		if assert.Len(t, x.Outcomes, 1) {
			assert.ErrorContains(t, x.Outcomes[0].Err, "IProbe from any source tag 0")
		}
	})
	t.Run("WORLD-01 what has happened before must be found", func(t *testing.T) {
		x, err := world.Explore(t.Context(), 2, func() (program, func() any) {
			found := false
			return func(_ context.Context, c *comm.Comm) (err error) {
				if c.Rank() == 1 {
					if err := c.Send(num(1), 0, 0); err != nil {
						return err
					}
				}
				if err := c.Barrier(); err != nil {
					return err
				}
				if c.Rank() == 0 {
					_, found, err = c.IProbe(1, 0)
				}
				return err
			}, func() any { return found }
		}, world.Unchecked())
		assert.NoError(t, err)
		if assert.Len(t, x.Outcomes, 1, "%v", x) {
			assert.Equal(t, true, x.Outcomes[0].Value)
		}
	})
}

// A report must say when a limit was reached, and must not trust a program that uses random
// numbers.
func TestExploreReportsLimits(t *testing.T) {
	t.Run("WORLD-01 a limit is an error", func(t *testing.T) {
		x, err := world.Explore(t.Context(), 4, workers(2), world.Limit(world.Limits{Schedules: 7}))
		assert.NoError(t, err)
		assert.False(t, x.Complete)
		assert.Equal(t, 7, x.Schedules)
		assert.ErrorIs(t, x.Stopped, world.ErrLimit)
		assert.Contains(t, x.String(), "7 schedules, 7 outcomes; incomplete: schedule limit reached: 7")
	})
	t.Run("WORLD-01 a limit that is never exceeded", func(t *testing.T) {
		setups := 0
		x, err := world.Explore(t.Context(), 2, func() (program, func() any) {
			setups++
			return func(_ context.Context, c *comm.Comm) error { return c.Barrier() }, nil
		}, world.Limit(world.Limits{Schedules: 1}))
		assert.NoError(t, err)
		assert.True(t, x.Complete, "%v", x)
		assert.Equal(t, []int{1, 2}, []int{x.Schedules, setups}) // and once more to compare
		x, err = world.Explore(t.Context(), 4, workers(2), world.Limit(world.Limits{Schedules: 1}))
		assert.NoError(t, err)
		assert.Equal(t, 1, x.Schedules)
		assert.ErrorIs(t, x.Stopped, world.ErrLimit)
	})
	t.Run("WORLD-01 the end of the context is an error", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		runs := 0
		x, err := world.Explore(ctx, 4, func() (program, func() any) {
			if runs++; runs == 5 {
				cancel()
			}
			return workers(2)()
		})
		assert.NoError(t, err)
		assert.False(t, x.Complete)
		assert.ErrorIs(t, x.Stopped, context.Canceled)
	})
	t.Run("WORLD-01 a program that depends on something else", func(t *testing.T) {
		runs := 0
		_, err := world.Explore(t.Context(), 3, func() (program, func() any) {
			runs++
			senders := 1 + runs%2 // differs from run to run
			return func(_ context.Context, c *comm.Comm) error {
				if c.Rank() > 0 {
					if c.Rank() <= senders {
						return c.Send(num(1), 0, 0)
					}
					return nil
				}
				_, err := from(c)
				return err
			}, nil
		})
		var e *world.UncontrolledError
		if assert.ErrorAs(t, err, &e) {
			assert.ErrorContains(t, err, "rank 2 first called Send to 0 tag 0 on COMM_WORLD at explore_test.go:")
			assert.ErrorContains(t, err, ", then did nothing more")
		}
	})
	t.Run("WORLD-01 a token for another program", func(t *testing.T) {
		body, _ := workers(1)()
		err := world.Run(t.Context(), 3, body, world.Replay("choices:7"))
		assert.ErrorContains(t, err, "the schedule does not fit the program: choice 1 is number 7 of 2")
		body, _ = workers(1)()
		err = world.Run(t.Context(), 3, body, world.Replay("choices:0.0.0.0"))
		assert.ErrorContains(t, err, "the schedule does not fit the program: it has 4 choices, of which the program made 2")
	})
	t.Run("WORLD-01 a schedule beside all of them", func(t *testing.T) {
		_, err := world.Explore(t.Context(), 3, workers(1), world.Seed(1))
		assert.ErrorIs(t, err, world.ErrArg)
		assert.ErrorContains(t, err, "world: Explore: ")
	})
}

// BenchmarkExplore makes the 90 runs of 3 workers with 2 messages each.
func BenchmarkExplore(b *testing.B) {
	b.ReportAllocs()
	runs := 0
	for b.Loop() {
		x, err := world.Explore(b.Context(), 4, workers(2))
		if err != nil {
			b.Fatal(err)
		}
		runs += x.Schedules
	}
	b.ReportMetric(float64(runs)/b.Elapsed().Seconds(), "runs/s")
}

// If exploring left goroutines behind, or blocked in a way that package testing/synctest
// does not know, programs under virtual time could not be explored.
func TestExploreInSynctestBubble(t *testing.T) {
	t.Run("WORLD-01 explored under virtual time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			x, err := world.Explore(t.Context(), 3, workers(2))
			assert.NoError(t, err)
			assert.Equal(t, 6, x.Schedules)
			assert.True(t, x.Complete)
		})
	})
	t.Run("WORLD-01 ranks that leave or panic are outcomes", func(t *testing.T) {
		x, err := world.Explore(t.Context(), 3, func() (program, func() any) {
			return func(_ context.Context, c *comm.Comm) error {
				if c.Rank() > 0 {
					return c.Send(num(1), 0, 0)
				}
				src, err := from(c)
				if src == 1 {
					runtime.Goexit()
				}
				if src == 2 {
					panic("two came first")
				}
				return err
			}, nil
		})
		assert.NoError(t, err)
		assert.Equal(t, 2, x.Schedules)
		if assert.Len(t, x.Outcomes, 2, "%v", x) {
			var left *world.GoexitError
			var p *world.PanicError
			assert.ErrorAs(t, x.Outcomes[0].Err, &left)
			assert.ErrorAs(t, x.Outcomes[1].Err, &p)
		}
	})
}
