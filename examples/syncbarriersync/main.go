// Syncbarriersync takes apart the standard's recipe for passing bytes from one rank
// to another: the writer syncs, a barrier, the reader syncs. For each program
// it counts the schedules, of a hundred, in which the reader finds the old bytes,
// and shows the missing calls in the report of each. They are the same in all
// schedules, even the lucky ones: races are judged by the order of events.
//
//	go run ./examples/syncbarriersync                    # 2 ranks, 100 schedules
//	go run ./examples/syncbarriersync -ranks 3 -n 20
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "syncbarriersync:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("syncbarriersync", flag.ContinueOnError)
	ranks := flags.Int("ranks", 2, "number of ranks: the first writes, the last reads")
	n := flags.Int("n", 100, "schedules of each program")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case flags.NArg() > 0:
		return fmt.Errorf("%q: there are no arguments, only flags", flags.Arg(0))
	case *ranks < 2 || *ranks > 64:
		return fmt.Errorf("-ranks %d: 2 to 64, one writes and one reads", *ranks)
	case *n < 1 || *n > 10_000:
		return fmt.Errorf("-n %d: 1 to 10000", *n)
	}
	for _, steps := range [][]string{
		{"sync", "barrier", "sync"},
		{"barrier", "sync"},
		{"sync", "barrier"},
		{"sync", "sync"}, // here the syncs of all ranks meet; the standard does not say that they do
		{"sync"},
	} {
		if err := show(*ranks, *n, steps); err != nil {
			return err
		}
	}
	return nil
}

// show runs a program whose ranks do these steps between write and read.
func show(ranks, schedules int, steps []string) error {
	old := 0
	lacks := map[string]int{}
	for seed := range uint64(schedules) {
		fsys, got := iofile.NewMem(), make([]byte, 3)
		err := fsys.Import("word", strings.NewReader("old"))
		err = errors.Join(err, world.Run(context.Background(), ranks, func(_ context.Context, c *comm.Comm) error {
			return pass(c, fsys, steps, got)
		}, world.Seed(seed)))
		var race *consistency.RaceError
		switch {
		case errors.As(err, &race):
			lacks[race.Lacks()]++
		case err != nil:
			return err
		}
		if string(got) == "old" {
			old++
		}
	}
	fmt.Printf("write, %s, read: %d of %d read the old bytes\n", strings.Join(steps, ", "), old, schedules)
	for _, what := range slices.Sorted(maps.Keys(lacks)) {
		fmt.Printf("  %d lack %s\n", lacks[what], what)
	}
	return nil
}

// pass lets rank 0 write a word and the last rank read it, with steps between.
func pass(c *comm.Comm, fsys *iofile.FS, steps []string, got []byte) error {
	f, err := iofile.Open(c, fsys, "word", iofile.ReadWrite)
	if err != nil {
		return err
	}
	if c.Rank() == 0 {
		_, err = f.WriteAt(types.Of([]byte("new")), 0)
	}
	for _, s := range steps {
		switch s {
		case "sync":
			err = errors.Join(err, f.Sync())
		case "barrier":
			err = errors.Join(err, c.Barrier())
		}
	}
	if c.Rank() == c.Size()-1 {
		_, e := f.ReadAt(types.Of(got), 0)
		err = errors.Join(err, e)
	}
	return errors.Join(err, f.Close())
}
