package iofile_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// To read what another rank wrote takes three steps: the writer syncs, a barrier or a
// message notifies the reader, and the reader syncs. Sync is collective, so both ranks call
// it twice.
func ExampleFile_Sync() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			_, err = f.WriteAt(types.Of([]byte("new")), 0)
		}
		err = errors.Join(err, f.Sync(), c.Barrier(), f.Sync())
		if c.Rank() == 1 {
			p := make([]byte, 3)
			_, e := f.ReadAt(types.Of(p), 0)
			fmt.Println(string(p))
			err = errors.Join(err, e)
		}
		return errors.Join(err, f.Close())
	})
	fmt.Println(err)
	// Output:
	// new
	// <nil>
}

// In atomic mode a write is visible at once to all ranks that opened the file together,
// and two accesses never mix. A barrier is then enough to read what another rank wrote.
func ExampleFile_SetAtomicity() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		err = f.SetAtomicity(true)
		if c.Rank() == 0 {
			_, e := f.WriteAt(types.Of([]byte("new")), 0)
			err = errors.Join(err, e)
		}
		err = errors.Join(err, c.Barrier())
		if c.Rank() == 1 {
			p := make([]byte, 3)
			_, e := f.ReadAt(types.Of(p), 0)
			on, e2 := f.Atomicity()
			fmt.Println(string(p), on)
			err = errors.Join(err, e, e2)
		}
		return errors.Join(err, f.Close())
	})
	fmt.Println(err)
	// Output:
	// new true
	// <nil>
}

// SetSize cuts the file or makes it longer, and Preallocate only makes it longer. All
// ranks call them with the same size.
func ExampleFile_SetSize() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		for _, resize := range []func() error{
			func() error { return f.SetSize(100) },
			func() error { return f.Preallocate(50) },
			func() error { return f.Preallocate(200) },
			func() error { return f.SetSize(0) },
		} {
			err = errors.Join(err, resize())
			n, e := f.Size()
			if c.Rank() == 0 {
				fmt.Println(n)
			}
			err = errors.Join(err, e)
		}
		return errors.Join(err, f.Close())
	})
	fmt.Println(err)
	// Output:
	// 100
	// 100
	// 200
	// 0
	// <nil>
}

// Preallocate reports at once that there is no room for a file, before hours of
// computing are lost on it.
func ExampleFile_Preallocate() {
	fsys := iofile.NewMem(iofile.WithCapacity(1 << 20))
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		fmt.Println("half:", f.Preallocate(1<<19))
		fmt.Println("no room:", errors.Is(f.Preallocate(1<<21), iofile.ErrNoSpace))
		return f.Close()
	})
	fmt.Println(err)
	// Output:
	// half: <nil>
	// no room: true
	// <nil>
}

// Size is the size in bytes as this rank sees it: its own writes count, those that
// another rank has not published do not.
func ExampleFile_Size() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(types.Of([]int32{7}), 96)
		n, e := f.Size()
		published, e2 := fsys.Stat("f")
		fmt.Println(n, published.Size())
		return errors.Join(err, e, e2, f.Close())
	})
	fmt.Println(err)
	// Output:
	// 100 0
	// <nil>
}

// SyncUses reports for every line that syncs how many of its calls were needed. Here
// rank 0 needs the first, rank 1 the second, and the third orders nothing.
func ExampleFile_SyncUses() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			_, err = f.WriteAt(types.Of([]byte("new")), 0)
		}
		err = errors.Join(err, f.Sync())
		err = errors.Join(err, c.Barrier())
		err = errors.Join(err, f.Sync())
		if c.Rank() == 1 {
			_, e := f.ReadAt(types.Of(make([]byte, 3)), 0)
			err = errors.Join(err, e)
		}
		err = errors.Join(err, f.Sync())
		err = errors.Join(err, c.Barrier())
		if uses, all := f.SyncUses(); c.Rank() == 0 {
			for _, u := range uses {
				fmt.Println(u.Calls, "calls,", u.Needed, "needed")
			}
			fmt.Println("complete:", all)
		}
		return errors.Join(err, f.Close())
	})
	fmt.Println(err)
	// Output:
	// 2 calls, 1 needed
	// 2 calls, 1 needed
	// 2 calls, 0 needed
	// complete: true
	// <nil>
}

