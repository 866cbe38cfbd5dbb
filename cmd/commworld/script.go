package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/show/findings"
	"github.com/commworld/commworld/internal/show/outputs"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/lab"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// exitRace is the exit status of a script that raced and has no line about races.
const exitRace = 3

// mostFixing bounds the search for fixes of a run with many races, so that its report does
// not wait for them; --fix may use all of --timeout. Tests wait longer.
var mostFixing = 5 * time.Second

func fixesInTime(ctx context.Context, rep *script.Report, o script.Options) []*script.Fix {
	search, over := context.WithTimeoutCause(ctx, mostFixing, fmt.Errorf("the search took longer than %v", mostFixing))
	defer over()
	return script.Fixes(search, rep, o)
}

// runCommand is the command line of run.
type runCommand struct {
	Script    string        `arg:"" help:"File of the script; - is standard input."`
	Seed      uint64        `default:"0" placeholder:"N" help:"Run once, under the schedule with this number, ${default}."`
	Replay    string        `placeholder:"WITNESS" help:"Run once, under a schedule that was printed."`
	Explore   bool          `help:"Run under every schedule that makes a difference."`
	Model     string        `default:"weakest" placeholder:"MODEL" help:"When others see a write: weakest, session, commit, posix or chaos:SEED; ${default}."`
	Match     string        `placeholder:"NAME" help:"Rule by which datatypes match a view, for opens that do not set it with match=NAME: final, source000, size or written; without it final, except that etype byte allows any filetype."`
	Markers   string        `placeholder:"NAME" help:"Force of the bounds of resized types, subarrays and darrays: sticky, as in the standard, or weak; without it, the script's own."`
	SVG       string        `type:"output" name:"svg" placeholder:"FILE" help:"Write a space-time diagram of the run, as PNG if FILE ends in .png; - is standard output."`
	HTML      string        `type:"output" name:"html" placeholder:"FILE" help:"Write a self-contained HTML page of the run: what each rank may read, step by step; - is standard output."`
	Frames    string        `placeholder:"DIR" help:"Write a slide of each step into this folder, as SVG and as PNG of 1920 by 1080 pixels."`
	Steps     bool          `help:"Print what each rank may read after each statement instead."`
	Trace     string        `type:"output" placeholder:"FILE" help:"Write Chrome trace events of the run, for Perfetto."`
	Report    bool          `help:"Print what the ranks did as well: messages, collectives, files, and the requests of the file system with Darshan's counters."`
	Fix       bool          `help:"Print the script without its races instead: run it, fix a race, run it again until no race is left."`
	Width     *int          `placeholder:"COLUMNS" help:"Width of a line in characters; 0: no limit. Without it, the width of the terminal, COLUMNS or 80. Cells that were cut are printed in full below the table."`
	Whole     bool          `help:"Print all rows of the diagram, all races and all errors; without it, 500 rows, 50 races and 50 errors."`
	Schedules int           `default:"100000" placeholder:"N" help:"Limit on the schedules to explore, ${default}."`
	Timeout   time.Duration `default:"1m" placeholder:"TIME" help:"Time limit, ${default}."`

	formatFlags
}

