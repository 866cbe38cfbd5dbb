// Offsets: the same byte of a file, counted in bytes and in etypes, and a file that is the
// same whatever the number of ranks that write it.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

const header = 8 // bytes

func main() {
	most := flag.Int("ranks", 4, "largest number of ranks")
	n := flag.Int("n", 24, "numbers in the file")
	flag.Parse()
	err := offsets()
	for ranks := 1; ranks <= *most && err == nil; ranks++ {
		var file []byte
		file, err = write(ranks, *n)
		fmt.Printf("written by %d: %d bytes, sha256 %.8x\n", ranks, len(file), sha256.Sum256(file))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// offsets prints which byte offset 3 is, through views with different etypes.
func offsets() error {
	return world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, iofile.NewMem(), "numbers", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		for _, etype := range []*types.Type{types.Byte, types.Int32, types.Double} {
			err = errors.Join(err, f.SetView(iofile.View{Disp: header, Etype: etype, Filetype: etype}))
			at, e := f.ByteOffset(3)
			err = errors.Join(err, e)
			fmt.Printf("disp %d, etype %-6v: offset 3 is byte %d\n", header, etype, at)
		}
		return errors.Join(err, f.Close())
	})
}

// write lets the ranks write their parts of n numbers and returns the file.
func write(ranks, n int) ([]byte, error) {
	fsys := iofile.NewMem()
	err := fsys.Import("numbers", strings.NewReader("numbers:"))
	err = errors.Join(err, world.Run(context.Background(), ranks, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "numbers", iofile.ReadWrite)
		if err != nil {
			return err
		}
		lo, hi := n*c.Rank()/ranks, n*(c.Rank()+1)/ranks
		mine := make([]int32, hi-lo)
		for i := range mine {
			mine[i] = int32(lo + i)
		}
		err = f.SetView(iofile.View{Disp: header, Etype: types.Int32, Filetype: types.Int32})
		if err == nil {
			_, err = f.WriteAt(types.Of(mine), iofile.Offset(lo)) // in numbers, not in bytes
		}
		return errors.Join(err, f.Close())
	}))
	file, e := fs.ReadFile(fsys, "numbers")
	return file, errors.Join(err, e)
}
