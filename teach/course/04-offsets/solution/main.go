// A solution of the exercise.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

const header = "numbers:" // 8 bytes, which the file has already

func main() {
	ranks := flag.Int("ranks", 2, "number of ranks")
	n := flag.Int("n", 12, "numbers in the file")
	flag.Parse()
	fsys := iofile.NewMem()
	err := fsys.Import("numbers", strings.NewReader(header))
	err = errors.Join(err, world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		return write(c, fsys, *n)
	}))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes numbers lo to hi-1 of 0, 1, 2, ... n-1 behind the header.
func write(c *comm.Comm, fsys *iofile.FS, n int) error {
	f, err := iofile.Open(c, fsys, "numbers", iofile.ReadWrite)
	if err != nil {
		return err
	}
	lo, hi := n*c.Rank()/c.Size(), n*(c.Rank()+1)/c.Size()
	mine := make([]int32, 0, hi-lo)
	for i := lo; i < hi; i++ {
		mine = append(mine, int32(i))
	}
	err = f.SetView(iofile.View{Disp: int64(len(header)), Etype: types.Int32, Filetype: types.Int32})
	if err == nil {
		_, err = f.WriteAt(types.Of(mine), iofile.Offset(lo))
	}
	return errors.Join(err, f.Close())
}
