// Stale is a program that is wrong and works on every laptop: rank 0 writes, a
// barrier, the last rank reads. The standard allows it to read the old bytes, and
// here it does; the report names both calls and the missing ones. Under a model
// that behaves like a laptop it reads the written bytes, and the report is the
// same. With the missing calls there is no report.
//
//	go run ./examples/stale                     # 2 ranks, 5 letters
//	go run ./examples/stale -ranks 4 -n 1000
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "stale:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("stale", flag.ContinueOnError)
	ranks := flags.Int("ranks", 2, "number of ranks: the first writes, the last reads")
	n := flags.Int("n", 5, "letters that are written and read")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case flags.NArg() > 0:
		return fmt.Errorf("%q: there are no arguments, only flags", flags.Arg(0))
	case *ranks < 2 || *ranks > 1000:
		return fmt.Errorf("-ranks %d: 2 to 1000, one writes and one reads", *ranks)
	case *n < 1 || *n > 1<<20:
		return fmt.Errorf("-n %d: 1 to %d", *n, 1<<20)
	}
	pass("as it is", consistency.Weakest, *ranks, *n, false)
	pass("as on a laptop", consistency.POSIX, *ranks, *n, false)
	pass("with the missing calls", consistency.Weakest, *ranks, *n, true)
	return nil
}

// letters repeats a word until it has n letters.
func letters(word string, n int) string { return strings.Repeat(word, n/len(word)+1)[:n] }

// pass lets rank 0 write n letters over old ones and the last rank read them.
func pass(title string, model consistency.Model, ranks, n int, synced bool) {
	fsys := iofile.NewMem(iofile.WithModel(model))
	if err := fsys.Import("word", strings.NewReader(letters("stale", n))); err != nil {
		fmt.Println(err)
		return
	}
	got := make([]byte, n)
	err := world.Run(context.Background(), ranks, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "word", iofile.ReadWrite)
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			_, err = f.WriteAt(types.Of([]byte(letters("fresh", n))), 0)
		}
		if synced {
			err = errors.Join(err, f.Sync(), c.Barrier())
			err = errors.Join(err, f.Sync())
		} else {
			err = errors.Join(err, c.Barrier())
		}
		if c.Rank() == ranks-1 {
			_, e := f.ReadAt(types.Of(got), 0)
			err = errors.Join(err, e)
		}
		return errors.Join(err, f.Close())
	}, world.Seed(1))
	fmt.Printf("%s: rank %d reads %q\n", title, ranks-1, got[:min(n, 20)])
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println()
}
