package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/commworld/commworld/lab"
	"github.com/commworld/commworld/script"
)

// fix prints the script without its races.
func (c *runCommand) fix(ctx context.Context, s *script.Script, opts script.Options, stdout, stderr io.Writer) (int, error) {
	rep, err := script.Explore(ctx, s, opts)
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
		out.WriteString(fixed.Script.String())
	}
	return 0, out.Flush()
}

// printFixJSON prints a repaired script, or why there is none, for machines.
func printFixJSON(w io.Writer, rep *script.Report, fixed *script.Repaired, failed error) {
	type fix struct {
		A   lab.Call `json:"a"`
		B   lab.Call `json:"b"`
		Fix string   `json:"fix"`
		Or  []string `json:"or"`
	}
	all := struct {
		OK     bool   `json:"ok"`
		Script string `json:"script"`
		Fixes  []fix  `json:"fixes"`
		Error  string `json:"error"`
	}{OK: failed == nil, Fixes: []fix{}}
	if failed != nil {
		all.Error = failed.Error()
	} else {
		all.Script = fixed.Script.String()
		for _, f := range fixed.Fixes {
			all.Fixes = append(all.Fixes, fix{lab.CallOf(rep, &f.Race.A), lab.CallOf(rep, &f.Race.B), f.String(), lab.NotNil(f.Or)})
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(all) // a writer that fails has no one to report to
}
