package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/commworld/commworld/machine/calibrate"
)

// calibrateCommand is the command line of calibrate.
type calibrateCommand struct {
	Output []string `arg:"" placeholder:"FILE" help:"Output of ior, text or JSON; - is standard input."`

	Base        machineBase `embed:""`
	StripeCount int         `placeholder:"N" help:"Servers of the files of runs that do not say it."`
}

// machineBase chooses the machine that a fit begins with.
type machineBase struct {
	Machine string `default:"lustre" placeholder:"NAME|FILE.toml" help:"Machine to begin with; ${default}."`
	Servers int    `placeholder:"N" help:"File servers; without it, the most stripes of a run."`
}

// Help returns the text of --help between the summary and the flags.
func (*calibrateCommand) Help() string {
	return `Reads what IOR printed on a real machine, and prints a machine of the model, in TOML,
with which the model comes nearest to these runs. Comments have the measurement of
each run beside the model's. commworld cost --machine FILE then is about that machine.

  ior -a MPIIO --mpiio.showHints -w -r -e -C -t 1m -b 64m -s 8 > one.txt
  commworld calibrate one.txt many.txt -o mine.toml
  commworld cost --pattern "blocks -w" --ranks 512 --machine mine.toml --advise

Bandwidths of servers, clients and links and the time of a lock are fitted. Give runs
that differ: few and many ranks, one and many stripes (hint striping_factor), one file
and a file for each rank (-F). What the runs do not determine is named in a comment. The
stripes are those of the hints in the text (--mpiio.showHints), else --stripe-count;
JSON has no hints. Repetitions are averaged.`
}

func (c *calibrateCommand) run(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	flags := machineFlags{Machine: c.Base.Machine, Servers: c.Base.Servers}
	m, err := flags.machine()
	if err != nil {
		return 0, err
	}
	var runs []calibrate.Run
	for _, name := range c.Output {
		more, err := readIOR(name)
		if err != nil {
			return 0, err
		}
		runs = append(runs, more...)
	}
	most := 1
	for i := range runs {
		if runs[i].Stripes == 0 {
			runs[i].Stripes = c.StripeCount
		}
		most = max(most, runs[i].Stripes)
	}
	if c.Base.Servers == 0 && most > 1 {
		m.Servers = most
	}
	tick := ticking(stderr, "fitting")
	defer tick.end()
	result, err := calibrate.Fit(ctx, m, runs, func(what string) { tick.say("fitting: %s", what) })
	if err != nil {
		return 0, err
	}
	tick.end()
	_, err = fmt.Fprint(stdout, result)
	return 0, err
}

// readIOR reads one file of ior's output.
func readIOR(name string) ([]calibrate.Run, error) {
	if name == "-" {
		return calibrate.Read("standard input", os.Stdin)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return calibrate.Read(name, f)
}
