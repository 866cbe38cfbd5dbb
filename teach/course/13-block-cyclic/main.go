// Block-cyclic: who owns which cells of a matrix that is dealt out in blocks to a grid of ranks, as
// ScaLAPACK does. Every rank writes its number into its cells with one call.
//
//	go run ./teach/course/13-block-cyclic -ranks 4 -n 10
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

const block = 2 // rows and columns of a block

func main() {
	ranks := flag.Int("ranks", 6, "number of ranks")
	n := flag.Int("n", 10, "rows and columns of the matrix")
	flag.Parse()
	var pictures [][]byte
	for _, d := range []types.Distribution{types.DistBlock, types.DistCyclic} {
		arg := int64(block)
		if d == types.DistBlock {
			arg = types.DefaultArg // as large as it takes
		}
		fsys := iofile.NewMem()
		err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
			return write(c, fsys, *n, d, arg)
		})
		text, e := fs.ReadFile(fsys, "matrix")
		if err = errors.Join(err, e); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		pictures = append(pictures, text)
	}
	p, q := grid(*ranks)
	fmt.Printf("%d ranks as a grid of %d by %d\n%-*s  block-cyclic\n", *ranks, p, q, *n, "block")
	for i := 0; i < *n**n; i += *n {
		fmt.Printf("%s  %s\n", pictures[0][i:i+*n], pictures[1][i:i+*n])
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

// write writes the number of the rank into its cells.
func write(c *comm.Comm, fsys *iofile.FS, n int, d types.Distribution, arg int64) error {
	f, err := iofile.Open(c, fsys, "matrix", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	p, q := grid(c.Size())
	mine := types.Darray(types.Grid{Size: int64(c.Size()), Rank: int64(c.Rank()), Dims: []types.GridDim{
		{Size: int64(n), Dist: d, Arg: arg, Procs: int64(p)}, {Size: int64(n), Dist: d, Arg: arg, Procs: int64(q)},
	}}, types.Byte)
	cells := mine.Size(reps.LP64LE)
	err = f.SetView(iofile.View{Etype: types.Byte, Filetype: mine})
	if err == nil {
		_, err = f.WriteAtAll(types.Of([]byte(strings.Repeat(fmt.Sprint(c.Rank()), int(cells)))), 0)
	}
	return errors.Join(err, f.Close())
}
