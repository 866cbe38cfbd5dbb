package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/script"
)

// litmusCommand is the command line of litmus.
type litmusCommand struct {
	Names  []string `arg:"" optional:"" help:"Tests or twins to run, such as lit-32 or barrier-only; without names, all tests."`
	Twins  bool     `help:"Run the mistakes of real programs instead, each with its corrected twin."`
	Show   bool     `xor:"what" help:"Print the scripts instead."`
	Models bool     `xor:"what" help:"Print which outcomes and races each model shows instead."`
	Quiz   bool     `xor:"what" help:"Print a test without its answer instead, and questions about it."`
	Mark   string   `placeholder:"FILE" help:"With --quiz: mark the answers in FILE; - is standard input."`
	Model  string   `default:"weakest" placeholder:"MODEL" help:"When others see a write, as for run; ${default}."`
	JSON   bool     `name:"json" help:"Print one JSON object a line."`
}

// Help returns the text of --help between the summary and the flags.
func (*litmusCommand) Help() string {
	return `Each test is a script for commworld run. It is run under every schedule that makes
a difference. A test passes if every result is allowed by the standard and every
listed result occurs. Undefined results of races are sampled, not enumerated.

  commworld litmus
  commworld litmus --show lit-04 -o lit-04.mpio
  commworld litmus barrier-only
  commworld litmus --twins

Each line has the number of schedules, the number of outcomes, and what the first
races lack: the writer's sync, order, or the reader's sync. --twins runs 87 mistakes
of real programs: NAME-racy, and NAME-clean with the one change that fixes it; NAME
runs both.

--models has a column for each consistency model, which decides when other ranks see
a write. weakest is what the standard guarantees and no more. posix is what a laptop
does by luck; a program that needs it fails on other file systems. yes: some run has
the outcome; -: no run has it, and all were tried; ?: no run has it, but not all
were tried.

--quiz prints a test without comments and expectations, then questions. A student
adds answers as lines of the script, or changes its statements to remove the race.
If the test is a mistake, the changed script must end as the corrected program does.
--mark runs the file under every schedule and reports errors without showing the
answer.

  commworld litmus --quiz barrier-only -o answer.mpio
  commworld litmus --quiz barrier-only --mark answer.mpio

--json prints {"name","title","ok","schedules","outcomes","races","missing":[...],
"unmet":[...]}, with --models {"name","title","models":[...],"rows":[{"text",
"schedules":[...],"runs":[...]}],"races":[[...]],"complete":[...],"why":[...]},
where schedules, runs, races, complete and why have one entry for each model; runs
counts single runs where the exploration is not complete. With --mark it is the
object that course mark --json prints.

The exit status is 0 if all results are as the scripts say, 1 if not. With --mark it
is 0 if the answer is right, 1 if it is wrong, 2 if it could not be marked.`
}

func (c *litmusCommand) run(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	model, err := modelOf(c.Model)
	if err != nil {
		return 0, err
	}
	if c.Quiz || c.Mark != "" {
		return c.quiz(ctx, stdout)
	}
	names, err := c.chosen()
	if err != nil {
		return 0, err
	}
	code, good := 0, 0
	tick := ticking(stderr, "litmus")
	defer tick.end()
	out, colours := bufio.NewWriter(stdout), colours(stdout)
	for i, name := range names {
		text, err := fs.ReadFile(c.collectionOf(name), name)
		if err != nil {
			return 0, err
		}
		if c.Show {
			out.Write(text)
			continue
		}
		s := parseScript(string(text), name, stderr)
		if s == nil {
			return exitUsage, nil
		}
		if c.Models {
			tick.end() // its table comes piece by piece
			if err := errors.Join(c.matrix(ctx, out, name, titleOf(string(text)), s), out.Flush()); err != nil {
				return 0, err
			}
			continue
		}
		tick.say("litmus: test %d of %d, %s", i+1, len(names), name)
		rep, err := script.Explore(ctx, s, script.Options{Model: model})
		if err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		if ctx.Err() != nil && !rep.Complete {
			tick.hide()
			fmt.Fprintf(out, "%d of %s as expected, %s not run to the end\n", good, plain.Count(len(names), "test"), name)
			return 0, errors.Join(out.Flush(), context.Cause(ctx))
		}
		if rep.OK() {
			good++
		} else {
			code = 1
		}
		c.print(out, colours, name, titleOf(string(text)), rep)
		tick.hide()
		if err := out.Flush(); err != nil { // some tests take long
			return 0, err
		}
	}
	tick.end()
	if !c.Show && !c.Models && !c.JSON {
		fmt.Fprintf(out, "%d of %s as expected\n", good, plain.Count(len(names), "test"))
	}
	return code, out.Flush()
}

