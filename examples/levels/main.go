// Levels writes a matrix whose column blocks belong to four ranks in the four
// classic ways, from one small call for each row to one collective call for
// everything, and counts what a file system has to do for each.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

const (
	n     = 256 // rows and columns of the matrix
	ranks = 4
	width = n / ranks // columns of a rank
)

// levels are the ways to write the same bytes.
var levels = []struct {
	name  string
	write func(f *iofile.File, rank int, mine []float64) error
}{
	{"0 one call a row", func(f *iofile.File, rank int, mine []float64) error { return byRows(f.WriteAt, rank, mine) }},
	{"1 one collective call a row", func(f *iofile.File, rank int, mine []float64) error { return byRows(f.WriteAtAll, rank, mine) }},
	{"2 a view, one call", func(f *iofile.File, rank int, mine []float64) error { return throughView(f, f.WriteAt, rank, mine) }},
	{"3 a view, one collective call", func(f *iofile.File, rank int, mine []float64) error { return throughView(f, f.WriteAtAll, rank, mine) }},
}

type call func(types.Buffer, iofile.Offset) (iofile.Status, error)

func byRows(write call, rank int, mine []float64) error {
	for row := range n {
		if _, err := write(types.Of(mine[row*width:(row+1)*width]), iofile.Offset(8*(row*n+rank*width))); err != nil {
			return err
		}
	}
	return nil
}

func throughView(f *iofile.File, write call, rank int, mine []float64) error {
	columns := types.Vector(n, width, n, types.Double)
	if err := f.SetView(iofile.View{Disp: int64(8 * rank * width), Etype: types.Double, Filetype: columns}); err != nil {
		return err
	}
	_, err := write(types.Of(mine), 0)
	return err
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "levels:", err)
		os.Exit(1)
	}
}

func run() error {
	fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX))
	var first []byte
	fmt.Printf("%-31s %8s %10s %8s %10s %8s  %s\n", "level", "reads", "bytes", "writes", "bytes", "sent", "useful")
	for _, level := range levels {
		var counts [ranks]iofile.Counts
		err := world.Run(context.Background(), ranks, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, level.name, iofile.Create|iofile.ReadWrite, iofile.WithStrategy(iofile.TwoPhase{}))
			if err != nil {
				return err
			}
			mine := make([]float64, n*width)
			for i := range mine {
				mine[i] = float64(c.Rank()*n*width + i)
			}
			err = level.write(f, c.Rank(), mine)
			counts[c.Rank()] = f.Counts()
			return errors.Join(err, f.Close())
		})
		if err != nil {
			return err
		}
		var sum iofile.Counts
		for _, k := range counts {
			sum.Add(k)
		}
		fmt.Printf("%-31s %8d %10d %8d %10d %8d  %5.1f %%\n", level.name, sum.Reads, sum.ReadBytes, sum.Writes, sum.WriteBytes, sum.Sent,
			100*float64(sum.Useful)/float64(sum.ReadBytes+sum.WriteBytes))
		file, err := fs.ReadFile(fsys, level.name)
		if err != nil {
			return err
		}
		if first == nil {
			first = file
		}
		if !slices.Equal(file, first) {
			return fmt.Errorf("%q left another file", level.name)
		}
	}
	fmt.Println("The four files are equal.")
	return nil
}
