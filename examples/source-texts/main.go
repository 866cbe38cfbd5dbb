// Source-texts shows statements of docs/source-texts.md that a rank script cannot show,
// because they are about variables of the host language: about Go slices and structs, and
// about functions of the program.
//
//	go run ./examples/source-texts          # all of them
//	go run ./examples/source-texts 003-14   # one
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unsafe"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A statement is one of the page's, and a program that shows it.
type statement struct {
	number, says string
	show         func(out io.Writer) error
}

var statements = []statement{
	{"000-2", "phase 1 of an access is that of a send", phaseOneOfFiles},
	{"001-11", "users register representations", ownRepresentation},
	{"002-19", "a user's function gives the extents in the file", ownExtents},
	{"002-20", "of a derived type, it is asked for the predefined ones inside", ownExtents},
	{"003-1", "phase 1: the variables against the datatype of the send", phaseOne},
	{"003-3", "phase 3: the datatype of the receive against the variables", phaseThree},
	{"003-4", "each of the three phases is checked", allPhases},
	{"003-9", "BYTE and PACKED fit any storage", anyStorage},
	{"003-10", "data is packed and unpacked explicitly", packing},
	{"003-14", "15 REAL into an array of 10 are correct if 10 arrive", shortArrays},
	{"003-15", "an array ends at its length", equivalenced},
	{"003-19", "the bytes of a string are not its text", texts},
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "source-texts:", err)
		os.Exit(2)
	}
}

// run shows the statements with these numbers, or all.
func run(numbers []string, out io.Writer) error {
	for _, n := range numbers {
		if !slices.ContainsFunc(statements, func(s statement) bool { return s.number == n }) {
			return fmt.Errorf("no program for statement %q; see docs/source-texts.md", n)
		}
	}
	for _, s := range statements {
		if len(numbers) > 0 && !slices.Contains(numbers, s.number) {
			continue
		}
		fmt.Fprintf(out, "%s: %s\n", s.number, s.says)
		if err := s.show(out); err != nil {
			return err
		}
	}
	return nil
}

// message lets rank 0 send one buffer and rank 1 receive it in another, and prints what
// came of it.
func message(out io.Writer, title string, from, into types.Buffer, got any) error {
	refused, arrived := make([]error, 2), make([]int64, 2) // each rank has its own
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 0 {
			err := c.Send(from, 1, 7)
			if err != nil {
				err = errors.Join(err, c.Send(types.Of([]byte{}), 1, 7)) // or rank 1 would wait for ever
			}
			refused[c.Rank()] = err
			return c.Barrier()
		}
		st, failed := c.Recv(into, 0, 7)
		refused[c.Rank()], arrived[c.Rank()] = failed, st.Bytes()
		if err := c.Barrier(); err != nil || failed == nil {
			return err
		}
		if _, there, err := c.IProbe(0, 7); err != nil || !there {
			return err
		}
		_, err := c.Recv(types.Raw(make([]byte, 64), 64, types.Packed), 0, 7) // a refused receive leaves the message
		return err
	})
	switch failed := cmp.Or(refused[0], refused[1]); {
	case err != nil:
		return err
	case failed != nil:
		fmt.Fprintf(out, "  %s: %v\n", title, failed)
	default:
		fmt.Fprintf(out, "  %s: %d bytes arrive, %v\n", title, arrived[1], got)
	}
	return nil
}

