// The exercise: the reader is too early, and the columns stay columns. See README.md.
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
	ranks := flag.Int("ranks", 2, "number of ranks")
	n := flag.Int("n", 5, "rows and columns")
	flag.Parse()
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		return transpose(c, fsys, *n)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// transpose writes the rows of the matrix a, whose cell (i, j) is i*n + j, reads its columns, and
// writes them as rows of the matrix b.
func transpose(c *comm.Comm, fsys *iofile.FS, n int) error {
	lo, hi := n*c.Rank()/c.Size(), n*(c.Rank()+1)/c.Size()
	mine := make([]int32, (hi-lo)*n)
	for i := range mine {
		mine[i] = int32(lo*n + i)
	}
	a, err := iofile.Open(c, fsys, "a", iofile.Create|iofile.ReadWrite)
	if err != nil {
		return err
	}
	_, err = a.WriteAtAll(types.Of(mine), iofile.Offset(4*lo*n))
	// Other ranks have written what this rank reads.
	columns := types.Vector(int64(n), int64(hi-lo), int64(n), types.Int32)
	err = errors.Join(err, a.SetView(iofile.View{Disp: int64(4 * lo), Etype: types.Int32, Filetype: columns}))
	if err == nil {
		// The cells of a row of the file belong n apart in memory.
		_, err = a.ReadAtAll(types.Of(mine), 0)
	}
	if err = errors.Join(err, a.Close()); err != nil {
		return err
	}
	b, err := iofile.Open(c, fsys, "b", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	_, err = b.WriteAtAll(types.Of(mine), iofile.Offset(4*lo*n))
	return errors.Join(err, b.Close())
}
