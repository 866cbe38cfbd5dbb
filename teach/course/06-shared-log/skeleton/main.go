// The exercise: the ranks overwrite each other's lines. See README.md.
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
	ranks := flag.Int("ranks", 2, "number of ranks")
	n := flag.Int("n", 3, "events of each rank")
	flag.Parse()
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		return log(c, fsys, *n)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// log appends a line for each event of the rank to the log of all.
func log(c *comm.Comm, fsys *iofile.FS, n int) error {
	f, err := iofile.Open(c, fsys, "log", iofile.Create|iofile.ReadWrite)
	if err != nil {
		return err
	}
	for i := 0; i < n && err == nil; i++ {
		// Which file pointer do all ranks share?
		line := fmt.Sprintf("rank %02d event %02d\n", c.Rank(), i)
		_, err = f.Write(types.Of([]byte(line)))
	}
	return errors.Join(err, f.Close())
}
