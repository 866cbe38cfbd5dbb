package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/machine/pattern"
	"github.com/commworld/commworld/machine/replay"
)

// costCommand is the command line of cost.
type costCommand struct {
	Script  string `arg:"" optional:"" placeholder:"SCRIPT" help:"Rank script that makes the calls, in place of a pattern; - is standard input. Or a trace, see commworld replay."`
	Pattern string `placeholder:"'NAME ARGS'" help:"Access pattern with its parameters, see commworld pattern."`
	Ranks   int    `placeholder:"N" help:"Number of ranks of the pattern."`
	List    string `placeholder:"FILE" help:"Lines rank,offset,length: the bytes of a file that each rank writes in one collective call; - is standard input."`
	Read    bool   `help:"With --list: read."`
	Alone   bool   `name:"independent" help:"With --list: independent calls."`

	machineFlags

	Strategy string   `default:"romio" enum:"romio,direct,sieve,list,twophase,lustre,cray" placeholder:"NAME" help:"romio (as hints say), direct, sieve, list, twophase, or romio with the driver lustre or cray; ${default}."`
	Hint     []string `placeholder:"KEY=VALUE" sep:"none" help:"Hint, such as cb_nodes=8; may be repeated."`
	Sweep    string   `placeholder:"KEY=V1,V2,..." help:"Run once for each value of a hint, or of servers, stripe_count, stripe_size, ranks, strategy."`

	Advise      bool   `help:"Look for calls and settings that take less time, by running them."`
	SVG         string `type:"output" name:"svg" placeholder:"FILE" help:"Write a drawing, as PNG if FILE ends in .png; - is standard output."`
	Trace       string `type:"output" placeholder:"FILE" help:"Write what happened when, in the model's time, as a trace for ui.perfetto.dev."`
	DXT         string `type:"output" name:"dxt" placeholder:"FILE" help:"Write each request and call, in the model's time, as darshan-dxt-parser prints it."`
	JSON        bool   `name:"json" help:"Print one JSON object."`
	ShowMachine bool   `help:"Print the machine in TOML, and do nothing else."`
}

// Help returns the text of --help between the summary and the flags.
func (*costCommand) Help() string {
	return `An access pattern, or the calls of a rank script, run in a model: nodes, links,
file servers, stripes and tokens, in virtual time. Requests and bytes are exact;
seconds are for comparing ways of writing, not those of a real machine
(docs/machine.md). A script runs once as commworld run does, with its checks; its
messages, collectives and accesses to files are what the model costs. Hints of its
opens hold, unless --hint and other options say otherwise.

  commworld cost --pattern "ior -t 1m -b 16m -s 16" --ranks 1024
  commworld cost --pattern "blocks --shape 512x512x512" --ranks 4096 --machine lustre --servers 64 --svg cost.svg
  commworld cost --pattern "ior -w -t 1m -b 1m -s 64 --shift 2048" --ranks 128 --stripe-count 4
  commworld cost --pattern "blocks -w" --ranks 512 --stripe-count 16 --sweep cb_nodes=1,2,4,8,16
  commworld cost halo.mpio --machine gpfs --sweep strategy=direct,sieve,twophase
  commworld cost job.dxt.txt --sweep stripe_count=1,4,16
  commworld cost --list pieces.csv --stripe-count 16

The advice of --advise was run in the model before it is printed.

--json prints {"seconds","requests","bytes","lock_transfers","strategy","machine",
"servers":[{"busy","lock","requests","bytes"}, ...],"ranks":[{"rank","end","copy",
"network","peers","lock","server","metadata","compute"}, ...],"advice":[{"set":
[...],"faster","seconds"}, ...], ...}; with --sweep {"sweep":KEY,"runs":[{"value",
"report"}, ...]}.

Exit status: 0 success, 2 invalid arguments. For a script, 1 or 3 as for commworld
run; a script that fails is not costed.`
}

