package world_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Each rank raises its flag in a file and looks at the other's. In atomic mode one of
// them at least sees the other's flag: of four results the standard forbids one.
func ExampleExploration_Allowed() {
	x, err := world.Explore(context.Background(), 2, func() (func(context.Context, *comm.Comm) error, func() any) {
		fsys := iofile.NewMem()
		return func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "flags", iofile.ReadWrite|iofile.Create)
			if err != nil {
				return err
			}
			flag := make([]byte, 1)
			_, other := f.SetSize(2), f.SetAtomicity(true)
			_, raised := f.WriteAt(types.Of([]byte{1}), iofile.Offset(c.Rank()))
			_, looked := f.ReadAt(types.Of(flag), iofile.Offset(1-c.Rank()))
			return errors.Join(other, raised, looked, f.Close())
		}, nil
	}, world.Check(world.Results))
	if err != nil {
		fmt.Println(err)
		return
	}
	files, err := x.Allowed()
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range files {
		fmt.Println(&files[i])
	}
	// Output:
	// file "flags": the standard allows 3 outcomes
	//   0.example_allowed_test.go:27=.. 1.example_allowed_test.go:27=01 file=0101
	//   0.example_allowed_test.go:27=01 1.example_allowed_test.go:27=.. file=0101
	//   0.example_allowed_test.go:27=01 1.example_allowed_test.go:27=01 file=0101
}
