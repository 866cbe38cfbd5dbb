package sched

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// A floor covers what each of its clocks covers.
func TestFloor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const ranks = 12
		clocks := make([]Clock, ranks)
		for i := range clocks {
			clocks[i].rank = int32(i)
		}
		type member struct {
			rank  int
			time  uint64
			known Known
		}
		var f Floor
		var all []member
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			i, j := rapid.IntRange(0, ranks-1).Draw(t, "i"), rapid.IntRange(0, ranks-1).Draw(t, "j")
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				clocks[i].time++
			case 1:
				clocks[i] = clocks[i].Join(clocks[j])
			case 2: // a barrier
				one := JoinAll(ranks, func(i int) Clock { return clocks[i] })
				for i := range clocks {
					clocks[i] = clocks[i].Join(one)
				}
			case 3:
				all = append(all, member{i, clocks[i].time, clocks[i].Known()})
				f.Add(i, clocks[i].time, clocks[i].Known())
			}
			rank, time := rapid.IntRange(0, ranks).Draw(t, "rank"), rapid.Uint64Range(1, 5).Draw(t, "time")
			want := true
			for _, m := range all {
				if m.rank == rank {
					want = want && time <= m.time
				} else {
					want = want && m.known.Covers(rank, time)
				}
			}
			assert.Equal(t, want, f.Covers(rank, time))
		}
	})
}
