// Life: a checkpoint in one file, and restarts on other numbers of ranks. The field of the last
// generation is the same each time.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	ranks, n := flag.Int("ranks", 4, "number of ranks that write the checkpoint"), flag.Int("n", 24, "rows and columns of the field")
	flag.Parse()
	for _, restart := range []int{*ranks, 1, 3, 6} {
		fsys := iofile.NewMem()
		err := errors.Join(life(fsys, *ranks, *n, 0), life(fsys, restart, *n, 10))
		field, e := fs.ReadFile(fsys, "field")
		if err = errors.Join(err, e); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Printf("10 generations on %d ranks, 10 on %d: %d alive, sha256 %.8x\n", *ranks, restart, bytes.Count(field, []byte{1}), sha256.Sum256(field))
	}
}

// life reads the checkpoint, unless it begins at generation 0, and writes it after ten more.
func life(fsys *iofile.FS, ranks, n, from int) error {
	return world.Run(context.Background(), ranks, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "field", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		lo, hi := n*c.Rank()/ranks, n*(c.Rank()+1)/ranks
		rows := make([]byte, (hi-lo+2)*n) // with a row of ghost cells above and below
		for i := range rows {
			rows[i] = byte((lo*n + i) * 7 / 3 % 5 % 2)
		}
		if from > 0 {
			_, err = f.ReadAtAll(types.Of(rows[n:len(rows)-n]), iofile.Offset(lo*n))
		}
		for i := 0; i < 10 && err == nil; i++ {
			rows, err = step(c, rows, n)
		}
		if err == nil {
			_, err = f.WriteAtAll(types.Of(rows[n:len(rows)-n]), iofile.Offset(lo*n))
		}
		return errors.Join(err, f.Close())
	})
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
