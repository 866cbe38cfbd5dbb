// Columns: a matrix whose column blocks belong to the ranks is written in the four classic
// ways, and the program counts what the file system has to do for each.
//
//	go run ./teach/course/09-columns -ranks 8 -n 64
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

// A part is the columns of one rank.
type part struct {
	n, width, rank int
	mine           []float64
}

type call func(types.Buffer, iofile.Offset) (iofile.Status, error)

// byRows calls write for each row.
func (p part) byRows(_ *iofile.File, write call) error {
	for row := range p.n {
		mine := p.mine[row*p.width : (row+1)*p.width]
		if _, err := write(types.Of(mine), iofile.Offset(8*(row*p.n+p.rank*p.width))); err != nil {
			return err
		}
	}
	return nil
}

// throughView calls write once.
func (p part) throughView(f *iofile.File, write call) error {
	columns := types.Vector(int64(p.n), int64(p.width), int64(p.n), types.Double)
	err := f.SetView(iofile.View{Disp: int64(8 * p.rank * p.width), Etype: types.Double, Filetype: columns})
	if err == nil {
		_, err = write(types.Of(p.mine), 0)
	}
	return err
}

func main() {
	ranks := flag.Int("ranks", 4, "number of ranks")
	n := flag.Int("n", 256, "rows and columns of the matrix, a multiple of the ranks")
	flag.Parse()
	fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX))
	fmt.Printf("%-31s %6s %9s %6s %9s %9s\n", "level", "reads", "bytes", "writes", "bytes", "sent")
	names := []string{"0 one call a row", "1 one collective call a row", "2 a view, one call", "3 a view, one collective call"}
	for level, name := range names {
		rep, err := world.RunReport(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, name, iofile.Create|iofile.ReadWrite, iofile.WithStrategy(strategy.TwoPhase{}))
			if err != nil {
				return err
			}
			p := part{*n, *n / *ranks, c.Rank(), make([]float64, *n**n / *ranks)}
			for i := range p.mine {
				p.mine[i] = float64(i/p.width**n + p.rank*p.width + i%p.width)
			}
			write := []call{f.WriteAt, f.WriteAtAll}[level%2]
			way := []func(part, *iofile.File, call) error{part.byRows, part.throughView}[level/2]
			return errors.Join(way(p, f, write), f.Close())
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		did := rep.Files[0].Requests
		fmt.Printf("%-31s %6d %9d %6d %9d %9d\n", name, did.Reads, did.ReadBytes, did.Writes, did.WriteBytes, did.Sent)
	}
}
