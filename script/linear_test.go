package script

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/consistency"
)

// linear checks that the steps of a run are in an order that the program allows: no step is
// shown before one that happens before it, and the ranks of a meeting are shown together, so
// that no rank seems to have left it before another one came.
func linear(t require.TestingT, name string, rep *Report) {
	links := rep.Links()
	mutual := func(a, b int) bool { // two sendrecvs need each other
		return slices.Contains(links.Messages, [2]int{a, b}) && slices.Contains(links.Messages, [2]int{b, a})
	}
	for b := range rep.Log {
		for a := range b {
			if rep.Log[a].Rank != rep.Log[b].Rank && links.Before(rep, b, a) && !mutual(a, b) {
				require.Fail(t, "a step before one that it needs", "%s: step %d, rank %d: %v, before step %d, rank %d: %v",
					name, a+1, rep.Log[a].Rank, rep.Log[a].Stmt, b+1, rep.Log[b].Rank, rep.Log[b].Stmt)
			}
		}
	}
	for _, m := range links.Meetings {
		if lo, hi := slices.Min(m.Events), slices.Max(m.Events); hi-lo != len(m.Events)-1 {
			require.Fail(t, "a step within a meeting", "%s: %v: steps %v, between them step %d: %v", name, rep.Log[lo].Stmt, m.Events, lo+2, rep.Log[lo+1].Stmt)
		}
	}
	if rep.Moments == nil {
		return
	}
	require.Len(t, rep.Moments, len(rep.Log)+1)
	for i, m := range rep.Moments[1:] {
		require.Same(t, rep.Log[i], m.Event, "%s: moment %d", name, i+1)
		for rank, n := range m.steps {
			require.GreaterOrEqual(t, n, rep.Moments[i].steps[rank], "%s: step %d of rank %d", name, i+1, rank)
			for handle, v := range m.seen[rank] {
				if file := m.fileOf(rank, handle); file != "" {
					require.LessOrEqual(t, v, m.Versions[file], "%s: step %d: rank %d sees a version that is not published", name, i+1, rank)
				}
			}
		}
	}
}

// TestStepsAreAnOrder: if it fails, a class sees a barrier that does not hold.
func TestStepsAreAnOrder(t *testing.T) {
	for _, all := range []fs.FS{consistency.Litmus(), consistency.Twins()} {
		names, err := fs.Glob(all, "*.mpio")
		require.NoError(t, err)
		for _, name := range names {
			text, err := fs.ReadFile(all, name)
			require.NoError(t, err)
			s, err := Parse(string(text))
			require.NoError(t, err)
			for seed := range uint64(4) {
				rep, err := Run(t.Context(), s, Options{Seed: seed, Moments: true})
				require.NoError(t, err)
				linear(t, fmt.Sprint(name, " seed ", seed), rep)
			}
		}
	}
	t.Run("random", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			text := racyProgram(t)
			s, err := Parse(text)
			require.NoError(t, err, text)
			rep, err := Run(t.Context(), s, Options{Seed: rapid.Uint64().Draw(t, "seed"), Moments: rapid.Bool().Draw(t, "moments")})
			require.NoError(t, err, text)
			linear(t, text, rep)
		})
	})
}

// TestStepsOfMessages: a message is shown sent before it is received, although a sender that
// waits for its receiver returns later.
func TestStepsOfMessages(t *testing.T) {
	for _, text := range []string{
		"ranks 2\n0: ssend 1 7 byte 1\n1: recv 0 7 byte*1 -> x\n0: ssend 1 7 byte 1\n1: recv 0 7 byte*1 -> y\nall: barrier\n",
		"ranks 3\nall: barrier\n0: bcast 0 byte 1\n1,2: bcast 0 byte*1 -> x\nall: barrier\n",
	} {
		s, err := Parse(text)
		require.NoError(t, err)
		for seed := range uint64(10) {
			rep, err := Run(t.Context(), s, Options{Seed: seed})
			require.NoError(t, err)
			linear(t, text, rep)
			for _, m := range rep.Links().Messages {
				assert.Less(t, m[0], m[1], text)
			}
		}
	}
}

// TestLinearOrderInACircle: if calls wait for each other in a circle, each event is still shown
// once, and each rank's events in its order.
func TestLinearOrderInACircle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const ranks = 3
		n := rapid.IntRange(1, 20).Draw(t, "events")
		o := &linearOrder{log: make([]*Event, n), need: make([]int, n), after: make([][]int, n), group: make([]int, n), done: make([]bool, n)}
		last := [ranks]int{-1, -1, -1}
		for i := range n {
			r := rapid.IntRange(0, ranks-1).Draw(t, "rank")
			o.log[i], o.group[i] = &Event{Rank: r}, -1
			if last[r] >= 0 {
				o.edge(last[r], i)
			}
			last[r] = i
		}
		for range rapid.IntRange(0, 6).Draw(t, "messages") {
			if a, b := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to"); o.log[a].Rank != o.log[b].Rank {
				o.edge(a, b)
			}
		}
		for range rapid.IntRange(0, 4).Draw(t, "meetings") {
			var meeting []int
			for r := range ranks {
				free := slices.IndexFunc(o.log, func(e *Event) bool { return e.Rank == r && rapid.Bool().Draw(t, "here") })
				if free >= 0 && o.group[free] < 0 {
					meeting = append(meeting, free)
				}
			}
			if len(meeting) > 1 && !slices.ContainsFunc(meeting, func(a int) bool {
				return slices.ContainsFunc(meeting, func(b int) bool { return slices.Contains(o.after[a], b) })
			}) {
				for _, i := range meeting {
					o.group[i] = len(o.groups)
				}
				o.groups = append(o.groups, meeting)
			}
		}
		order := o.sorted()
		assert.Len(t, order, n)
		was := [ranks]int{-1, -1, -1}
		seen := map[int]bool{}
		for _, i := range order {
			assert.False(t, seen[i])
			assert.Greater(t, i, was[o.log[i].Rank])
			seen[i], was[o.log[i].Rank] = true, i
		}
	})
}

// TestStepsExplainStaleReads: if it fails, a run in which a read is stale shows the reader's
// sync after the writer's, so that it should have fetched what was written.
func TestStepsExplainStaleReads(t *testing.T) {
	text, err := os.ReadFile("../examples/stale.mpio")
	require.NoError(t, err)
	s, err := Parse(string(text))
	require.NoError(t, err)
	all, err := Explore(t.Context(), s, Options{})
	require.NoError(t, err)
	require.Len(t, all.Outcomes, 2)
	how := []Options{{Replay: all.Outcomes[0].Witness}, {Replay: all.Outcomes[1].Witness}}
	for seed := range uint64(20) {
		how = append(how, Options{Seed: seed}, Options{Seed: seed, Model: consistency.Session}, Options{Seed: seed, Model: consistency.Commit})
	}
	stale := 0
	for _, o := range how {
		o.Moments = true
		rep, err := Run(t.Context(), s, o)
		require.NoError(t, err)
		linear(t, fmt.Sprint(o), rep)
		var syncs []int // their ranks
		for _, e := range rep.Log {
			if e.Stmt.Routine == "sync" {
				syncs = append(syncs, e.Rank)
			}
		}
		if x := rep.Outcomes[0].Ending.Results[1]["x"]; x.Data[0] == 0 {
			stale++
			assert.Equal(t, []int{1, 0}, syncs, "%+v", o)
		}
	}
	assert.Positive(t, stale)
}
