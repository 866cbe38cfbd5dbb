package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Open is collective: all ranks of the communicator open the file together, and each
// gets a handle of its own. Here every rank then writes one byte at its own offset.
func ExampleOpen() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 4, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "letters", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(types.Of([]byte{'a' + byte(c.Rank())}), iofile.Offset(c.Rank()))
		return errors.Join(err, f.Close())
	})
	text, _ := fsys.ReadFile("letters")
	fmt.Println(string(text), err)
	// Output: abcd <nil>
}

// With c.Self() a rank opens a file alone, so that the other ranks need not take part.
// Here each rank writes a file of its own.
func ExampleOpen_self() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		name := fmt.Sprintf("log.%d", c.Rank())
		f, err := iofile.Open(c.Self(), fsys, name, iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(types.Of([]byte(name)), 0)
		return errors.Join(err, f.Close())
	})
	names, _ := fs.Glob(fsys, "*")
	fmt.Println(names, err)
	// Output: [log.0 log.1] <nil>
}

// The mode says what Open expects of the file and what the handle may do. An error has
// a class of the standard, and where Go has a name for it that matches too.
func ExampleMode() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		_, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
		fmt.Println("absent:", errors.Is(err, iofile.ErrNoSuchFile), errors.Is(err, fs.ErrNotExist))

		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.Excl|iofile.ReadWrite|iofile.DeleteOnClose)
		if err != nil {
			return err
		}
		_, err = iofile.Open(c, fsys, "f", iofile.Create|iofile.Excl|iofile.ReadWrite)
		fmt.Println("there:", errors.Is(err, iofile.ErrFileExists))

		_, err = iofile.Open(c, fsys, "f", iofile.Create)
		fmt.Println("neither reading nor writing:", errors.Is(err, iofile.ErrAmode))
		return f.Close()
	})
	_, gone := fsys.Stat("f")
	fmt.Println("deleted on close:", errors.Is(gone, fs.ErrNotExist), err)
	// Output:
	// absent: true true
	// there: true
	// neither reading nor writing: true
	// deleted on close: true <nil>
}

// With Append all pointers start at the end of the file, so that a log grows.
func ExampleMode_append() {
	fsys := iofile.NewMem()
	err := fsys.Import("log", strings.NewReader("first"))
	err = errors.Join(err, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "log", iofile.Append|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, err = f.Write(types.Of([]byte(", second")))
		return errors.Join(err, f.Close())
	}))
	text, _ := fsys.ReadFile("log")
	fmt.Println(string(text), err)
	// Output: first, second <nil>
}

// A handle knows its name, the mode that it was opened with and the group of the ranks
// that opened it.
func ExampleFile_Amode() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "grid", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		mode, err := f.Amode()
		group, e := f.Group()
		if c.Rank() == 0 {
			fmt.Println(f.Name(), mode, group.Size())
		}
		return errors.Join(err, e, f.Close())
	})
	fmt.Println(err)
	// Output:
	// grid create|rdwr 3
	// <nil>
}

// Close publishes the writes through the handle. Until a close or a sync, no other open of
// the file can see them.
func ExampleFile_Close() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(types.Of([]byte("text")), 0)
		before, _ := fsys.ReadFile("f")
		err = errors.Join(err, f.Close())
		after, _ := fsys.ReadFile("f")
		fmt.Printf("%q %q\n", before, after)
		return err
	})
	fmt.Println(err)
	// Output:
	// "" "text"
	// <nil>
}

// Delete takes a file away by name. It needs no world and no open file.
func ExampleDelete() {
	fsys := iofile.NewMem()
	err := fsys.Import("old", strings.NewReader("text"))
	fmt.Println(err, iofile.Delete(fsys, "old"))
	fmt.Println(errors.Is(iofile.Delete(fsys, "old"), iofile.ErrNoSuchFile))
	// Output:
	// <nil> <nil>
	// true
}

// DeleteFor is Delete in the name of a rank: the default file handler of that rank gets
// the error.
func ExampleDeleteFor() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		h := iofile.NewErrhandler(func(_ *iofile.File, err error) {
			fmt.Println("handled:", errors.Is(err, iofile.ErrNoSuchFile))
		})
		if err := iofile.SetDefaultErrhandler(c, h); err != nil {
			return err
		}
		err := iofile.DeleteFor(c, fsys, "absent", nil)
		fmt.Println("returned:", errors.Is(err, iofile.ErrNoSuchFile))
		return nil
	})
	fmt.Println(err)
	// Output:
	// handled: true
	// returned: true
	// <nil>
}
