package script

import (
	"fmt"
	"slices"
	"strings"
)

// A Stage is the part of a run that is shown as one step: a statement of one rank, or the
// statements by which several ranks meet in one collective call.
type Stage struct {
	Events []*Event // in the order in which they took effect
	Last   int      // the index in Report.Log of the last one; Moments[Last+1] is the state after it
}

// Stages returns the steps of a [Run] in order. A collective call is one step, although its
// ranks return from it one after another. It is several steps only if a rank did something
// else in between, as in a call that need not wait for others.
func (r *Report) Stages() []Stage {
	links, _ := r.connections()
	end := make([]int, len(r.Log)) // by first event of a meeting: the index behind its last one
	for _, m := range links.Meetings {
		first, last := slices.Min(m.Events), slices.Max(m.Events)
		if last-first == len(m.Events)-1 {
			end[first] = max(end[first], last+1)
		}
	}
	var all []Stage
	for i := 0; i < len(r.Log); {
		next := max(end[i], i+1)
		all = append(all, Stage{r.Log[i:next], next - 1})
		i = next
	}
	return all
}

// String returns the statements with their ranks and lines. Ranks that make the same call
// share it; of syncs it says in which order they took effect.
func (s Stage) String() string {
	type group struct {
		line  int
		text  string
		ranks []int
	}
	var groups []*group
	for _, e := range slices.SortedStableFunc(slices.Values(s.Events), func(a, b *Event) int { return a.Rank - b.Rank }) {
		text := e.Text()
		if e.Err != nil {
			text += " FAILS"
		}
		i := slices.IndexFunc(groups, func(g *group) bool { return g.line == e.Stmt.Line && g.text == text })
		if i < 0 {
			i, groups = len(groups), append(groups, &group{line: e.Stmt.Line, text: text})
		}
		groups[i].ranks = append(groups[i].ranks, e.Rank)
	}
	var parts []string
	for _, g := range groups {
		parts = append(parts, fmt.Sprintf("%s, line %d: %s", rankNames(g.ranks), g.line, g.text))
	}
	text := strings.Join(parts, "; ")
	if len(s.Events) > 1 && s.Events[0].Stmt.Routine == "sync" {
		var order []string
		for _, e := range s.Events {
			order = append(order, fmt.Sprintf("rank %d", e.Rank))
		}
		text += " (" + strings.Join(order, ", then ") + ")"
	}
	return text
}

// rankNames names ascending ranks: "rank 2", "ranks 0 and 1" or "ranks 0 to 7".
func rankNames(ranks []int) string {
	n := len(ranks)
	switch {
	case n == 1:
		return fmt.Sprintf("rank %d", ranks[0])
	case n == 2:
		return fmt.Sprintf("ranks %d and %d", ranks[0], ranks[1])
	case ranks[n-1]-ranks[0] == n-1:
		return fmt.Sprintf("ranks %d to %d", ranks[0], ranks[n-1])
	}
	return "ranks " + strings.Trim(strings.ReplaceAll(fmt.Sprint(ranks), " ", ", "), "[]")
}