func (c *costCommand) run(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	m, err := c.machine()
	if err != nil {
		return 0, err
	}
	if c.ShowMachine {
		_, err := fmt.Fprint(stdout, m)
		return 0, err
	}
	if c.SVG == "-" && c.JSON {
		return 0, errors.New("--svg - and --json both want standard output")
	}
	if err := c.check(); err != nil {
		return 0, err
	}
	s := costSettings{name: c.Pattern, ranks: c.Ranks, machine: m}
	if err := c.applyHints(&s); err != nil {
		return 0, err
	}
	if c.List != "" {
		parts, err := readList(c.List, c.Ranks)
		if err != nil {
			return 0, err
		}
		s.use(listProgram(c.List, parts, !c.Read, !c.Alone))
	}
	if c.Script != "" {
		if status, err := c.readCalls(ctx, &s, stderr); status != 0 || err != nil {
			return status, err
		}
	}
	tick := ticking(stderr, "modelling "+s.name)
	defer tick.end()
	if c.Sweep != "" {
		return 0, c.runSweep(ctx, s, stdout, tick)
	}
	return 0, c.runOnce(ctx, s, stdout, tick)
}

// readCalls reads the calls of the trace, or runs the script that makes them. A status other
// than 0 is the status of commworld run.
func (c *costCommand) readCalls(ctx context.Context, s *costSettings, stderr io.Writer) (status int, err error) {
	trace, err := traceOf(c.Script)
	if err != nil {
		return 0, err
	}
	if trace != nil {
		return 0, c.useTrace(trace, s)
	}
	p, hints, status, err := recordScript(ctx, c.Script, stderr)
	if errors.Is(err, errHintsDiffer) && (c.Strategy != "romio" || len(c.Hint) > 0) {
		err = nil // the command line has the hints of all files
	}
	if status != 0 || err != nil {
		return status, err
	}
	s.use(p)
	return 0, c.applyScriptHints(hints, s)
}

// useTrace makes s run the requests of a trace: unchanged, unless the command line says how
// they are made.
func (c *costCommand) useTrace(trace *jobTrace, s *costSettings) error {
	m, err := trace.machine(&c.machineFlags)
	if err != nil {
		return err
	}
	s.machine = m
	if err := c.applyHints(s); err != nil {
		return err
	}
	p, unchanged, err := trace.program(replay.AsItWas, replay.Options{Stripe: s.machine.StripeSize})
	if err != nil {
		return err
	}
	s.use(p)
	isOther := func(hint string) bool { return !strings.HasPrefix(hint, "striping_") }
	if c.Strategy == "romio" && !slices.ContainsFunc(c.Hint, isOther) {
		s.options = unchanged
	}
	return nil
}

// costSettings are the settings of a run of the model. A sweep changes one of them.
type costSettings struct {
	name     string           // name of the pattern or script
	recorded *machine.Program // calls of a script or trace; nil for a pattern
	ranks    int
	machine  machine.Machine
	options  machine.Options
}

// use makes s run recorded calls.
func (s *costSettings) use(p machine.Program) { s.name, s.ranks, s.recorded = p.Name, p.Ranks, &p }

func (s *costSettings) run(ctx context.Context) (*machine.Report, machine.Program, error) {
	p := s.recorded
	if p == nil {
		w, err := pattern.Parse(s.name, s.ranks)
		if err != nil {
			return nil, machine.Program{}, err
		}
		made := w.Program()
		p = &made
	}
	r, err := machine.Run(ctx, s.machine, *p, s.options)
	return r, *p, err
}

func (c *costCommand) runOnce(ctx context.Context, s costSettings, stdout io.Writer, tick *ticker) error {
	r, p, err := s.run(ctx)
	if err != nil {
		return err
	}
	if err := c.writeFiles(ctx, s, p, stdout); err != nil || c.SVG == "-" {
		return err
	}
	tick.hide()
	if !c.JSON {
		fmt.Fprint(stdout, r) // before the advice, which may take a while
	}
	var advice []machine.Advice
	recipes := map[int][]machine.Recipe{}
	if c.Advise {
		options := s.options
		options.Progress = func(what string) { tick.say("looking for advice: %s", what) }
		if advice, err = machine.Advise(ctx, s.machine, p, options, r); err != nil {
			if len(advice) > 0 && !c.JSON {
				tick.end()
				fmt.Fprintln(stdout, "\nNot all was tried.")
				printAdvice(stdout, advice, nil, true)
			}
			return err
		}
		for i := range advice { // the last one, and the last one with as many files as before
			if i < len(advice)-1 && !(i == len(advice)-2 && advice[i+1].Apart) {
				continue
			}
			if recipes[i], err = advice[i].Recipes(ctx, p); err != nil {
				return err
			}
		}
	}
	tick.end()
	if c.JSON {
		return json.NewEncoder(stdout).Encode(costReport{r, advice})
	}
	printAdvice(stdout, advice, recipes, c.Advise)
	return nil
}

