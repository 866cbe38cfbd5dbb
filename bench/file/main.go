// Command file measures how fast files are written, read, opened and closed: by
// this module, and by the MPI libraries installed here.
//
//	go run ./bench/file                   # the whole table; some six minutes, most of them the libraries'
//	go run ./bench/file -list             # the names of its rows
//	go run ./bench/file -ranks 4 '3-D|IOR' # rows whose names match a regular expression, with 4 ranks
//	go run ./bench/file -peers=false      # ours only
//	go run ./bench/file -mib 16 -reps 1   # smaller files, one repetition a turn
//
// All are measured in one run and in turns, since one figure alone says more
// about the host and its load than about the code. A repetition lasts from the
// first rank's start to the last one's end, on one clock; the first of
// a turn (two of a library's, four of ours), which touch memory that nobody used before, do not count. A row shows
// MiB/s or microseconds a call (median of all rounds):
//
//   - POSIX, default: our memory files under [consistency.POSIX], which do what
//     the libraries do, and under the default model, which needs a sync then; the
//     sync is part of the time. d/P is the default's time over that of POSIX
//   - watch: the time with the race detector over the time without; all other
//     figures are with it. The worse of both models
//   - copy: what copying the same pieces takes, by as many ranks, from their memory
//     to memory that they share and back: no file can be faster
//   - the libraries, with files in -dir: MPICH as it comes and with romio_cb_write
//     and romio_cb_read disabled, Open MPI with OMPIO and with romio321, told to
//     yield where ranks outnumber the processors
//   - better/P: the median over the rounds of the best library's time over ours
//     under POSIX; a goal that is not reached is marked
//
// Ranks of this module are goroutines, those of a library processes, built for a
// processor each. What takes a library longer than -limit is cut short, is not
// tried again in the next round, and is said below the table.
//
// # Figures
//
// A ratio says something only on a machine that does nothing else. Ranks here
// share as many threads as there are processors, a library has a process for each
// rank: beside other programs that compute, four processes get twice the time of
// two threads, and every ratio is half of what it is at rest. The first lines of
// a run say how busy the machine was, and the column copy shows it.
//
// # Floors
//
// Goals in rows.go that a table marks, and why more is hard to get:
//
//   - 8 B a call: 110 to 125 ns of processor time, with the detector, where it was
//     235 to 285 (time -f %U of BenchmarkStretch in iofile, four ranks on two
//     processors). Four locked steps are left, for the page and for the detector's
//     row, and the copying of the call and its buffer; finding the line of the
//     program takes 14. The goal, a fifteenth of a
//     library's 1.2 to 2.4 us, would be 40 to 80 ns on two processors.
//     Handing the call on as a pointer changed nothing.
//   - 1 MiB and 64 KiB a call: 0.9 to 1.2 of what copying alone takes. A library
//     copies once, too: it can be beaten by its system call and no more.
//   - open + close: a meeting each, and 1.2 to 1.5 KB for each rank that the collector
//     has to take back (TestOpenTakesLittle in iofile; it was 3.3, in 19 pieces, now 5
//     to 9): 4.8 and 16 to 23 us with 4 and 16 ranks, where it was 6.8 and 36
//     (0.62 of the processor time). One core does nearly all of
//     it, because the other's thread takes longer to wake than the ranks to go on.
//     50 times faster than a library would be 2.7 and 20 us.
//   - 64 B blocks, holes in both: 210 to 250 us of processor time a MiB, where it was
//     300 to 450; 180 to 220 from memory to memory (BenchmarkHoles), since a block
//     takes whole lines of both. Bytes no longer pass a buffer between.
//   - write_ordered, write_shared: 2.4 and 1.4 us of processor time a call of 4 KiB
//     (BenchmarkTogether); an ordered one is one meeting of all ranks.
//
// # Map
//
//   - rows.go: what is measured, and the ratios wanted
//   - ours.go, c/peer.c: the same calls twice
//   - contest.go: whose turn it is, and the figures
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/commworld/commworld/internal/peers"
)

//go:embed c/peer.c
var source []byte

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "file:", err)
		os.Exit(1)
	}
}

func run(args []string, w io.Writer) (err error) {
	c := &contest{w: w}
	flags := flag.NewFlagSet("file", flag.ContinueOnError)
	flags.SetOutput(w)
	flags.IntVar(&c.rounds, "rounds", 3, "turns of each side")
	flags.IntVar(&c.reps, "reps", 3, "repetitions in a turn")
	flags.Int64Var(&c.mib, "mib", 64, "MiB of a whole file; some rows have a part of it")
	flags.DurationVar(&c.limit, "limit", time.Second, "after which a library's repetitions end")
	only := flags.String("ranks", "4,16", "numbers of ranks, with commas")
	list := flags.Bool("list", false, "print the names of the rows and end")
	dir := flags.String("dir", "/dev/shm", "where the libraries' files are")
	libs := flags.Bool("peers", true, "measure the libraries")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if c.rounds < 1 || c.reps < 1 || c.mib < 1 {
		return fmt.Errorf("-rounds, -reps and -mib are 1 or more")
	}
	ranks, err := numbers(*only)
	if err != nil {
		return err
	}
	chosen, err := matching(strings.Join(flags.Args(), " "))
	if err != nil {
		return err
	}
	if *list {
		for _, r := range chosen {
			fmt.Fprintln(w, r.name)
		}
		return nil
	}
	if c.dir, err = os.MkdirTemp(*dir, "commworld-bench"); err != nil {
		return err
	}
	defer os.RemoveAll(c.dir)
	peers.Conditions(w)
	if *libs {
		programs, done, err := peers.Programs(w, source)
		defer done()
		if err != nil {
			return err
		}
		c.sides = sides(programs)
	}
	c.header()
	for _, r := range chosen {
		for _, n := range ranks {
			if err := c.run(r, n); err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(w)
	for _, note := range c.notes {
		fmt.Fprintln(w, note)
	}
	fmt.Fprintf(w, "load average at the end %s\n", peers.Load())
	return nil
}

// matching are the rows whose names match a regular expression: one at least.
func matching(expr string) (some []*row, err error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, err
	}
	for _, r := range rows() {
		if re.MatchString(r.name) {
			some = append(some, r)
		}
	}
	if some == nil {
		return nil, fmt.Errorf("no row matches %q; -list prints their names", expr)
	}
	return some, nil
}

// numbers are those of a list with commas.
func numbers(list string) (all []int, err error) {
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-ranks: %q is no number of ranks", word)
		}
		all = append(all, n)
	}
	return all, nil
}
