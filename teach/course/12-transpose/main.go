// Transpose: the ranks write a matrix by rows, and read it by columns. The file view picks the
// columns, the memory type turns them into rows.
//
//	go run ./teach/course/12-transpose
//	go run ./teach/course/12-transpose -ranks 3 -n 6
package main

import (
	"context"
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
	ranks := flag.Int("ranks", 2, "number of ranks")
	n := flag.Int("n", 5, "rows and columns, at least as many as ranks and at most 26")
	flag.Parse()
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		return transpose(c, fsys, *n)
	})
	a, e := fs.ReadFile(fsys, "a")
	b, e2 := fs.ReadFile(fsys, "b")
	if err = errors.Join(err, e, e2); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%-*s  %s\n", *n, "a", "b")
	for i := 0; i < len(a); i += *n {
		fmt.Printf("%s  %s\n", a[i:i+*n], b[i:i+*n])
	}
}

func transpose(c *comm.Comm, fsys *iofile.FS, n int) error {
	lo, hi := n*c.Rank()/c.Size(), n*(c.Rank()+1)/c.Size()
	mine := make([]byte, (hi-lo)*n)
	for i := range mine {
		mine[i] = byte('a' + (lo+i/n+i%n*2)%26)
	}
	a, err := iofile.Open(c, fsys, "a", iofile.Create|iofile.ReadWrite)
	if err != nil {
		return err
	}
	_, err = a.WriteAtAll(types.Of(mine), iofile.Offset(lo*n))
	err = errors.Join(err, a.Sync(), c.Barrier(), a.Sync()) // the rows go to all ranks
	// Columns lo to hi-1: hi-lo cells of each row.
	columns := types.Vector(int64(n), int64(hi-lo), int64(n), types.Byte)
	err = errors.Join(err, a.SetView(iofile.View{Disp: int64(lo), Etype: types.Byte, Filetype: columns}))
	// In memory the cells of one row are a column, n apart; the next begins one further.
	across := types.Resized(types.Vector(int64(hi-lo), 1, int64(n), types.Byte), 0, 1)
	if err == nil {
		_, err = a.ReadAtAll(types.Raw(mine, int64(n), across), 0)
	}
	if err = errors.Join(err, a.Close()); err != nil {
		return err
	}
	b, err := iofile.Open(c, fsys, "b", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	_, err = b.WriteAtAll(types.Of(mine), iofile.Offset(lo*n))
	return errors.Join(err, b.Close())
}
