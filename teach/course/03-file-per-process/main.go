// A file for each process: four ranks write a file each. Then other numbers of ranks restart, and
// the program says which files each of them has to open.
//
//	go run ./teach/course/03-file-per-process
//	go run ./teach/course/03-file-per-process -ranks 6 -n 30
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
	ranks := flag.Int("ranks", 4, "number of ranks that write")
	n := flag.Int("n", 12, "numbers in all")
	flag.Parse()
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c.Self(), fsys, name(c.Rank()), iofile.Create|iofile.WriteOnly) // alone
		if err != nil {
			return err
		}
		lo, hi := share(*n, c.Rank(), *ranks)
		mine := make([]int32, hi-lo)
		for i := range mine {
			mine[i] = int32(lo + i)
		}
		_, err = f.WriteAt(types.Of(mine), 0)
		return errors.Join(err, f.Close())
	})
	list, e := fs.ReadDir(fsys, ".")
	if err = errors.Join(err, e); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%d ranks wrote %d files\n", *ranks, len(list))
	for _, readers := range []int{*ranks, *ranks - 1, 2} {
		fmt.Printf("restart on %d ranks:\n", readers)
		for r := range readers {
			fmt.Printf("  rank %d opens%s\n", r, needs(*n, r, readers, *ranks))
		}
	}
}

func name(rank int) string { return fmt.Sprint("part.", rank) }

// share returns which of n numbers belong to a rank: lo to hi-1.
func share(n, rank, ranks int) (lo, hi int) { return n * rank / ranks, n * (rank + 1) / ranks }

// needs lists the files that hold the numbers of a reader.
func needs(n, reader, readers, writers int) (text string) {
	lo, hi := share(n, reader, readers)
	for w := range writers {
		from, to := share(n, w, writers)
		if a, b := max(lo, from), min(hi, to); a < b {
			part := ""
			if b-a < to-from {
				part = fmt.Sprintf(" (%d of %d numbers)", b-a, to-from)
			}
			text += " " + name(w) + part
		}
	}
	return text
}
