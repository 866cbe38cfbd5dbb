// Header and body: rank 0 writes a header of 16 bytes, then all ranks write the body behind
// it, through a view that begins there.
//
//	go run ./teach/course/08-header-and-body
//	go run ./teach/course/08-header-and-body -ranks 2 -n 20
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

const header = 16 // bytes

func main() {
	ranks := flag.Int("ranks", 3, "number of ranks")
	n := flag.Int("n", 12, "letters of each rank")
	flag.Parse()
	fsys := iofile.NewMem(iofile.WithTracking(iofile.Provenance))
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		return write(c, fsys, *n)
	})
	text, e := fs.ReadFile(fsys, "letters")
	wrote, e2 := fsys.Provenance("letters", 0, int64(len(text)))
	for at := 0; at < len(text); at += 16 {
		fmt.Printf("%3d  %q\n", at, text[at:min(len(text), at+16)])
	}
	for _, o := range wrote {
		fmt.Printf("bytes %d to %d: rank %d\n", o.Lo, o.Hi-1, o.Rank)
	}
	if err = errors.Join(err, e, e2); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes the header, and n letters of each rank behind it.
func write(c *comm.Comm, fsys *iofile.FS, n int) error {
	f, err := iofile.Open(c, fsys, "letters", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	if c.Rank() == 0 { // through the first view, which shows all bytes
		_, err = f.WriteAt(types.Of([]byte(fmt.Sprintf("%-*d\n", header-1, n*c.Size()))), 0)
	}
	err = errors.Join(err, f.SetView(iofile.View{Disp: header, Etype: types.Char, Filetype: types.Char}))
	if err == nil {
		letters := strings.Repeat(string(rune('a'+c.Rank())), n)
		_, err = f.WriteAtAll(types.Of([]byte(letters)).As(types.Char), iofile.Offset(n*c.Rank()))
	}
	return errors.Join(err, f.Close())
}
