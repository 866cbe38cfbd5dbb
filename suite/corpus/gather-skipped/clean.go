//go:build ignore

// GEN-06 gather-skipped, clean: one rank goes on to the file while the others gather
// The sizes of all parts are collected first, by all.
//
// Made from the rank script clean.mpio by commworld export --go.
// The number after a call is its line in the script.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	seed := flag.Uint64("seed", 0, "number of the schedule")
	flag.Parse()
	if err := run(*seed); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run runs the program on 3 ranks, over files in memory.
func run(seed uint64) error {
	fsys := iofile.NewMem()
	return world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		return program(c, fsys)
	}, world.Seed(seed))
}

// at adds the line of the script to the error of a call.
func at(line int, err error) error { return fmt.Errorf("line %d: %w", line, err) }

// program is the program of each rank.
func program(c *comm.Comm, fsys *iofile.FS) error {
	var err error
	var h *iofile.File
	sizes := make([]int32, 3)

	if h, err = iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite); err != nil { // line 4
		return at(4, err)
	}
	if err = c.Gather(types.Of([]int32{4}).As(types.Int), types.Of(sizes).As(types.Int), 0); err != nil { // line 5
		return at(5, err)
	}
	if err = c.Barrier(); err != nil { // line 6
		return at(6, err)
	}
	if _, err = h.WriteAtAll(types.Of([]byte{}), 0); err != nil { // line 7
		return at(7, err)
	}
	if err = h.Close(); err != nil { // line 8
		return at(8, err)
	}

	// outcomes that the script allows:
	//
	//	0:sizes = 4*3
	//
	// ok[i] says whether outcome i came here, found[i] whether it came on all ranks.
	ok := []bool{true}
	found := make([]bool, len(ok))
	if err = c.Barrier(); err != nil {
		return at(0, err)
	}
	if c.Rank() == 0 {
		ok[0] = ok[0] && slices.Equal(sizes, []int32{4, 4, 4})
	}
	if err = c.AllReduce(types.Of(ok), types.Of(found), comm.LAnd); err != nil {
		return at(0, err)
	}
	if c.Rank() == 0 && !slices.Contains(found, true) {
		return errors.New("the script does not allow this outcome")
	}
	return nil
}
