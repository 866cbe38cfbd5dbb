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

const block = 3 // rows and columns of a block

func main() {
	ranks := flag.Int("ranks", 6, "number of ranks")
	n := flag.Int("n", 12, "rows and columns of the matrix")
	flag.Parse()
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		return write(c, fsys, *n)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// grid returns a grid of ranks, as square as can be.
func grid(ranks int) (p, q int) {
	for p = 1; (p+1)*(p+1) <= ranks; p++ {
	}
	for ; ranks%p > 0; p-- {
	}
	return p, ranks / p
}

// write writes the cells of the rank. Cell (i, j) is i*n + j and belongs to the rank in row
// i/block mod p and column j/block mod q of the grid.
func write(c *comm.Comm, fsys *iofile.FS, n int) error {
	p, q := grid(c.Size())
	var mine []int32
	for i := range n {
		for j := range n {
			if i/block%p == c.Rank()/q && j/block%q == c.Rank()%q {
				mine = append(mine, int32(i*n+j))
			}
		}
	}
	f, err := iofile.Open(c, fsys, "matrix", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	cells := types.Darray(types.Grid{Size: int64(c.Size()), Rank: int64(c.Rank()), Dims: []types.GridDim{
		{Size: int64(n), Dist: types.DistCyclic, Arg: block, Procs: int64(p)},
		{Size: int64(n), Dist: types.DistCyclic, Arg: block, Procs: int64(q)},
	}}, types.Int32)
	err = f.SetView(iofile.View{Etype: types.Int32, Filetype: cells})
	if err == nil {
		_, err = f.WriteAtAll(types.Of(mine), 0)
	}
	return errors.Join(err, f.Close())
}
