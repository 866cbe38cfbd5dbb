// The exercise: the buffer changes while it is being written. See README.md.
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
	n := flag.Int("n", 3, "steps")
	flag.Parse()
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		return steps(c, fsys, *n)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const cells = 4

// steps computes n states and writes each while it computes the next. State s of all ranks
// follows state s-1 in the file.
func steps(c *comm.Comm, fsys *iofile.FS, n int) error {
	f, err := iofile.Open(c, fsys, "states", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	err = f.SetView(iofile.View{Etype: types.Int32, Filetype: types.Int32})
	buffers := [2][]int32{make([]int32, cells), make([]int32, cells)}
	var under *comm.Request // the write under way, nil if there is none
	// One buffer is being written: which one may compute fill?
	for s := 0; s < n && err == nil; s++ {
		buffer := buffers[0]
		compute(c, s, buffer)
		if under != nil {
			_, err = under.Wait()
		}
		if err == nil {
			under, err = f.IWriteAt(types.Of(buffer), place(c, s))
		}
	}
	if err == nil && under != nil {
		_, err = under.Wait()
	}
	return errors.Join(err, f.Close())
}

// compute fills a buffer with state s of the rank.
func compute(c *comm.Comm, s int, buffer []int32) {
	for i := range buffer {
		buffer[i] = int32(1000*s + 10*c.Rank() + i)
	}
}

// place returns where state s of the rank belongs.
func place(c *comm.Comm, s int) iofile.Offset {
	return iofile.Offset((s*c.Size() + c.Rank()) * cells)
}
