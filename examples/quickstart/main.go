// Quickstart is the program of the README: ranks deal out the letters of one
// file among them. Whatever their number, the file is the same.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	for _, n := range []int{1, 2, 3, 4, 6} {
		fsys := iofile.NewMem()
		err := world.Run(context.Background(), n, func(ctx context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "letters", iofile.Create|iofile.ReadWrite)
			if err != nil {
				return err
			}
			mine := "the quick brown fox jump"[c.Rank():] // this rank's letters are 0, n, 2n, ... of it
			every := types.Resized(types.Char, 0, int64(n))
			if err = f.SetView(iofile.View{Disp: int64(c.Rank()), Etype: types.Char, Filetype: every}); err == nil {
				_, err = f.WriteAtAll(types.Raw([]byte(mine), int64(24/n), every), 0)
			}
			return errors.Join(err, f.Close())
		})
		text, _ := fs.ReadFile(fsys, "letters")
		fmt.Println(n, string(text), err)
	}
}