// each calls functions until one fails.
func each(all ...func() error) error {
	for _, f := range all {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

func phaseOne(out io.Writer) error {
	xs := []float32{1, 2}
	got := []float32{0, 0}
	return each(
		func() error {
			return message(out, "[]float32 sent as REAL", types.Of(xs).As(types.Real), types.Of(got).As(types.Real), got)
		},
		func() error {
			return message(out, "[]float32 sent as INT", types.Of(xs).As(types.Int), types.Of(got).As(types.Real), got)
		},
	)
}

func phaseTwo(out io.Writer) error {
	xs, got := []int32{1, 2}, []float32{0, 0}
	return message(out, "INT received as REAL", types.Of(xs).As(types.Int), types.Of(got).As(types.Real), got)
}

func phaseThree(out io.Writer) error {
	xs := []int32{1, 2}
	right, wrong := []int32{0, 0}, []float32{0, 0}
	return each(
		func() error {
			return message(out, "INT received in []int32", types.Of(xs).As(types.Int), types.Of(right).As(types.Int), right)
		},
		func() error {
			return message(out, "INT received in []float32", types.Of(xs).As(types.Int), types.Of(wrong).As(types.Int), wrong)
		},
	)
}

func allPhases(out io.Writer) error {
	return each(
		func() error { return phaseOne(out) },
		func() error { return phaseTwo(out) },
		func() error { return phaseThree(out) },
	)
}

func phaseOneOfFiles(out io.Writer) error {
	return world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, iofile.NewMem(), "f", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		if err := f.SetView(iofile.View{Etype: types.Int, Filetype: types.Int}); err != nil {
			return err
		}
		ints, reals := types.Of([]int32{1}).As(types.Int), types.Of([]float32{1}).As(types.Int)
		fmt.Fprintf(out, "  []int32 written as INT: error %v\n", failed(f.WriteAt(ints, 0)))
		fmt.Fprintf(out, "  []float32 written as INT: %v\n", failed(f.WriteAt(reals, 0)))
		fmt.Fprintf(out, "  []float32 read as INT: %v\n", failed(f.ReadAt(reals, 0)))
		fmt.Fprintf(out, "  []float32 sent as INT: %v\n", c.Send(reals, 0, 7))
		return f.Close()
	})
}

func failed(_ comm.Status, err error) error { return err }

func anyStorage(out io.Writer) error {
	type record struct {
		N int32
		X float64
	}
	for _, as := range []*types.Type{types.Byte, types.Packed} {
		text := []uint16{'H', 'i'}
		xs, n := []float64{0.5}, []bool{false}
		rs := []record{{1, 2}}
		other := []record{{}}
		err := each(
			func() error {
				return message(out, fmt.Sprintf("[]uint16 as %v into []uint16", as), types.Of([]uint16{7, 8}).As(as), types.Of(text).As(as), text)
			},
			func() error {
				return message(out, fmt.Sprintf("[]float64 as %v into []float64", as), types.Of([]float64{2.5}).As(as), types.Of(xs).As(as), xs)
			},
			func() error {
				return message(out, fmt.Sprintf("[]bool as %v into []bool", as), types.Of([]bool{true}).As(as), types.Of(n).As(as), n)
			},
			func() error {
				return message(out, fmt.Sprintf("structs as %v into structs", as), types.Of(rs).As(as), types.Of(other).As(as), other)
			},
		)
		if err != nil {
			return err
		}
	}
	return nil
}

func packing(out io.Writer) error {
	return world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		n, xs := []int32{3}, []float64{0.5, 1.5, 2.5}
		unit := make([]byte, 64)
		if c.Rank() == 0 {
			at, err := c.Pack(types.Of(n), unit, 0)
			if err != nil {
				return err
			}
			if at, err = c.Pack(types.Of(xs), unit, at); err != nil {
				return err
			}
			fmt.Fprintf(out, "  packed: %d bytes\n", at)
			return c.Send(types.Raw(unit, at, types.Packed), 1, 7)
		}
		if _, err := c.Recv(types.Raw(unit, int64(len(unit)), types.Packed), 0, 7); err != nil {
			return err
		}
		got := []int32{0}
		at, err := c.Unpack(unit, 0, types.Of(got))
		if err != nil {
			return err
		}
		ys := make([]float64, got[0])
		if _, err := c.Unpack(unit, at, types.Of(ys)); err != nil {
			return err
		}
		fmt.Fprintf(out, "  unpacked: %v %v\n", got, ys)
		return nil
	})
}

// reals returns n values.
func reals(n int) []float32 {
	xs := make([]float32, n)
	for i := range xs {
		xs[i] = float32(i) + 0.5
	}
	return xs
}

