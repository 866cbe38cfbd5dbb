package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// ReadAt reads at an explicit offset and moves no pointer. A read that meets the end of
// the file is not an error: the status counts what arrived.
func ExampleFile_ReadAt() {
	fsys := iofile.NewMem()
	err := fsys.Import("f", strings.NewReader("abcdef"))
	err = errors.Join(err, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
		if err != nil {
			return err
		}
		p := make([]byte, 10)
		st, err := f.ReadAt(types.Of(p), 4)
		n, _ := st.Count(types.Byte)
		fmt.Println(n, string(p[:n]))
		return errors.Join(err, f.Close())
	}))
	fmt.Println(err)
	// Output:
	// 2 ef
	// <nil>
}

// WriteAt writes at an explicit offset, each rank for itself. A write beyond the end
// makes the file longer.
func ExampleFile_WriteAt() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		word := []string{"left ", "right"}[c.Rank()]
		_, err = f.WriteAt(types.Of([]byte(word)), iofile.Offset(5*c.Rank()))
		return errors.Join(err, f.Close())
	})
	text, _ := fsys.ReadFile("f")
	fmt.Println(string(text), err)
	// Output: left right <nil>
}

// Write and Read use the rank's own file pointer, which moves by the bytes that they move.
// Seek sets it.
func ExampleFile_Seek() {
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, iofile.NewMem(), "f", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		_, e1 := f.Write(types.Of([]byte("one,")))
		_, e2 := f.Write(types.Of([]byte("two")))
		at, e3 := f.Position()
		fmt.Println("after the writes at", at)

		e4 := f.Seek(-3, iofile.SeekEnd)
		p := make([]byte, 3)
		_, e5 := f.Read(types.Of(p))
		fmt.Println(string(p))
		return errors.Join(e1, e2, e3, e4, e5, f.Close())
	})
	fmt.Println(err)
	// Output:
	// after the writes at 7
	// two
	// <nil>
}

// Write continues after the rank's previous write. With a view for each rank, every rank has
// a stream of its own in one file.
func ExampleFile_Write() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		other := types.Resized(types.Byte, 0, 2) // every second byte
		err = f.SetView(iofile.View{Disp: int64(c.Rank()), Etype: types.Byte, Filetype: other})
		for i := range byte(3) {
			_, e := f.Write(types.Of([]byte{[]byte("aA")[c.Rank()] + i}))
			err = errors.Join(err, e)
		}
		return errors.Join(err, f.Close())
	})
	text, _ := fsys.ReadFile("f")
	fmt.Println(string(text), err)
	// Output: aAbBcC <nil>
}

// Read reads the next bytes at the rank's own pointer, until nothing arrives.
func ExampleFile_Read() {
	fsys := iofile.NewMem()
	err := fsys.Import("f", strings.NewReader("abcdefgh"))
	err = errors.Join(err, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
		if err != nil {
			return err
		}
		p := make([]byte, 3)
		for err == nil {
			var st iofile.Status
			if st, err = f.Read(types.Of(p)); st.Bytes() == 0 {
				break
			}
			fmt.Println(string(p[:st.Bytes()]))
		}
		return errors.Join(err, f.Close())
	}))
	fmt.Println(err)
	// Output:
	// abc
	// def
	// gh
	// <nil>
}

// WriteAll and ReadAll are collective: all ranks call them, each with its own pointer
// and its own amount, and the library may join their accesses.
func ExampleFile_WriteAll() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		r := c.Rank()
		e1 := f.Seek([]iofile.Offset{0, 1, 3}[r], iofile.SeekSet)
		_, e2 := f.WriteAll(types.Of([]byte(strings.Repeat(fmt.Sprint(r), r+1))))
		return errors.Join(e1, e2, f.Close())
	})
	text, _ := fsys.ReadFile("f")
	fmt.Println(string(text), err)
	// Output: 011222 <nil>
}

