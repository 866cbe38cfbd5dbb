package world_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// arrivals returns the order in which rank 0 gets a message of each other rank, and the end
// of the world.
func arrivals(t *testing.T, opt world.Option) (string, error) {
	var order []int
	err := world.Run(t.Context(), 5, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() > 0 {
			return c.Send(types.Of([]int32{1}), 0, 0)
		}
		for range c.Size() - 1 {
			st, err := c.Recv(types.Of(make([]int32, 1)), comm.AnySource, 0)
			if err != nil {
				return err
			}
			order = append(order, st.Source)
		}
		return c.Barrier()
	}, opt)
	var dead *world.DeadlockError // the barrier is rank 0's alone
	assert.ErrorAs(t, err, &dead)
	return fmt.Sprint(order), err
}

// A seed must determine a run down to its error message, so that a failure found by chance
// can be shown to others.
func TestSeed(t *testing.T) {
	t.Run("WORLD-01 the same seed gives the same run", func(t *testing.T) {
		for seed := range uint64(20) {
			want, wantErr := arrivals(t, world.Seed(seed))
			for procs := 1; procs <= 4; procs++ {
				before := runtime.GOMAXPROCS(procs)
				got, err := arrivals(t, world.Seed(seed))
				runtime.GOMAXPROCS(before)
				assert.Equal(t, want, got, "seed %d, GOMAXPROCS %d", seed, procs)
				assert.Equal(t, wantErr.Error(), err.Error())
			}
		}
	})
	t.Run("WORLD-01 a thousand times", func(t *testing.T) {
		for name, opt := range map[string]world.Option{
			"random": world.Seed(7), "round robin": world.Replay("roundrobin"), "pct": world.Replay("pct:3:7"),
		} {
			want, wantErr := arrivals(t, opt)
			for range 1000 {
				got, err := arrivals(t, opt)
				if got != want || err.Error() != wantErr.Error() {
					t.Fatalf("%s: %s %v, before %s %v", name, got, err, want, wantErr)
				}
			}
		}
	})
	t.Run("WORLD-01 the token of a failure shows it again", func(t *testing.T) {
		for _, opt := range []world.Option{world.Seed(5), world.Replay("roundrobin"), world.Replay("pct:4:11")} {
			want, err := arrivals(t, opt)
			var e *world.RunError
			if assert.ErrorAs(t, err, &e) {
				got, again := arrivals(t, world.Replay(e.Schedule))
				assert.Equal(t, want, got)
				assert.Equal(t, err.Error(), again.Error())
				assert.ErrorContains(t, err, fmt.Sprintf("to see it again: world.Replay(%q)", e.Schedule))
			}
		}
	})
	t.Run("WORLD-01 a token that is none", func(t *testing.T) {
		for _, token := range []string{"", "random", "random:x", "pct:3", "pct:0:1", "choices:1.x", "choices:-1", "dice"} {
			err := world.Run(t.Context(), 1, func(context.Context, *comm.Comm) error { return nil }, world.Replay(token))
			assert.ErrorIs(t, err, world.ErrArg, token)
		}
	})
	t.Run("WORLD-01 the seeds together give every order", func(t *testing.T) {
		seen := map[string]bool{}
		for seed := range uint64(600) {
			order, _ := arrivals(t, world.Seed(seed))
			seen[order] = true
		}
		assert.Len(t, seen, 24)
		for seed := range uint64(2000) {
			order, _ := arrivals(t, world.Replay(fmt.Sprint("pct:3:", seed)))
			delete(seen, order)
		}
		assert.Empty(t, seen, "orders that priorities do not find")
	})
}
