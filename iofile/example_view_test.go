package iofile_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A view says which part of the file a rank sees. Two ranks share a matrix of 2 by 4
// letters, which is in the file row after row: each sees two columns of it, and one
// call writes them.
func ExampleFile_SetView() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "matrix", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		columns := types.Subarray(types.OrderC, []types.Slab{
			{Size: 2, Sub: 2, Start: 0},
			{Size: 4, Sub: 2, Start: 2 * int64(c.Rank())},
		}, types.Char)
		err = f.SetView(iofile.View{Etype: types.Char, Filetype: columns})
		mine := []string{"abcd", "wxyz"}[c.Rank()]
		if err == nil {
			_, err = f.WriteAtAll(types.Of([]byte(mine)).As(types.Char), 0)
		}
		return errors.Join(err, f.Close())
	})
	text, _ := fsys.ReadFile("matrix")
	fmt.Println(string(text[:4]), string(text[4:]), err)
	// Output: abwx cdyz <nil>
}

// A filetype may have holes: bytes that the view leaves out. This one shows the first
// two bytes of every five, after a header of six bytes.
func ExampleFile_SetView_holes() {
	fsys := iofile.NewMem()
	err := fsys.Import("table", strings.NewReader("HEADERab123cd456ef789"))
	err = errors.Join(err, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "table", iofile.ReadOnly)
		if err != nil {
			return err
		}
		pair := types.Resized(types.Contiguous(2, types.Byte), 0, 5)
		err = f.SetView(iofile.View{Disp: 6, Etype: types.Byte, Filetype: pair})
		text := make([]byte, 6)
		if err == nil {
			_, err = f.ReadAt(types.Of(text), 0)
		}
		fmt.Println(string(text))
		return errors.Join(err, f.Close())
	}))
	fmt.Println(err)
	// Output:
	// abcdef
	// <nil>
}

// View returns the current view. Directly after Open that is all bytes of the file.
func ExampleFile_View() {
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, iofile.NewMem(), "f", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		v, err := f.View()
		fmt.Println(v.Disp, v.Etype, v.Filetype, v.Rep)
		return errors.Join(err, f.Close())
	})
	fmt.Println(err)
	// Output:
	// 0 byte byte native
	// <nil>
}

// ViewOf is the view for a file that holds values of one Go type: offsets then count
// values. Here value 2 follows a header of 100 bytes and two other values.
func ExampleViewOf() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "samples", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		err = f.SetView(iofile.ViewOf[float64](100))
		if err == nil {
			_, err = f.WriteAt(types.Of([]float64{1, 2, 3}), 0)
		}
		third, e := iofile.ReadSlice[float64](f, 2, 1)
		at, e2 := f.ByteOffset(2)
		fmt.Println(third, "at byte", at)
		return errors.Join(err, e, e2, f.Close())
	})
	fmt.Println(err)
	// Output:
	// [3] at byte 116
	// <nil>
}

// ByteOffset converts an offset in the view to the byte in the file. It counts the
// displacement and the holes of the view.
func ExampleFile_ByteOffset() {
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, iofile.NewMem(), "f", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		column := types.Resized(types.Int32, 0, 40) // one of ten columns
		err = f.SetView(iofile.View{Disp: 8, Etype: types.Int32, Filetype: column})
		for off := range iofile.Offset(3) {
			at, e := f.ByteOffset(off)
			fmt.Println(off, "is at byte", at)
			err = errors.Join(err, e)
		}
		return errors.Join(err, f.Close())
	})
	fmt.Println(err)
	// Output:
	// 0 is at byte 8
	// 1 is at byte 48
	// 2 is at byte 88
	// <nil>
}

// TypeExtent returns how many bytes apart items are in the file. A datatype may have
// another size there than in memory: external32 stores a long in 4 bytes. A
// displacement that is computed from TypeExtent fits every representation.
func ExampleFile_TypeExtent() {
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, iofile.NewMem(), "f", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		for _, rep := range []string{"native", "external32"} {
			err = errors.Join(err, f.SetView(iofile.View{Etype: types.Long, Filetype: types.Long, Rep: rep}))
			n, e := f.TypeExtent(types.Long)
			fmt.Println(rep, n)
			err = errors.Join(err, e)
		}
		return errors.Join(err, f.Close())
	})
	fmt.Println(err)
	// Output:
	// native 8
	// external32 4
	// <nil>
}