// Help returns the text of --help between the summary and the flags.
func (*runCommand) Help() string {
	return `A script says what each rank does with files and messages, and how it may end:

  ranks 2
  all:
    open h f rdwr|create
  0:
    write_at h 0 int 7          0:, 1,3: or 0-2: begin the statements of these ranks
    barrier
  1:
    barrier
    look h 0 int*1              reports what a read may return here, without a read
    read_at h 0 int*1 -> x
  all:
    close h
  allow 1:x = 7                 all allowed outcomes, joined by |
  norace                        or race, deadlock, error CLASS at RANK:LINE

  commworld run stale.mpio
  commworld run --explore stale.mpio
  commworld run --replay choices:0.1.2 stale.mpio
  commworld run --fix stale.mpio -o fixed.mpio
  commworld run --html stale.html stale.mpio
  commworld run --frames slides stale.mpio

With --explore each outcome has a reason: the orders of calls, and the results of
racing reads, that distinguish its runs from those of other outcomes. Only calls
that share bytes in a run, or move the shared pointer, are compared. If an outcome
has several reasons, or no short one is known, "one way" precedes what one of its
runs was like; where that is too long, nothing is printed. The witness is the run
with the fewest switches between ranks.

Each race has a fix: what to add or change, after which line and on which ranks. run
tries each fix before it prints it, together with the fixes before it: the race is
gone, and there is no new error or deadlock. --fix applies all fixes and prints the
script, with its comments and layout. Lines about races become norace, and allow
lists the new outcomes.

The documentation of package script has the whole language, and commworld litmus
--show NAME prints a litmus test as an example.

--format prints the findings for machines: json, sarif, junit, or github. Findings are
races, errors and results that the script does not expect, in the shape of check.
--json prints {"version","command","target","ok","exit","error","findings":[{"kind",
"rule","ranks","places","text","fix","replay","with"}],"outcomes":[{"vars":{"RANK.NAME":value},"files":{"NAME":"hex"},
"schedules","allowed","witness","text":[...],"reason","always"}],"races":[{"bytes":[lo,hi],
"a":{"rank","line","op"},"b":{...},"missing","rule","fix","have":[...],"late","or":[...],"views",
"view_command"}],"errors":[{"rank","line","class","rule"}], "deadlock":null or
{"ranks":[{"rank","line","waits","needs","missing":[...],
"unreceived":[{"source","tag","comm","count","line"}]}]}, "unmet":[{"line","text"}],
"looks":[{"rank","line","text","version","newest","unpublished":[[lo,hi]],"may":[{
"bytes":[lo,hi],"values":[{"from","rank","line","hex"}]}]}],
"schedules","complete"}. If an exploration is not complete, "why" follows. Races and
the deadlock also have "replay", a witness. Data are hexadecimal as in memory,
numbers are numbers, and bytes that no rank wrote are "..". "text" has the results
by their types; [lo,hi] means the bytes from lo to hi-1. "reason" is what gives this
outcome and no other one; "always" is true if every run with the outcome has that
reason. "have" lists the calls of the fix that are present, "late" the sync that is
in the wrong place, "or" other fixes, "views" and "view_command" the errors of two
views and the command that draws them. "needs" names the ranks that a collective
call needs, "missing" those that have not called it, and "unreceived" the messages
that arrived and match no receive. The schema is docs/schema/run.v1.json. With --fix it is
{"ok","script","fixes":[{"a","b","fix","or"}],"left":[{"line","text"}],"error"};
"left" lists the unexpected errors and the deadlock that remain.

The exit status is 0 if all results are as the script says, 1 if not, 2 if the
script is invalid, 3 if there is a race and no line about races. With --fix it is 0,
or 1 if no fix was found. Standard error then has the reason, and any deadlock or
error that remains.`
}

func (c *runCommand) run(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	if !c.machine() {
		return c.carry(ctx, stdout, stderr)
	}
	said, out := &lastWords{w: stderr}, &counter{w: stdout}
	code, err := c.carry(ctx, out, said)
	if out.n > 0 {
		return code, err
	}
	o := &outputs.Run{Report: findings.New("run", filepath.ToSlash(c.Script)), Result: lab.NewResult(&script.Report{}, nil)}
	status, why := ended(code, err, said)
	return status, errors.Join(err, c.print(stdout, &o.Report, o, status, why))
}

// carry does the work of run.
func (c *runCommand) carry(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	s, err := readScript(ctx, c.Script, stderr)
	if err != nil || s == nil {
		return exitUsage, err
	}
	opts, err := c.options()
	if err == nil {
		err = setMarkers(s, c.Markers)
	}
	if err != nil {
		return 0, err
	}
	ctx, stop := context.WithTimeoutCause(ctx, c.Timeout, fmt.Errorf("the script ran for %v, longer than --timeout", c.Timeout))
	defer stop()
	sheet := &runSheet{explored: c.Explore, colours: colours(stdout), width: c.width(stdout), whole: c.Whole}
	tick := ticking(stderr, map[bool]string{true: "exploring ", false: "running "}[c.Explore]+c.Script)
	if c.Fix {
		tick.say("looking for fixes of %s", c.Script)
	}
	defer tick.end()
	return printed(c.Timeout, stdout, stderr, func(out, errs io.Writer) (int, error) {
		defer tick.end()
		if c.Fix {
			return c.fix(ctx, s, opts, out, errs)
		}
		return c.judge(ctx, s, opts, sheet, out)
	})
}