func shortArrays(out io.Writer) error {
	for _, size := range []int{15, 12, 10} {
		b := make([]float32, size)
		if err := message(out, fmt.Sprintf("10 REAL received as 15 in an array of %d", size), types.Of(reals(10)).As(types.Real), types.Of(b).As(types.Real).Times(15), b); err != nil {
			return err
		}
	}
	return nil
}

func equivalenced(out io.Writer) error {
	b := make([]float32, 10)
	err := message(out, "10 REAL received as 15 in b[:5] of an array of 10", types.Of(reals(10)).As(types.Real), types.Of(b[:5]).As(types.Real).Times(15), b)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "  the array is now", b)
	return nil
}

func texts(out io.Writer) error {
	s, got := []string{"hello"}, make([]byte, unsafe.Sizeof(""))
	fmt.Fprintf(out, "  a string has no datatype: %v\n", types.Of(s).Err())
	header := unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(got))
	if err := message(out, "its variable sent as BYTE", types.Raw(header, int64(len(header)), types.Byte), types.Of(got), "a pointer and a length"); err != nil {
		return err
	}
	fmt.Fprintf(out, "  they contain the text: %t\n", bytes.Contains(got, []byte(s[0])))
	return message(out, "its text sent as CHAR", types.Of([]byte(s[0])).As(types.Char), types.Of(got[:5]).As(types.Char), "hello")
}

// roman is a representation of ints as letters, one for each unit, in lines of 12 bytes.
func roman(asked *[]string) reps.Conversion {
	return reps.Conversion{
		Extent: func(t *types.Type, _ any) (int64, error) {
			*asked = append(*asked, t.String())
			if t.Kind() != types.KindInt {
				return 20, nil
			}
			return 12, nil
		},
		Write: func(user reps.Memory, _ *types.Type, count int64, file []byte, position int64, _ any) error {
			for _, item := range user.Items(position, count) {
				n := int(binary.NativeEndian.Uint32(item))
				copy(file, fmt.Sprintf("%11s\n", strings.Repeat("I", min(n, 11))))
				file = file[12:]
			}
			return nil
		},
		Read: func(user reps.Memory, _ *types.Type, count int64, file []byte, position int64, _ any) error {
			for _, item := range user.Items(position, count) {
				binary.NativeEndian.PutUint32(item, uint32(bytes.Count(file[:12], []byte("I"))))
				file = file[12:]
			}
			return nil
		},
	}
}

// withRoman opens a file in that representation on one rank.
func withRoman(asked *[]string, body func(f *iofile.File, fsys *iofile.FS) error) error {
	return world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		fsys := iofile.NewMem()
		if err := iofile.RegisterDatarep(c, "roman", roman(asked)); err != nil {
			return err
		}
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		if err := f.SetView(iofile.View{Etype: types.Int, Filetype: types.Int, Rep: "roman"}); err != nil {
			return err
		}
		if err := body(f, fsys); err != nil {
			return err
		}
		return f.Close()
	})
}

func ownRepresentation(out io.Writer) error {
	return withRoman(new([]string), func(f *iofile.File, fsys *iofile.FS) error {
		got := []int32{0, 0}
		if _, err := f.WriteAt(types.Of([]int32{3, 5}).As(types.Int), 0); err != nil {
			return err
		}
		if _, err := f.ReadAt(types.Of(got).As(types.Int), 0); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
		file, err := fsys.ReadFile("f")
		fmt.Fprintf(out, "  written 3 5, the file has %q, read %v\n", file, got)
		return err
	})
}

func ownExtents(out io.Writer) error {
	var asked []string
	return withRoman(&asked, func(f *iofile.File, _ *iofile.FS) error {
		for _, t := range []*types.Type{types.Int, types.Contiguous(3, types.Int), types.Vector(2, 1, 3, types.Int), types.Struct(types.Field{Count: 1, Type: types.Int}, types.Field{Count: 2, Disp: 12, Type: types.Float})} {
			n, err := f.TypeExtent(t)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "  extent of %v in the file: %d\n", t, n)
		}
		slices.Sort(asked)
		fmt.Fprintf(out, "  the function was asked for %v\n", slices.Compact(asked))
		return nil
	})
}
