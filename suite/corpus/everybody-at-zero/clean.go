//go:build ignore

// IO-IND-01 everybody-at-zero, clean: each rank has a pointer of its own, and all begin at zero
// Forgetting to seek lets all ranks write to the same place.
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
	if err := fsys.Import("f", bytes.NewReader(make([]byte, 4))); err != nil {
		return err
	}
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

	if h, err = iofile.Open(c, fsys, "f", iofile.ReadWrite); err != nil { // line 5
		return at(5, err)
	}
	if c.Rank() == 0 {
		if _, err = h.Write(types.Of([]byte{1, 1})); err != nil { // line 6
			return at(6, err)
		}
	} else if c.Rank() == 1 {
		if err = h.Seek(2, iofile.SeekSet); err != nil { // line 7
			return at(7, err)
		}
		if _, err = h.Write(types.Of([]byte{2, 2})); err != nil { // line 8
			return at(8, err)
		}
	}
	if err = h.Close(); err != nil { // line 9
		return at(9, err)
	}

	// outcomes that the script allows:
	//
	//	file f = 01 01 02 02
	//
	// ok[i] says whether outcome i came here, found[i] whether it came on all ranks.
	ok := []bool{true}
	found := make([]bool, len(ok))
	if err = c.Barrier(); err != nil {
		return at(0, err)
	}
	if c.Rank() == 0 {
		ok[0] = ok[0] && fileSize(fsys, "f") == 4 &&
			fileHas(fsys, "f", 0, []byte("\x01")) &&
			fileHas(fsys, "f", 1, []byte("\x01")) &&
			fileHas(fsys, "f", 2, []byte("\x02")) &&
			fileHas(fsys, "f", 3, []byte("\x02"))
	}
	if err = c.AllReduce(types.Of(ok), types.Of(found), comm.LAnd); err != nil {
		return at(0, err)
	}
	if c.Rank() == 0 && !slices.Contains(found, true) {
		return errors.New("the script does not allow this outcome")
	}
	return nil
}
