// A solution of the exercise.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	ranks := flag.Int("ranks", 3, "number of ranks")
	n := flag.Int("n", 4, "numbers of each rank")
	flag.Parse()
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		mine := slices.Repeat([]int32{int32(c.Rank())}, *n)
		got := make([]int32, *n)
		if err := pass(c, mine, got); err != nil {
			return err
		}
		return write(c, fsys, got)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// pass sends mine to the rank on the right and receives got from the one on the left.
func pass(c *comm.Comm, mine, got []int32) error {
	left, right := (c.Rank()+c.Size()-1)%c.Size(), (c.Rank()+1)%c.Size()
	_, err := c.SendRecv(types.Of(mine), comm.To{Rank: right, Tag: 1}, types.Of(got), comm.From{Rank: left, Tag: 1})
	return err
}

// write writes what the rank got. Rank 0 has nothing to write: what it got goes nowhere.
func write(c *comm.Comm, fsys *iofile.FS, got []int32) error {
	f, err := iofile.Open(c, fsys, "ring", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	at := iofile.Offset(4 * len(got) * (c.Rank() - 1))
	if c.Rank() == 0 {
		got, at = nil, 0
	}
	_, err = f.WriteAtAll(types.Of(got), at)
	return errors.Join(err, f.Close())
}
