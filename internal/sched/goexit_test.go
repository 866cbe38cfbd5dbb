package sched_test

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/sched"
)

// Under a schedule ranks resume each other. If the Goexit of a rank also ended the
// goroutine that resumed it, innocent ranks would vanish in the middle of their deferred
// calls.
func TestGoexitLeavesOthersAlone(t *testing.T) {
	for seed := range uint64(50) {
		const n = 6
		s := sched.New(n, sched.Options{Seeded: true, Seed: seed})
		var ends atomic.Int32
		var order []int
		_ = run(s, func(r *sched.Rank) error {
			defer ends.Add(1)
			for range 3 + r.ID() {
				if err := r.Step(text("step")); err != nil {
					break
				}
				order = append(order, r.ID())
			}
			if r.ID()%2 == 1 {
				runtime.Goexit()
			}
			return nil
		})
		assert.EqualValues(t, n, ends.Load(), "seed %d", seed)
		var left []int
		for _, f := range s.Failures() {
			left = append(left, f.Rank)
		}
		slices.Sort(left)
		for _, r := range left {
			assert.Equal(t, 1, r%2, "seed %d: rank %d is said to have left", seed, r)
		}
		assert.NotEmpty(t, left)
	}
}
