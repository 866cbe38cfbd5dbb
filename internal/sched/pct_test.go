package sched_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/internal/sched"
)

// pctByDefinition draws each moment of change and lets the rank that runs then fall
// behind, one moment after the other.
func pctByDefinition(n, depth int, seed uint64, ready [][]int, vain []bool) (picks []int) {
	src := rand.NewPCG(seed, 0x9e3779b97f4a7c15)
	below := func(n int) int {
		i, _ := bits.Mul64(src.Uint64(), uint64(n))
		return int(i)
	}
	priority := make([]int, n)
	for i := range priority {
		j := below(i + 1)
		priority[i], priority[j] = priority[j], i+1
	}
	length := 2 << below(14)
	var changes []int
	for range depth - 1 {
		changes = append(changes, 1+below(length))
	}
	slices.Sort(changes)
	relented := 0
	for step, ids := range ready {
		for {
			best := 0
			for i, id := range ids {
				if priority[id] > priority[ids[best]] {
					best = i
				}
			}
			if len(changes) == 0 || step+1 < changes[0] {
				picks = append(picks, best)
				if vain[step] {
					relented++
					priority[ids[best]] = -1<<30 - relented
				}
				break
			}
			priority[ids[best]] = -changes[0]
			changes = changes[1:]
		}
	}
	return picks
}

// TestPCTDepths: a token picks the same ranks in every version of this module, for any
// number of moments of change.
func TestPCTDepths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "ranks")
		depth := rapid.OneOf(rapid.IntRange(1, 30), rapid.IntRange(1, 200), rapid.IntRange(1, 100_000)).Draw(t, "depth")
		seed := rapid.Uint64().Draw(t, "seed")
		src := rand.New(rand.NewPCG(seed, 1))
		steps := src.IntN(300)
		ready, vain := make([][]int, steps), make([]bool, steps)
		for i := range ready {
			ready[i] = src.Perm(n)[:1+src.IntN(n)]
			vain[i] = src.IntN(4) == 0
		}
		assert.Equal(t, pctByDefinition(n, depth, seed, ready, vain), sched.PCTPicks(n, depth, seed, ready, vain))
	})
}

// TestPCTLargeDepth: a token may come from a stranger, so pct:1000000000:1 must not need
// memory for each moment of change.
func TestPCTLargeDepth(t *testing.T) {
	for _, depth := range []int{1_000_000_000, math.MaxInt} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		assert.Len(t, sched.PCTPicks(3, depth, 1, [][]int{{0, 1, 2}, {0, 1}}, []bool{false, false}), 2)
		runtime.ReadMemStats(&after)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20), depth)
	}
}
