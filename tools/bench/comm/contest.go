package comm

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/commworld/commworld/internal/testkit/peers"
	"github.com/commworld/commworld/tools/internal/measure"
)

//go:embed c/peer.c
var source []byte

// A contest measures the rows of the three tables.
type contest struct {
	*measure.Session
	crowd int // most ranks for libraries that spin
	libs  []*peers.Program
}

// Command returns the benchmark.
func Command() *measure.Command {
	c := new(contest)
	return &measure.Command{
		Name: "comm", Short: "messages and collectives, beside MPICH and Open MPI", Rounds: 5, Seconds: 0.1, Libraries: true,
		Flags: func(f *flag.FlagSet) { f.IntVar(&c.crowd, "crowd", 4, "most ranks for MPICH, which spins") },
		Rows:  names,
		Run:   c.run,
	}
}

const we = "ours"

// patience is the time that a library may take for its rows in one turn.
const patience = 5 * time.Minute

func names() (all []string) {
	for _, r := range rows() {
		all = append(all, r.name)
	}
	for _, p := range pairings() {
		all = append(all, p.name)
	}
	for _, f := range floors() {
		all = append(all, f.name)
	}
	return all
}

func (c *contest) run(s *measure.Session) error {
	c.Session = s
	libs, done, err := s.Programs(source)
	defer done()
	if err != nil {
		return err
	}
	c.libs = libs
	for _, table := range []func() error{c.beside, c.compare, c.sound} {
		if err := table(); err != nil {
			return err
		}
	}
	return nil
}

// beside measures this module and the libraries.
func (c *contest) beside() error {
	t := c.Table("us", 36, we, peers.MPICH.Name, peers.OpenMPI.Name, "better/o", "goal")
	for _, group := range groups(rows(), c.Chosen) {
		sides := []measure.Side[*row]{c.ours(we)}
		for _, p := range c.libs {
			sides = append(sides, measure.Side[*row]{Name: p.Library().Name, Turn: func(rows []*row, note func(*row, float64)) error {
				return c.theirs(p, rows, note)
			}})
		}
		figs, err := measure.Take(c.Rounds, group, sides...)
		if err != nil {
			return err
		}
		for _, r := range group {
			f := figs[r]
			better := f.Ratio(f.Better(peers.MPICH.Name, peers.OpenMPI.Name), we)
			t.Row(r.name, micro(f[we]), micro(f[peers.MPICH.Name]), micro(f[peers.OpenMPI.Name]), measure.Short(better), measure.Goal(r.goal, better))
		}
	}
	return nil
}

// theirs runs rows with a library. A row that takes the library too long gets no figure:
// where ranks outnumber the processors, each step of a library that spins takes several
// time slices of the system's scheduler.
func (c *contest) theirs(p *peers.Program, rows []*row, note func(*row, float64)) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ranks := rows[0].ranks
	args := []string{strconv.FormatFloat(c.Seconds, 'g', -1, 64)}
	for _, r := range rows {
		switch {
		case r.verb == start:
			_, took, err := p.Run(ctx, ranks)
			if err != nil {
				return err
			}
			note(r, took.Seconds()/r.per)
		case !r.alone && (p.Library() != peers.MPICH || ranks <= c.crowd):
			args = append(args, r.verb, strconv.Itoa(r.arg))
		}
	}
	if len(args) == 1 {
		return nil
	}
	out, _, err := p.Run(ctx, ranks, args...)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		var verb string
		var arg int
		var t float64
		if _, err := fmt.Sscan(line, &verb, &arg, &t); err != nil {
			return fmt.Errorf("%s answered %q: %w", p.Library().Name, line, err)
		}
		for _, r := range rows {
			if r.verb == verb && r.arg == arg {
				note(r, t/r.per)
			}
		}
	}
	return nil
}

// compare measures this module in two settings.
func (c *contest) compare() error {
	t := c.Table("us", 36, "", "", "", "b/a", "goal")
	for _, p := range pairings() {
		if !c.Chosen(p.name) {
			continue
		}
		figs, err := c.pair(p)
		if err != nil {
			return err
		}
		f := figs[&p.row]
		t.Row(p.name, micro(f[we]), p.b, micro(f[p.b]), measure.Short(f.Ratio(p.b, we)), measure.Limit(p.goal, f.Ratio(p.b, we)))
	}
	return nil
}

func (c *contest) pair(p *pairing) (measure.Figures[*row], error) {
	if p.cores > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(p.cores))
	}
	return measure.Take(c.Rounds, []*row{&p.row}, c.ours(we), c.ours(p.b, p.opts...))
}

// sound measures this module and the minimum that a row needs.
func (c *contest) sound() error {
	t := c.Table("us", 36, we, "", "", "floor/o")
	for _, f := range floors() {
		if !c.Chosen(f.name) {
			continue
		}
		figs, err := measure.Take(c.Rounds, []*row{&f.row}, c.ours(we), measure.Side[*row]{Name: f.what, Turn: func(_ []*row, note func(*row, float64)) error {
			took, err := f.time(c.Seconds)
			note(&f.row, took/f.per)
			return err
		}})
		if err != nil {
			return err
		}
		sides := figs[&f.row]
		t.Row(f.name, micro(sides[we]), f.what, micro(sides[f.what]), measure.Short(sides.Ratio(f.what, we)))
	}
	return nil
}

// micro returns the median in microseconds.
func micro(v []float64) string {
	m := measure.Median(v) * 1e6
	if m < 100 && !math.IsNaN(m) {
		return fmt.Sprintf("%.3f", m)
	}
	return measure.Whole(m)
}

// groups returns the chosen rows, grouped so that one world can run each group.
func groups(rows []*row, chosen func(string) bool) (all [][]*row) {
	for _, r := range rows {
		if !chosen(r.name) {
			continue
		}
		if n := len(all); n > 0 && all[n-1][0].ranks == r.ranks && all[n-1][0].verb != start && r.verb != start {
			all[n-1] = append(all[n-1], r)
		} else {
			all = append(all, []*row{r})
		}
	}
	return all
}
