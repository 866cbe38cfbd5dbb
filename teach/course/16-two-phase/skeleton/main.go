// The exercise: one rank writes for all. See README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	ranks := flag.Int("ranks", 4, "number of ranks")
	nodes := flag.Int("nodes", 2, "aggregators")
	n := flag.Int("n", 16, "rows and columns of the matrix")
	flag.Parse()
	fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX))
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		return write(c, fsys, *n, *nodes)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes columns lo to hi-1 of an n by n matrix through so many aggregators.
func write(c *comm.Comm, fsys *iofile.FS, n, nodes int) error {
	info := comm.NewInfo()
	// Which hint says how many aggregators there are?
	if err := info.Set("access_style", fmt.Sprint("write_once")); err != nil {
		_ = nodes
		return err
	}
	f, err := iofile.Open(c, fsys, "matrix", iofile.Create|iofile.ReadWrite, iofile.WithStrategy(strategy.TwoPhase{}), iofile.WithInfo(info))
	if err != nil {
		return err
	}
	lo, hi := n*c.Rank()/c.Size(), n*(c.Rank()+1)/c.Size()
	var mine []float64
	for row := range n {
		for col := lo; col < hi; col++ {
			mine = append(mine, float64(row*n+col))
		}
	}
	columns := types.Vector(int64(n), int64(hi-lo), int64(n), types.Double)
	err = f.SetView(iofile.View{Disp: int64(8 * lo), Etype: types.Double, Filetype: columns})
	if err == nil {
		_, err = f.WriteAtAll(types.Of(mine), 0)
	}
	return errors.Join(err, f.Close())
}
