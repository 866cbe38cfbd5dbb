package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/machine/replay"
)

// A triedFinding is a finding with the ways that were run in place of the job's own.
type triedFinding struct {
	Kind  string     `json:"kind"`
	File  string     `json:"file,omitempty"`
	Files int        `json:"files,omitempty"`
	Text  string     `json:"text"`
	Tried []triedWay `json:"tried"`
}

// A triedWay is a way that was run, and how many times less time it takes for the file.
type triedWay struct {
	Way    string  `json:"way"`
	Name   string  `json:"name"`
	Faster float64 `json:"faster"`
}

// findings returns the findings of the trace; their ways are run on the accesses of the
// finding's file alone.
func (c *replayCommand) findings(ctx context.Context, t *jobTrace, o replay.Options, hints *machine.Options, m machine.Machine) ([]triedFinding, error) {
	type key struct {
		file string
		way  replay.Way
	}
	known := map[key]float64{}
	seconds := func(file string, way replay.Way) (float64, error) {
		if s, ok := known[key{file, way}]; ok {
			return s, nil
		}
		r, err := c.replay(ctx, &jobTrace{t.Only(file)}, way, o, hints, m)
		if err != nil {
			return 0, err
		}
		known[key{file, way}] = r.Seconds
		return r.Seconds, nil
	}
	list := []triedFinding{}
	for _, f := range t.Findings(o.Stripe) {
		x := triedFinding{Kind: f.Kind, File: f.File, Files: f.Files, Text: f.String(), Tried: []triedWay{}}
		if len(f.Try) > 0 && t.Only(f.File) != nil {
			was, err := seconds(f.File, replay.AsItWas)
			if err != nil {
				return nil, err
			}
			for _, way := range f.Try {
				s, err := seconds(f.File, way)
				if err != nil {
					return nil, err
				}
				if s > 0 {
					x.Tried = append(x.Tried, triedWay{way.Key(), way.String(), was / s})
				}
			}
		}
		list = append(list, x)
	}
	return list, nil
}

// worthIt is how many times less time a way has to take before a report recommends it.
const worthIt = 1.05

// printFindings prints the findings, and what the tries showed.
func printFindings(out io.Writer, list []triedFinding) {
	for i := range list {
		f := &list[i]
		fmt.Fprintf(out, "\n%s: %s\n", f.Kind, f.Text)
		best, all := triedWay{}, make([]string, len(f.Tried))
		for k, w := range f.Tried {
			all[k] = fmt.Sprintf("%s %.2fx", w.Name, w.Faster)
			if w.Faster > best.Faster {
				best = w
			}
		}
		switch {
		case len(all) == 0:
		case best.Faster >= worthIt:
			fmt.Fprintf(out, "  run in the model: %s; %s takes %.3gx less time for this file\n", strings.Join(all, ", "), best.Name, best.Faster)
		default:
			fmt.Fprintf(out, "  run in the model: %s; no way is faster for this file, so leave it\n", strings.Join(all, ", "))
		}
	}
}
