package race

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/internal/sched"
)

// If the detector skipped pairs of calls, no report would say that their order is open. The
// definition compares each call with all before it.
func TestPointerOrder(t *testing.T) {
	type call struct {
		rank, line int
		time       uint64
	}
	together, moves := []bool{false, false, true, true, false}, []bool{true, false, true, false, true}
	rapid.Check(t, func(t *rapid.T) {
		const ranks = 3
		d := NewDetector(DetectorOptions{Ranks: ranks})
		var clocks [ranks]vector
		var handles [ranks]*Tracker
		for r := range ranks {
			clocks[r] = make(vector, ranks)
			handles[r] = d.Open("f", r, 1, clocks[r])
		}
		var earlier []call
		want, got := map[[2]int]bool{}, map[[2]int]bool{}
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			r := rapid.IntRange(0, ranks-1).Draw(t, "rank")
			clocks[r][r]++
			if rapid.Bool().Draw(t, "message") {
				to := rapid.IntRange(0, ranks-1).Draw(t, "to")
				for i := range ranks {
					clocks[to][i] = max(clocks[to][i], clocks[r][i])
				}
				continue
			}
			line := rapid.IntRange(0, len(moves)-1).Draw(t, "line")
			now := append(vector{}, clocks[r]...)
			handles[r].Pointer(&Access{Op: "call", Line: sched.Place{File: "f.go", Line: 1 + line}, Time: now[r], Clock: now}, together[line], moves[line])
			for _, p := range earlier {
				if p.rank != r && !now.Covers(p.rank, p.time) && (moves[line] || moves[p.line]) && !(together[line] && together[p.line]) {
					want[[2]int{min(line, p.line), max(line, p.line)}] = true
				}
			}
			earlier = append(earlier, call{r, line, now[r]})
		}
		for _, e := range d.Unordered() {
			a, b := e.A.Place.Line-1, e.B.Place.Line-1
			got[[2]int{min(a, b), max(a, b)}] = true
		}
		assert.Equal(t, want, got)
	})
}
