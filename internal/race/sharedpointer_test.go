package race

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/sched"
)

// If the detector skipped pairs of calls, no report would say that their order is open, and
// an exploration would be called complete that is not; if it took others, it would accuse
// right programs. The definition compares each call with all before it. (IO-SHP-04 IO-SHP-07)
func TestPointerOrder(t *testing.T) {
	type call struct {
		PointerCall
		rank, line int
		time       uint64
		clock      vector
	}
	together, moves := []bool{false, false, true, true, false}, []bool{true, false, true, true, true}
	open := func(p, q *call) bool { // q was recorded after p
		switch {
		case p.rank == q.rank || p.Together && q.Together || !p.Moves && !q.Moves:
			return false
		case p.Together:
			return p.Begins && p.Round == q.Round+1 && !p.clock.Covers(q.rank, q.time)
		case q.Together:
			return q.Begins && q.Round == p.Round+1 && !q.clock.Covers(p.rank, p.time)
		}
		return p.Round == q.Round && !q.clock.Covers(p.rank, p.time)
	}
	rapid.Check(t, func(t *rapid.T) {
		const ranks = 3
		d := NewDetector(DetectorOptions{Ranks: ranks})
		var clocks [ranks]vector
		var handles [ranks]*Tracker
		var round [ranks]int
		var waits [ranks]*call // for the ranks that have come to a collective call and not recorded it
		for r := range ranks {
			clocks[r] = make(vector, ranks)
			handles[r] = d.Open("f", r, 1, clocks[r])
		}
		var earlier []*call
		want, got := map[[2]int]bool{}, map[[2]int]bool{}
		returned := map[[2]int]bool{} // that Pointer has returned
		record := func(c *call) {
			if c.Together {
				round[c.rank]++
			}
			c.Round, c.clock, c.time = round[c.rank], append(vector{}, clocks[c.rank]...), clocks[c.rank][c.rank]
			pairs, kept := handles[c.rank].Pointer(&Access{Op: "call", Line: sched.Place{File: "f.go", Line: 1 + c.line}, Time: c.time, Clock: c.clock}, c.PointerCall)
			assert.True(t, kept)
			for _, e := range pairs {
				returned[[2]int{min(e.A.Place.Line, e.B.Place.Line) - 1, max(e.A.Place.Line, e.B.Place.Line) - 1}] = true
			}
			for _, p := range earlier {
				if open(p, c) {
					want[[2]int{min(c.line, p.line), max(c.line, p.line)}] = true
				}
			}
			earlier = append(earlier, c)
		}
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			r := rapid.IntRange(0, ranks-1).Draw(t, "rank")
			clocks[r][r]++
			if c := waits[r]; c != nil {
				waits[r] = nil
				record(c)
				continue
			}
			if rapid.Bool().Draw(t, "message") {
				to := rapid.IntRange(0, ranks-1).Draw(t, "to")
				if waits[to] != nil {
					continue
				}
				for i := range ranks {
					clocks[to][i] = max(clocks[to][i], clocks[r][i])
				}
				continue
			}
			line := rapid.IntRange(0, len(moves)-1).Draw(t, "line")
			if !together[line] {
				record(&call{PointerCall: PointerCall{Moves: moves[line]}, rank: r, line: line})
				continue
			}
			if waits != [ranks]*call{} {
				continue // a rank is still in the last one
			}
			only := rapid.IntRange(-1, ranks-1).Draw(t, "begins") // line 3 is an ordered access that one rank begins
			for i := range ranks {
				begins := line == 2 || only == i
				waits[i] = &call{PointerCall: PointerCall{Together: true, Moves: true, Begins: begins}, rank: i, line: line}
			}
		}
		for _, e := range d.Unordered() {
			a, b := e.A.Place.Line-1, e.B.Place.Line-1
			got[[2]int{min(a, b), max(a, b)}] = true
		}
		assert.Equal(t, want, got)
		for pair := range got {
			assert.Equal(t, together[pair[0]] || together[pair[1]], returned[pair], "returned: %v", pair)
		}
	})
}

type twoRanks struct{}

func (twoRanks) Ranks() int    { return 2 }
func (twoRanks) Has(int) bool  { return true }
func (twoRanks) Appends() bool { return false }

// A rank that closes the file does not make the detector forget its calls while others still use the
// pointer. (IO-SHP-07)
func TestPointerAfterAClose(t *testing.T) {
	d := NewDetector(DetectorOptions{Ranks: 2})
	handle := func(rank int, open any) *Tracker { return d.Open(open, rank, 1, make(vector, 2)) }
	a, b := handle(0, twoRanks{}), handle(1, twoRanks{})
	call := func(t *Tracker, line int, c PointerCall) []*consistency.RaceError {
		pairs, _ := t.Pointer(&Access{Op: "call", Line: sched.Place{File: "f.go", Line: line}, Time: 2, Clock: make(vector, 2)}, c)
		return pairs
	}
	call(b, 1, PointerCall{Moves: true})
	b.Close(3, make(vector, 2))
	assert.Len(t, call(a, 2, PointerCall{Together: true, Moves: true, Begins: true, Round: 1}), 1)
	a.Close(3, make(vector, 2))
	assert.Empty(t, d.pointers)
}
