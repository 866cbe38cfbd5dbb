// Levels writes a matrix whose column blocks belong to the ranks in the four
// classic ways, from one small call for each row to one collective call for
// everything, and counts what a file system has to do for each.
//
//	go run ./examples/levels                  # 4 ranks, 256 rows and columns
//	go run ./examples/levels -ranks 8 -n 64
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A part is the columns of one rank.
type part struct {
	n     int // rows and columns of the matrix
	width int // columns of a rank
	rank  int
	mine  []float64
}

// levels are the ways to write the same bytes.
var levels = []struct {
	name  string
	write func(f *iofile.File, p part) error
}{
	{"0 one call a row", func(f *iofile.File, p part) error { return p.byRows(f.WriteAt) }},
	{"1 one collective call a row", func(f *iofile.File, p part) error { return p.byRows(f.WriteAtAll) }},
	{"2 a view, one call", func(f *iofile.File, p part) error { return p.throughView(f, f.WriteAt) }},
	{"3 a view, one collective call", func(f *iofile.File, p part) error { return p.throughView(f, f.WriteAtAll) }},
}

type call func(types.Buffer, iofile.Offset) (iofile.Status, error)

func (p part) byRows(write call) error {
	for row := range p.n {
		if _, err := write(types.Of(p.mine[row*p.width:(row+1)*p.width]), iofile.Offset(8*(row*p.n+p.rank*p.width))); err != nil {
			return err
		}
	}
	return nil
}

func (p part) throughView(f *iofile.File, write call) error {
	columns := types.Vector(int64(p.n), int64(p.width), int64(p.n), types.Double)
	if err := f.SetView(iofile.View{Disp: int64(8 * p.rank * p.width), Etype: types.Double, Filetype: columns}); err != nil {
		return err
	}
	_, err := write(types.Of(p.mine), 0)
	return err
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "levels:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("levels", flag.ContinueOnError)
	ranks := flags.Int("ranks", 4, "number of ranks")
	n := flags.Int("n", 256, "rows and columns of the matrix")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case flags.NArg() > 0:
		return fmt.Errorf("%q: there are no arguments, only flags", flags.Arg(0))
	case *ranks < 1 || *ranks > 256:
		return fmt.Errorf("-ranks %d: 1 to 256", *ranks)
	case *n < 1 || *n > 2048 || *n%*ranks > 0:
		return fmt.Errorf("-n %d: a multiple of the %d ranks up to 2048", *n, *ranks)
	}
	fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX))
	var first []byte
	fmt.Printf("%-31s %8s %10s %8s %10s %8s  %s\n", "level", "reads", "bytes", "writes", "bytes", "sent", "useful")
	for _, level := range levels {
		counts := make([]strategy.Counts, *ranks)
		err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, level.name, iofile.Create|iofile.ReadWrite, iofile.WithStrategy(strategy.TwoPhase{}))
			if err != nil {
				return err
			}
			p := part{n: *n, width: *n / *ranks, rank: c.Rank()}
			p.mine = make([]float64, p.n*p.width)
			for i := range p.mine {
				p.mine[i] = float64(p.rank*p.n*p.width + i)
			}
			err = level.write(f, p)
			counts[c.Rank()] = f.Counts()
			return errors.Join(err, f.Close())
		})
		if err != nil {
			return err
		}
		var sum strategy.Counts
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
