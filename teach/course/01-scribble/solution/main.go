// A solution of the exercise.
package main

import (
	"bytes"
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
	ranks := flag.Int("ranks", 3, "number of ranks")
	n := flag.Int("n", 4, "letters of each rank")
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

// write writes n letters of the rank, so that the page is AAAABBBBCCCC...
func write(c *comm.Comm, fsys *iofile.FS, n int) error {
	f, err := iofile.Open(c, fsys, "page", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	letters := bytes.Repeat([]byte{byte('A' + c.Rank())}, n)
	_, err = f.WriteAt(types.Of(letters), iofile.Offset(c.Rank()*n))
	return errors.Join(err, f.Close())
}
