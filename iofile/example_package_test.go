package iofile_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Three ranks share out the letters of a file: a view shows each rank every third one, and one
// collective call writes them all.
func Example() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "letters", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		third := types.Resized(types.Byte, 0, 3)
		err = f.SetView(iofile.View{Disp: int64(c.Rank()), Etype: types.Byte, Filetype: third})
		mine := []string{"adgj", "behk", "cfil"}[c.Rank()]
		_, e := f.WriteAtAll(types.Of([]byte(mine)), 0)
		return errors.Join(err, e, f.Close())
	})
	text, _ := fsys.ReadFile("letters")
	fmt.Println(string(text), err)
	// Output: abcdefghijkl <nil>
}
