//go:build ignore

// IO-CLOSE-02 split-never-ended, bad: the file is closed between the halves
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

// run runs the program on 1 ranks, over files in memory.
func run(seed uint64) error {
	fsys := iofile.NewMem()
	return world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		return program(c, fsys)
	}, world.Seed(seed))
}

// at adds the line of the script to the error of a call.
func at(line int, err error) error { return fmt.Errorf("line %d: %w", line, err) }

// program is the program of each rank.
func program(c *comm.Comm, fsys *iofile.FS) error {
	var err error
	var h *iofile.File
	data4 := []byte{1}

	if h, err = iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite); err != nil { // line 3
		return at(3, err)
	}
	if err = h.WriteAllBegin(types.Of(data4)); err != nil { // line 4
		return at(4, err)
	}
	if err = h.Close(); err != nil { // line 5
		return at(5, err)
	}
	return nil
}
