// Datarep gives files two representations of its own: one in which a double is
// a line of text, and one in which integers are zig-zag numbers, small ones of
// either sign having many zeros. Ranks write through views; the views need not
// know.
//
//	go run ./examples/datarep                  # 2 ranks, 3 numbers each
//	go run ./examples/datarep -ranks 4 -n 10
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

const line = 40 // bytes of a double as text

// decimal writes a double as a line of text, with all its digits.
var decimal = reps.Conversion{
	Extent: func(t *types.Type, _ any) (int64, error) {
		if t.Kind() != types.KindDouble {
			return 0, fmt.Errorf("%v has no decimal form", t)
		}
		return line, nil
	},
	Write: func(user reps.Memory, _ *types.Type, count int64, file []byte, position int64, _ any) error {
		for _, item := range user.Items(position, count) {
			x := math.Float64frombits(binary.NativeEndian.Uint64(item))
			copy(file, fmt.Sprintf("%*s\n", line-1, strconv.FormatFloat(x, 'g', -1, 64)))
			file = file[line:]
		}
		return nil
	},
	Read: func(user reps.Memory, _ *types.Type, count int64, file []byte, position int64, _ any) error {
		for _, item := range user.Items(position, count) {
			x, err := strconv.ParseFloat(strings.TrimSpace(string(file[:line])), 64)
			if err != nil {
				return err
			}
			binary.NativeEndian.PutUint64(item, math.Float64bits(x))
			file = file[line:]
		}
		return nil
	},
}

// zigzag writes an int in the number of bytes that its state gives, with the sign in the
// lowest bit.
var zigzag = reps.Conversion{
	State: 3,
	Extent: func(t *types.Type, width any) (int64, error) {
		if t.Kind() != types.KindInt {
			return 0, fmt.Errorf("%v has no zig-zag form", t)
		}
		return int64(width.(int)), nil
	},
	Write: func(user reps.Memory, _ *types.Type, count int64, file []byte, position int64, width any) error {
		n := width.(int)
		for _, item := range user.Items(position, count) {
			x := int32(binary.NativeEndian.Uint32(item))
			z := uint32(x)<<1 ^ uint32(x>>31)
			if z>>(8*n) != 0 {
				return fmt.Errorf("%d does not fit in %d bytes", x, n)
			}
			for i := range n {
				file[i] = byte(z >> (8 * (n - 1 - i)))
			}
			file = file[n:]
		}
		return nil
	},
	Read: func(user reps.Memory, _ *types.Type, count int64, file []byte, position int64, width any) error {
		n := width.(int)
		for _, item := range user.Items(position, count) {
			z := uint32(0)
			for _, b := range file[:n] {
				z = z<<8 | uint32(b)
			}
			binary.NativeEndian.PutUint32(item, z>>1^-(z&1))
			file = file[n:]
		}
		return nil
	},
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "datarep:", err)
		os.Exit(2)
	}
}

// numbers returns the numbers of a rank.
func numbers(rank, n int) (doubles []float64, ints []int32) {
	doubles = [][]float64{{1, 0.1, 1e300}, {-2.5, 1 / 3.0, -1e-300}}[rank%2]
	ints = [][]int32{{0, 1, 1 << 20}, {-1, -2, -1 << 20}}[rank%2]
	for i := 3; i < n; i++ {
		doubles, ints = append(doubles, float64(rank)+1/float64(i)), append(ints, int32(rank-i))
	}
	return doubles[:n], ints[:n]
}

func run(args []string) error {
	flags := flag.NewFlagSet("datarep", flag.ContinueOnError)
	ranks := flags.Int("ranks", 2, "number of ranks")
	n := flags.Int("n", 3, "numbers of each rank")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case flags.NArg() > 0:
		return fmt.Errorf("%q: there are no arguments, only flags", flags.Arg(0))
	case *ranks < 1 || *ranks > 64:
		return fmt.Errorf("-ranks %d: 1 to 64", *ranks)
	case *n < 0 || *n > 10_000:
		return fmt.Errorf("-n %d: 0 to 10000", *n)
	}
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		if err := errors.Join(iofile.RegisterDatarep(c, "decimal", decimal), iofile.RegisterDatarep(c, "zigzag", zigzag)); err != nil {
			return err
		}
		doubles, ints := numbers(c.Rank(), *n)
		return errors.Join(
			deal(c, fsys, "table.txt", "decimal", types.Double, types.Of(doubles)),
			deal(c, fsys, "ints", "zigzag", types.Int, types.Of(ints).As(types.Int)),
		)
	})
	if err != nil {
		return err
	}
	text, err := fs.ReadFile(fsys, "table.txt")
	ints, err2 := fs.ReadFile(fsys, "ints")
	fmt.Printf("table.txt:\n%sints:\n% x\n", text, ints)
	return errors.Join(err, err2)
}

// deal writes the items of all ranks in turns, reads them back and prints them.
func deal(c *comm.Comm, fsys *iofile.FS, name, rep string, t *types.Type, mine types.Buffer) error {
	f, err := iofile.Open(c, fsys, name, iofile.Create|iofile.ReadWrite)
	if err != nil {
		return err
	}
	n := int64(c.Size())
	// The view is portable: the holes for the other ranks scale with the items.
	turns := types.Subarray(types.OrderC, []types.Slab{{Size: n, Sub: 1, Start: int64(c.Rank())}}, t)
	if err := f.SetView(iofile.View{Etype: t, Filetype: turns, Rep: rep}); err != nil {
		return errors.Join(err, f.Close())
	}
	if _, err := f.WriteAtAll(mine, 0); err != nil {
		return errors.Join(err, f.Close())
	}
	back := make([]byte, len(mine.Mem()))
	if _, err := f.ReadAtAll(types.Raw(back, mine.Count(), t), 0); err != nil {
		return errors.Join(err, f.Close())
	}
	if string(back) != string(mine.Mem()) {
		return errors.Join(fmt.Errorf("rank %d read % x, wrote % x", c.Rank(), back, mine.Mem()), f.Close())
	}
	return f.Close()
}
