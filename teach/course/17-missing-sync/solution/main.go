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
	ranks := flag.Int("ranks", 2, "number of ranks: the first writes, the last reads")
	n := flag.Int("n", 4, "numbers that are handed over")
	flag.Parse()
	fsys, got := iofile.NewMem(), make([]int32, *n)
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		return handOver(c, fsys, got)
	})
	fmt.Println("read", got)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// handOver writes the numbers on rank 0 and reads them on the last rank.
func handOver(c *comm.Comm, fsys *iofile.FS, got []int32) error {
	f, err := iofile.Open(c, fsys, "numbers", iofile.Create|iofile.ReadWrite)
	if err != nil {
		return err
	}
	err = f.SetView(iofile.View{Etype: types.Int32, Filetype: types.Int32})
	if err == nil && c.Rank() == 0 {
		_, err = f.WriteAt(types.Of(squares(len(got))), 0)
	}
	err = errors.Join(err, f.Sync())
	err = errors.Join(err, c.Barrier())
	err = errors.Join(err, f.Sync())
	if err == nil && c.Rank() == c.Size()-1 {
		_, err = f.ReadAt(types.Of(got), 0)
	}
	return errors.Join(err, f.Close())
}

// squares returns 100, 101, 104, 109, ...
func squares(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(100 + i*i)
	}
	return list
}
