// A solution of the exercise.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	writers := flag.Int("ranks", 4, "number of ranks that write")
	readers := flag.Int("readers", 3, "number of ranks that read")
	n := flag.Int("n", 14, "numbers in all")
	flag.Parse()
	fsys, got := iofile.NewMem(), make([][]int32, *readers)
	err := world.Run(context.Background(), *writers, func(_ context.Context, c *comm.Comm) error {
		return save(c, fsys, *n)
	})
	if err == nil {
		err = world.Run(context.Background(), *readers, func(_ context.Context, c *comm.Comm) (err error) {
			got[c.Rank()], err = restart(c, fsys, *writers, *n)
			return err
		})
	}
	for r, list := range got {
		fmt.Printf("rank %d has %v\n", r, list)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func name(rank int) string { return fmt.Sprint("part.", rank) }

// share returns which of n numbers belong to a rank: lo to hi-1.
func share(n, rank, ranks int) (lo, hi int) { return n * rank / ranks, n * (rank + 1) / ranks }

// save writes the numbers of the rank into a file of its own. Number i is i*i.
func save(c *comm.Comm, fsys *iofile.FS, n int) error {
	f, err := iofile.Open(c.Self(), fsys, name(c.Rank()), iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	lo, hi := share(n, c.Rank(), c.Size())
	mine := make([]int32, hi-lo)
	for i := range mine {
		mine[i] = int32((lo + i) * (lo + i))
	}
	_, err = f.WriteAt(types.Of(mine), 0)
	return errors.Join(err, f.Close())
}

// restart returns the numbers of the rank, from files that another number of ranks wrote.
func restart(c *comm.Comm, fsys *iofile.FS, writers, n int) ([]int32, error) {
	lo, hi := share(n, c.Rank(), c.Size())
	mine := make([]int32, hi-lo)
	for w := range writers {
		from, to := share(n, w, writers)
		a, b := max(lo, from), min(hi, to)
		if a >= b {
			continue
		}
		if err := read(c, fsys, w, a-from, mine[a-lo:b-lo]); err != nil {
			return nil, err
		}
	}
	return mine, nil
}

// read fills mine from a file of the writers, from its number skip on.
func read(c *comm.Comm, fsys *iofile.FS, writer, skip int, mine []int32) error {
	f, err := iofile.Open(c.Self(), fsys, name(writer), iofile.ReadOnly)
	if err != nil {
		return err
	}
	_, err = f.ReadAt(types.Of(mine), iofile.Offset(4*skip))
	return errors.Join(err, f.Close())
}
