package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/machine/pattern"
)

// patternCommand is the command line of pattern.
type patternCommand struct {
	List patternList `cmd:"" help:"List the patterns." default:"1"`
	Show patternShow `cmd:"" help:"Show the parameters of a pattern, and what its ranks do."`
}

type patternList struct{ jsonFlag }

// A patternRow is a pattern in JSON.
type patternRow struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
	Source  string `json:"source"` // where its parameters come from
}

func (c *patternList) run(_ context.Context, stdout, _ io.Writer) (int, error) {
	if c.JSON {
		var all []patternRow
		for _, p := range pattern.All {
			all = append(all, patternRow{p.Name, p.Summary, p.Source})
		}
		return 0, inJSON(stdout, all)
	}
	for _, p := range pattern.All {
		fmt.Fprintf(stdout, "%-12s %s\n", p.Name, p.Summary)
	}
	fmt.Fprint(stdout, "\ncommworld pattern show NAME shows the parameters of one;\ncommworld cost --pattern 'NAME ARGS' --ranks N what it would cost.\n")
	return 0, nil
}

type patternShow struct {
	Name  []string `arg:"" help:"Pattern, and its parameters, in one pair of quotes."`
	Ranks int      `default:"4" placeholder:"N" help:"Number of ranks, ${default}."`
	Calls int      `default:"12" placeholder:"N" help:"Calls to show of each of the first ranks, ${default}."`

	jsonFlag
}

// A patternRank is what one rank does.
type patternRank struct {
	Rank  int      `json:"rank"`
	Calls int      `json:"calls"` // of the rank
	Shown []string `json:"shown"` // the first of them
}

// shownRanks is the number of ranks whose calls are shown.
const shownRanks = 4

func (c *patternShow) run(_ context.Context, stdout, _ io.Writer) (int, error) {
	line := strings.Join(c.Name, " ")
	w, err := pattern.Parse(line, c.Ranks)
	if err != nil {
		return 0, err
	}
	p := w.Pattern
	var ranks []patternRank
	for rank := range min(shownRanks, c.Ranks) {
		r := patternRank{Rank: rank, Calls: w.Steps(rank), Shown: []string{}}
		for i := range min(r.Calls, c.Calls) {
			s := w.Step(rank, i)
			text, err := w.Describe(&s)
			if err != nil {
				return 0, err
			}
			r.Shown = append(r.Shown, text)
		}
		ranks = append(ranks, r)
	}
	if c.JSON {
		return 0, inJSON(stdout, struct {
			patternRow
			Usage string        `json:"parameters"`
			Of    int           `json:"of"`    // the number of ranks
			Ranks []patternRank `json:"ranks"` // the first ones
		}{patternRow{p.Name, p.Summary, p.Source}, p.Usage(), c.Ranks, ranks})
	}
	fmt.Fprintf(stdout, "%s: %s\nsource: %s\n\nparameters\n%s", p.Name, p.Summary, p.Source, p.Usage())
	for _, r := range ranks {
		fmt.Fprintf(stdout, "\nrank %d of %d, %s\n", r.Rank, c.Ranks, plain.Count(r.Calls, "call"))
		for _, text := range r.Shown {
			fmt.Fprintf(stdout, "  %s\n", text)
		}
		if r.Calls > len(r.Shown) {
			fmt.Fprintf(stdout, "  and %d more; --calls shows them\n", r.Calls-len(r.Shown))
		}
	}
	if c.Ranks > shownRanks {
		fmt.Fprintf(stdout, "\nand %s\n", plain.Count(c.Ranks-shownRanks, "more rank"))
	}
	return 0, nil
}
