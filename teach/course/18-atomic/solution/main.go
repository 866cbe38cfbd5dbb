// A solution of the exercise.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// reason says why the program of the exercise let letters mix, though it sets atomic mode.
const reason = `Atomic mode is a promise about each call: two calls are two accesses, and
another rank's can come between them. It holds for the handles of one open: the reads went
through another one, and raced with the writes.`

func main() {
	ranks := flag.Int("ranks", 2, "number of ranks")
	n := flag.Int("n", 6, "letters of the record, an even number")
	flag.Parse()
	fsys := iofile.NewMem()
	err := fsys.Import("record", strings.NewReader(strings.Repeat("..--", *n/2)))
	err = errors.Join(err, world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		return sign(c, fsys, *n)
	}))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// sign writes the letter of the rank over the whole record, two letters in every four bytes,
// and prints the letters that the record has then.
func sign(c *comm.Comm, fsys *iofile.FS, n int) error {
	f, err := iofile.Open(c, fsys, "record", iofile.ReadWrite)
	if err != nil {
		return err
	}
	pairs := types.Resized(types.Contiguous(2, types.Char), 0, 4)
	letters := bytes.Repeat([]byte{byte('A' + c.Rank())}, n)
	err = f.SetView(iofile.View{Etype: types.Char, Filetype: pairs})
	err = errors.Join(err, f.SetAtomicity(true))
	if err == nil {
		_, err = f.WriteAt(types.Of(letters).As(types.Char), 0)
	}
	err = errors.Join(err, show(c, f, n))
	return errors.Join(err, f.Close())
}

// show prints the letters of the record: those of one rank.
func show(c *comm.Comm, f *iofile.File, n int) error {
	got := make([]byte, n)
	_, err := f.ReadAt(types.Of(got).As(types.Char), 0)
	fmt.Printf("rank %d reads %s\n", c.Rank(), got)
	return err
}
