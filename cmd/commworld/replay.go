package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/machine/pattern"
	"github.com/commworld/commworld/machine/replay"
)

// replayCommand is the command line of replay.
type replayCommand struct {
	Trace string `arg:"" placeholder:"TRACE" help:"Log of Darshan, text that darshan-dxt-parser or darshan-parser prints of one, either compressed by gzip or not, - is standard input; or the directory of recorder2text."`

	machineFlags

	Way   []string `placeholder:"WAY" help:"Way to replay: as-it-was, aligned, sieving, collective or collective-aligned; may be repeated. Without it, all of them."`
	Hint  []string `placeholder:"KEY=VALUE" sep:"none" help:"Hint of the collective ways, such as cb_nodes=8, or striping_factor or striping_unit of the files in all ways; may be repeated."`
	Batch string   `default:"16m" placeholder:"SIZE" help:"Limit on the bytes of a rank in one call, where accesses are combined; ${default}."`
	Calls bool     `help:"Replay the calls of MPI-IO, collective ones as such, in place of the requests that they made."`
	Gaps  bool     `help:"Keep the pauses that the trace has between accesses; without it, accesses follow each other."`

	SVG  string `type:"output" name:"svg" placeholder:"FILE" help:"Write a drawing that compares the ways, as PNG if FILE ends in .png; - is standard output."`
	DXT  string `type:"output" name:"dxt" placeholder:"FILE" help:"Needs one --way: write its requests and calls, in the model's time, as darshan-dxt-parser prints them."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Help returns the text of --help between the summary and the flags.
func (*replayCommand) Help() string {
	return `replay runs the trace of a real job in the model of a machine (docs/machine.md). It
keeps the ranks, files, offsets, sizes and the order of each rank's accesses; the
times are the model's.

  commworld replay job.darshan
  commworld replay job.darshan --calls
  commworld replay job.dxt.txt --machine gpfs --way as-it-was --way collective --hint cb_nodes=8
  commworld replay job.dxt.txt --hint striping_factor=16 --hint striping_unit=4m
  commworld replay recorder-trace-directory --svg ways.svg
  commworld cost job.dxt.txt --sweep stripe_count=1,4,16

The ways: as-it-was repeats each access; aligned shifts the data of each file so
that most of it begins at stripes; sieving combines the accesses of a rank through a
view; collective combines those of all ranks of a file, with collective buffering;
collective-aligned also ends file domains at stripes. Machine, stripes and ranks of a
node are those of the trace, if it has them, unless options or hints set them.

Below are findings: what in the accesses often costs time, by Darshan's counters if
the log has them. For each, the ways that avoid it are run on that file alone. A log
without DXT has counters only: it is not replayed, and no way is run.

--json prints {"trace","ranks","files","accesses","bytes","notes":[...],"machine",
"span","busy","ways":[{"way","name","seconds","faster","requests","bytes",
"lock_transfers","report"}, ...],"findings":[{"kind","file","files","text","tried":
[{"way","name","faster"}, ...]}, ...]}; "report" is that of commworld cost.

The exit status is 0, or 2 if the text is not a complete trace: replay then replays
nothing and prints the line and the reason.`
}

// writeDXT writes the requests and calls of a run.
func writeDXT(ctx context.Context, name string, m machine.Machine, p machine.Program, o machine.Options) error {
	var text bytes.Buffer // so that a run that fails writes nothing
	if err := replay.WriteDXT(ctx, &text, m, p, o); err != nil {
		return err
	}
	return writeFile(name, nil, func(w *bufio.Writer) { w.Write(text.Bytes()) })
}

func (c *replayCommand) ways() ([]replay.Way, error) {
	if len(c.Way) == 0 {
		return replay.Ways, nil
	}
	ways := make([]replay.Way, len(c.Way))
	for i, key := range c.Way {
		w, err := replay.WayOf(key)
		if err != nil {
			return nil, err
		}
		ways[i] = w
	}
	return ways, nil
}

func (c *replayCommand) check() error {
	switch {
	case c.SVG == "-" && c.JSON:
		return errors.New("--svg - and --json both want standard output")
	case c.DXT == "-":
		return errors.New("--dxt needs the name of a file")
	case c.DXT != "" && len(c.Way) != 1:
		return errors.New("--dxt is about one way; choose it with --way")
	}
	return nil
}

// A replayed is one way with its report.
type replayed struct {
	Key      string          `json:"way"`
	Name     string          `json:"name"`
	Seconds  float64         `json:"seconds"`
	Faster   float64         `json:"faster"` // the time of the first way, divided by this one's
	Requests int64           `json:"requests"`
	Bytes    int64           `json:"bytes"`
	Locks    int64           `json:"lock_transfers"`
	Report   *machine.Report `json:"report"`
}

func (c *replayCommand) run(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	ways, err := c.ways()
	if err != nil {
		return 0, err
	}
	batch, err := pattern.ParseSize(c.Batch)
	if err == nil && batch == 0 {
		err = errors.New("--batch needs 1 or more")
	}
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return 0, err
	}
	t, err := readTrace(c.Trace)
	if err != nil {
		return 0, err
	}
	if c.Calls {
		calls, err := t.OfCalls()
		if err != nil {
			return 0, fmt.Errorf("--calls: %w", err)
		}
		t = &jobTrace{calls}
	}
	m, err := t.machine(&c.machineFlags)
	if err != nil {
		return 0, err
	}
	rest, err := c.striping(c.Hint, &m) // hints override the trace's stripes
	if err != nil {
		return 0, err
	}
	hints, err := costOptions("romio", rest)
	if err != nil {
		return 0, err
	}
	if len(t.Files) == 0 {
		ways = nil
	}
	o := replay.Options{Stripe: m.StripeSize, Batch: batch, Gaps: c.Gaps}
	tick := ticking(stderr, "replaying "+t.Name)
	defer tick.end()
	all := []replayed{}
	soFar := func(err error) (int, error) { // interrupted
		tick.end()
		if len(all) > 0 && !c.JSON && c.SVG != "-" {
			c.print(t, m, all, nil, stdout)
		}
		return 0, err
	}
	for i, way := range ways {
		tick.say("replaying %s: %v", t.Name, way)
		r, err := c.replay(ctx, t, way, o, &hints, m)
		if err != nil {
			return soFar(err)
		}
		all = append(all, replayed{way.Key(), way.String(), r.Seconds, 1, r.Requests(), r.Bytes(), r.LockTransfers, r})
		if r.Seconds > 0 {
			all[i].Faster = all[0].Seconds / r.Seconds
		}
	}
	var found []triedFinding
	if c.SVG != "-" {
		tick.say("replaying %s: trying findings", t.Name)
		if found, err = c.findings(ctx, t, o, &hints, m); err != nil {
			return soFar(err)
		}
	}
	tick.end()
	return 0, c.show(t, m, all, found, stdout)
}

// replay runs a trace in one way. Hints are for the collective ways.
func (c *replayCommand) replay(ctx context.Context, t *jobTrace, way replay.Way, opts replay.Options, hints *machine.Options, m machine.Machine) (*machine.Report, error) {
	p, o, err := t.program(way, opts)
	if err != nil {
		return nil, err
	}
	if way == replay.Collective || way == replay.CollectiveAligned {
		hints.Hints.Unit = o.Hints.Unit
		o.Hints = hints.Hints
	}
	r, err := machine.Run(ctx, m, p, o)
	if err == nil && c.DXT != "" {
		err = writeDXT(ctx, c.DXT, m, p, o)
	}
	return r, err
}

// show writes the drawing and the report.
func (c *replayCommand) show(t *jobTrace, m machine.Machine, all []replayed, found []triedFinding, stdout io.Writer) error {
	if c.SVG != "" {
		names, reports := make([]string, len(all)), make([]*machine.Report, len(all))
		for i := range all {
			names[i], reports[i] = all[i].Name, all[i].Report
		}
		d := machine.Compare(fmt.Sprintf("%s, %d ranks, machine %s", t.Name, t.Ranks, m.Name), names, reports)
		if err := writeDrawing(c.SVG, stdout, d); err != nil || c.SVG == "-" {
			return err
		}
	}
	if c.JSON {
		notes := t.Notes
		if notes == nil {
			notes = []string{}
		}
		span, busy := t.Span()
		return json.NewEncoder(stdout).Encode(map[string]any{
			"span": span, "busy": busy, "findings": found,
			"trace": t.Name, "ranks": t.Ranks, "files": len(t.Files), "accesses": t.Accesses(), "bytes": t.Bytes(),
			"notes": notes, "machine": m, "note": machine.Note, "ways": all,
		})
	}
	c.print(t, m, all, found, stdout)
	return nil
}

// print prints the report as text.
func (c *replayCommand) print(t *jobTrace, m machine.Machine, all []replayed, found []triedFinding, stdout io.Writer) {
	stripes := m.StripeCount
	if stripes == 0 {
		stripes = m.Servers
	}
	fmt.Fprintf(stdout, "%s: %v\n", t.Name, t.Trace)
	if len(all) > 0 {
		fmt.Fprintf(stdout, "machine %s, stripes of %d bytes on %d of %d servers\n", m.Name, m.StripeSize, stripes, m.Servers)
		if span, busy := t.Span(); span > 0 {
			fmt.Fprintf(stdout, "the job took %.4g s from the first access to the last, with an access under way for %.4g s\n", span, busy)
		}
	}
	for _, note := range t.Notes {
		fmt.Fprintf(stdout, "note: %s\n", note)
	}
	if len(all) == 0 {
		fmt.Fprintln(stdout, "The log has counters, but no accesses (DXT_ENABLE_IO_TRACE=1 records them), so nothing is replayed.")
		printFindings(stdout, found)
		if len(found) == 0 {
			fmt.Fprintln(stdout, "Nothing found in the counters.")
		}
		return
	}
	fmt.Fprintf(stdout, "\n%-44s %12s %8s %10s %16s %9s %14s  %s\n", "way", "model's time", "faster", "requests", "bytes", "useful", "lock transfers", "critical")
	for i := range all {
		x := &all[i]
		sum := x.Report.Critical()
		fmt.Fprintf(stdout, "%-44s %12.4g %7.2fx %10d %16d %9s %14d  %s\n", x.Name, x.Seconds, x.Faster, x.Requests, x.Bytes, plain.Useful(x.Report.Useful(), "%"), x.Locks, sum.Largest())
	}
	printFindings(stdout, found)
	fmt.Fprintf(stdout, "\n%s\n", machine.Note)
}
