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

func main() {
	ranks := flag.Int("ranks", 4, "number of ranks that write the checkpoint")
	readers := flag.Int("readers", 3, "number of ranks that read it")
	n := flag.Int("n", 7, "rows and columns of the field")
	flag.Parse()
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		lo, hi := share(*n, c)
		rows := make([]byte, (hi-lo+2)**n)
		for i := range (hi - lo) * *n {
			rows[*n+i] = byte((lo**n + i) % 11 % 2)
		}
		return save(c, fsys, rows, *n, 42)
	})
	if err == nil {
		err = world.Run(context.Background(), *readers, func(_ context.Context, c *comm.Comm) error {
			rows, generation, err := load(c, fsys, *n)
			err = errors.Join(err, c.Barrier()) // all have read before any writes
			if err == nil {
				rows, err = step(c, rows, *n)
			}
			if err == nil {
				err = save(c, fsys, rows, *n, generation+1)
			}
			return err
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// share returns the rows of the rank: lo to hi-1.
func share(n int, c *comm.Comm) (lo, hi int) {
	return n * c.Rank() / c.Size(), n * (c.Rank() + 1) / c.Size()
}

// save writes the checkpoint: the generation, 4 bytes, then all rows. The first and the last
// row in memory are ghost cells.
func save(c *comm.Comm, fsys *iofile.FS, rows []byte, n int, generation int32) error {
	f, err := iofile.Open(c, fsys, "life", iofile.Create|iofile.ReadWrite)
	if err != nil {
		return err
	}
	lo, _ := share(n, c)
	if c.Rank() == 0 {
		_, err = f.WriteAt(types.Of([]int32{generation}), 0)
	}
	if err == nil {
		_, err = f.WriteAtAll(types.Of(rows[n:len(rows)-n]), iofile.Offset(4+lo*n))
	}
	return errors.Join(err, f.Close())
}

// load reads the rows of the rank, with room for ghost cells, and the generation.
func load(c *comm.Comm, fsys *iofile.FS, n int) (rows []byte, generation int32, err error) {
	f, err := iofile.Open(c, fsys, "life", iofile.ReadOnly)
	if err != nil {
		return nil, 0, err
	}
	lo, hi := share(n, c)
	rows = make([]byte, (hi-lo+2)*n)
	number := []int32{0}
	_, err = f.ReadAtAll(types.Of(number), 0)
	if err == nil {
		_, err = f.ReadAtAll(types.Of(rows[n:len(rows)-n]), iofile.Offset(4+lo*n))
	}
	return rows, number[0], errors.Join(err, f.Close())
}

// step computes the next generation of the rank's rows, which have n cells each and a row of
// ghost cells above and below.
func step(c *comm.Comm, rows []byte, n int) ([]byte, error) {
	up, down := (c.Rank()+c.Size()-1)%c.Size(), (c.Rank()+1)%c.Size()
	last := len(rows) - n
	_, err := c.SendRecv(types.Of(rows[n:2*n]), comm.To{Rank: up, Tag: 1}, types.Of(rows[last:]), comm.From{Rank: down, Tag: 1})
	_, e := c.SendRecv(types.Of(rows[last-n:last]), comm.To{Rank: down, Tag: 2}, types.Of(rows[:n]), comm.From{Rank: up, Tag: 2})
	next := make([]byte, len(rows))
	for i := n; i < last; i++ {
		row, col, alive := i/n, i%n, 0
		for _, d := range [][2]int{{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}} {
			alive += int(rows[(row+d[0])*n+(col+d[1]+n)%n])
		}
		if alive == 3 || alive == 2 && rows[i] == 1 {
			next[i] = 1
		}
	}
	return next, errors.Join(err, e)
}