// judge runs the script and prints what came out.
func (c *runCommand) judge(ctx context.Context, s *script.Script, opts script.Options, sheet *runSheet, stdout io.Writer) (int, error) {
	rep, err := c.carryOut(ctx, s, opts)
	if rep == nil {
		return 0, err
	}
	if err == nil && ctx.Err() != nil && !rep.Complete && c.Explore {
		err = context.Cause(ctx)
	}
	fixes := fixesInTime(ctx, rep, opts)
	if err := c.draw(ctx, rep, stdout); err != nil {
		return 0, err
	}
	out := bufio.NewWriter(stdout)
	switch {
	case c.Steps:
		text, failed := lab.Steps(ctx, rep)
		out.WriteString(text)
		err = errors.Join(err, failed)
	case c.machine():
		o := runOutput(c.Script, rep, fixes)
		if c.Report {
			o.World = rep.World
		}
		status, why := exitOf(rep), err
		if err != nil {
			status = exitUsage
		}
		err = errors.Join(err, c.print(out, &o.Report, o, status, why))
	case c.SVG != "-" && c.HTML != "-":
		sheet.rep, sheet.fixes, sheet.out = rep, fixes, out
		sheet.write()
		if c.Report && rep.World != nil {
			fmt.Fprintf(out, "\n%v", rep.World)
		}
	}
	return exitOf(rep), errors.Join(out.Flush(), err)
}

// draw writes the drawings of a run.
func (c *runCommand) draw(ctx context.Context, rep *script.Report, stdout io.Writer) error {
	if c.SVG != "" {
		drawing, err := lab.SpaceTime(rep)
		if err != nil {
			return err
		}
		if err := writeDrawing(c.SVG, stdout, drawing); err != nil {
			return err
		}
	}
	if c.Frames != "" {
		if err := writeFrames(ctx, c.Frames, rep); err != nil {
			return err
		}
	}
	if c.HTML == "" {
		return nil
	}
	page, err := lab.HTML(ctx, rep)
	if err != nil {
		return err
	}
	return writeFile(c.HTML, stdout, func(w *bufio.Writer) { w.WriteString(page) })
}

// width returns the maximum length of lines, 0 for no limit.
func (c *runCommand) width(stdout io.Writer) int {
	switch {
	case c.Width == nil:
		return max(60, columns(stdout))
	case *c.Width == 0:
		return 0
	}
	return max(60, *c.Width)
}

// carryOut runs the script in the requested way.
func (c *runCommand) carryOut(ctx context.Context, s *script.Script, opts script.Options) (rep *script.Report, err error) {
	if c.Explore {
		opts.Reasons = true
		return script.Explore(ctx, s, opts)
	}
	if c.Trace == "" {
		return script.Run(ctx, s, opts)
	}
	failed := writeFile(c.Trace, nil, func(w *bufio.Writer) {
		opts.World = append(opts.World, world.Trace(w, world.Chrome))
		rep, err = script.Run(ctx, s, opts)
	})
	return rep, errors.Join(err, failed)
}

func exitOf(rep *script.Report) int {
	switch {
	case !rep.OK():
		return 1
	case rep.Unannounced():
		return exitRace
	}
	return 0
}

func (c *runCommand) options() (script.Options, error) {
	o := script.Options{Seed: c.Seed, Replay: c.Replay, MaxSchedules: c.Schedules, Moments: c.HTML != "" || c.Frames != "" || c.Steps}
	if c.HTML != "" || c.Frames != "" {
		o.MaxSteps = lab.MaxSteps
	}
	outputs := 0 // outputs that go to standard output
	for _, on := range []bool{c.SVG == "-", c.HTML == "-", c.machine(), c.Steps} {
		if on {
			outputs++
		}
	}
	switch {
	case outputs > 1:
		return o, errors.New("--svg -, --html -, --format and --steps all want standard output")
	case (c.Explore || c.Fix) && (c.HTML != "" || c.Frames != "" || c.Steps):
		return o, errors.New("--html, --frames and --steps are about one run; give --replay with a witness that --explore has printed")
	case c.Explore && (c.Replay != "" || c.Seed != 0):
		return o, errors.New("--explore runs under all schedules, --seed and --replay under one")
	case c.Replay != "" && c.Seed != 0:
		return o, errors.New("--seed and --replay both say which schedule")
	case c.Explore && (c.SVG != "" || c.Trace != ""):
		return o, errors.New("--svg and --trace are about one run; give --replay with a witness that --explore has printed")
	case c.Fix && c.machine() && !c.JSON:
		return o, fmt.Errorf("--fix prints a script, which --format=%s cannot express; leave out one of them, or use --json", c.Format)
	case c.Fix && (c.SVG != "" || c.Trace != "" || c.Replay != "" || c.Seed != 0):
		return o, errors.New("--fix explores the script and prints it; --seed, --replay, --svg and --trace are about one run")
	case c.Report && (c.Explore || c.Fix || c.Steps):
		return o, errors.New("--report is about one run; give --replay with a witness that --explore has printed")
	case c.Trace == "-":
		return o, errors.New("--trace needs the name of a file")
	case c.Schedules < 1:
		return o, fmt.Errorf("--schedules %d: at least 1", c.Schedules)
	case c.Width != nil && *c.Width < 0:
		return o, fmt.Errorf("--width %d: at least 0", *c.Width)
	case c.Timeout <= 0:
		return o, fmt.Errorf("--timeout %v: more than 0", c.Timeout)
	}
	var err error
	if o.Open, err = matching(c.Match); err != nil {
		return o, err
	}
	o.Model, err = modelOf(c.Model)
	return o, err
}

