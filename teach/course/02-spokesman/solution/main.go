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
	ranks := flag.Int("ranks", 3, "number of ranks")
	n := flag.Int("n", 1000, "numbers of each rank")
	flag.Parse()
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		mine := make([]int32, *n)
		for i := range mine {
			mine[i] = int32(c.Rank()**n + i)
		}
		return write(c, fsys, mine)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes the numbers of all ranks, in the order of the ranks.
func write(c *comm.Comm, fsys *iofile.FS, mine []int32) error {
	f, err := iofile.Open(c, fsys, "numbers", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	_, err = f.WriteAtAll(types.Of(mine), iofile.Offset(4*len(mine)*c.Rank()))
	return errors.Join(err, f.Close())
}
