// The exercise: all ranks see the whole file. Let each see its own blocks. See README.md.
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

const block = 3 // numbers

func main() {
	ranks := flag.Int("ranks", 2, "number of ranks")
	n := flag.Int("n", 4, "blocks of each rank")
	flag.Parse()
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		return deal(c, fsys, mine(c, *n))
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// deal writes the blocks of the rank: block b of rank r is block b*ranks + r of the file.
func deal(c *comm.Comm, fsys *iofile.FS, numbers []int32) error {
	f, err := iofile.Open(c, fsys, "numbers", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	// Which tile repeats, and where does it begin?
	tile := types.Contiguous(block, types.Int32)
	err = f.SetView(iofile.View{Disp: int64(0), Etype: types.Int32, Filetype: tile})
	if err == nil {
		_, err = f.WriteAtAll(types.Of(numbers), 0)
	}
	return errors.Join(err, f.Close())
}

// mine returns the numbers of the rank, so that the file holds 0, 1, 2, ...
func mine(c *comm.Comm, n int) (list []int32) {
	for b := range n {
		for i := range block {
			list = append(list, int32((b*c.Size()+c.Rank())*block+i))
		}
	}
	return list
}
