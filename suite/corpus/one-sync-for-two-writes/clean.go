//go:build ignore

// CONS-D05 one-sync-for-two-writes, clean: a sync covers the writes before it
// The second write is in a sequence of its own, which nothing closes in time.
//
// Made from the rank script clean.mpio by commworld export --go.
// The number after a call is its line in the script.
package main

import (
	"bytes"
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

// run runs the program on 2 ranks, over files in memory.
func run(seed uint64) error {
	fsys := iofile.NewMem()
	if err := fsys.Import("f", bytes.NewReader(make([]byte, 2))); err != nil {
		return err
	}
	return world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		return program(c, fsys)
	}, world.Seed(seed))
}

// at adds the line of the script to the error of a call.
func at(line int, err error) error { return fmt.Errorf("line %d: %w", line, err) }

// arrived reports whether a call brought n items of the basic type of a datatype.
func arrived(st comm.Status, t *types.Type, n int64) bool {
	items, ok := st.Elements(t)
	return ok && items == n
}

// program is the program of each rank.
func program(c *comm.Comm, fsys *iofile.FS) error {
	var err error
	var h *iofile.File
	m := make([]byte, 1)
	x := make([]byte, 2)
	var x_status comm.Status

	if h, err = iofile.Open(c.Self(), fsys, "f", iofile.ReadWrite); err != nil { // line 5
		return at(5, err)
	}
	if c.Rank() == 0 {
		if _, err = h.WriteAt(types.Of([]byte{1}), 0); err != nil { // line 6
			return at(6, err)
		}
		if _, err = h.WriteAt(types.Of([]byte{2}), 1); err != nil { // line 7
			return at(7, err)
		}
		if err = h.Sync(); err != nil { // line 8
			return at(8, err)
		}
		if err = c.Send(types.Of([]byte{1}), 1, 0); err != nil { // line 9
			return at(9, err)
		}
	} else if c.Rank() == 1 {
		if _, err = c.Recv(types.Of(m), 0, 0); err != nil { // line 10
			return at(10, err)
		}
		if err = h.Sync(); err != nil { // line 11
			return at(11, err)
		}
		if x_status, err = h.ReadAt(types.Of(x), 0); err != nil { // line 12
			return at(12, err)
		}
	}
	if err = h.Close(); err != nil { // line 13
		return at(13, err)
	}

	// outcomes that the script allows:
	//
	//	1:x = 1 2
	//
	// ok[i] says whether outcome i came here, found[i] whether it came on all ranks.
	ok := []bool{true}
	found := make([]bool, len(ok))
	if err = c.Barrier(); err != nil {
		return at(0, err)
	}
	if c.Rank() == 1 {
		ok[0] = ok[0] && arrived(x_status, types.Byte, 2) &&
			slices.Equal(x, []byte{1, 2})
	}
	if err = c.AllReduce(types.Of(ok), types.Of(found), comm.LAnd); err != nil {
		return at(0, err)
	}
	if c.Rank() == 0 && !slices.Contains(found, true) {
		return errors.New("the script does not allow this outcome")
	}
	return nil
}
