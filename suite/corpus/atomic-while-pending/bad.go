//go:build ignore

// CONS-ATOM-03 atomic-while-pending, racy: atomic mode turned on while a write is under way
// An access under way during the switch has nonatomic semantics only.
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
	if err := fsys.Import("f", bytes.NewReader(make([]byte, 1))); err != nil {
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
	var q *comm.Request
	data6 := []byte{7}
	x := make([]byte, 1)

	if h, err = iofile.Open(c, fsys, "f", iofile.ReadWrite); err != nil { // line 5
		return at(5, err)
	}
	if c.Rank() == 0 {
		if q, err = h.IWriteAt(types.Of(data6), 0); err != nil { // line 6
			return at(6, err)
		}
	}
	if err = h.SetAtomicity(true); err != nil { // line 7
		return at(7, err)
	}
	if c.Rank() == 0 {
		if _, err = q.Wait(); err != nil { // line 8
			return at(8, err)
		}
	}
	if err = c.Barrier(); err != nil { // line 9
		return at(9, err)
	}
	if c.Rank() == 1 {
		if _, err = h.ReadAt(types.Of(x), 0); err != nil { // line 10
			return at(10, err)
		}
	}
	if err = h.Close(); err != nil { // line 11
		return at(11, err)
	}
	return nil
}
