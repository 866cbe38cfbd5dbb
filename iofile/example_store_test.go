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

// A printing store prints which files it opens and removes, and leaves the work to
// another store.
type printing struct{ iofile.Store }

func (s printing) Open(name string, flag iofile.OpenFlag) (iofile.Backing, error) {
	fmt.Println("open", name, "create:", flag&iofile.FlagCreate != 0)
	return s.Store.Open(name, flag)
}

func (s printing) Remove(name string) error {
	fmt.Println("remove", name)
	return s.Store.Remove(name)
}

// NewFS makes a file system of a store of your own. A store keeps bytes by name and
// knows nothing of ranks: the file opens once, however many ranks use it.
func ExampleNewFS() {
	fsys := iofile.NewFS(printing{iofile.NewMemStore()})
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly|iofile.DeleteOnClose)
		if err != nil {
			return err
		}
		_, err = f.WriteAtAll(types.Of([]byte("x")), iofile.Offset(c.Rank()))
		return errors.Join(err, f.Close())
	})
	fmt.Println(err)
	// Output:
	// open f create: true
	// remove f
	// <nil>
}