// ReadAll lets all ranks read their parts in one call.
func ExampleFile_ReadAll() {
	fsys := iofile.NewMem()
	err := fsys.Import("f", strings.NewReader("abcdef"))
	parts := make([]string, 3) // each rank sets its own
	err = errors.Join(err, world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
		if err != nil {
			return err
		}
		p := make([]byte, 2)
		e1 := f.Seek(iofile.Offset(2*c.Rank()), iofile.SeekSet)
		_, e2 := f.ReadAll(types.Of(p))
		parts[c.Rank()] = string(p)
		return errors.Join(e1, e2, f.Close())
	}))
	fmt.Println(parts, err)
	// Output: [ab cd ef] <nil>
}

// WriteAtAll is the usual way to write a shared array: all ranks call it, each with its
// part and its offset.
func ExampleFile_WriteAtAll() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, err = f.WriteAtAll(types.Of([]byte{'x', '0' + byte(c.Rank())}), iofile.Offset(2*c.Rank()))
		return errors.Join(err, f.Close())
	})
	text, _ := fsys.ReadFile("f")
	fmt.Println(string(text), err)
	// Output: x0x1x2 <nil>
}

// ReadAtAll reads at explicit offsets, all ranks in one call. A rank that needs nothing
// still calls it, with an empty buffer.
func ExampleFile_ReadAtAll() {
	fsys := iofile.NewMem()
	err := fsys.Import("f", strings.NewReader("abcdef"))
	err = errors.Join(err, world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
		if err != nil {
			return err
		}
		p := make([]byte, 3*c.Rank())
		_, err = f.ReadAtAll(types.Of(p), 3)
		if c.Rank() == 1 {
			fmt.Println(string(p))
		}
		return errors.Join(err, f.Close())
	}))
	fmt.Println(err)
	// Output:
	// def
	// <nil>
}

// IWriteAt starts a write and returns at once. The rank computes meanwhile, leaves the
// buffer alone and waits for the request in the end.
func ExampleFile_IWriteAt() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		first, e1 := f.IWriteAt(types.Of([]byte("one ")), 0)
		second, e2 := f.IWriteAt(types.Of([]byte("two")), 4)
		// compute here
		sts, e3 := comm.WaitAll(first, second)
		fmt.Println(sts[0].Bytes(), sts[1].Bytes())
		return errors.Join(e1, e2, e3, f.Close())
	})
	text, _ := fsys.ReadFile("f")
	fmt.Println(string(text), err)
	// Output:
	// 4 3
	// one two <nil>
}

// IRead moves the pointer at once, so that the next read can be started before the
// first is complete.
func ExampleFile_IRead() {
	fsys := iofile.NewMem()
	err := fsys.Import("f", strings.NewReader("abcdef"))
	err = errors.Join(err, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
		if err != nil {
			return err
		}
		p, q := make([]byte, 3), make([]byte, 3)
		first, e1 := f.IRead(types.Of(p))
		second, e2 := f.IRead(types.Of(q))
		_, e3 := comm.WaitAll(first, second)
		fmt.Println(string(p), string(q))
		return errors.Join(e1, e2, e3, f.Close())
	}))
	fmt.Println(err)
	// Output:
	// abc def
	// <nil>
}

// IWriteAtAll starts a collective write. All ranks start it, and each waits for its own
// request.
func ExampleFile_IWriteAtAll() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		q, err := f.IWriteAtAll(types.Of([]byte{'a' + byte(c.Rank())}), iofile.Offset(c.Rank()))
		if err == nil {
			_, err = q.Wait()
		}
		return errors.Join(err, f.Close())
	})
	text, _ := fsys.ReadFile("f")
	fmt.Println(string(text), err)
	// Output: abc <nil>
}

// A split collective is a collective access in two calls: Begin starts it, End completes
// it with the same buffer. The rank computes in between, without a request.
func ExampleFile_WriteAllBegin() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		buf := types.Of([]byte{'a' + byte(c.Rank())})
		e1 := f.Seek(iofile.Offset(c.Rank()), iofile.SeekSet)
		e2 := f.WriteAllBegin(buf)
		// compute here, and leave the buffer alone
		st, e3 := f.WriteAllEnd(buf)
		if c.Rank() == 0 {
			fmt.Println(st.Bytes(), "byte")
		}
		return errors.Join(e1, e2, e3, f.Close())
	})
	text, _ := fsys.ReadFile("f")
	fmt.Println(string(text), err)
	// Output:
	// 1 byte
	// ab <nil>
}

