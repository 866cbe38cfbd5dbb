package main

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/lab"
)

// mostSchedulesToFix bounds the exploration in which --fix looks for races.
const mostSchedulesToFix = 10_000

// fix prints the script with its races fixed.
func (c *runCommand) fix(ctx context.Context, s *script.Script, opts script.Options, stdout, stderr io.Writer) (int, error) {
	// Races of many ranks have more schedules than there is time for, and changes are explored, too.
	first := opts
	first.MaxSchedules = min(opts.MaxSchedules, mostSchedulesToFix)
	seen, over := context.WithTimeoutCause(ctx, c.Timeout/4, fmt.Errorf("looking for races took longer than %v, a quarter of --timeout; give a longer one", c.Timeout/4))
	rep, err := script.Explore(seen, s, first)
	over()
	if err != nil {
		return 0, err
	}
	fixed, failed := script.Repair(ctx, rep, opts)
	out := bufio.NewWriter(stdout)
	if c.JSON {
		printFixJSON(out, rep, fixed, failed)
	}
	if failed != nil {
		if !c.JSON {
			fmt.Fprintf(stderr, "commworld: %s: no fix was found: %v\n", s.Name, failed)
		}
		return 1, out.Flush()
	}
	if !c.JSON {
		out.WriteString(fixed.Text)
		for _, left := range fixed.Left {
			fmt.Fprintf(stderr, "commworld: %s: no race is left, but --fix removes nothing else: %s\n", s.Name, left.Text)
		}
	}
	return 0, out.Flush()
}

// printFixJSON prints a repaired script as JSON, or the reason why there is none.
func printFixJSON(w io.Writer, rep *script.Report, fixed *script.Repaired, failed error) {
	type fix struct {
		A   lab.Call `json:"a"`
		B   lab.Call `json:"b"`
		Fix string   `json:"fix"`
		Or  []string `json:"or"`
	}
	all := struct {
		OK     bool        `json:"ok"`
		Script string      `json:"script"`
		Fixes  []fix       `json:"fixes"`
		Left   []lab.Unmet `json:"left"`
		Error  string      `json:"error"`
	}{OK: failed == nil, Fixes: []fix{}, Left: []lab.Unmet{}}
	if failed != nil {
		all.Error = failed.Error()
	} else {
		all.Script = fixed.Text
		for _, u := range fixed.Left {
			all.Left = append(all.Left, lab.Unmet{Line: u.Line, Text: u.Text})
		}
		for _, f := range fixed.Fixes {
			all.Fixes = append(all.Fixes, fix{lab.CallOf(rep, &f.Race.A), lab.CallOf(rep, &f.Race.B), f.String(), lab.NotNil(f.Or)})
		}
	}
	_ = inJSON(w, all) // a write error cannot be reported
}