// setMarkers gives s the markers that --markers names.
func setMarkers(s *script.Script, name string) (err error) {
	if name != "" {
		if s.Markers, err = types.ParseMarkers(name); err != nil {
			err = fmt.Errorf("--markers %.40s: there are sticky and weak", name)
		}
	}
	return err
}

// matching returns the options of opens for the matching policy that --match names.
func matching(name string) ([]iofile.OpenOption, error) {
	if name == "" {
		return nil, nil
	}
	p, err := types.ParsePolicy(name)
	if err != nil {
		return nil, fmt.Errorf("--match %.40s: there are final, source000, size and written", name)
	}
	return []iofile.OpenOption{iofile.WithMatch(p)}, nil
}

// modelOf returns the model that --model names.
func modelOf(name string) (consistency.Model, error) {
	m, err := lab.ModelOf(name)
	if err != nil {
		err = fmt.Errorf("--model: %w", err)
	}
	return m, err
}

// readScript reads a script. If it is wrong, readScript prints the error with its place and
// returns nil.
func readScript(ctx context.Context, name string, stderr io.Writer) (*script.Script, error) {
	text, shown, err := scriptText(ctx, name)
	if err != nil {
		return nil, err
	}
	return parseScript(text, shown, stderr), nil
}

// scriptText returns the text of a script and its name in reports.
func scriptText(ctx context.Context, name string) (text, shown string, err error) {
	shown = "standard input"
	if name != "-" {
		shown = filepath.Base(name)
	}
	var read []byte
	err = interruptible(ctx, func() (err error) { // reading from a pipe or a terminal may wait
		in := os.Stdin
		if name != "-" {
			if in, err = os.Open(name); err != nil {
				return err
			}
			defer in.Close()
		}
		read, err = io.ReadAll(io.LimitReader(in, script.MaxText+1))
		return err
	})
	switch {
	case err != nil: // after an interrupt the reader may still be at work
		return "", shown, err
	case len(read) > script.MaxText:
		return "", shown, fmt.Errorf("%s: more than %d bytes are not a script", shown, script.MaxText)
	}
	if text, err = script.Decode(read); err != nil {
		return "", shown, fmt.Errorf("%s: %w", shown, err)
	}
	return text, shown, nil
}

// utf8Of returns the text of a file as UTF-8, as [script.Decode] does. A file without a byte order
// mark is not read at once.
func utf8Of(file io.Reader) (io.Reader, error) {
	in := bufio.NewReader(file)
	if start, _ := in.Peek(3); !bytes.HasPrefix(start, []byte("\xef\xbb\xbf")) && !bytes.HasPrefix(start, []byte("\xff\xfe")) && !bytes.HasPrefix(start, []byte("\xfe\xff")) {
		return in, nil
	}
	all, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	text, err := script.Decode(all)
	return strings.NewReader(text), err
}

func parseScript(text, name string, stderr io.Writer) *script.Script {
	s, err := script.Parse(text)
	var wrong *script.SyntaxError
	switch {
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "commworld: %s: %s\n", name, wrong.Show())
		return nil
	case err != nil:
		fmt.Fprintf(stderr, "commworld: %s: %v\n", name, err)
		return nil
	}
	s.Name = name
	return s
}