// writeFiles writes the drawing and, unless that goes to stdout, the traces of a run.
func (c *costCommand) writeFiles(ctx context.Context, s costSettings, p machine.Program, stdout io.Writer) error {
	if c.SVG != "" {
		drawing, err := machine.Draw(ctx, s.machine, p, s.options)
		if err != nil {
			return err
		}
		if err := c.writeSVG(drawing, stdout); err != nil || c.SVG == "-" {
			return err
		}
	}
	if c.Trace != "" {
		if err := c.trace(ctx, s.machine, p, s.options); err != nil {
			return err
		}
	}
	if c.DXT != "" {
		return writeDXT(ctx, c.DXT, s.machine, p, s.options)
	}
	return nil
}

func (c *costCommand) writeSVG(drawing string, stdout io.Writer) error {
	return writeDrawing(c.SVG, stdout, drawing)
}

func printAdvice(stdout io.Writer, advice []machine.Advice, recipes map[int][]machine.Recipe, advised bool) {
	switch {
	case len(advice) > 0:
		fmt.Fprint(stdout, "\nAdvice, each step run in the model:\n")
		for i := range advice {
			fmt.Fprintf(stdout, "  %v\n", &advice[i])
		}
		for i := range advice {
			printRecipes(stdout, &advice[i], recipes[i])
		}
	case advised:
		fmt.Fprint(stdout, "\nAdvice: none; collective buffering, other numbers of aggregators and other striping were run in the model, and none takes a twentieth less time.\n")
	default:
		fmt.Fprint(stdout, "\n--advise looks for settings and calls that take less time, by running the program some forty times.\n")
	}
}

// printRecipes prints the lines that make a library follow advice.
func printRecipes(stdout io.Writer, a *machine.Advice, recipes []machine.Recipe) {
	if len(recipes) == 0 {
		return
	}
	fmt.Fprintf(stdout, "\nTo follow %q:\n", strings.Join(a.Set, ", "))
	for _, r := range recipes {
		took := ""
		if r.Report != nil {
			took = fmt.Sprintf("; the model's time is %.3g s", r.Report.Seconds)
		} else if strings.HasPrefix(r.Library, "OMPIO") {
			took = "; the model does not have it"
		}
		fmt.Fprintf(stdout, "  %s%s:\n    %s\n", r.Library, took, strings.Join(r.Lines, "\n    "))
	}
}

// costReport is a report with its advice.
type costReport struct {
	*machine.Report
	advice []machine.Advice
}

// MarshalJSON adds "advice" to the report's object.
func (r costReport) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(r.Report)
	if err != nil {
		return nil, err
	}
	type step struct {
		Set      []string `json:"set"`
		Text     string   `json:"text"`
		Faster   float64  `json:"faster"`
		Seconds  float64  `json:"seconds"`
		Requests int64    `json:"requests"`
	}
	steps := []step{}
	for i := range r.advice {
		a := &r.advice[i]
		steps = append(steps, step{a.Set, a.String(), a.Faster, a.Report.Seconds, a.Report.Requests()})
	}
	list, err := json.Marshal(steps)
	if err != nil {
		return nil, err
	}
	return []byte(string(text[:len(text)-1]) + `,"advice":` + string(list) + "}"), nil
}

// A sweepRun is a run of a sweep.
type sweepRun struct {
	Value  string          `json:"value"`
	Report *machine.Report `json:"report"`
}

