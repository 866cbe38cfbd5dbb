package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/world"
)

// exitRace says that a script raced and said nothing about races.
const exitRace = 3

// runCommand is the command line of run.
type runCommand struct {
	Script    string        `arg:"" help:"File of the script; - is standard input."`
	Seed      uint64        `default:"0" placeholder:"N" help:"Run once, under the schedule that this number stands for, ${default}."`
	Replay    string        `placeholder:"WITNESS" help:"Run once, under a schedule that was printed."`
	Explore   bool          `help:"Run under every schedule that makes a difference."`
	Model     string        `default:"weakest" placeholder:"MODEL" help:"When others see a write: weakest, session, commit, posix or chaos:SEED; ${default}."`
	SVG       string        `name:"svg" placeholder:"FILE" help:"Write a space-time diagram of the run; - is standard output."`
	Trace     string        `placeholder:"FILE" help:"Write Chrome trace events of the run, for Perfetto."`
	JSON      bool          `name:"json" help:"Print one JSON object."`
	Schedules int           `default:"100000" placeholder:"N" help:"Most schedules to explore, ${default}."`
	Timeout   time.Duration `default:"1m" placeholder:"TIME" help:"Longest time to run, ${default}."`
}

// Help is what --help says between the summary and the flags.
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
    read_at h 0 int*1 -> x
  all:
    close h
  allow 1:x = 7                 every outcome that is allowed, joined by |
  norace                        or race, deadlock, error CLASS at RANK:LINE

  commworld run stale.mpio
  commworld run --explore stale.mpio
  commworld run --replay choices:0.1.2 stale.mpio

The documentation of package script has the whole language, and commworld litmus
--show NAME prints a litmus test as an example.

--json prints {"ok","outcomes":[{"vars":{"RANK.NAME":value},"files":{"NAME":"hex"},
"schedules","allowed","witness"}],"races":[{"bytes":[lo,hi],"a":{"rank","line",
"op"},"b":{...},"missing","rule"}],"errors":[{"rank","line","class","rule"}],
"deadlock":null or {"ranks":[{"rank","line","waits"}]}, "unmet":[{"line","text"}],
"schedules","complete"}, and with races and the deadlock "replay", a witness: data
in hexadecimal as in memory, numbers as numbers, bytes of files that nobody wrote
as "..", bytes from lo up to, not including, hi.

The exit status is 0 if all came as the script says, 1 if not, 2 if the script is
wrong, 3 if there is a race and no line about races.`
}

func (c *runCommand) run(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	s, err := readScript(c.Script, stderr)
	if err != nil || s == nil {
		return exitUsage, err
	}
	opts, err := c.options()
	if err != nil {
		return 0, err
	}
	ctx, stop := context.WithTimeoutCause(ctx, c.Timeout, fmt.Errorf("the script ran for %v, longer than --timeout", c.Timeout))
	defer stop()
	rep, err := c.carryOut(ctx, s, opts)
	if err != nil {
		return 0, err
	}
	if c.SVG != "" {
		if err := writeFile(c.SVG, stdout, func(w *bufio.Writer) { drawRun(w, rep) }); err != nil {
			return 0, err
		}
	}
	out := bufio.NewWriter(stdout)
	switch {
	case c.JSON:
		printRunJSON(out, rep)
	case c.SVG != "-":
		(&runSheet{rep: rep, explored: c.Explore, out: out, colours: colours(stdout), width: max(60, columns(stdout))}).write()
	}
	return exitOf(rep), out.Flush()
}

// carryOut runs the script in the way that was asked for.
func (c *runCommand) carryOut(ctx context.Context, s *script.Script, opts script.Options) (rep *script.Report, err error) {
	if c.Explore {
		return script.Explore(ctx, s, opts)
	}
	if c.Trace == "" {
		return script.Run(ctx, s, opts)
	}
	failed := writeFile(c.Trace, nil, func(w *bufio.Writer) {
		opts.World = append(opts.World, world.Trace(w))
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
	o := script.Options{Seed: c.Seed, Replay: c.Replay, MaxSchedules: c.Schedules}
	switch {
	case c.Explore && (c.Replay != "" || c.Seed != 0):
		return o, errors.New("--explore runs under all schedules, --seed and --replay under one")
	case c.Replay != "" && c.Seed != 0:
		return o, errors.New("--seed and --replay both say which schedule")
	case c.Explore && (c.SVG != "" || c.Trace != ""):
		return o, errors.New("--svg and --trace are about one run; give --replay with a witness that --explore has printed")
	case c.Trace == "-":
		return o, errors.New("--trace needs the name of a file")
	case c.SVG == "-" && c.JSON:
		return o, errors.New("--svg - and --json both want standard output")
	case c.Schedules < 1:
		return o, fmt.Errorf("--schedules %d: at least 1", c.Schedules)
	case c.Timeout <= 0:
		return o, fmt.Errorf("--timeout %v: more than 0", c.Timeout)
	}
	var err error
	o.Model, err = modelOf(c.Model)
	return o, err
}

func modelOf(name string) (consistency.Model, error) {
	for _, m := range []consistency.Model{consistency.Weakest, consistency.Session, consistency.Commit, consistency.POSIX} {
		if strings.EqualFold(name, m.String()) {
			return m, nil
		}
	}
	if seed, ok := strings.CutPrefix(name, "chaos:"); ok {
		n, err := strconv.ParseUint(seed, 10, 64)
		if err == nil {
			return consistency.Chaos(n), nil
		}
	}
	return consistency.Model{}, fmt.Errorf("--model %s: weakest, session, commit, posix or chaos:SEED", name)
}

// readScript reads a script. One that is wrong is shown with its place, and nil
// is returned.
func readScript(name string, stderr io.Writer) (*script.Script, error) {
	in, shown := io.Reader(os.Stdin), "standard input"
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in, shown = f, filepath.Base(name)
	}
	text, err := io.ReadAll(io.LimitReader(in, script.MaxText+1))
	if err != nil {
		return nil, err
	}
	if len(text) > script.MaxText {
		return nil, fmt.Errorf("%s: more than %d bytes are no script", shown, script.MaxText)
	}
	return parseScript(string(text), shown, stderr), nil
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

// writeFile writes to a file, or to standard output if its name is -.
func writeFile(name string, stdout io.Writer, write func(*bufio.Writer)) error {
	if name == "-" {
		out := bufio.NewWriter(stdout)
		write(out)
		return out.Flush()
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	write(out)
	return errors.Join(out.Flush(), f.Close())
}
