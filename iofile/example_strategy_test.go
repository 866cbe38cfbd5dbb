package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// WithStrategy chooses by which requests bytes move, and Plan shows them. Four ranks
// write every fourth double: each by itself makes four requests, and with two phases
// they exchange the bytes and one rank makes a single request.
func ExampleWithStrategy() {
	for _, s := range []strategy.Strategy{strategy.Direct{}, strategy.TwoPhase{}} {
		fsys := iofile.NewMem()
		total := make([]int64, 4) // each rank sets its own
		err := world.Run(context.Background(), 4, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly, iofile.WithStrategy(s))
			if err != nil {
				return err
			}
			fourth := types.Resized(types.Double, 0, 32)
			e1 := f.SetView(iofile.View{Disp: 8 * int64(c.Rank()), Etype: types.Double, Filetype: fourth})
			_, e2 := f.WriteAtAll(types.Of(make([]float64, 4)), 0)
			total[c.Rank()] = f.Counts().Writes
			return errors.Join(e1, e2, f.Close())
		})
		fmt.Println(s, "writes of each rank:", total, err)
	}
	// Output:
	// Direct writes of each rank: [4 4 4 4] <nil>
	// TwoPhase writes of each rank: [1 0 0 0] <nil>
}

// Plan returns the plan of the last access: the requests that the file system gets and
// the bytes that ranks send to each other.
func ExampleFile_Plan() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite, iofile.WithStrategy(strategy.Sieve{}))
		if err != nil {
			return err
		}
		e1 := f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Resized(types.Byte, 0, 10)})
		_, e2 := f.WriteAt(types.Of([]byte("abc")), 0)
		for _, r := range f.Plan().Requests {
			fmt.Println("write:", r.Write, "bytes:", r.Off, "to", r.Off+r.Len-1, "lock:", r.Lock)
		}
		return errors.Join(e1, e2, f.Close())
	})
	fmt.Println(err)
	// Output:
	// write: false bytes: 0 to 20 lock: true
	// write: true bytes: 0 to 20 lock: false
	// <nil>
}

// Counts adds up the plans of all accesses through a handle, as far as the calling rank
// carries them out.
func ExampleFile_Counts() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite, iofile.WithStrategy(strategy.Direct{}))
		if err != nil {
			return err
		}
		_, e1 := f.WriteAt(types.Of(make([]byte, 100)), 0)
		_, e2 := f.ReadAt(types.Of(make([]byte, 10)), 0)
		_, e3 := f.ReadAt(types.Of(make([]byte, 10)), 50)
		n := f.Counts()
		fmt.Println(n.Writes, n.WriteBytes, n.Reads, n.ReadBytes)
		return errors.Join(e1, e2, e3, f.Close())
	})
	fmt.Println(err)
	// Output:
	// 1 100 2 20
	// <nil>
}

// Info returns the hints in use, also those that the program did not give. A hint that cannot be
// followed has the value that is in use instead.
func ExampleFile_Info() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		hints := comm.NewInfo()
		e1 := hints.Set("cb_nodes", "100")
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly, iofile.WithInfo(hints))
		if err != nil {
			return err
		}
		info, e2 := f.Info()
		if c.Rank() == 0 {
			nodes, _ := info.Get("cb_nodes")
			buffer, _ := info.Get("cb_buffer_size")
			fmt.Println(nodes, buffer)
		}
		return errors.Join(e1, e2, f.Close())
	})
	fmt.Println(err)
	// Output:
	// 2 16777216
	// <nil>
}

// WithInfo opens a file with hints, such as the permissions of a file that Open makes.
func ExampleWithInfo() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		hints := comm.NewInfo()
		if err := hints.Set("file_perm", "0640"); err != nil {
			return err
		}
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly, iofile.WithInfo(hints))
		if err != nil {
			return err
		}
		return f.Close()
	})
	about, e := fsys.Stat("f")
	fmt.Println(about.Mode(), e, err)
	// Output: -rw-r----- <nil> <nil>
}

// SetInfo gives an open file further hints. Hints that it does not name stay.
func ExampleFile_SetInfo() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		hints := comm.NewInfo()
		e1 := hints.Set("cb_buffer_size", "4096")
		e2 := f.SetInfo(hints)
		info, e3 := f.Info()
		fmt.Println(info.Get("cb_buffer_size"))
		return errors.Join(e1, e2, e3, f.Close())
	})
	fmt.Println(err)
	// Output:
	// 4096 true
	// <nil>
}

