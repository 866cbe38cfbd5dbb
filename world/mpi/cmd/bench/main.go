// Bench measures the same bodies of ranks twice: as goroutines of this process, and
// as processes of the MPI library that it was built with, which it starts itself:
//
//	go run ./cmd/bench                 # MPICH
//	go run -tags openmpi ./cmd/bench   # Open MPI
//	go run ./cmd/bench -rounds 9 64 KiB
//
// The two sides take turns. A row shows microseconds an operation, the median of
// the rounds, and the median over the rounds of the library's time against ours:
// above 1 ours is the faster. What the engine itself costs is within the library's
// figures; cmd/overhead says how much that is. Files lie in -dir on both sides,
// are written under the POSIX model, and are compared after every turn.
//
// With more ranks than processors a library that spins, as MPICH does, shows what
// it is to wait for the system's scheduler; -ranks says how many write files and
// take part in collectives.
//
// # Map
//
//   - main.go: whose turn it is, and the table
//   - bodies.go: what is measured
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/commworld/commworld/internal/peers"
	"github.com/commworld/commworld/world"
	"github.com/commworld/commworld/world/mpi"
)

// patience is how long a library may take for its turn with a row.
const patience = time.Minute

func main() {
	b := contest{w: os.Stdout}
	if err := b.run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// A contest measures rows in turns.
type contest struct {
	w       io.Writer
	rounds  int
	ranks   int
	seconds float64
	dir     string
	lib     *peers.Library
	self    string // this program
}

func (c *contest) run(args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(c.w)
	flags.IntVar(&c.rounds, "rounds", 5, "turns of each side")
	flags.IntVar(&c.ranks, "ranks", 2, "ranks of collectives and files")
	flags.Float64Var(&c.seconds, "seconds", 0.1, "about what a row takes in a turn")
	flags.StringVar(&c.dir, "dir", "/dev/shm", "where the files are")
	inside := flags.Int("row", -1, "be a rank of a job, and measure this row in -dir; told by this program to itself")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *inside >= 0 {
		return c.rank(*inside)
	}
	return c.all(strings.Join(flags.Args(), " "))
}

// rank is one rank's part of a job. The first tells the figure.
func (c *contest) rank(i int) error {
	if i >= len(rows) {
		return fmt.Errorf("there are %d rows, and no number %d", len(rows), i)
	}
	took, first, err := measure(&rows[i], 0, c.dir, c.seconds, world.Engine("mpi"))
	if err == nil && first {
		_, err = fmt.Fprintln(c.w, took)
	}
	return err
}

// all measures the rows with names in their name.
func (c *contest) all(names string) (err error) {
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
	if c.dir, err = os.MkdirTemp(c.dir, "commworld-bench"); err != nil {
		return err
	}
	defer os.RemoveAll(c.dir)
	peers.Conditions(c.w)
	fmt.Fprintf(c.w, "\n%-44s %10s %15s %13s\n", "us", "in process", mpi.Library(), "library/ours")
	found := false
	for i := range rows {
		if strings.Contains(rows[i].name, names) {
			found = true
			if err := c.row(i); err != nil {
				return fmt.Errorf("%s: %w", rows[i].name, err)
			}
		}
	}
	if !found {
		return fmt.Errorf("no row has %q in its name", names)
	}
	_, err = fmt.Fprintf(c.w, "\nload average at the end %s\n", peers.Load())
	return err
}

// row measures a row in turns, and prints it.
func (c *contest) row(i int) error {
	r, ranks := &rows[i], c.ranks
	if r.ranks > 0 {
		ranks = r.ranks
	}
	var ours, theirs []float64
	for range c.rounds {
		here, there := filepath.Join(c.dir, "here"), filepath.Join(c.dir, "there")
		if err := errors.Join(os.Mkdir(here, 0o755), os.Mkdir(there, 0o755)); err != nil {
			return err
		}
		took, _, err := measure(r, ranks, here, c.seconds)
		if err != nil {
			return err
		}
		ours = append(ours, took)
		if took, err = c.theirs(i, ranks, there); err != nil {
			return err
		}
		theirs = append(theirs, took)
		if err := same(here, there); err != nil {
			return err
		}
		if err := errors.Join(os.RemoveAll(here), os.RemoveAll(there)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(c.w, "%-44s %10s %15s %13s\n", r.name+", "+strconv.Itoa(ranks)+" ranks",
		peers.Short(peers.Median(ours)*1e6), peers.Short(peers.Median(theirs)*1e6), peers.Short(peers.Ratio(theirs, ours)))
	return err
}

// theirs has the library measure a row.
func (c *contest) theirs(i, ranks int, dir string) (float64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, _, err := c.lib.Run(ctx, c.self, ranks, "-row", strconv.Itoa(i), "-dir", dir, "-seconds", strconv.FormatFloat(c.seconds, 'g', -1, 64))
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
}

// same compares what both sides wrote; rows of messages write nothing.
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
