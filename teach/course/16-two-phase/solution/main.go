// A solution of the exercise.
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
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	ranks := flag.Int("ranks", 4, "number of ranks")
	nodes := flag.Int("nodes", 2, "aggregators")
	stripe := flag.Int("stripe", 64, "bytes of a stripe, a multiple of 8")
	n := flag.Int("n", 16, "rows and columns of the matrix")
	flag.Parse()
	fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX)) // a local file system
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		return write(c, fsys, *n, *nodes, *stripe)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// domain returns the bytes of the file that aggregator k writes: lo to hi-1; lo is hi if there
// are none. The file has total bytes. Domains are whole stripes, and as long as the largest
// part when the file is cut into equal parts; the file ends inside the last one, or before it.
func domain(k, nodes, stripe, total int) (lo, hi int) {
	size := (total + nodes - 1) / nodes
	size = (size + stripe - 1) / stripe * stripe
	return min(k*size, total), min((k+1)*size, total)
}

// pieces calls f for each number of a rank's columns that is in a domain, in the order of the
// file, with its index in the file.
func pieces(rank, ranks, n, lo, hi int, f func(i int)) {
	from, to := n*rank/ranks, n*(rank+1)/ranks
	for row := range n {
		for col := from; col < to; col++ {
			if i := row*n + col; lo <= 8*i && 8*i < hi {
				f(i)
			}
		}
	}
}

// write writes the columns of all ranks, of an n by n matrix, in two phases.
func write(c *comm.Comm, fsys *iofile.FS, n, nodes, stripe int) error {
	f, err := iofile.Open(c, fsys, "matrix", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	var sent []*comm.Request
	for k := range nodes { // the exchange: each rank sends each aggregator what is in its domain
		lo, hi := domain(k, nodes, stripe, 8*n*n)
		var mine []float64
		pieces(c.Rank(), c.Size(), n, lo, hi, func(i int) { mine = append(mine, float64(i)) })
		q, err := c.ISend(types.Of(mine), k, 0)
		if err != nil {
			return err
		}
		sent = append(sent, q)
	}
	if k := c.Rank(); k < nodes {
		lo, hi := domain(k, nodes, stripe, 8*n*n)
		data := make([]float64, (hi-lo)/8)
		for rank := range c.Size() {
			var places []int
			pieces(rank, c.Size(), n, lo, hi, func(i int) { places = append(places, i-lo/8) })
			theirs := make([]float64, len(places))
			if _, err := c.Recv(types.Of(theirs), rank, 0); err != nil {
				return err
			}
			for i, at := range places {
				data[at] = theirs[i]
			}
		}
		if lo < hi { // the access: one request for the domain
			_, err = f.WriteAt(types.Of(data), iofile.Offset(lo))
		}
	}
	_, e := comm.WaitAll(sent...)
	return errors.Join(err, e, f.Close())
}
