package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/commworld/commworld/internal/peers"
)

// A contest measures rows in turns: ours, then each library, over and over.
type contest struct {
	rounds  int
	seconds float64 // about what a row takes in a turn
	crowd   int     // libraries that spin run up to so many ranks
	libs    []*peers.Program
	figs    map[*row]map[string][]float64 // by side; a figure a round, NaN if there is none
}

const we = "ours"

// patience is how long a library may take for its rows in one turn.
const patience = 5 * time.Minute

// run measures rows of one number of ranks.
func (c *contest) run(rows []*row) error {
	for range c.rounds {
		if err := c.turn(we, rows, ours); err != nil {
			return err
		}
		for _, p := range c.libs {
			err := c.turn(p.Library().Name, rows, func(rows []*row, seconds float64) ([]float64, error) {
				return c.theirs(p, rows, seconds)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// turn notes what one side needs for a single operation of each row.
func (c *contest) turn(name string, rows []*row, run func([]*row, float64) ([]float64, error)) error {
	runtime.GC() // now, and not in somebody's turn
	figs, err := run(rows, c.seconds)
	if err != nil {
		return err
	}
	for i, r := range rows {
		if c.figs[r] == nil {
			c.figs[r] = map[string][]float64{}
		}
		c.figs[r][name] = append(c.figs[r][name], figs[i]/r.per)
	}
	return nil
}

// theirs runs rows by a library. Those that it cannot do in decent time are no
// numbers: where ranks outnumber the processors, each step of a library that
// spins takes slices of the system's scheduler.
func (c *contest) theirs(p *peers.Program, rows []*row, seconds float64) ([]float64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	figs := slices.Repeat([]float64{math.NaN()}, len(rows))
	ranks := rows[0].ranks
	args := []string{strconv.FormatFloat(seconds, 'g', -1, 64)}
	for i, r := range rows {
		switch {
		case r.verb == start:
			_, took, err := p.Run(ctx, ranks)
			if err != nil {
				return nil, err
			}
			figs[i] = took.Seconds()
		case !r.alone && (p.Library() != peers.MPICH || ranks <= c.crowd):
			args = append(args, r.verb, strconv.Itoa(r.arg))
		}
	}
	if len(args) == 1 {
		return figs, nil
	}
	out, _, err := p.Run(ctx, ranks, args...)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		var verb string
		var arg int
		var t float64
		if _, err := fmt.Sscan(line, &verb, &arg, &t); err != nil {
			return nil, fmt.Errorf("%s answered %q: %w", p.Library().Name, line, err)
		}
		for i, r := range rows {
			if r.verb == verb && r.arg == arg {
				figs[i] = t
			}
		}
	}
	return figs, nil
}

func header(w io.Writer) {
	fmt.Fprintf(w, "\n%-36s %10s %10s %10s %10s %8s\n", "us", we, "MPICH", "Open MPI", "better/o", "goal")
}

// print shows the medians, and the median over the rounds of the better
// library's figure against ours.
func (c *contest) print(w io.Writer, r *row) {
	f := c.figs[r]
	better := f[peers.MPICH.Name]
	if o := f[peers.OpenMPI.Name]; o != nil && !(peers.Median(better) <= peers.Median(o)) {
		better = o
	}
	goal := ""
	if r.goal > 0 {
		goal = fmt.Sprintf(">= %g", r.goal)
	}
	fmt.Fprintf(w, "%-36s %10s %10s %10s %10s %8s\n", r.name,
		micro(f[we]), micro(f[peers.MPICH.Name]), micro(f[peers.OpenMPI.Name]), peers.Short(peers.Ratio(better, f[we])), goal)
}

// compare measures the two sides of a pairing in turns.
func (c *contest) compare(w io.Writer, p *pairing) error {
	if p.cores > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(p.cores))
	}
	rows := []*row{&p.row}
	for range c.rounds {
		if err := c.turn(p.a, rows, ours); err != nil {
			return err
		}
		if err := c.turn(p.b, rows, func(rows []*row, seconds float64) ([]float64, error) { return with(rows, seconds, p.opts...) }); err != nil {
			return err
		}
	}
	a, b := c.figs[&p.row][p.a], c.figs[&p.row][p.b]
	goal := ""
	if p.goal > 0 {
		goal = fmt.Sprintf("<= %g", p.goal)
	}
	fmt.Fprintf(w, "%-36s %10s %10s %10s %10s %8s\n", p.a, micro(a), p.b, micro(b), peers.Short(peers.Ratio(b, a)), goal)
	return nil
}

func micro(v []float64) string {
	m := peers.Median(v) * 1e6
	switch {
	case math.IsNaN(m):
		return "-"
	case m < 100:
		return fmt.Sprintf("%.3f", m)
	}
	return fmt.Sprintf("%.0f", m)
}
