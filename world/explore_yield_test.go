package world_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/world"
)

// lostUpdate has each rank add 1 to a counter outside of the module, with
// scheduling points before its read and before its write.
func lostUpdate(counter *int) func(context.Context, *comm.Comm) error {
	return func(_ context.Context, c *comm.Comm) error {
		if err := c.Yield(); err != nil {
			return err
		}
		old := *counter
		if err := c.Yield(); err != nil {
			return err
		}
		*counter = old + 1
		return nil
	}
}

// TestExploreYield: an exploration tries the parts between scheduling points in
// every order. Of two ranks with two parts each there are six.
func TestExploreYield(t *testing.T) {
	x, err := world.Explore(t.Context(), 2, func() (func(context.Context, *comm.Comm) error, func() any) {
		counter := new(int)
		return lostUpdate(counter), func() any { return *counter }
	})
	assert.NoError(t, err)
	assert.True(t, x.Complete)
	assert.Equal(t, 6, x.Schedules)
	var found []string
	for _, o := range x.Outcomes {
		found = append(found, fmt.Sprint(o.Value))
	}
	assert.ElementsMatch(t, []string{"1", "2"}, found)
}

// TestSeedYield: seeds change ranks at scheduling points, and one seed always
// does it in the same way.
func TestSeedYield(t *testing.T) {
	lost := 0
	for seed := range uint64(40) {
		var both [2]int
		for i := range both {
			assert.NoError(t, world.Run(t.Context(), 2, lostUpdate(&both[i]), world.Seed(seed)))
		}
		assert.Equal(t, both[0], both[1], "seed %d", seed)
		if both[0] == 1 {
			lost++
		}
	}
	assert.Greater(t, lost, 5)
	assert.Less(t, lost, 35)
}
