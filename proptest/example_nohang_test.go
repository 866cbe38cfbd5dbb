package proptest_test

import (
	"errors"
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/world"
)

// A polite layer is that of this module, but has rank 0 wait for all others before it
// syncs, which they do not know.
type polite struct{ proptest.Layer }

func (l polite) Open(c *comm.Comm, name string) (proptest.File, error) {
	f, err := l.Layer.Open(c, name)
	return &waiting{f, c}, err
}

type waiting struct {
	proptest.File
	c *comm.Comm
}

func (f *waiting) Sync() error {
	if f.c.Rank() == 0 {
		if err := f.c.Barrier(); err != nil {
			return err
		}
	}
	return f.File.Sync()
}

// NoHang finds ranks of a layer that wait for each other for ever. It needs no time-out.
func ExampleNoHang() {
	program := &gen.Program{Ranks: 2, Ops: []gen.Op{{Do: gen.Sync, All: true}}}
	mk := func() (proptest.Layer, error) { return polite{proptest.OfFS(iofile.NewMem())}, nil }
	err := proptest.NoHang(mk, program)
	var hang *world.DeadlockError
	fmt.Println(errors.As(err, &hang))
	fmt.Println(proptest.NoHang(proptest.Ours(nil), program))
	// Output:
	// true
	// <nil>
}
