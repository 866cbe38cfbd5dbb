// Views: each rank sees its own blocks of two letters in one file, behind a header of four
// bytes, and writes its digit there with one call.
//
//	go run ./teach/course/05-views
//	go run ./teach/course/05-views -ranks 2 -n 6
package main

import (
	"context"
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

const (
	header = 4 // bytes
	block  = 2 // letters
)

func main() {
	ranks := flag.Int("ranks", 3, "number of ranks")
	n := flag.Int("n", 4, "blocks of each rank")
	flag.Parse()
	fsys, sees := iofile.NewMem(), make([]string, *ranks)
	err := fsys.Import("letters", strings.NewReader("head"))
	err = errors.Join(err, world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) (err error) {
		sees[c.Rank()], err = write(c, fsys, *n)
		return err
	}))
	for r, list := range sees {
		fmt.Printf("rank %d sees bytes%s\n", r, list)
	}
	text, e := fs.ReadFile(fsys, "letters")
	fmt.Printf("file   %s\n", text)
	if err = errors.Join(err, e); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes the digit of the rank into its blocks and returns where they are.
func write(c *comm.Comm, fsys *iofile.FS, n int) (sees string, err error) {
	f, err := iofile.Open(c, fsys, "letters", iofile.ReadWrite)
	if err != nil {
		return "", err
	}
	// One block, then the blocks of the others: the tile that repeats from disp on.
	tile := types.Resized(types.Contiguous(block, types.Char), 0, int64(block*c.Size()))
	err = f.SetView(iofile.View{Disp: int64(header + block*c.Rank()), Etype: types.Char, Filetype: tile})
	mine := strings.Repeat(fmt.Sprint(c.Rank()%10), n*block)
	if err == nil {
		_, err = f.WriteAtAll(types.Of([]byte(mine)).As(types.Char), 0)
	}
	for i := range n * block {
		at, e := f.ByteOffset(iofile.Offset(i))
		err = errors.Join(err, e)
		sees += fmt.Sprint(" ", at)
	}
	return sees, errors.Join(err, f.Close())
}
