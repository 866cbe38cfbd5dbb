package store_test

import (
	"context"
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/store"
	"github.com/commworld/commworld/world"
)

// Counting is a store that counts how often files are opened; what it wraps keeps the bytes.
type Counting struct {
	store.Store
	Opens int
}

// Open counts an open.
func (c *Counting) Open(name string, flag store.OpenFlag) (store.Backing, error) {
	c.Opens++
	return c.Store.Open(name, flag)
}

// A store of your own can wrap another one, for logging or for failing.
func Example() {
	s := &Counting{Store: store.NewMem(store.MemSettings{})}
	fsys := iofile.NewFS(s)
	err := world.Run(context.Background(), 4, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "grid", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		return f.Close()
	})
	fmt.Println(s.Opens, "open for 4 ranks", err)
	// Output: 1 open for 4 ranks <nil>
}
