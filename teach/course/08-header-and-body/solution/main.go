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

const header = 16 // bytes

func main() {
	ranks := flag.Int("ranks", 3, "number of ranks")
	n := flag.Int("n", 12, "numbers of each rank")
	flag.Parse()
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		return write(c, fsys, *n)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes how many numbers there are, as text of 16 bytes, and behind it the numbers.
func write(c *comm.Comm, fsys *iofile.FS, n int) error {
	f, err := iofile.Open(c, fsys, "table", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	title := types.Of([]byte(fmt.Sprintf("%-*d\n", header-1, n*c.Size())))
	mine := make([]int32, n)
	for i := range mine {
		mine[i] = int32(c.Rank()*n + i)
	}
	if c.Rank() == 0 {
		_, err = f.WriteAt(title, 0)
	}
	err = errors.Join(err, f.SetView(iofile.View{Disp: header, Etype: types.Int32, Filetype: types.Int32}))
	if err == nil {
		_, err = f.WriteAtAll(types.Of(mine), iofile.Offset(n*c.Rank()))
	}
	return errors.Join(err, f.Close())
}
