package world_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/world"
)

// TestExploreHeldReads: two ranks each write a word, two read both words, in opposite order.
// Each read comes before or after the write of its word, which makes 16 ways; one of them
// has no order. An exploration that compares a held operation with too few earlier
// operations loses some.
func TestExploreHeldReads(t *testing.T) {
	x, err := world.Explore(t.Context(), 4, func() (func(context.Context, *comm.Comm) error, func() any) {
		var words [2]int
		var read [4]int
		touch := func(c *comm.Comm, word int, write bool, do func()) error {
			what := sched.Held{Object: uint64(word) + 1, Write: write}
			err := port.Thread(c).Hold(named("touch"), what)
			do()
			return err
		}
		body := func(_ context.Context, c *comm.Comm) error {
			r := c.Rank()
			if r < 2 {
				return touch(c, r, true, func() { words[r] = 1 })
			}
			for i := range 2 {
				word := (r + i) % 2
				if err := touch(c, word, false, func() { read[2*(r-2)+i] = words[word] }); err != nil {
					return err
				}
			}
			return nil
		}
		return body, func() any { return fmt.Sprint(read) }
	})
	assert.NoError(t, err)
	assert.True(t, x.Complete)
	assert.Len(t, x.Outcomes, 15)
	assert.Equal(t, 15, x.Schedules)
}

type named string

func (n named) String() string { return string(n) }
