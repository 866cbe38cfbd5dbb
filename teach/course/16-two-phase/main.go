// Two-phase: column blocks are written collectively with several numbers of aggregators and sizes
// of their buffers. The program counts what goes between ranks and to the file system.
//
//	go run ./teach/course/16-two-phase
//	go run ./teach/course/16-two-phase -ranks 4 -n 64
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	ranks := flag.Int("ranks", 8, "number of ranks")
	n := flag.Int("n", 256, "rows and columns of the matrix, a multiple of the ranks")
	flag.Parse()
	fmt.Printf("%11s %8s  %8s %9s %9s %7s\n", "aggregators", "buffer", "requests", "bytes", "sent", "rounds")
	for _, s := range []strategy.TwoPhase{
		{Write: strategy.Disable},
		{Nodes: 1},
		{Nodes: 2},
		{Nodes: 4},
		{Nodes: *ranks},
		{Nodes: 1, Buffer: 64 << 10},
		{Nodes: 4, Buffer: 64 << 10},
	} {
		did, err := write(*ranks, *n, s)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		name, buffer := fmt.Sprint(s.Nodes), "16 MiB"
		if s.Write == strategy.Disable {
			name, buffer = "none", "-"
		} else if s.Buffer > 0 {
			buffer = fmt.Sprint(s.Buffer>>10, " KiB")
		}
		fmt.Printf("%11s %8s  %8d %9d %9d %7d\n", name, buffer, did.Reads+did.Writes, did.Moved(), did.Sent, did.Rounds)
	}
}

// write writes the matrix by column blocks and returns what that took.
func write(ranks, n int, s strategy.Strategy) (did world.Requests, err error) {
	fsys := iofile.NewMem()
	rep, err := world.RunReport(context.Background(), ranks, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "matrix", iofile.Create|iofile.ReadWrite, iofile.WithStrategy(s))
		if err != nil {
			return err
		}
		width := n / ranks
		columns := types.Vector(int64(n), int64(width), int64(n), types.Double)
		err = f.SetView(iofile.View{Disp: int64(8 * width * c.Rank()), Etype: types.Double, Filetype: columns})
		if err == nil {
			_, err = f.WriteAtAll(types.Of(make([]float64, n*width)), 0)
		}
		return errors.Join(err, f.Close())
	})
	if err != nil {
		return did, err
	}
	return rep.Files[0].Requests, nil
}
