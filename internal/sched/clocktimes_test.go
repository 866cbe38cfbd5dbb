package sched

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// If a clock listed more or less than it covers, pictures of a run would show
// an order that is not promised.
func TestClockTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const most = 40
		n := rapid.IntRange(1, most).Draw(t, "ranks")
		s := New(n, Options{})
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			a := s.Rank(rapid.IntRange(0, n-1).Draw(t, "rank"))
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0, 1:
				a.Tick()
			case 2:
				a.Join(s.Rank(rapid.IntRange(0, n-1).Draw(t, "other")).Publish(false))
			case 3: // a barrier
				all := JoinAll(n, func(i int) Clock { return s.Rank(i).Publish(false) })
				for i := range n {
					s.Rank(i).Join(all)
				}
			}
		}
		for i := range n {
			c := s.Rank(i).Publish(false)
			want := map[int]uint64{}
			for r := range n {
				for at := uint64(1); c.Covers(r, at); at++ {
					want[r] = at
				}
			}
			assert.Equal(t, want, maps.Collect(c.Times()))
			last := -1
			for r := range c.Times() {
				assert.Greater(t, r, last)
				last = r
			}
			for r := range c.Times() {
				assert.Contains(t, want, r)
				break // an early end must be noticed
			}
		}
	})
}
