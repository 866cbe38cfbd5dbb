package sched

import (
	"slices"
	"strings"
)

// A RankCall is the collective call that a rank is in, and its line if known.
type RankCall struct {
	Rank int
	Name string
	At   Place
}

// DifferentCalls returns a text about ranks that are in different collective calls; ranks
// of one call and line are listed together:
//
//	ranks are in different collective calls: ranks 0, 2-5 in Barrier (a.go:7), rank 1 in Bcast (a.go:9)
func DifferentCalls(calls []RankCall) string {
	ranks := map[string][]int{}
	var order []string
	for _, c := range calls {
		in := c.Name
		if at := c.At.String(); at != "" {
			in += " (" + at + ")"
		}
		if ranks[in] == nil {
			order = append(order, in)
		}
		ranks[in] = append(ranks[in], c.Rank)
	}
	for i, in := range order {
		slices.Sort(ranks[in])
		order[i] = RankList(ranks[in]) + " in " + in
	}
	return "ranks are in different collective calls: " + strings.Join(order, ", ")
}
