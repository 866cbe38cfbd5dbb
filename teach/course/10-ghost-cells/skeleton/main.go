// The exercise: the border goes to the file, and other ranks read it. See README.md.
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
	ranks := flag.Int("ranks", 2, "number of ranks that write")
	readers := flag.Int("readers", 3, "number of ranks that read")
	n := flag.Int("n", 6, "rows and columns of the grid")
	flag.Parse()
	fsys, got := iofile.NewMem(), make([][]int32, *readers)
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		return write(c, fsys, *n)
	})
	if err == nil {
		err = world.Run(context.Background(), *readers, func(_ context.Context, c *comm.Comm) (err error) {
			got[c.Rank()], err = restart(c, fsys, *n)
			return err
		})
	}
	for r, cells := range got {
		fmt.Printf("rank %d has %v\n", r, cells)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes rows lo to hi-1 of an n by n grid. In memory they have a border of one cell on
// each side, which holds -1.
func write(c *comm.Comm, fsys *iofile.FS, n int) error {
	f, err := iofile.Open(c, fsys, "grid", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	lo, hi := n*c.Rank()/c.Size(), n*(c.Rank()+1)/c.Size()
	rows, w := int64(hi-lo), int64(n)
	memory := slices.Repeat([]int32{-1}, (hi-lo+2)*(n+2))
	for i := range hi - lo {
		for j := range n {
			memory[(i+1)*(n+2)+j+1] = int32((lo+i)*n + j)
		}
	}
	mine := types.Subarray(types.OrderC, []types.Slab{{Size: w, Sub: rows, Start: int64(lo)}, {Size: w, Sub: w, Start: 0}}, types.Int32)
	inside := types.Contiguous(rows*w, types.Int32) // Which cells of the memory are inside?
	err = f.SetView(iofile.View{Disp: 0, Etype: types.Int32, Filetype: mine})
	if err == nil {
		_, err = f.WriteAtAll(types.Of(memory).As(inside), 0)
	}
	return errors.Join(err, f.Close())
}

// restart returns columns lo to hi-1 of the grid, with a column of ghost cells on each side. A
// ghost cell has the value of the neighbour's cell; outside of the grid it is -1.
func restart(c *comm.Comm, fsys *iofile.FS, n int) ([]int32, error) {
	f, err := iofile.Open(c, fsys, "grid", iofile.ReadOnly)
	if err != nil {
		return nil, err
	}
	lo, hi := n*c.Rank()/c.Size(), n*(c.Rank()+1)/c.Size()
	memory := slices.Repeat([]int32{-1}, n*(hi-lo+2))
	// The file has rows of n cells. Which of them are for this rank, and where do they belong?
	tile := types.Contiguous(int64(n*(hi-lo)), types.Int32)
	err = f.SetView(iofile.View{Disp: int64(4 * n * lo), Etype: types.Int32, Filetype: tile})
	if err == nil {
		_, err = f.ReadAtAll(types.Of(memory[:n*(hi-lo)]), 0)
	}
	return memory, errors.Join(err, f.Close())
}