// RegisterDatarep adds a data representation of your own. In this one every character
// takes three bytes of the file. Read and Write of the conversion may do more: they
// translate items between memory and file.
func ExampleRegisterDatarep() {
	fsys := iofile.NewMem()
	wide := reps.Conversion{Extent: func(*types.Type, any) (int64, error) { return 3, nil }}
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		if err := iofile.RegisterDatarep(c, "wide", wide); err != nil {
			return err
		}
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		err = f.SetView(iofile.View{Etype: types.Char, Filetype: types.Char, Rep: "wide"})
		if err == nil {
			_, err = f.WriteAt(types.Of([]byte("abc")).As(types.Char), 0)
		}
		return errors.Join(err, f.Close())
	})
	text, _ := fsys.ReadFile("f")
	fmt.Printf("%q %v\n", text, err)
	// Output: "a\x00\x00b\x00\x00c\x00\x00" <nil>
}

// WithConversionBuffer makes conversion functions work on small pieces, so that a test
// finds one that only works if it gets all items in one call.
func ExampleWithConversionBuffer() {
	pieces := reps.Conversion{
		Extent: func(*types.Type, any) (int64, error) { return 1, nil },
		Write: func(_ reps.Memory, _ *types.Type, count int64, file []byte, position int64, _ any) error {
			fmt.Println("items", position, "to", position+count-1)
			clear(file[:count])
			return nil
		},
	}
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		if err := iofile.RegisterDatarep(c, "pieces", pieces); err != nil {
			return err
		}
		f, err := iofile.Open(c, iofile.NewMem(), "f", iofile.Create|iofile.WriteOnly, iofile.WithConversionBuffer(2))
		if err != nil {
			return err
		}
		err = f.SetView(iofile.View{Etype: types.Char, Filetype: types.Char, Rep: "pieces"})
		if err == nil {
			_, err = f.WriteAt(types.Of([]byte("abcde")).As(types.Char), 0)
		}
		return errors.Join(err, f.Close())
	})
	fmt.Println(err)
	// Output:
	// items 0 to 1
	// items 2 to 3
	// items 4 to 4
	// <nil>
}

// WithMatch says which buffers a view takes. The standard refuses floats where the view
// shows integers; MatchSize, as common libraries do, only compares sizes.
func ExampleWithMatch() {
	for _, policy := range []types.Policy{types.MatchFinal, types.MatchSize} {
		err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, iofile.NewMem(), "f", iofile.Create|iofile.WriteOnly, iofile.WithMatch(policy))
			if err != nil {
				return err
			}
			if err := f.SetView(iofile.ViewOf[int32](0)); err != nil {
				return err
			}
			_, err = f.WriteAt(types.Of([]float32{1}), 0)
			fmt.Println(policy, "takes floats:", err == nil)
			return f.Close()
		})
		fmt.Println(err)
	}
	// Output:
	// final takes floats: false
	// <nil>
	// size takes floats: true
	// <nil>
}

// Bytes makes a view an io.ReaderAt and an io.WriterAt, so that packages that know
// nothing of MPI read and write it. Here bufio reads lines behind a binary header.
func ExampleFile_Bytes() {
	fsys := iofile.NewMem()
	err := fsys.Import("table", strings.NewReader("\x00\x01\x02\x03one\ntwo\n"))
	err = errors.Join(err, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "table", iofile.ReadOnly)
		if err != nil {
			return err
		}
		err = f.SetView(iofile.View{Disp: 4, Etype: types.Byte, Filetype: types.Byte})
		lines := bufio.NewScanner(io.NewSectionReader(f.Bytes(), 0, 1<<20))
		for lines.Scan() {
			fmt.Println(lines.Text())
		}
		return errors.Join(err, lines.Err(), f.Close())
	}))
	fmt.Println(err)
	// Output:
	// one
	// two
	// <nil>
}

// At the end of the file a read through Bytes returns io.EOF, as package io has it.
func ExampleBytes_ReadAt() {
	fsys := iofile.NewMem()
	err := fsys.Import("f", strings.NewReader("abc"))
	err = errors.Join(err, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
		if err != nil {
			return err
		}
		p := make([]byte, 10)
		n, eof := f.Bytes().ReadAt(p, 1)
		fmt.Println(string(p[:n]), eof)
		return f.Close()
	}))
	fmt.Println(err)
	// Output:
	// bc EOF
	// <nil>
}

// WriteAt of Bytes lets a package that writes to an io.Writer write through a view.
func ExampleBytes_WriteAt() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(io.NewOffsetWriter(f.Bytes(), 0), "%d ranks", c.Size())
		return errors.Join(err, f.Close())
	})
	text, _ := fsys.ReadFile("f")
	fmt.Println(string(text), err)
	// Output: 1 ranks <nil>
}
