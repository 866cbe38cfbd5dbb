// Quickstart is the program of the README: the ranks share out the letters of one file. The
// file is the same for any number of ranks.
//
//	go run ./examples/quickstart             # 1, 2, 3, 4 and 6 ranks
//	go run ./examples/quickstart -ranks 5
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	ranks := flags.Int("ranks", 0, "number of ranks (default 1, 2, 3, 4 and 6)")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case flags.NArg() > 0:
		return fmt.Errorf("%q: there are no arguments, only flags", flags.Arg(0))
	case *ranks < 0:
		return fmt.Errorf("-ranks %d: 1 or more", *ranks)
	}
	numbers := []int{1, 2, 3, 4, 6}
	if *ranks > 0 {
		numbers = []int{*ranks}
	}
	for _, n := range numbers {
		fsys := iofile.NewMem()
		err := world.Run(context.Background(), n, func(ctx context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "letters", iofile.Create|iofile.ReadWrite)
			if err != nil {
				return err
			}
			n, all := c.Size(), "the quick brown fox jump"
			mine := all[min(c.Rank(), len(all)):] // this rank's letters are 0, n, 2n, ... of it
			every := types.Resized(types.Char, 0, int64(n))
			if err = f.SetView(iofile.View{Disp: int64(c.Rank()), Etype: types.Char, Filetype: every}); err == nil {
				_, err = f.WriteAtAll(types.Raw([]byte(mine), int64((len(mine)+n-1)/n), every), 0)
			}
			return errors.Join(err, f.Close())
		})
		text, _ := fs.ReadFile(fsys, "letters")
		fmt.Println(n, string(text), err)
	}
	return nil
}