func (c *costCommand) runSweep(ctx context.Context, s costSettings, stdout io.Writer, tick *ticker) error {
	key, list, ok := strings.Cut(c.Sweep, "=")
	if !ok || list == "" {
		return fmt.Errorf("--sweep %q; it needs a key and values, such as cb_nodes=1,2,4", c.Sweep)
	}
	var runs []sweepRun
	var names []string
	var reports []*machine.Report
	title := s.name + ", machine " + s.machine.Name
	for value := range strings.SplitSeq(list, ",") {
		tick.say("modelling %s with %s=%s", s.name, key, value)
		changed, err := c.change(s, key, value)
		if err != nil {
			return err
		}
		r, _, err := changed.run(ctx)
		if err != nil {
			if len(runs) > 0 && !c.JSON && c.SVG != "-" {
				tick.end()
				printSweep(stdout, title, key, runs)
			}
			return err
		}
		runs, names, reports = append(runs, sweepRun{value, r}), append(names, key+" "+value), append(reports, r)
	}
	tick.end()
	if c.SVG != "" {
		drawing := machine.Compare(title+", by "+key, names, reports)
		if err := c.writeSVG(drawing, stdout); err != nil || c.SVG == "-" {
			return err
		}
	}
	if c.JSON {
		return json.NewEncoder(stdout).Encode(map[string]any{"sweep": key, "runs": runs})
	}
	printSweep(stdout, title, key, runs)
	return nil
}

// printSweep prints a table of the runs.
func printSweep(stdout io.Writer, title, key string, runs []sweepRun) {
	fmt.Fprintf(stdout, "%s\n\n%-16s %12s %14s %12s %10s %14s %12s\n", title, key, "model's time", "MiB a second", "requests", "useful", "lock transfers", "critical")
	for _, run := range runs {
		r, path := run.Report, run.Report.Critical()
		fmt.Fprintf(stdout, "%-16s %12.4g %14.4g %12d %10s %14d %12s\n", run.Value, r.Seconds, r.Bandwidth()/(1<<20), r.Requests(), plain.Useful(r.Useful(), "%"), r.LockTransfers, path.Largest())
	}
	fmt.Fprintf(stdout, "\n%s\n", machine.Note)
}

// change returns s with the setting or hint key changed to value.
func (c *costCommand) change(s costSettings, key, value string) (costSettings, error) {
	var err error
	number := func() (n int) {
		if n, err = strconv.Atoi(value); err != nil {
			err = fmt.Errorf("--sweep %s=%q: give a number", key, value)
		}
		return n
	}
	changed := *c
	switch key {
	case "ranks":
		if s.recorded != nil {
			return s, errors.New("--sweep ranks needs a pattern: a script or a trace has its own number of ranks")
		}
		s.ranks = number()
	case "servers":
		if s.machine.Servers = number(); s.machine.StripeCount > s.machine.Servers {
			s.machine.StripeCount = 0
		}
	case "stripe_count", "striping_factor":
		s.machine.StripeCount = number()
	case "stripe_size", "striping_unit":
		err = setStripeSize(&s.machine, value)
	case "strategy":
		changed.Strategy = value
		err = changed.applyHints(&s)
	default:
		changed.Hint = append(slices.Clone(c.Hint), key+"="+value)
		err = changed.applyHints(&s)
	}
	return s, err
}

// setStripeSize changes the stripe size, and the size of tokens if that was the same.
func setStripeSize(m *machine.Machine, text string) error {
	n, err := pattern.ParseSize(text)
	if err != nil {
		return err
	}
	if m.Lock.Unit == m.StripeSize {
		m.Lock.Unit = n
	}
	m.StripeSize = n
	return nil
}

// costOptions returns the strategy with the given name and hints.
func costOptions(name string, hints []string) (o machine.Options, err error) {
	var ok bool
	if o.Strategy, ok = strategy.Named(name); !ok {
		return o, fmt.Errorf("strategy %q; there are %s%s", name, strings.Join(strategy.Names, ", "), brief.Meant(name, strategy.Names))
	}
	for _, h := range hints {
		key, value, ok := strings.Cut(h, "=")
		if !ok {
			return o, fmt.Errorf("hint %q; it needs a key and a value, such as cb_nodes=8", h)
		}
		if o.Hints, err = o.Hints.Set(key, value); err != nil {
			return o, err
		}
	}
	return o, nil
}
