// Command comm measures messages and collectives: those of this module, and
// those of the MPI libraries installed here.
//
//	go run ./bench/comm                # all rows; some minutes, most of them starts of 128 processes
//	go run ./bench/comm barrier        # those with barrier in their name
//	go run ./bench/comm -rounds 9 8 B  # more turns for those with "8 B" in their name
//
// All are measured in one run and in turns, since one figure alone says more
// about the host and its load than about the code. A row shows microseconds an
// operation (median of all rounds), and the median over the rounds of the better
// library's figure against ours. Ranks of this module are goroutines, those of
// a library processes, built for a processor each: with more ranks than
// processors, which is what laptops and tests have, Open MPI is told to yield,
// and MPICH, which cannot be told, is measured up to -crowd ranks only, because
// one barrier of 64 ranks takes it a second. A dash is a row that a library was
// not asked for.
//
// A second table compares ours with ours: free and seeded on one core, with and
// without the checks of [world.Unchecked].
//
// # Figures
//
// Better library's time over ours, as go run ./bench/comm told it: medians of 5
// turns on two busy cores of a Xeon (load average 9 to 18; the ratios are of one
// turn each), goal in brackets:
//
//	8 B half round trip                1.00  (1)
//	64 KiB half round trip             2.15  (4)
//	8 B ISend/IRecv, window 64         0.23  (1.5)
//	8 B Send/Recv, 64 in a row         0.44  (1.5)
//	10,000 unexpected                   101  (50)
//	barrier, 16 ranks                  13.9  (30)
//	allreduce of a double, 16 ranks     8.5
//	alltoall of 4 KiB, 16 ranks         6.3
//
// Seeded took 1.2 times of free on one core for half round trips and messages in
// a row (processor time), 1.3 for barriers; the difference made by the checks is
// within the noise. A message took 0.26, 0.22, 0.24 and 0.65 us with 100, 1,000,
// 10,000 and 100,000 unexpected.
//
// One copy of 64 KiB takes 1.35 us there by whatever instruction, and the
// libraries need 3.85 when the host is idle: 2.85 is the most that any single
// thread could reach, and 4 would take both cores to copy. A barrier of 16 takes
// 16 switches of goroutines, 90 ns each or more.
//
// # Map
//
//   - rows.go: what is measured, and the ratios wanted
//   - ours.go, c/peer.c: the same steps twice
//   - contest.go: whose turn it is, and the figures
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/commworld/commworld/internal/peers"
)

//go:embed c/peer.c
var source []byte

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "comm:", err)
		os.Exit(1)
	}
}

func run(args []string, w io.Writer) error {
	c := &contest{figs: map[*row]map[string][]float64{}}
	flags := flag.NewFlagSet("comm", flag.ContinueOnError)
	flags.SetOutput(w)
	flags.IntVar(&c.rounds, "rounds", 5, "turns of each side")
	flags.Float64Var(&c.seconds, "seconds", 0.1, "about what a row takes in a turn")
	flags.IntVar(&c.crowd, "crowd", 4, "most ranks for MPICH, which spins")
	if err := flags.Parse(args); err != nil {
		return err
	}
	names := strings.Join(flags.Args(), " ")
	peers.Conditions(w)
	libs, done, err := peers.Programs(w, source)
	defer done()
	if err != nil {
		return err
	}
	c.libs = libs
	header(w)
	for _, group := range groups(rows(), names) {
		if err := c.run(group); err != nil {
			return err
		}
		for _, r := range group {
			c.print(w, r)
		}
	}
	fmt.Fprintln(w)
	for _, p := range pairings() {
		if strings.Contains(p.a, names) {
			if err := c.compare(w, p); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(w, "\nload average at the end %s\n", peers.Load())
	return nil
}

// groups are the rows with names in their name, those together that one world
// can run.
func groups(rows []*row, names string) (all [][]*row) {
	for _, r := range rows {
		if !strings.Contains(r.name, names) {
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
