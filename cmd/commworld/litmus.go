package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/script"
)

// litmusCommand is the command line of litmus.
type litmusCommand struct {
	Names []string `arg:"" optional:"" help:"Tests to run, such as lit-32; without names, all."`
	Show  bool     `help:"Print the scripts instead."`
	Model string   `default:"weakest" placeholder:"MODEL" help:"When others see a write, as for run; ${default}."`
	JSON  bool     `name:"json" help:"Print one JSON object a line."`
}

// Help is what --help says between the summary and the flags.
func (*litmusCommand) Help() string {
	return `Each test is a script for commworld run. It is run under every schedule that makes
a difference, and what that shows has to be exactly what the standard allows.

  commworld litmus
  commworld litmus --show lit-04 > lit-04.mpio

--json prints {"name","title","ok","schedules","outcomes","races","unmet":[...]}.

The exit status is 0 if all came as the scripts say, 1 if not.`
}

func (c *litmusCommand) run(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	model, err := modelOf(c.Model)
	if err != nil {
		return 0, err
	}
	names, err := c.chosen()
	if err != nil {
		return 0, err
	}
	code, good := 0, 0
	for _, name := range names {
		text, err := fs.ReadFile(consistency.Litmus(), name)
		if err != nil {
			return 0, err
		}
		if c.Show {
			fmt.Fprint(stdout, string(text))
			continue
		}
		s := parseScript(string(text), name, stderr)
		if s == nil {
			return exitUsage, nil
		}
		rep, err := script.Explore(ctx, s, script.Options{Model: model})
		if err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		if rep.OK() {
			good++
		} else {
			code = 1
		}
		c.print(stdout, name, titleOf(string(text)), rep)
	}
	if !c.Show && !c.JSON {
		fmt.Fprintf(stdout, "%d of %s as expected\n", good, counted(len(names), "test"))
	}
	return code, nil
}

// chosen are the files of the tests asked for.
func (c *litmusCommand) chosen() ([]string, error) {
	all, err := fs.Glob(consistency.Litmus(), "*.mpio")
	if err != nil || len(c.Names) == 0 {
		return all, err
	}
	var names []string
	for _, want := range c.Names {
		name := strings.ToLower(strings.TrimSuffix(want, ".mpio")) + ".mpio"
		if _, err := fs.Stat(consistency.Litmus(), name); err != nil {
			return nil, fmt.Errorf("there is no litmus test %s; commworld litmus lists them", want)
		}
		names = append(names, name)
	}
	return names, nil
}

// titleOf is what the first comment of a script says.
func titleOf(text string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
	return first
}

func (c *litmusCommand) print(w io.Writer, name, title string, rep *script.Report) {
	if c.JSON {
		unmet := []string{}
		for _, u := range rep.Unmet {
			unmet = append(unmet, u.Text)
		}
		line, _ := json.Marshal(struct {
			Name      string   `json:"name"`
			Title     string   `json:"title"`
			OK        bool     `json:"ok"`
			Schedules int      `json:"schedules"`
			Outcomes  int      `json:"outcomes"`
			Races     int      `json:"races"`
			Unmet     []string `json:"unmet"`
		}{strings.TrimSuffix(name, ".mpio"), title, rep.OK(), rep.Schedules, len(rep.Outcomes), len(rep.Races), unmet})
		fmt.Fprintf(w, "%s\n", line)
		return
	}
	verdict, end := "ok  ", "no race"
	if !rep.OK() {
		verdict = "FAIL"
	}
	switch {
	case rep.Deadlock != nil:
		end = "deadlock"
	case len(rep.Failures) > 0:
		end = "error"
	case len(rep.Races) > 0:
		end = "race"
	}
	colours, on, off := colours(w), "", ""
	if colours && !rep.OK() {
		on, off = "\x1b[1;31m", "\x1b[0m"
	}
	fmt.Fprintf(w, "%s%s%s %3d/%-2d %-8s  %s\n", on, verdict, off, rep.Schedules, len(rep.Outcomes), end, title)
	for _, u := range rep.Unmet {
		fmt.Fprintf(w, "       line %d: %s\n", u.Line, u.Text)
	}
}
