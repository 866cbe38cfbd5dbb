package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/lab"
)

// someRun is a report of random events of so many ranks on so many lines.
func someRun(src *rand.Rand, ranks, lines, events, races int) *script.Report {
	rep := &script.Report{Script: &script.Script{Ranks: ranks}, Outcomes: []script.Seen{{Ending: &script.Ending{}}}}
	for l := range lines {
		rep.Script.Blocks = append(rep.Script.Blocks, script.Block{Line: l + 1, Stmts: []*script.Stmt{{Line: l + 1, Routine: "barrier"}}})
	}
	for range events {
		rep.Log = append(rep.Log, &script.Event{Rank: src.IntN(ranks), Stmt: rep.Script.Blocks[src.IntN(lines)].Stmts[0]})
	}
	party := func() consistency.Party {
		return consistency.Party{Rank: src.IntN(ranks), Op: "other", Place: sched.Place{Line: 1 + src.IntN(lines)}}
	}
	for range races {
		rep.Races = append(rep.Races, &consistency.RaceError{A: party(), B: party()})
	}
	return rep
}

// TestDiagramRows compares with the definition: an event goes into the last
// row of its line, if the rank has nothing in that row or after it.
func TestDiagramRows(t *testing.T) {
	for seed := range uint64(200) {
		rep := someRun(rand.New(rand.NewPCG(seed, 1)), 4, 6, 30, 10)
		var want []*lab.Row
		for n, e := range rep.Log {
			c := &lab.Cell{Event: e, Step: n + 1}
			for i, r := range rep.Races {
				for _, p := range []consistency.Party{r.A, r.B} {
					if p.Rank == e.Rank && p.Place.Line == e.Stmt.Line && (len(c.Races) == 0 || c.Races[len(c.Races)-1] != i+1) {
						c.Races = append(c.Races, i+1)
					}
				}
			}
			k := len(want) - 1
			for k >= 0 && want[k].Cells[e.Rank] == nil && want[k].Line != e.Stmt.Line {
				k--
			}
			if k < 0 || want[k].Cells[e.Rank] != nil {
				want = append(want, &lab.Row{Line: e.Stmt.Line, Cells: map[int]*lab.Cell{}})
				k = len(want) - 1
			}
			want[k].Cells[e.Rank] = c
		}
		require.Equal(t, want, lab.Rows(rep), "seed %d", seed)
		for line := range 8 {
			want := "barrier"
			if line < 1 || line > 6 {
				want = "other"
			}
			require.Equal(t, want, lab.RoutineAt(rep, line, "other"))
		}
	}
}

// TestHugeDiagram: events and races are entered in about linear time, and the printed
// text has a bound. A time of events times races would never end here.
func TestHugeDiagram(t *testing.T) {
	rep := someRun(rand.New(rand.NewPCG(1, 1)), 64, 2000, 64_000, 100_000)
	var fixes []*script.Fix
	for _, r := range rep.Races {
		fixes = append(fixes, &script.Fix{Race: r, None: "not tried"})
	}
	for _, whole := range []bool{false, true} {
		var out bytes.Buffer
		(&runSheet{rep: rep, fixes: fixes, out: &out, width: 80, whole: whole}).write()
		if whole {
			assert.NotContains(t, out.String(), "--whole")
			assert.Contains(t, out.String(), "race 100000 ")
			continue
		}
		assert.Less(t, strings.Count(out.String(), "\n"), 1000)
		assert.Contains(t, out.String(), " more rows; --whole shows all")
		assert.Contains(t, out.String(), "\n99950 more races; --whole shows all")
	}
}

// TestGroupManyFailures: grouping very many different failures of one script must not
// compare each with all others.
func TestGroupManyFailures(t *testing.T) {
	rep := &script.Report{Script: &script.Script{Ranks: 1}}
	for l := range 200_000 {
		rep.Failures = append(rep.Failures, &script.Failure{Stmt: &script.Stmt{Line: l}, Err: assert.AnError}, &script.Failure{Rank: 1, Stmt: &script.Stmt{Line: l}, Err: assert.AnError})
	}
	groups := sameFailures(rep)
	assert.Len(t, groups, 200_000)
	assert.Len(t, groups[7], 2)
}

// TestRacesNotListed: the number of races is true although not all are listed.
func TestRacesNotListed(t *testing.T) {
	const lines, all = 150, 150 * 151 / 2
	s, err := script.Parse("ranks 4\nall: open h f rdwr|create\n" + strings.Repeat("all: write_at h 0 int 1\n", lines) + "all: close h\n")
	require.NoError(t, err)
	rep, err := script.Run(t.Context(), s, script.Options{})
	require.NoError(t, err)
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	(&runSheet{rep: rep, fixes: script.Fixes(t.Context(), rep, script.Options{}), out: w}).write()
	require.NoError(t, w.Flush())
	assert.Contains(t, out.String(), fmt.Sprintf("\n%d more races; --whole shows all\n%d further races not listed: a run lists at most 10000 of a file\n",
		consistency.MostRaces-mostRaces, all-consistency.MostRaces))
	assert.Contains(t, out.String(), fmt.Sprintf("\n%d races. The script says neither", all))
}