// Only one split collective can be under way on a handle.
func ExampleFile_ReadAtAllBegin() {
	fsys := iofile.NewMem()
	err := fsys.Import("f", strings.NewReader("abc"))
	err = errors.Join(err, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
		if err != nil {
			return err
		}
		p, q := make([]byte, 3), make([]byte, 3)
		e1 := f.ReadAtAllBegin(types.Of(p), 0)
		second := f.ReadAtAllBegin(types.Of(q), 0)
		fmt.Println("a second one is refused:", errors.Is(second, iofile.ErrIO))
		_, e2 := f.ReadAtAllEnd(types.Of(p))
		fmt.Println(string(p))
		return errors.Join(e1, e2, f.Close())
	}))
	fmt.Println(err)
	// Output:
	// a second one is refused: true
	// abc
	// <nil>
}

// All ranks of an open share one more pointer. WriteShared writes there and moves it, so
// that ranks append to a log and no two entries overlap. Who comes first is open.
func ExampleFile_WriteShared() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "log", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, err = f.WriteShared(types.Of([]byte("entry\n")))
		return errors.Join(err, f.Close())
	})
	text, _ := fsys.ReadFile("log")
	fmt.Printf("%q %v\n", text, err)
	// Output: "entry\nentry\nentry\n" <nil>
}

// ReadShared hands out work: no two calls get the same bytes.
func ExampleFile_ReadShared() {
	fsys := iofile.NewMem()
	err := fsys.Import("tasks", strings.NewReader("abcdef"))
	taken := make([]int, 2) // each rank sets its own
	err = errors.Join(err, world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "tasks", iofile.ReadOnly)
		if err != nil {
			return err
		}
		for task := make([]byte, 1); err == nil; taken[c.Rank()]++ {
			var st iofile.Status
			if st, err = f.ReadShared(types.Of(task)); st.Bytes() == 0 {
				break
			}
		}
		return errors.Join(err, f.Close())
	}))
	fmt.Println(taken[0]+taken[1], "tasks", err)
	// Output: 6 tasks <nil>
}

// WriteOrdered writes at the shared pointer in the order of the ranks, for any amount that
// each writes. It is the shortest way to collect output of unequal length.
func ExampleFile_WriteOrdered() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "out", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		line := fmt.Sprintf("rank %d%s\n", c.Rank(), strings.Repeat("!", c.Rank()))
		_, err = f.WriteOrdered(types.Of([]byte(line)))
		return errors.Join(err, f.Close())
	})
	text, _ := fsys.ReadFile("out")
	fmt.Print(string(text))
	fmt.Println(err)
	// Output:
	// rank 0
	// rank 1!
	// rank 2!!
	// <nil>
}

// ReadOrdered deals the bytes at the shared pointer to the ranks in their order.
func ExampleFile_ReadOrdered() {
	fsys := iofile.NewMem()
	err := fsys.Import("f", strings.NewReader("abbccc"))
	parts := make([]string, 3) // each rank sets its own
	err = errors.Join(err, world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
		if err != nil {
			return err
		}
		p := make([]byte, c.Rank()+1)
		_, err = f.ReadOrdered(types.Of(p))
		parts[c.Rank()] = string(p)
		return errors.Join(err, f.Close())
	}))
	fmt.Println(parts, err)
	// Output: [a bb ccc] <nil>
}

