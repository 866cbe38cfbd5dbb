//go:build ignore

// IO-VIEW-10 representations-that-differ, bad: one rank writes native, the other external32
// The representation is the file's, so all ranks name the same.
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
		if err = h.SetView(iofile.View{Etype: types.Int, Filetype: types.Int}); err != nil { // line 5
			return at(5, err)
		}
	} else if c.Rank() == 1 {
		if err = h.SetView(iofile.View{Disp: 4, Etype: types.Int, Filetype: types.Int, Rep: "external32"}); err != nil { // line 6
			return at(6, err)
		}
	}
	if _, err = h.WriteAtAll(types.Of([]int32{1}).As(types.Int), 0); err != nil { // line 7
		return at(7, err)
	}
	if err = h.Close(); err != nil { // line 8
		return at(8, err)
	}
	return nil
}