// WithModel chooses when a write becomes visible to other ranks. The ranks of this
// program forgot to sync: the weakest model that the standard allows shows it, and POSIX
// hides it, as a laptop does. consistency.Off keeps the run from reporting the race.
func ExampleWithModel() {
	for _, m := range []consistency.Model{consistency.Weakest, consistency.POSIX} {
		fsys := iofile.NewMem(iofile.WithModel(m), iofile.WithRaceDetector(consistency.Off))
		err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
			if err != nil {
				return err
			}
			if c.Rank() == 0 {
				_, err = f.WriteAt(types.Of([]byte("new")), 0)
			}
			err = errors.Join(err, c.Barrier())
			if c.Rank() == 1 {
				st, e := f.ReadAt(types.Of(make([]byte, 3)), 0)
				fmt.Println(m, "shows", st.Bytes(), "bytes")
				err = errors.Join(err, e)
			}
			return errors.Join(err, f.Close())
		})
		fmt.Println(err)
	}
	// Output:
	// weakest shows 0 bytes
	// <nil>
	// POSIX shows 3 bytes
	// <nil>
}

// WithModel also chooses the model of one open, so that one file system can have files of
// several models. Under Commit a reader that forgot to sync sees the writer's synced bytes.
func ExampleWithModel_open() {
	fsys := iofile.NewMem(iofile.WithRaceDetector(consistency.Off))
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		w, e1 := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		r, e2 := iofile.Open(c, fsys, "f", iofile.ReadOnly, iofile.WithModel(consistency.Commit))
		if e1 != nil || e2 != nil {
			return errors.Join(e1, e2)
		}
		_, e1 = w.WriteAt(types.Of([]byte("new")), 0)
		before, _ := r.Size()
		e2 = w.Sync()
		after, _ := r.Size()
		fmt.Println(before, after)
		return errors.Join(e1, e2, w.Close(), r.Close())
	})
	fmt.Println(err)
	// Output:
	// 0 3
	// <nil>
}

// WithRaceDetector says to the race detector which library the program is for. ROMIO on one
// machine needs no sync, so only a missing barrier is a race there.
func ExampleWithRaceDetector() {
	for _, p := range []consistency.Profile{consistency.Strict, consistency.ROMIO} {
		fsys := iofile.NewMem(iofile.WithRaceDetector(p))
		err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
			if err != nil {
				return err
			}
			if c.Rank() == 0 {
				_, err = f.WriteAt(types.Of([]byte("new")), 0)
			}
			err = errors.Join(err, c.Barrier())
			if c.Rank() == 1 {
				_, e := f.ReadAt(types.Of(make([]byte, 3)), 0)
				err = errors.Join(err, e)
			}
			return errors.Join(err, f.Close())
		})
		fmt.Println(p, len(world.Findings(err)))
	}
	// Output:
	// strict 1
	// ROMIO 0
}

// A run looks for races by itself. The profile Off turns that off for one file system, for
// files that are meant to race.
func ExampleWithRaceDetector_off() {
	for _, fsys := range []*iofile.FS{iofile.NewMem(), iofile.NewMem(iofile.WithRaceDetector(consistency.Off))} {
		err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
			if err != nil {
				return err
			}
			_, err = f.WriteAt(types.Of([]byte{byte(c.Rank())}), 0) // both write byte 0
			return errors.Join(err, f.Close())
		})
		fmt.Println("races:", len(world.Findings(err)))
	}
	// Output:
	// races: 1
	// races: 0
}

// The model also sets the value of bytes inside the file that no rank wrote. A program must
// not rely on it, and a visible poison shows where one does.
func ExampleWithModel_poison() {
	fsys := iofile.NewMem(iofile.WithModel(consistency.Weakest.WithPoison('?')))
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(types.Of([]byte("end")), 4)
		return errors.Join(err, f.Close())
	})
	text, _ := fsys.ReadFile("f")
	fmt.Println(string(text), err)
	// Output: ????end <nil>
}
