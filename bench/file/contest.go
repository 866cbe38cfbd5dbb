package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/commworld/commworld/internal/peers"
)

// A side is a library in one of its settings.
type side struct {
	name    string
	program *peers.Program
	hints   []string
}

// sides are the settings that won somewhere: MPICH with and without collective
// buffering, and both of Open MPI's implementations.
func sides(programs []*peers.Program) (list []*side) {
	for _, p := range programs {
		switch p.Library() {
		case peers.MPICH:
			list = append(list, &side{"MPICH", p, nil},
				&side{"MPICH, cb off", p, []string{"romio_cb_write=disable", "romio_cb_read=disable"}})
		case peers.OpenMPI:
			romio := *p
			romio.Env = []string{"OMPI_MCA_io=romio321"}
			list = append(list, &side{"OMPIO", p, nil}, &side{"romio321", &romio, nil})
		}
	}
	return list
}

// A contest measures jobs in turns: ours, in every variant, then each side, over
// and over.
type contest struct {
	w      io.Writer
	dir    string // where the libraries' files are
	rounds int
	reps   int
	limit  time.Duration // of one side's phase of a row, after which it ends early
	mib    int64         // of a whole file
	sides  []*side
	notes  []string
}

// figs are the seconds of a repetition, one figure a round: by phase and name.
type figs map[string]map[string][]float64

func (g figs) add(name string, phases map[string][]float64) {
	for phase, took := range phases {
		if g[phase] == nil {
			g[phase] = map[string][]float64{}
		}
		g[phase][name] = append(g[phase][name], peers.Median(took))
	}
}

// run measures one row and prints it.
func (c *contest) run(r *row, ranks int) error {
	j := &job{r, ranks, c.mib << 20 / r.part}
	if err := j.check(); err != nil {
		return err
	}
	variants := []*variant{posix, weakest}
	if j.verb != opening {
		variants = append(variants, posixX, weakX)
	}
	if j.verb == "atomic" {
		variants = []*variant{posix, posixX, plain}
	}
	if j.verb == "contiguous" {
		variants = append(variants, floor)
	}
	all, slow := figs{}, map[*side]bool{}
	for range c.rounds {
		for _, v := range variants {
			runtime.GC() // now, and not in somebody's turn
			took, err := ours(j, v, c.reps)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", j.name, v.name, err)
			}
			all.add(v.name, took)
		}
		for _, s := range c.sides {
			if slow[s] {
				continue
			}
			took, whole, err := c.theirs(j, s)
			if err != nil {
				return fmt.Errorf("%s: %w", j.name, err)
			}
			all.add(s.name, took)
			slow[s] = !whole
		}
	}
	for _, phase := range []string{"write", "read", "call"} {
		if all[phase] != nil {
			c.print(j, phase, all[phase])
		}
	}
	return nil
}

// theirs runs a job by a library. One that does not end in decent time has no
// figures, or only those of its first phase; whole says whether it has all.
func (c *contest) theirs(j *job, s *side) (took map[string][]float64, whole bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second+3*c.limit)
	defer cancel()
	path := filepath.Join(c.dir, "bench")
	defer os.Remove(path)
	args := append([]string{
		path, strconv.FormatFloat(c.limit.Seconds(), 'g', -1, 64), strconv.Itoa(c.reps),
		strconv.FormatInt(j.bytes, 10), j.verb, strconv.FormatInt(j.arg, 10),
	}, s.hints...)
	out, _, err := s.program.Run(ctx, j.ranks, args...)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		c.note("%s, %d ranks: %s was ended after %v", j.name, j.ranks, s.name, 10*time.Second+3*c.limit)
	case err != nil:
		return nil, false, err
	default:
		whole = true
	}
	took = map[string][]float64{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		for _, word := range words[min(1, len(words)):] {
			t, err := strconv.ParseFloat(word, 64)
			if err != nil && ctx.Err() != nil {
				return took, false, nil // the last words of one that was ended
			}
			if err != nil {
				return nil, false, fmt.Errorf("%s answered %q: %w", s.name, line, err)
			}
			took[words[0]] = append(took[words[0]], t)
		}
		if n := len(took[words[0]]); n < c.reps {
			c.note("%s, %d ranks, %s: %s took more than %v for %d repetitions", j.name, j.ranks, words[0], s.name, c.limit, n)
			whole = false
		}
	}
	return took, whole, nil
}

// note keeps what has to be said below the table, once.
func (c *contest) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(c.notes, text) {
		c.notes = append(c.notes, text)
	}
}

func (c *contest) header() {
	fmt.Fprintf(c.w, "\n%-48s %8s %8s %6s %6s %8s", "", "POSIX", "default", "d/P", "watch", "copy")
	for _, name := range []string{"MPICH", "cb off", "OMPIO", "romio321"} {
		fmt.Fprintf(c.w, " %8s", name)
	}
	fmt.Fprintf(c.w, " %9s %8s\n", "better/P", "goal")
}

// print shows the medians, and the medians over the rounds of the ratios.
func (c *contest) print(j *job, phase string, g map[string][]float64) {
	goal, met := j.goal(phase), ""
	better, best := "", math.NaN()
	for _, s := range c.sides {
		if r := peers.Ratio(g[s.name], g[posix.name]); !(r >= best) && !math.IsNaN(r) {
			best = r
		}
	}
	if !math.IsNaN(best) {
		better = peers.Short(best)
		if goal > 0 {
			met = fmt.Sprintf(">= %g", goal)
			if best < goal {
				met += " !"
			}
		}
	}
	watch := math.NaN()
	for _, pair := range [][2]*variant{{posix, posixX}, {weakest, weakX}} {
		if r := peers.Ratio(g[pair[0].name], g[pair[1].name]); !(r <= watch) && !math.IsNaN(r) {
			watch = r
		}
	}
	unit := " ranks MiB/s"
	if j.each {
		unit = " ranks us"
	}
	if phase = ", " + phase + ", "; phase == ", call, " {
		phase = ", "
	}
	fmt.Fprintf(c.w, "%-48s %8s %8s %6s %6s %8s", j.name+phase+" "+strconv.Itoa(j.ranks)+unit,
		j.figure(g[posix.name]), j.figure(g[weakest.name]), peers.Short(peers.Ratio(g[weakest.name], g[posix.name])), peers.Short(watch), j.figure(g[floor.name]))
	for _, name := range []string{"MPICH", "MPICH, cb off", "OMPIO", "romio321"} {
		fmt.Fprintf(c.w, " %8s", j.figure(g[name]))
	}
	fmt.Fprintf(c.w, " %9s %8s\n", better, met)
	if r := peers.Ratio(g[plain.name], g[posix.name]); !math.IsNaN(r) {
		fmt.Fprintf(c.w, "%-48s %8s %51s%27s %8s\n", "  not atomic", j.figure(g[plain.name]), "its time/that of atomic", peers.Short(r), ">= 0.9")
	}
}

// figure is a time as the table has it: microseconds a call, or MiB/s.
func (j *job) figure(v []float64) string {
	m := peers.Median(v)
	if j.each {
		m = m / float64(j.calls()) * 1e6
	} else {
		m = float64(j.bytes) / (1 << 20) / m
	}
	return peers.Short(m)
}
