//go:build mpich || openmpi

package engine

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/commworld/commworld/internal/testkit/peers"
	"github.com/commworld/commworld/tools/internal/measure"
	"github.com/commworld/commworld/world"
	"github.com/commworld/commworld/world/mpi"
)

// patience is the time that a library may take for its turn with a row.
const patience = time.Minute

// jobVariable is the environment variable that holds, for the ranks of a job, the row,
// the directory of its file and the seconds, separated by commas.
const jobVariable = "COMMWORLD_BENCH_JOB"

// A contest measures rows in turns.
type contest struct {
	*measure.Session
	ranks int
	lib   *peers.Library
	self  string // this program
}

// Command returns the benchmark.
func Command() *measure.Command {
	c := new(contest)
	return &measure.Command{
		Name: "engine", Short: "the same ranks in this process and on " + mpi.Library(), Rounds: 5, Seconds: 0.1, Files: true,
		Flags: func(f *flag.FlagSet) { f.IntVar(&c.ranks, "ranks", 2, "ranks of collectives and files") },
		Rows: func() (names []string) {
			for i := range rows {
				names = append(names, rows[i].name)
			}
			return names
		},
		Run: c.run,
	}
}

// Rank runs a rank's part of a job if this process is one, and reports whether it is. The
// first rank prints the figure.
func Rank() (is bool, err error) {
	job := strings.SplitN(os.Getenv(jobVariable), ",", 3)
	if len(job) < 3 {
		return false, nil
	}
	i, err := strconv.Atoi(job[0])
	seconds, err2 := strconv.ParseFloat(job[1], 64)
	if err := errors.Join(err, err2); err != nil || i < 0 || i >= len(rows) {
		return true, errors.Join(err, fmt.Errorf("%s=%q names no row", jobVariable, os.Getenv(jobVariable)))
	}
	took, first, err := once(&rows[i], 0, job[2], seconds, world.Engine("mpi"))
	if err == nil && first {
		_, err = fmt.Println(took)
	}
	return true, err
}

func (c *contest) run(s *measure.Session) (err error) {
	c.Session = s
	if c.self, err = os.Executable(); err != nil {
		return err
	}
	c.lib = peers.MPICH
	if strings.HasPrefix(mpi.Library(), peers.OpenMPI.Name) {
		c.lib = peers.OpenMPI
	}
	if err := c.lib.Missing(); err != nil {
		return err
	}
	t := s.Table("us", 44, here, mpi.Library(), "library/ours")
	for i := range rows {
		if !s.Chosen(rows[i].name) {
			continue
		}
		ranks := c.ranks
		if rows[i].ranks > 0 {
			ranks = rows[i].ranks
		}
		figs, err := measure.Take(s.Rounds, []int{i}, c.sides(ranks)...)
		if err != nil {
			return fmt.Errorf("%s: %w", rows[i].name, err)
		}
		f := figs[i]
		t.Row(rows[i].name+", "+strconv.Itoa(ranks)+" ranks", f.Short(here, 1e6), f.Short(there, 1e6), measure.Short(f.Ratio(there, here)))
	}
	return nil
}

// The names of the sides, and of the directories of their files.
const (
	here  = "in process"
	there = "library"
)

// sides returns this module and the library as sides; rows are given by number. The files
// of both are compared after each turn of the library.
func (c *contest) sides(ranks int) []measure.Side[int] {
	side := func(name string, turn func(i int, dir string) (float64, error)) measure.Side[int] {
		dir := filepath.Join(c.Dir, name)
		return measure.Side[int]{Name: name, Turn: func(i []int, note func(int, float64)) error {
			if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)); err != nil {
				return err
			}
			took, err := turn(i[0], dir)
			note(i[0], took)
			return err
		}}
	}
	return []measure.Side[int]{
		side(here, func(i int, dir string) (float64, error) {
			took, _, err := once(&rows[i], ranks, dir, c.Seconds)
			return took, err
		}),
		side(there, func(i int, dir string) (float64, error) {
			took, err := c.theirs(i, ranks, dir)
			if err != nil {
				return 0, err
			}
			return took, same(filepath.Join(c.Dir, here), dir)
		}),
	}
}

// theirs measures a row with the library.
func (c *contest) theirs(i, ranks int, dir string) (float64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := os.Setenv(jobVariable, fmt.Sprintf("%d,%g,%s", i, c.Seconds, dir)); err != nil {
		return 0, err
	}
	defer os.Unsetenv(jobVariable)
	out, _, err := c.lib.Run(ctx, c.self, ranks)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
}

// same compares the files that both sides wrote; rows of messages write none.
func same(here, there string) error {
	ours, err := os.ReadFile(filepath.Join(here, fileName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	theirs, err2 := os.ReadFile(filepath.Join(there, fileName))
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if !bytes.Equal(ours, theirs) {
		return fmt.Errorf("the files of both sides are not the same: %d and %d bytes", len(ours), len(theirs))
	}
	return nil
}
