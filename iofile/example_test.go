package iofile_test

import (
	"context"
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Each rank writes its part of an array, and rank 0 reads all of it.
func ExampleReadSlice() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "squares", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		if err := f.SetView(iofile.ViewOf[int64](0)); err != nil {
			return err
		}
		i := int64(2 * c.Rank())
		if _, err := iofile.WriteSliceAll(f, iofile.Offset(i), []int64{i * i, (i + 1) * (i + 1)}); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		if err := c.Barrier(); err != nil || c.Rank() > 0 {
			return err
		}
		alone, err := iofile.Open(c.Self(), fsys, "squares", iofile.ReadOnly)
		if err != nil {
			return err
		}
		if err := alone.SetView(iofile.ViewOf[int64](0)); err != nil {
			return err
		}
		xs, err := iofile.ReadSlice[int64](alone, 1, 100) // the file has five more
		fmt.Println(xs, err)
		return alone.Close()
	})
	fmt.Println(err)
	// Output:
	// [1 4 9 16 25] <nil>
	// <nil>
}

// Rank 0 shows how far its part of a long collective write has come.
func ExampleWithCallbacks() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		show := func(p iofile.Progress) { fmt.Printf("%s: %d%%\n", p.Op, 100*p.Done/p.Total) }
		if c.Rank() > 0 {
			show = nil
		}
		f, err := iofile.Open(c, fsys, "big", iofile.Create|iofile.WriteOnly, iofile.WithCallbacks(iofile.Callbacks{Progress: show}))
		if err != nil {
			return err
		}
		part := make([]byte, 16<<20)
		if _, err := f.WriteAtAll(types.Of(part), iofile.Offset(len(part)*c.Rank())); err != nil {
			return err
		}
		return f.Close()
	})
	fmt.Println(err)
	// Output:
	// WriteAtAll: 25%
	// WriteAtAll: 50%
	// WriteAtAll: 75%
	// WriteAtAll: 100%
	// <nil>
}