// collection returns the collection that the names refer to.
func (c *litmusCommand) collection() fs.FS {
	if c.Twins {
		return consistency.Twins()
	}
	return consistency.Litmus()
}

// collectionOf returns the collection that contains a file: no two have the same name.
func (c *litmusCommand) collectionOf(name string) fs.FS {
	if _, err := fs.Stat(consistency.Twins(), name); err == nil {
		return consistency.Twins()
	}
	return consistency.Litmus()
}

// chosen returns the files of the requested tests. A name may be of either collection.
func (c *litmusCommand) chosen() ([]string, error) {
	if len(c.Names) == 0 {
		return fs.Glob(c.collection(), "*.mpio")
	}
	all, err := fs.Glob(consistency.Litmus(), "*.mpio")
	if err != nil {
		return nil, err
	}
	twins, err := fs.Glob(consistency.Twins(), "*.mpio")
	if err != nil {
		return nil, err
	}
	all = append(all, twins...)
	var names []string
	for _, want := range c.Names {
		found := 0
		want = strings.ToLower(strings.TrimSuffix(want, ".mpio"))
		for _, name := range []string{want, want + "-racy", want + "-clean"} {
			if slices.Contains(all, name+".mpio") {
				names = append(names, name+".mpio")
				found++
			}
		}
		if found == 0 {
			return nil, fmt.Errorf("there is no test %s; without names, commworld litmus lists all tests, and with --twins the mistakes of real programs%s", want, brief.Meant(want, bareNames(all)))
		}
	}
	return names, nil
}

// bareNames returns the names of tests, from those of their files, and those of pairs.
func bareNames(files []string) (names []string) {
	for _, f := range files {
		name := strings.TrimSuffix(f, ".mpio")
		names = append(names, name)
		if pair, ok := strings.CutSuffix(name, "-racy"); ok {
			names = append(names, pair)
		}
	}
	return names
}

// titleOf returns the text of a script's first comment.
func titleOf(text string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
	return first
}

func (c *litmusCommand) print(w io.Writer, colours bool, name, title string, rep *script.Report) {
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
			Missing   []string `json:"missing"`
			Unmet     []string `json:"unmet"`
		}{strings.TrimSuffix(name, ".mpio"), title, rep.OK(), rep.Schedules, len(rep.Outcomes), len(rep.Races), missingOf(rep), unmet})
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
		end = "race: " + strings.Join(missingOf(rep), ", ")
	}
	on, off := "", ""
	if colours && !rep.OK() {
		on, off = "\x1b[1;31m", "\x1b[0m"
	}
	fmt.Fprintf(w, "%s%s%s %13s %11s  %-17s  %s\n", on, verdict, off,
		plain.Count(rep.Schedules, "schedule"), plain.Count(len(rep.Outcomes), "outcome"), end, title)
	for _, u := range rep.Unmet {
		fmt.Fprintf(w, "       line %d: %s\n", u.Line, u.Text)
	}
}

// missingOf returns the missing calls of the races, each once.
func missingOf(rep *script.Report) []string {
	all := []string{}
	for _, r := range rep.Races {
		if !slices.Contains(all, string(r.Missing)) {
			all = append(all, string(r.Missing))
		}
	}
	return all
}
