// Resized types and bounds: where a type begins and ends decides where its next copy goes. The
// program prints bounds, and the bytes that three tiles show in a file.
//
//	go run ./teach/course/24-bounds
//	go run ./teach/course/24-bounds -ranks 2
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	ranks := flag.Int("ranks", 1, "number of ranks")
	flag.Parse()
	at3 := types.HIndexed([]types.Block{{Len: 1, Disp: 3}}, types.Char)
	wide := types.Resized(types.Char, 0, 3)
	fmt.Printf("%4s %4s %4s %6s  %-13s %s\n", "size", "lb", "ub", "extent", "three tiles", "type")
	for _, t := range []*types.Type{
		types.Char,
		at3,
		types.Resized(at3, 0, 8),
		types.Resized(at3, 3, 4),
		types.Contiguous(2, wide),
		types.Struct(types.Field{Count: 1, Disp: 0, Type: wide}, types.Field{Count: 1, Disp: 4, Type: types.Char}),
	} {
		lb, extent := t.Extent(reps.LP64LE)
		fsys, seen := iofile.NewMem(), make([]string, *ranks)
		err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) (err error) {
			seen[c.Rank()], err = tiles(c, fsys, t)
			return err
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Printf("%4d %4d %4d %6d  %-13s %s\n", t.Size(reps.LP64LE), lb, lb+extent, extent, seen[0], t)
	}
}

// tiles returns which bytes three copies of t show.
func tiles(c *comm.Comm, fsys *iofile.FS, t *types.Type) (text string, err error) {
	f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
	if err != nil {
		return "", err
	}
	err = f.SetView(iofile.View{Etype: types.Char, Filetype: t})
	for i := range 3 * t.Size(reps.LP64LE) {
		at, e := f.ByteOffset(iofile.Offset(i))
		err = errors.Join(err, e)
		text += fmt.Sprint(at, " ")
	}
	return text, errors.Join(err, f.Close())
}
