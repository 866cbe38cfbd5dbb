package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/commworld/commworld/internal/show/findings"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/teach/course"
)

// courseCommand is the command line of course.
type courseCommand struct {
	List  courseList  `cmd:"" help:"List the lessons."`
	Show  courseShow  `cmd:"" help:"Print the page of a lesson."`
	Start courseStart `cmd:"" help:"Write the exercise of a lesson as a module of your own."`
	Mark  courseMark  `cmd:"" help:"Mark a submission."`
}

// Help returns the text of --help between the summary and the flags.
func (*courseCommand) Help() string {
	return `Twenty-four lessons on MPI-IO. Each has a page to read, a program to run, and an
exercise. Marking runs a submission under several schedules, numbers of ranks and
sizes, and judges its results.

  commworld course list
  commworld course show 17
  commworld course start 17 lesson17
  commworld course mark 17 lesson17`
}

type courseList struct {
	jsonFlag
}

func (c *courseList) run(_ context.Context, stdout, _ io.Writer) (int, error) {
	if c.JSON {
		type row struct {
			Number int    `json:"number"`
			Name   string `json:"name"`
			Title  string `json:"title"`
		}
		var all []row
		for _, l := range course.Lessons() {
			all = append(all, row{l.Number, l.Name, l.Title})
		}
		return 0, inJSON(stdout, all)
	}
	for _, l := range course.Lessons() {
		fmt.Fprintf(stdout, "%-22s  %s\n", l.Name, l.Title)
	}
	return 0, nil
}

type courseShow struct {
	Lesson string `arg:"" help:"Number or name of the lesson, such as 17."`
	Name   string `arg:"" optional:"" help:"With --wrong, the wrong submission to print."`
	Wrong  bool   `help:"List the typical wrong submissions of the exercise, or print the one named."`
	Script bool   `help:"Print the exercise for a rank script."`

	jsonFlag
}

// Help returns the text of --help between the summary and the flags.
func (*courseShow) Help() string {
	return `The exercise for a rank script, which needs no Go:

  commworld course show 17 --script -o 17.mpio
  commworld course mark 17 17.mpio

Typical wrong submissions, to show or to mark:

  commworld course show 17 --wrong
  mkdir try
  commworld course show 17 --wrong sleeps -o try/main.go
  commworld course mark 17 try`
}

func (c *courseShow) run(_ context.Context, stdout, _ io.Writer) (int, error) {
	l, err := course.Find(c.Lesson)
	if err != nil {
		return 0, err
	}
	text := l.Text()
	switch {
	case c.Wrong && c.Script:
		err = errors.New("--wrong and --script print different files: give one")
	case c.Script && c.Name == "":
		text, err = l.Script()
	case c.Wrong && c.Name == "":
		text = strings.Join(l.Wrong(), "\n") + "\n"
	case c.Wrong:
		_, text, err = l.WrongSubmission(c.Name)
	case c.Name != "":
		err = fmt.Errorf("%s: only wrong submissions have names; add --wrong", c.Name)
	}
	if err != nil {
		return 0, err
	}
	if c.JSON {
		return 0, inJSON(stdout, struct {
			Number int      `json:"number"`
			Name   string   `json:"name"`
			Title  string   `json:"title"`
			Text   string   `json:"text"`  // of the page, or of the submission that was asked for
			Wrong  []string `json:"wrong"` // names of wrong submissions
		}{l.Number, l.Name, l.Title, text, l.Wrong()})
	}
	if terminal(stdout) && !c.Wrong && !c.Script {
		text = reflowed(text, max(40, columns(stdout)))
	}
	_, err = io.WriteString(stdout, text)
	return 0, err
}

type courseStart struct {
	Lesson string `arg:"" help:"Number or name of the lesson, such as 17."`
	Dir    string `arg:"" help:"New folder for the exercise."`
	Clone  string `placeholder:"DIR" help:"Clone of commworld that the module uses; without it, start searches for one."`
}

// Help returns the text of --help between the summary and the flags.
func (*courseStart) Help() string {
	return `start writes a go.mod, a README.md with the task, and a program to complete. The
module uses a clone of commworld: that of --clone, one above the current folder, or
the one that this command was built in; otherwise the released version.`
}

func (c *courseStart) run(ctx context.Context, stdout, _ io.Writer) (int, error) {
	l, err := course.Find(c.Lesson)
	if err != nil {
		return 0, err
	}
	clone := c.Clone
	if clone != "" {
		if clone, err = filepath.Abs(clone); err != nil {
			return 0, err
		}
	}
	mark := l.MarkCommand(c.Dir, clone)
	if err := l.Start(ctx, c.Dir, clone); err != nil {
		return 0, err
	}
	fmt.Fprintf(stdout, "%s has the exercise of lesson %02d, %s. Read its README.md, then:\n\n", c.Dir, l.Number, l.Title)
	fmt.Fprintf(stdout, "  cd %s\n  go run .\n  %s\n", c.Dir, mark)
	return 0, nil
}

