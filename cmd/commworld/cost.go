package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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

	machineFlags

	Strategy string   `default:"romio" enum:"romio,direct,sieve,list,twophase" placeholder:"NAME" help:"romio (as hints say), direct, sieve, list or twophase; ${default}."`
	Hint     []string `placeholder:"KEY=VALUE" sep:"none" help:"Hint, such as cb_nodes=8; may be repeated."`
	Sweep    string   `placeholder:"KEY=V1,V2,..." help:"Run once for each value of a hint, or of servers, stripe_count, stripe_size, ranks, strategy."`

	Advise   bool   `help:"Look for settings that take less time, whatever it takes to run them; without it, for small programs only."`
	SVG      string `type:"output" name:"svg" placeholder:"FILE" help:"Write a drawing; - is standard output."`
	Trace    string `type:"output" placeholder:"FILE" help:"Write what happened when, in the model's time, as a trace for ui.perfetto.dev."`
	DXT      string `type:"output" name:"dxt" placeholder:"FILE" help:"Write each request and call, in the model's time, as darshan-dxt-parser prints it."`
	JSON     bool   `name:"json" help:"Print one JSON object."`
	Machined bool   `name:"show-machine" help:"Print the machine in TOML, and do nothing else."`
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

The advice at the end was run in the model before it is printed.

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
	if c.Machined {
		_, err := fmt.Fprint(stdout, m)
		return 0, err
	}
	if c.SVG == "-" && c.JSON {
		return 0, errors.New("--svg - and --json both want standard output")
	}
	if err := c.check(); err != nil {
		return 0, err
	}
	set := costSettings{name: c.Pattern, ranks: c.Ranks, machine: m}
	if err := c.hint(&set); err != nil {
		return 0, err
	}
	if status, err := c.read(ctx, &set, stderr); status != 0 || err != nil {
		return status, err
	}
	if c.Sweep != "" {
		return 0, c.sweep(ctx, set, stdout)
	}
	return 0, c.once(ctx, set, stdout)
}

// read reads the trace or runs the script whose accesses are to be costed, if there is one.
// A status other than 0 is that of the run.
func (c *costCommand) read(ctx context.Context, set *costSettings, stderr io.Writer) (int, error) {
	switch trace, err := traceOf(c.Script); {
	case err != nil:
		return 0, err
	case trace != nil:
		trace.fit(&c.machineFlags, &set.machine)
		if err := c.hint(set); err != nil {
			return 0, err
		}
		p, o, err := trace.program(replay.AsItWas, replay.Options{Stripe: set.machine.StripeSize})
		if err != nil {
			return 0, err
		}
		moves := slices.ContainsFunc(c.Hint, func(h string) bool { return !strings.HasPrefix(h, "striping_") })
		if c.Strategy == "romio" && !moves { // the trace's requests, as they are
			set.options = o
		}
		set.name, set.ranks, set.recorded = p.Name, p.Ranks, &p
	case c.Script != "":
		p, own, status, err := recordScript(ctx, c.Script, stderr)
		if errors.Is(err, errHintsDiffer) && (c.Strategy != "romio" || len(c.Hint) > 0) {
			err = nil // options say it for all files
		}
		if status != 0 || err != nil {
			return status, err
		}
		if err := c.follow(own, set); err != nil {
			return 0, err
		}
		set.name, set.ranks, set.recorded = p.Name, p.Ranks, &p
	}
	return 0, nil
}

// costSettings are the settings that a sweep can change.
type costSettings struct {
	name     string           // name of the pattern or script
	recorded *machine.Program // recorded from a script; nil: a pattern
	ranks    int
	machine  machine.Machine
	options  machine.Options
}

func (s *costSettings) run(ctx context.Context) (*machine.Report, machine.Program, error) {
	if s.recorded != nil {
		r, err := machine.Run(ctx, s.machine, *s.recorded, s.options)
		return r, *s.recorded, err
	}
	w, err := pattern.Parse(s.name, s.ranks)
	if err != nil {
		return nil, machine.Program{}, err
	}
	p := w.Program()
	r, err := machine.Run(ctx, s.machine, p, s.options)
	return r, p, err
}

// mostAdvised is the greatest size of a program, in requests, runs of bytes and ranks, that
// is run repeatedly for advice by default.
const mostAdvised = 600_000

