package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/world"
)

// check returns an error if arguments cannot be combined.
func (c *costCommand) check() error {
	switch {
	case c.Script == "" && c.Pattern == "" && c.List == "":
		return errors.New("nothing to cost; give a rank script, a trace, --pattern with --ranks, or --list")
	case c.List != "" && (c.Script != "" || c.Pattern != ""):
		return errors.New("--list and another argument both say what to cost; give one of them")
	case c.List == "" && (c.Read || c.Alone):
		return errors.New("--read and --independent are for --list")
	case c.Ranks < 0 || c.Ranks > maxPlanRanks:
		return fmt.Errorf("--ranks %d; it needs 1 to %d", c.Ranks, maxPlanRanks)
	case c.Script != "" && c.Pattern != "":
		return errors.New("a rank script and --pattern both say what to cost; give one of them")
	case c.Script != "" && c.Ranks != 0:
		return errors.New("--ranks is for --pattern; a script says how many ranks it has")
	case c.Pattern != "" && c.Ranks == 0:
		return errors.New("--pattern needs --ranks, how many ranks make the calls")
	case c.Trace == "-" || c.DXT == "-":
		return errors.New("each of --trace and --dxt needs the name of a file")
	case c.DXT != "" && c.Sweep != "":
		return errors.New("--dxt is about one run, and --sweep makes many")
	case c.Trace != "" && c.Sweep != "":
		return errors.New("--trace is about one run, and --sweep makes many")
	}
	return nil
}

// trace writes the trace of a run.
func (c *costCommand) trace(ctx context.Context, m machine.Machine, p machine.Program, o machine.Options) (err error) {
	failed := writeFile(c.Trace, nil, func(w *bufio.Writer) { err = machine.Trace(ctx, w, m, p, o) })
	return errors.Join(err, failed)
}

var errHintsDiffer = errors.New("files with different hints")

// openHints returns the hints of a script's opens. Error: files that are opened with
// different ones, because a run of the model has one set of hints.
func openHints(s *script.Script) (hints []script.Hint, err error) {
	at := 0
	for _, b := range s.Blocks {
		for _, o := range b.Stmts {
			switch {
			case o.Routine != "open":
			case at == 0:
				hints, at = o.Hints, o.Line
			case !slices.Equal(hints, o.Hints):
				return nil, fmt.Errorf("lines %d and %d open %w; the model needs the same for all files: give both the same, or use --hint or --strategy", at, o.Line, errHintsDiffer)
			}
		}
	}
	return hints, nil
}

// applyScriptHints applies the hints of a script's opens that the model knows, and those of the
// command line, which have priority.
func (c *costCommand) applyScriptHints(hints []script.Hint, s *costSettings) error {
	var known []string
	for _, h := range hints {
		if strings.HasPrefix(h.Key, "striping_") || slices.Contains(strategy.Keys, h.Key) {
			known = append(known, h.Key+"="+h.Value)
		}
	}
	c.Hint = append(known, c.Hint...) // of two hints with one key the later one counts
	return c.applyHints(s)
}

// applyHints applies the strategy and the hints of the command line.
func (c *costCommand) applyHints(s *costSettings) error {
	rest, err := c.striping(c.Hint, &s.machine)
	if err != nil {
		return err
	}
	s.options, err = costOptions(c.Strategy, rest)
	return err
}

// recordScript runs a script once, with its checks, and returns the calls of its ranks and
// the hints of its opens. The status is that of commworld run if an expectation failed; the reasons are then on stderr.
func recordScript(ctx context.Context, name string, stderr io.Writer) (p machine.Program, own []script.Hint, status int, err error) {
	s, err := readScript(ctx, name, stderr)
	if err != nil || s == nil {
		return p, nil, exitUsage, err
	}
	rep, err := script.Run(ctx, s, script.Options{World: []world.Option{world.Record(&p)}})
	if err != nil {
		return p, nil, 0, err
	}
	if status = exitOf(rep); status != 0 {
		out := bufio.NewWriter(stderr)
		(&runSheet{rep: rep, fixes: fixesInTime(ctx, rep, script.Options{}), out: out}).write()
		out.Flush()
		fmt.Fprintln(stderr, "commworld: the script does not run as it says, so there is nothing to cost")
		return p, nil, status, nil
	}
	if rep.Deadlock != nil {
		return p, nil, 0, errors.New("the script ends in a deadlock, as it says, so there is nothing to cost")
	}
	p.Name = s.Name
	own, err = openHints(s)
	return p.WithoutStrategies().WithoutStriping(), own, 0, err
}
