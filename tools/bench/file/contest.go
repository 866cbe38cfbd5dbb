package file

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/commworld/commworld/internal/testkit/peers"
	"github.com/commworld/commworld/tools/internal/measure"
)

//go:embed c/peer.c
var source []byte

// A side is a library in one of its settings.
type side struct {
	name    string
	program *peers.Program
	hints   []string
}

// sides returns the settings that were the fastest for some row: MPICH with and without
// collective buffering, and both implementations of Open MPI.
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

// A contest measures jobs: this module in every variant, and each library in every
// setting.
type contest struct {
	*measure.Session
	reps  int
	limit time.Duration // time of one side for a phase of a row, after which it is stopped
	mib   int64         // size of a whole file
	ranks string
	sides []*side
	notes []string
	table *measure.Table
}

// Command returns the benchmark.
func Command() *measure.Command {
	c := new(contest)
	return &measure.Command{
		Name: "file", Short: "files, beside MPICH and Open MPI", Rounds: 3, Files: true, Libraries: true,
		Flags: func(f *flag.FlagSet) {
			f.IntVar(&c.reps, "reps", 3, "repetitions in a turn")
			f.Int64Var(&c.mib, "mib", 64, "MiB of a whole file; some rows have a part of it")
			f.DurationVar(&c.limit, "limit", time.Second, "after which a library's repetitions end")
			f.StringVar(&c.ranks, "ranks", "4,16", "numbers of ranks, with commas")
		},
		Rows: func() (names []string) {
			for _, r := range rows() {
				names = append(names, r.name)
			}
			return names
		},
		Run: c.run,
	}
}

func (c *contest) run(s *measure.Session) error {
	c.Session, c.notes = s, nil
	if c.reps < 1 || c.mib < 1 {
		return errors.New("-reps and -mib are 1 or more")
	}
	ranks, err := numbers(c.ranks)
	if err != nil {
		return err
	}
	programs, done, err := s.Programs(source)
	defer done()
	if err != nil {
		return err
	}
	c.sides = sides(programs)
	c.table = s.Table("", 48, "POSIX", "default", "d/P", "watch", "copy", "MPICH", "cb off", "OMPIO", "romio321", "better/P", "goal")
	for _, r := range rows() {
		for _, n := range ranks {
			if s.Chosen(r.name) {
				if err := c.row(r, n); err != nil {
					return fmt.Errorf("%s, %d ranks: %w", r.name, n, err)
				}
			}
		}
	}
	for _, note := range c.notes {
		fmt.Fprintln(s.W, note)
	}
	return nil
}

// numbers parses a list separated by commas.
func numbers(list string) (all []int, err error) {
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-ranks: %q is not a number of ranks", word)
		}
		all = append(all, n)
	}
	return all, nil
}

// phases are the parts that a row measures: calls that write, calls that read, or one
// kind of call.
var phases = []string{"write", "read", "call"}

// row measures one row and prints one line for each phase.
func (c *contest) row(r *row, ranks int) error {
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
	var all []measure.Side[string]
	add := func(name string, turn func() (map[string][]float64, error)) {
		all = append(all, measure.Side[string]{Name: name, Turn: func(_ []string, note func(string, float64)) error {
			took, err := turn()
			for phase, t := range took {
				note(phase, measure.Median(t))
			}
			return err
		}})
	}
	for _, v := range variants {
		add(v.name, func() (map[string][]float64, error) { return ours(j, v, c.reps) })
	}
	for _, s := range c.sides {
		slow := false
		add(s.name, func() (map[string][]float64, error) {
			if slow {
				return nil, nil
			}
			took, whole, err := c.theirs(j, s)
			slow = !whole
			return took, err
		})
	}
	figs, err := measure.Take(c.Rounds, phases, all...)
	if err != nil {
		return err
	}
	for _, phase := range phases {
		if len(figs[phase]) > 0 {
			c.print(j, phase, figs[phase])
		}
	}
	return nil
}

// theirs runs a job with a library. If it takes too long, it gets no figures, or only
// those of its first phase; whole reports whether it has all.
func (c *contest) theirs(j *job, s *side) (took map[string][]float64, whole bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second+3*c.limit)
	defer cancel()
	path := filepath.Join(c.Dir, "bench")
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
				return took, false, nil // the output of a process that was stopped may be incomplete
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

// note keeps a remark to print below the table, each text once.
func (c *contest) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(c.notes, text) {
		c.notes = append(c.notes, text)
	}
}

// libraries are the sides of libraries, in the order of the columns.
var libraries = []string{"MPICH", "MPICH, cb off", "OMPIO", "romio321"}

// print prints the medians, and the medians over the rounds of the ratios.
func (c *contest) print(j *job, phase string, g measure.Sides) {
	better := g.Ratio(g.Better(libraries...), posix.name)
	goal := ""
	if !math.IsNaN(better) {
		goal = measure.Goal(j.goal(phase), better)
	}
	watch := math.NaN()
	for _, pair := range [][2]*variant{{posix, posixX}, {weakest, weakX}} {
		if r := g.Ratio(pair[0].name, pair[1].name); !(r <= watch) && !math.IsNaN(r) {
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
	cells := []string{j.figure(g[posix.name]), j.figure(g[weakest.name]), measure.Short(g.Ratio(weakest.name, posix.name)), measure.Short(watch), j.figure(g[floor.name])}
	for _, name := range libraries {
		cells = append(cells, j.figure(g[name]))
	}
	c.table.Row(j.name+phase+" "+strconv.Itoa(j.ranks)+unit, append(cells, measure.Short(better), goal)...)
	if r := g.Ratio(plain.name, posix.name); !math.IsNaN(r) {
		c.table.Row("  not atomic; its time over that of atomic", j.figure(g[plain.name]), "", "", "", "", "", "", "", "", measure.Short(r), measure.Goal(0.9, r))
	}
}

// figure returns a time as the table shows it: microseconds a call, or MiB/s.
func (j *job) figure(v []float64) string {
	m := measure.Median(v)
	if j.each {
		m = m / float64(j.calls()) * 1e6
	} else {
		m = float64(j.bytes) / (1 << 20) / m
	}
	return measure.Short(m)
}
