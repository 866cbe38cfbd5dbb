// Stale is a program that is wrong and works on every laptop: rank 0 writes, a
// barrier, rank 1 reads. The standard allows rank 1 to read what was there
// before, and here it does; the report names both calls and what is missing.
// Under a model that behaves like a laptop rank 1 reads what was written, and
// the report is the same. With the missing calls there is none.
package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	pass("as it is", consistency.Weakest, false)
	pass("as on a laptop", consistency.POSIX, false)
	pass("with the missing calls", consistency.Weakest, true)
}

// pass lets rank 0 write a word over an old one and rank 1 read it.
func pass(title string, model consistency.Model, synced bool) {
	fsys := iofile.NewMem(iofile.WithModel(model))
	if err := fsys.Import("word", strings.NewReader("stale")); err != nil {
		fmt.Println(err)
		return
	}
	got := make([]byte, 5)
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "word", iofile.ReadWrite)
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			_, err = f.WriteAt(types.Of([]byte("fresh")), 0)
		}
		if synced {
			err = errors.Join(err, f.Sync(), c.Barrier())
			err = errors.Join(err, f.Sync())
		} else {
			err = errors.Join(err, c.Barrier())
		}
		if c.Rank() == 1 {
			_, e := f.ReadAt(types.Of(got), 0)
			err = errors.Join(err, e)
		}
		return errors.Join(err, f.Close())
	}, world.Seed(1))
	fmt.Printf("%s: rank 1 reads %q\n", title, got)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println()
}