// WriteOrderedBegin is the split form of WriteOrdered: each rank computes the next line
// while the last one is on its way, and the lines stay in the order of the ranks.
func ExampleFile_WriteOrderedBegin() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "out", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		for step := range 2 {
			line := types.Of(fmt.Appendf(nil, "%d.%d ", step, c.Rank()))
			e1 := f.WriteOrderedBegin(line)
			// compute here
			_, e2 := f.WriteOrderedEnd(line)
			err = errors.Join(err, e1, e2)
		}
		return errors.Join(err, f.Close())
	})
	text, _ := fsys.ReadFile("out")
	fmt.Printf("%q %v\n", text, err)
	// Output: "0.0 0.1 0.2 1.0 1.1 1.2 " <nil>
}

// SeekShared moves the shared pointer. All ranks call it with the same arguments.
func ExampleFile_SeekShared() {
	fsys := iofile.NewMem()
	err := fsys.Import("f", strings.NewReader("title:"))
	err = errors.Join(err, world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.WriteOnly)
		if err != nil {
			return err
		}
		e1 := f.SeekShared(0, iofile.SeekEnd)
		at, e2 := f.PositionShared()
		_, e3 := f.WriteOrdered(types.Of([]byte{'0' + byte(c.Rank())}))
		if c.Rank() == 0 {
			fmt.Println("from", at)
		}
		return errors.Join(e1, e2, e3, f.Close())
	}))
	text, _ := fsys.ReadFile("f")
	fmt.Println(string(text), err)
	// Output:
	// from 6
	// title:01 <nil>
}

// A Sequential file is a stream: only the shared pointer works, and no rank can seek.
// WithTruncatingWrites makes a write cut off what followed in an older, longer file.
func ExampleWithTruncatingWrites() {
	fsys := iofile.NewMem()
	err := fsys.Import("pipe", strings.NewReader("old and long"))
	err = errors.Join(err, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "pipe", iofile.Sequential|iofile.WriteOnly, iofile.WithTruncatingWrites())
		if err != nil {
			return err
		}
		_, err = f.WriteShared(types.Of([]byte("new")))
		seek := f.Seek(0, iofile.SeekSet)
		fmt.Println("no seek:", errors.Is(seek, iofile.ErrUnsupportedOperation))
		return errors.Join(err, f.Close())
	}))
	text, _ := fsys.ReadFile("pipe")
	fmt.Println(string(text), err)
	// Output:
	// no seek: true
	// new <nil>
}

// WriteSlice writes Go values and returns how many are in the file, without a buffer or
// a status.
func ExampleWriteSlice() {
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, iofile.NewMem(), "f", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		e1 := f.SetView(iofile.ViewOf[float64](0))
		n, e2 := iofile.WriteSlice(f, 0, []float64{0.5, 1.5, 2.5})
		xs, e3 := iofile.ReadSlice[float64](f, 1, 2)
		fmt.Println(n, xs)
		return errors.Join(e1, e2, e3, f.Close())
	})
	fmt.Println(err)
	// Output:
	// 3 [1.5 2.5]
	// <nil>
}

// WriteSliceAll writes the parts of all ranks in one collective call.
func ExampleWriteSliceAll() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		e1 := f.SetView(iofile.ViewOf[byte](0))
		_, e2 := iofile.WriteSliceAll(f, iofile.Offset(c.Rank()), []byte{'a' + byte(c.Rank())})
		return errors.Join(e1, e2, f.Close())
	})
	text, _ := fsys.ReadFile("f")
	fmt.Println(string(text), err)
	// Output: abc <nil>
}

// ReadSliceAll reads the parts of all ranks in one collective call. A part that the file
// ends in is shorter.
func ExampleReadSliceAll() {
	fsys := iofile.NewMem()
	err := fsys.Import("f", strings.NewReader("abcde"))
	parts := make([]string, 3) // each rank sets its own
	err = errors.Join(err, world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
		if err != nil {
			return err
		}
		e1 := f.SetView(iofile.ViewOf[byte](0))
		xs, e2 := iofile.ReadSliceAll[byte](f, iofile.Offset(2*c.Rank()), 2)
		parts[c.Rank()] = string(xs)
		return errors.Join(e1, e2, f.Close())
	}))
	fmt.Println(parts, err)
	// Output: [ab cd e] <nil>
}
