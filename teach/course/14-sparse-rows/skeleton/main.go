// The exercise: where do the values of this rank begin? See README.md.
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
	ranks := flag.Int("ranks", 4, "number of ranks")
	n := flag.Int("n", 2, "a rank has 0 to 4 times as many values")
	flag.Parse()
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		mine := make([]int32, (c.Rank()*7+3)%5**n) // rank 1 has none
		for i := range mine {
			mine[i] = int32(1000*c.Rank() + i)
		}
		return write(c, fsys, mine)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes the values of all ranks, those of rank 0 first, without gaps.
func write(c *comm.Comm, fsys *iofile.FS, mine []int32) error {
	// How many values have the ranks before this one?
	before := []int64{int64(c.Rank() * len(mine))}
	f, err := iofile.Open(c, fsys, "values", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	err = f.SetView(iofile.View{Etype: types.Int32, Filetype: types.Int32})
	if err == nil {
		_, err = f.WriteAtAll(types.Of(mine), iofile.Offset(before[0]))
	}
	return errors.Join(err, f.Close())
}
