// Atomic lets one rank write and another read the same bytes at the same time, through a
// view with holes. Without atomic mode the reader may find a mixture of old and new, and the
// run is reported as a race. In atomic mode each call happens as a whole, even if its view
// has many pieces: the reader finds all of the write or nothing. The schedule decides which;
// both are legal.
//
//	go run ./examples/atomic                  # 2 ranks, 8 letters
//	go run ./examples/atomic -ranks 3 -n 64
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
		fmt.Fprintln(os.Stderr, "atomic:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("atomic", flag.ContinueOnError)
	ranks := flags.Int("ranks", 2, "number of ranks: the first writes, the last reads")
	n := flags.Int("n", 8, "letters that are written and read, in pairs")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case flags.NArg() > 0:
		return fmt.Errorf("%q: there are no arguments, only flags", flags.Arg(0))
	case *ranks < 2 || *ranks > 64:
		return fmt.Errorf("-ranks %d: 2 to 64, one writes and one reads", *ranks)
	case *n < 2 || *n > 1024 || *n%2 > 0:
		return fmt.Errorf("-n %d: an even number from 2 to 1024", *n)
	}
	for _, atomic := range []bool{false, true} {
		seen := map[string]int{}
		var race error
		for seed := range uint64(100) {
			text, err := once(atomic, seed, *ranks, *n)
			mixed := strings.Contains(text, "o") && strings.Contains(text, "N")
			if mixed {
				text = "mixed"
			}
			if seen[text]++; race == nil && (mixed || atomic) {
				race = err
			}
		}
		fmt.Printf("atomic mode %v, a hundred runs: all old %d, all new %d, mixed %d\n", atomic, seen[strings.Repeat("o", *n)], seen[strings.Repeat("N", *n)], seen["mixed"])
		fmt.Println(race)
	}
	return nil
}

// once lets rank 0 write n letters and the last rank read them.
func once(atomic bool, seed uint64, ranks, n int) (string, error) {
	// Chaos lets unsynced bytes appear in pieces, as file systems do.
	fsys := iofile.NewMem(iofile.WithModel(consistency.Chaos(seed)))
	if err := fsys.Import("letters", strings.NewReader(strings.Repeat("oo--", n/2))); err != nil {
		return "", err
	}
	pairs := types.Resized(types.Contiguous(2, types.Char), 0, 4)
	got := make([]byte, n)
	err := world.Run(context.Background(), ranks, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "letters", iofile.ReadWrite)
		if err != nil {
			return err
		}
		err = errors.Join(f.SetView(iofile.View{Etype: types.Char, Filetype: pairs}), f.SetAtomicity(atomic))
		switch c.Rank() {
		case 0:
			_, e := f.WriteAt(types.Of([]byte(strings.Repeat("N", n))).As(types.Char), 0)
			err = errors.Join(err, e)
		case ranks - 1:
			_, e := f.ReadAt(types.Of(got).As(types.Char), 0)
			err = errors.Join(err, e)
		}
		return errors.Join(err, f.Close())
	}, world.Seed(seed))
	return string(got), err
}