// An error handler is called once for each call that fails, before the call returns the
// error.
func ExampleNewErrhandler() {
	fsys := iofile.NewMem()
	err := fsys.Import("f", strings.NewReader("text"))
	err = errors.Join(err, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
		if err != nil {
			return err
		}
		err = f.SetErrhandler(iofile.NewErrhandler(func(f *iofile.File, err error) {
			fmt.Println(f.Name(), "failed, class", iofile.ClassOf(err))
		}))
		_, failed := f.WriteAt(types.Of([]byte("x")), 0)
		fmt.Println("returned:", iofile.ClassOf(failed))
		return errors.Join(err, f.Close())
	}))
	fmt.Println(err)
	// Output:
	// f failed, class read-only file
	// returned: read-only file
	// <nil>
}

// NewErrhandlerReturning makes a handler that decides what the call returns. This one
// gives the errors of a program's own to its callers.
func ExampleNewErrhandlerReturning() {
	errReadOnly := errors.New("the archive is closed")
	fsys := iofile.NewMem()
	err := fsys.Import("f", strings.NewReader("text"))
	err = errors.Join(err, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
		if err != nil {
			return err
		}
		err = f.SetErrhandler(iofile.NewErrhandlerReturning(func(_ *iofile.File, err error) error {
			if iofile.ClassOf(err) == iofile.ErrReadOnly || iofile.ClassOf(err) == iofile.ErrAccess {
				return errReadOnly
			}
			return nil // the call returns what it found
		}))
		_, failed := f.WriteAt(types.Of([]byte("x")), 0)
		fmt.Println(errors.Is(failed, errReadOnly))
		return errors.Join(err, f.Close())
	}))
	fmt.Println(err)
	// Output:
	// true
	// <nil>
}

// SetDefaultErrhandler sets the handler for calls that have no file yet, such as an Open
// that fails, and for the files that the rank opens from then on.
func ExampleSetDefaultErrhandler() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		h := iofile.NewErrhandler(func(f *iofile.File, err error) {
			fmt.Println("file:", f != nil, "class:", iofile.ClassOf(err))
		})
		if err := iofile.SetDefaultErrhandler(c, h); err != nil {
			return err
		}
		_, _ = iofile.Open(c, fsys, "absent", iofile.ReadOnly)
		return nil
	})
	fmt.Println(err)
	// Output:
	// file: false class: no such file
	// <nil>
}

// Until a program sets another one, the default handler of every rank is ErrorsReturn:
// the call returns its error and does nothing else.
func ExampleDefaultErrhandler() {
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		h, err := iofile.DefaultErrhandler(c)
		fmt.Println(h == iofile.ErrorsReturn)
		return err
	})
	fmt.Println(err)
	// Output:
	// true
	// <nil>
}

// With ErrorsAreFatal an error of the file ends the world, so that a program need not check
// the errors of its calls.
func ExampleFile_SetErrhandler() {
	fsys := iofile.NewMem()
	err := fsys.Import("f", strings.NewReader("text"))
	err = errors.Join(err, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
		if err != nil {
			return err
		}
		if err := f.SetErrhandler(iofile.ErrorsAreFatal); err != nil {
			return err
		}
		_, _ = f.WriteAt(types.Of([]byte("x")), 0)
		return f.Close()
	}))
	fmt.Println(err != nil, errors.Is(err, iofile.ErrReadOnly) || errors.Is(err, iofile.ErrAccess))
	// Output: true true
}

// A library that works with files of others has errors of its own handled as if a call
// on the file had found them.
func ExampleFile_CallErrhandler() {
	fsys := iofile.NewMem()
	err := fsys.Import("f", strings.NewReader("text"))
	err = errors.Join(err, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
		if err != nil {
			return err
		}
		e1 := f.SetErrhandler(iofile.NewErrhandler(func(_ *iofile.File, err error) {
			fmt.Println("handled:", err)
		}))
		h, e2 := f.Errhandler()
		fmt.Println("set:", h != iofile.ErrorsReturn)
		returned := f.CallErrhandler(io.ErrUnexpectedEOF)
		fmt.Println("returned:", returned)
		return errors.Join(e1, e2, f.Close())
	}))
	fmt.Println(err)
	// Output:
	// set: true
	// handled: unexpected EOF
	// returned: unexpected EOF
	// <nil>
}

// ClassOf returns the error class of any error: the one that it wraps, else ErrIO.
func ExampleClassOf() {
	full := fmt.Errorf("disk 3: %w", iofile.ErrNoSpace)
	fmt.Println(iofile.ClassOf(full) == iofile.ErrNoSpace)
	fmt.Println(iofile.ClassOf(io.ErrUnexpectedEOF) == iofile.ErrIO)
	// Output:
	// true
	// true
}
