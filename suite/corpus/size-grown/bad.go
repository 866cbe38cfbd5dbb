//go:build ignore

// CONS-D08 size-grown, racy: asking for a size while another rank writes beyond the end
// get_size reads every byte of the file, also those that are not there yet.
//
// Made from the rank script bad.mpio by commworld export --go.
// Two of its accesses race: the standard defines neither the bytes read nor the contents of the file.
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
		if _, err = h.WriteAt(types.Of([]byte{1, 1, 1, 1}), 0); err != nil { // line 5
			return at(5, err)
		}
	}
	if err = c.Barrier(); err != nil { // line 6
		return at(6, err)
	}
	if c.Rank() == 1 {
		if _, err = h.Size(); err != nil { // line 7
			return at(7, err)
		}
	}
	if err = h.Close(); err != nil { // line 8
		return at(8, err)
	}
	return nil
}
