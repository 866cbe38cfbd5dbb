//go:build ignore

// IO-OPEN-08 never-closed, clean: the program ends with an open file
// Bytes written since the last sync are lost.
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
	"io/fs"
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
	return world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		return program(c, fsys)
	}, world.Seed(seed))
}

// at adds the line of the script to the error of a call.
func at(line int, err error) error { return fmt.Errorf("line %d: %w", line, err) }

// fileSize returns how many bytes a file has, -1 if it does not exist.
func fileSize(fsys fs.FS, name string) int64 {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return -1
	}
	return info.Size()
}

// fileHas reports whether a file has these bytes at an offset.
func fileHas(fsys fs.FS, name string, offset int, want []byte) bool {
	all, err := fs.ReadFile(fsys, name)
	return err == nil && len(all) >= offset+len(want) && bytes.Equal(all[offset:offset+len(want)], want)
}

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
	if err = h.Close(); err != nil { // line 6
		return at(6, err)
	}

	// outcomes that the script allows:
	//
	//	file f = 01
	//
	// ok[i] says whether outcome i came here, found[i] whether it came on all ranks.
	ok := []bool{true}
	found := make([]bool, len(ok))
	if err = c.Barrier(); err != nil {
		return at(0, err)
	}
	if c.Rank() == 0 {
		ok[0] = ok[0] && fileSize(fsys, "f") == 1 &&
			fileHas(fsys, "f", 0, []byte("\x01"))
	}
	if err = c.AllReduce(types.Of(ok), types.Of(found), comm.LAnd); err != nil {
		return at(0, err)
	}
	if c.Rank() == 0 && !slices.Contains(found, true) {
		return errors.New("the script does not allow this outcome")
	}
	return nil
}
