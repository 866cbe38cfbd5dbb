// Data sieving: a rank reads every k-th number of a file, either piece by piece or as one stretch
// from which it picks. Which is cheaper depends on the gaps.
//
//	go run ./teach/course/15-data-sieving
//	go run ./teach/course/15-data-sieving -ranks 2 -n 500
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

// A simple price: so many milliseconds for a request, and for a megabyte.
const (
	perRequest  = 1.0
	perMegabyte = 10.0
)

func main() {
	ranks := flag.Int("ranks", 1, "number of ranks")
	n := flag.Int("n", 100, "numbers that each rank reads")
	flag.Parse()
	fmt.Printf("%6s  %28s  %28s\n", "", "piece by piece", "sieving")
	fmt.Printf("%6s  %8s %9s %9s  %8s %9s %9s\n", "every", "requests", "bytes", "ms", "requests", "bytes", "ms")
	for k := 1; k <= 1<<15; k *= 8 {
		fmt.Printf("%6d", k)
		for _, s := range []strategy.Strategy{strategy.Direct{}, strategy.Sieve{}} {
			did, err := read(*ranks, *n, k, s)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			ms := float64(did.Reads)*perRequest + float64(did.ReadBytes)/1e6*perMegabyte
			fmt.Printf("  %8d %9d %9.1f", did.Reads, did.ReadBytes, ms)
		}
		fmt.Println()
	}
}

// read lets every rank read n numbers, every k-th of its part of a file, and returns what the
// file system was asked for.
func read(ranks, n, k int, s strategy.Strategy) (did world.Requests, err error) {
	fsys := iofile.NewMem()
	rep, err := world.RunReport(context.Background(), ranks, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "numbers", iofile.Create|iofile.ReadWrite, iofile.WithStrategy(s))
		if err != nil {
			return err
		}
		err = f.SetSize(int64(4 * n * k * ranks)) // zero or not, the price is the same
		every := types.Vector(int64(n), 1, int64(k), types.Int32)
		err = errors.Join(err, f.SetView(iofile.View{Disp: int64(4 * n * k * c.Rank()), Etype: types.Int32, Filetype: every}))
		if err == nil {
			_, err = f.ReadAt(types.Of(make([]int32, n)), 0)
		}
		return errors.Join(err, f.Close())
	})
	if err != nil {
		return did, err
	}
	return rep.Files[0].Requests, nil
}