func (c *costCommand) once(ctx context.Context, s costSettings, stdout io.Writer) error {
	r, p, err := s.run(ctx)
	if err != nil {
		return err
	}
	if c.SVG != "" {
		d, err := machine.Draw(ctx, s.machine, p, s.options)
		if err != nil {
			return err
		}
		if err := writeFile(c.SVG, stdout, func(w *bufio.Writer) { w.WriteString(d) }); err != nil || c.SVG == "-" {
			return err
		}
	}
	if c.Trace != "" {
		if err := c.trace(ctx, s.machine, p, s.options); err != nil {
			return err
		}
	}
	if c.DXT != "" {
		if err := writeDXT(ctx, c.DXT, s.machine, p, s.options); err != nil {
			return err
		}
	}
	if !c.JSON {
		fmt.Fprint(stdout, r) // before the advice, which may take a while
	}
	var advice []machine.Advice
	small := max(r.Requests(), r.Runs, int64(r.Ranks)) <= mostAdvised
	if small || c.Advise {
		if advice, err = machine.Advise(ctx, s.machine, p, s.options, r); err != nil {
			return err
		}
	}
	if c.JSON {
		return json.NewEncoder(stdout).Encode(costReport{r, advice})
	}
	printAdvice(stdout, advice, small || c.Advise)
	return nil
}

func printAdvice(stdout io.Writer, advice []machine.Advice, lookedFor bool) {
	switch {
	case len(advice) > 0:
		fmt.Fprint(stdout, "\nAdvice, each step run in the model:\n")
		for i := range advice {
			fmt.Fprintf(stdout, "  %v\n", &advice[i])
		}
	case lookedFor:
		fmt.Fprint(stdout, "\nAdvice: none; collective buffering, other numbers of aggregators and other striping were run in the model, and none takes a twentieth less time.\n")
	default:
		fmt.Fprint(stdout, "\nAdvice: not looked for in a program of this size; --advise does, by running it some twenty times.\n")
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

func (c *costCommand) sweep(ctx context.Context, s costSettings, stdout io.Writer) error {
	key, list, ok := strings.Cut(c.Sweep, "=")
	if !ok || list == "" {
		return fmt.Errorf("--sweep %q; it needs a key and values, such as cb_nodes=1,2,4", c.Sweep)
	}
	values := strings.Split(list, ",")
	reports := make([]*machine.Report, len(values))
	for i, value := range values {
		one, err := s.with(c, key, value)
		if err != nil {
			return err
		}
		if reports[i], _, err = one.run(ctx); err != nil {
			return err
		}
	}
	if c.SVG != "" {
		names := make([]string, len(values))
		for i, v := range values {
			names[i] = key + " " + v
		}
		d := machine.Compare(fmt.Sprintf("%s, machine %s, by %s", s.name, s.machine.Name, key), names, reports)
		if err := writeFile(c.SVG, stdout, func(w *bufio.Writer) { w.WriteString(d) }); err != nil || c.SVG == "-" {
			return err
		}
	}
	if c.JSON {
		type run struct {
			Value  string          `json:"value"`
			Report *machine.Report `json:"report"`
		}
		runs := make([]run, len(values))
		for i := range runs {
			runs[i] = run{values[i], reports[i]}
		}
		return json.NewEncoder(stdout).Encode(map[string]any{"sweep": key, "runs": runs})
	}
	fmt.Fprintf(stdout, "%s, machine %s\n\n%-16s %12s %14s %12s %10s %14s %12s\n", s.name, s.machine.Name, key, "model's time", "MiB a second", "requests", "useful", "lock transfers", "critical")
	for i, r := range reports {
		sum := r.Critical()
		fmt.Fprintf(stdout, "%-16s %12.4g %14.4g %12d %9.1f%% %14d %12s\n", values[i], r.Seconds, r.Bandwidth()/(1<<20), r.Requests(), 100*r.Useful(), r.LockTransfers, sum.Largest())
	}
	fmt.Fprintf(stdout, "\n%s\n", machine.Note)
	return nil
}

// with returns the settings with one of them changed.
func (s costSettings) with(c *costCommand, key, value string) (costSettings, error) {
	number := func() int {
		n, err := strconv.Atoi(value)
		if err != nil {
			return -1
		}
		return n
	}
	var err error
	switch key {
	case "ranks":
		if s.recorded != nil {
			return s, errors.New("--sweep ranks needs a pattern; a script says how many ranks it has")
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
		own := *c
		own.Strategy = value
		err = own.hint(&s)
	default:
		own := *c
		own.Hint = append(slices.Clone(c.Hint), key+"="+value)
		err = own.hint(&s)
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
		return o, fmt.Errorf("strategy %q; there are %s", name, strings.Join(strategy.Names, ", "))
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
