//go:build ignore

// IO-OPEN-08 never-closed, bad: the program ends with an open file
// Bytes written since the last sync are lost.
//
// Made from the rank script bad.mpio by commworld export --go.
// The number after a call is its line in the script.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

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

// run runs the program on 2 ranks, over files in memory.
func run(seed uint64) error {
	fsys := iofile.NewMem()
	return world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		return program(c, fsys)
	}, world.Seed(seed))
}

// at adds the line of the script to the error of a call.
func at(line int, err error) error { return fmt.Errorf("line %d: %w", line, err) }

// program is the program of each rank.
func program(c *comm.Comm, fsys *iofile.FS) error {
	var err error
	var h *iofile.File

	if h, err = iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite); err != nil { // line 4
		return at(4, err)
	}
	if c.Rank() == 0 {
		if _, err = h.WriteAt(types.Of([]byte{1}), 0); err != nil { // line 5
			return at(5, err)
		}
	}
	return nil
}
