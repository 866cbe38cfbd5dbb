// Syncbarriersync takes the standard's recipe for handing bytes from one rank to
// another apart: the writer syncs, a barrier, the reader syncs. For each program
// it counts in how many of a hundred schedules the reader finds what was there
// before, and shows what the report of each of them says is missing. That is the
// same in all of them, the lucky ones included: races are judged by what
// happened before what.
package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	show("sync", "barrier", "sync")
	show("barrier", "sync")
	show("sync", "barrier")
	show("sync", "sync") // here the syncs of all ranks meet; the standard does not say that they do
	show("sync")
}

// show runs a program whose ranks do these steps between write and read.
func show(steps ...string) {
	const schedules = 100
	old := 0
	lacks := map[string]int{}
	for seed := range uint64(schedules) {
		fsys, got := iofile.NewMem(), make([]byte, 3)
		err := fsys.Import("word", strings.NewReader("old"))
		err = errors.Join(err, world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
			return pass(c, fsys, steps, got)
		}, world.Seed(seed)))
		var race *consistency.RaceError
		switch {
		case errors.As(err, &race):
			lacks[race.Lacks()]++
		case err != nil:
			fmt.Println(err)
			return
		}
		if string(got) == "old" {
			old++
		}
	}
	fmt.Printf("write, %s, read: %d of %d read what was there before\n", strings.Join(steps, ", "), old, schedules)
	for _, what := range slices.Sorted(maps.Keys(lacks)) {
		fmt.Printf("  %d lack %s\n", lacks[what], what)
	}
}

// pass lets rank 0 write a word and rank 1 read it, with steps between.
func pass(c *comm.Comm, fsys *iofile.FS, steps []string, got []byte) error {
	f, err := iofile.Open(c, fsys, "word", iofile.ReadWrite)
	if err != nil {
		return err
	}
	if c.Rank() == 0 {
		_, err = f.WriteAt(types.Of([]byte("new")), 0)
	}
	for _, s := range steps {
		switch s {
		case "sync":
			err = errors.Join(err, f.Sync())
		case "barrier":
			err = errors.Join(err, c.Barrier())
		}
	}
	if c.Rank() == 1 {
		_, e := f.ReadAt(types.Of(got), 0)
		err = errors.Join(err, e)
	}
	return errors.Join(err, f.Close())
}