type courseMark struct {
	Lesson  string        `arg:"" help:"Number or name of the lesson, such as 17."`
	Dir     string        `arg:"" help:"Folder of the Go program, or a script FILE.mpio."`
	Timeout time.Duration `default:"5s" placeholder:"TIME" help:"Longest time of one run, ${default}."`
	Memory  string        `default:"1GB" placeholder:"SIZE" help:"Most memory of one run, ${default}."`
	Clone   string        `placeholder:"DIR" help:"Clone of commworld to build with; without it, mark searches for one."`

	gradeFlags
	formatFlags
}

// Help returns the text of --help between the summary and the flags.
func (*courseMark) Help() string {
	return `mark builds the program and runs it in separate processes with limits on time and
memory: for several numbers of ranks and sizes, each under four schedules, with
every check of commworld check. It judges the bytes of the files, the output and the
accesses. Marking stops after the first size with a finding.

mark builds with your clone of commworld and ignores the go.mod of the submission:
main.go is enough.

A submission can be a rank script, too: course show NN --script prints the exercise.
mark runs it under every schedule that makes a difference, and recognises typical
mistakes by what the script does.

--format prints the findings for machines: json, sarif, junit, or github, also for
a submission that could not be marked. --json prints {"version","command","target",
"ok","exit","findings":[{"kind","rule","ranks","places","text","fix","run"}],"lesson",
"verdict":"right"|"wrong"|"not marked","summary","runs","reason"}; its schema is
docs/schema/mark.v1.json.

In exercises that ask for the reason of a mistake, mark judges the repair and prints
the reason for the teacher: also in --json and in the last column of --csv.

With --all, DIR is a class: a folder or a script for each student. A folder may have
the submission in a folder of its own, such as lesson17. --csv writes a gradebook:

  commworld course mark 17 submissions --all --points 4 --csv lesson17.csv

For autograders, --results prints the form that Gradescope or GitHub Classroom reads:

  commworld course mark 17 . --results gradescope -o /autograder/results/results.json
  commworld course mark 17 . --results classroom >> "$GITHUB_OUTPUT"

The exit status of --all is 0 if each submission was tried, also if some are wrong or
could not be marked. Otherwise it is 0 if the submission is right, 1 if it is wrong, 2 if it could not
be marked: it is missing, it does not compile, or wrong use.`
}

func (c *courseMark) run(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	l, err := course.Find(c.Lesson)
	if err != nil {
		return 0, err
	}
	memory, err := bytesOf(c.Memory)
	if err != nil {
		return 0, err
	}
	if err := c.fit(c.machine()); err != nil {
		return 0, err
	}
	if c.Timeout <= 0 {
		return 0, fmt.Errorf("--timeout %v: more than 0", c.Timeout)
	}
	temp, remove, err := tempFolder("commworld-mark-")
	if err != nil {
		return 0, err
	}
	defer remove()
	limits := course.Limits{Time: c.Timeout, Memory: memory, Clone: c.Clone, Temp: temp}
	if c.All {
		return 0, c.markAll(ctx, l, limits, stdout, stderr)
	}
	tick, began := ticking(stderr, "marking "+c.Dir), time.Now()
	m, err := l.Mark(ctx, c.Dir, limits)
	tick.end()
	if err != nil && (c.Format != "text" || c.Results != "") && ctx.Err() == nil { // an automatic grader needs a report for each submission
		m, err = l.Unmarked(err), nil
	}
	if err != nil {
		return 0, err
	}
	switch c.Results {
	case "gradescope":
		return verdictExit(m.Verdict), c.gradescope(stdout, m, time.Since(began))
	case "classroom":
		return verdictExit(m.Verdict), c.classroom(stdout, m, time.Since(began))
	}
	return c.printMark(stdout, "course mark", c.Dir, m)
}

// printMarking prints a marking for the student: first the mistake, in one sentence.
func printMarking(w io.Writer, m *course.Marking) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", m.Lesson, m.Summary)
	if m.Verdict == course.Right {
		fmt.Fprintf(&b, "%s, no findings\n", plain.Count(m.Runs, "run"))
	}
	if m.Reason != "" {
		fmt.Fprintf(&b, "\nreason given, for the teacher to judge:\n")
		indented(&b, "  ", m.Reason)
	}
	for i := range m.Findings {
		f := &m.Findings[i]
		head := f.Kind
		if f.Rule != "" {
			head += " (" + f.Rule + ")"
		}
		if len(f.Ranks) > 0 {
			head += " on " + rankList(f.Ranks)
		}
		if len(f.Lines) > 0 {
			head += " at " + strings.Join(f.Lines, ", ")
		}
		fmt.Fprintf(&b, "\n%s\n", head)
		indented(&b, "  ", f.Text)
		if f.With != "" {
			fmt.Fprintf(&b, "  seen with: %s\n", f.With)
		}
		if !findings.Says(f.Text, f.Fix) {
			fmt.Fprintf(&b, "  what to do:\n")
			indented(&b, "    ", f.Fix)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// indented writes the lines of a text with a margin.
func indented(b *strings.Builder, margin, text string) {
	for line := range strings.Lines(strings.TrimSpace(text)) {
		fmt.Fprintf(b, "%s%s\n", margin, strings.TrimRight(line, "\n"))
	}
}

// inJSON writes a value in one line of JSON.
func inJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}
