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

type patternList struct{}

func (*patternList) run(_ context.Context, stdout, _ io.Writer) (int, error) {
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
	fmt.Fprintf(stdout, "%s: %s\nsource: %s\n\nparameters\n%s", p.Name, p.Summary, p.Source, p.Usage())
	for rank := range min(shownRanks, c.Ranks) {
		n := w.Steps(rank)
		fmt.Fprintf(stdout, "\nrank %d of %d, %s\n", rank, c.Ranks, plain.Count(n, "call"))
		for i := range min(n, c.Calls) {
			s := w.Step(rank, i)
			text, err := w.Describe(&s)
			if err != nil {
				return 0, err
			}
			fmt.Fprintf(stdout, "  %s\n", text)
		}
		if n > c.Calls {
			fmt.Fprintf(stdout, "  and %d more; --calls shows them\n", n-c.Calls)
		}
	}
	if c.Ranks > shownRanks {
		fmt.Fprintf(stdout, "\nand %s\n", plain.Count(c.Ranks-shownRanks, "more rank"))
	}
	return 0, nil
}
