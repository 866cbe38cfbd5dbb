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
// without the checks of [world.Unchecked]. A third shows how much of ours is
// switching from rank to rank, or copying, or passing something on at all.
//
// # Figures
//
// Better library's time over ours, as go run ./bench/comm -rounds 3 -seconds 0.05
// told it on two cores of a Xeon that did nothing else; goals in brackets. A
// library's figure moves by a factor of five with what else the host has to do
// (64 KiB: 3.8 us when it is idle, 10.2 at a load average of 15).
//
//	8 B half round trip                1.14  (1)
//	64 KiB half round trip             1.90  (4)
//	8 B ISend/IRecv, window 64         0.38  (1.5)
//	8 B Send/Recv, 64 in a row         0.79  (1.5)
//	10,000 unexpected                   103  (50)
//	barrier, 16 ranks                  14.5  (30)
//	barrier, 64 ranks                  15.2  (100)
//	allreduce of a double, 64 ranks    10.1  (25)
//	alltoall of 4 KiB, 64 ranks        13.8  (5)
//	start of 128 ranks               32,700  (5000)
//
// Seeded took 1.04 times of free on one core for half round trips, 1.03 for
// messages in a row, 0.95 and 0.96 for barriers of 16 and 64; with the checks rows
// took 0.97 to 1.12 of what they did without. A message took 0.15, 0.15, 0.15 and
// 0.30 us with 100, 1,000, 10,000 and 100,000 unexpected.
//
// # What stands in the way
//
// The last table shows what is left when nothing but the switches or the copies of
// a row are made. Ours against that: half round trip 0.26 us against 0.043, 64 KiB
// 1.93 against 1.35, barriers of 16 and 64 2.8 and 20 against 1.4 and 5.7,
// allreduce 4.7 and 28 against the same.
//
//   - Messages in a row and windows: a message takes 1,050 and 1,880 instructions,
//     sender and receiver together (1,670 and 2,360 before short ones went a short
//     way; rows then took 0.4 of the time on two cores and 0.6 on one). Bare, as the
//     last table has them, two goroutines with a locked queue between them that
//     check nothing and tell nobody take 37 ns a message in rows and 51 to 57 in
//     windows on two cores. Open MPI takes 79 and 76 on an idle host: 1.5 times that
//     speed is the bare window and leaves nothing for arguments, matching, requests
//     and statuses. A lock costs 14 ns, another exchange 7.
//     Ranks mostly share a core; when an idle one takes a rank over, as Go's scheduler
//     has it do, both wait for each other's records, and windows on two cores take
//     1.6 times as long as on one. To yield up to 64 times before sleeping changed
//     nothing. Collecting garbage, mostly statuses, is a tenth of a window.
//   - 64 KiB: one copy is made already where the receiver waits, and the copies
//     alone are seven tenths of the time: 2.8 is what is left to be had.
//   - Barrier of 16: the wait of 16 ranks is 16 switches at least. Goroutines that
//     count each other in and yield until all have come took 12.4 us where ours
//     took 3.8, both on two busy cores. 64 goroutines that wake each other in any of
//     seven ways (channels in a chain, a tree or each its own, a closed channel, a
//     condition, a wait group, locks) take 10 to 20 us on two cores.
//   - Seeded against free: what a seed draws is what costs. Where it has every step
//     of a Recv pass the turn or not, half round trips take 1.35 times of free:
//     ranks then wait in unlike places, which processors guess wrong, and messages
//     come before their receives. Seeds do so half of the time. A switch of
//     coroutines takes 65 to 105 ns, by the depth of the stack, a yield of goroutines
//     120 to 180.
//   - 100,000 unexpected: records of 384 bytes, which no cache holds.
//
// # Map
//
//   - rows.go: what is measured, and the ratios wanted
//   - ours.go, c/peer.c: the same steps twice
//   - contest.go: whose turn it is, and the figures
//   - floor.go, bare.go: what the switches and copies of a row take alone, and what
//     it takes without all that makes messages useful
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
	fmt.Fprintln(w)
	for _, f := range floors() {
		if strings.Contains(f.name, names) {
			if err := c.sound(w, f); err != nil {
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
