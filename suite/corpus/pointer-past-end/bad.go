//go:build ignore

// CONS-PTR-01 pointer-past-end, racy: a pointer moves by the bytes that are there
// How far read moves the pointer depends on the size, and so on the truncation.
//
// Made from the rank script bad.mpio by commworld export --go.
// Two of its accesses race: the standard defines neither the bytes read nor the contents of the file.
// The number after a call is its line in the script.
package main

import (
	"bytes"
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
	if err := fsys.Import("f", bytes.NewReader(bytes.Repeat([]byte("\t"), 4))); err != nil {
		return err
	}
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
	x := make([]byte, 4)

	if c.Rank() == 1 {
		if h, err = iofile.Open(c.Self(), fsys, "f", iofile.ReadWrite); err != nil { // line 5
			return at(5, err)
		}
		if err = h.SetSize(2); err != nil { // line 6
			return at(6, err)
		}
		if err = h.Close(); err != nil { // line 7
			return at(7, err)
		}
	} else if c.Rank() == 0 {
		if h, err = iofile.Open(c.Self(), fsys, "f", iofile.ReadOnly); err != nil { // line 8
			return at(8, err)
		}
		if _, err = h.Read(types.Of(x)); err != nil { // line 9
			return at(9, err)
		}
		if _, err = h.Position(); err != nil { // line 10
			return at(10, err)
		}
		if err = h.Close(); err != nil { // line 11
			return at(11, err)
		}
	}
	return nil
}
