// Type matching: memory, view and file each have a type. What must agree is the list of basic
// types, not where they lie.
//
//	go run ./teach/course/23-type-matching
//	go run ./teach/course/23-type-matching -ranks 2
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A reading has four bytes of padding in memory; in the file it has none.
type reading struct {
	id    int32
	value float64
}

func main() {
	ranks := flag.Int("ranks", 1, "number of ranks")
	flag.Parse()
	record := types.Resized(types.Struct(types.Field{Count: 1, Disp: 0, Type: types.Int32}, types.Field{Count: 1, Disp: 4, Type: types.Double}), 0, 12)
	readings := types.Of([]reading{{1, 0.5}, {2, 0.25}})
	for _, try := range []struct {
		name  string
		etype *types.Type
		data  types.Buffer
	}{
		{"records with padding into records without", record, readings},
		{"numbers of the right kinds into records", record, types.Of([]int32{1, 2, 3})},
		{"[]int32 through etype int32", types.Int32, types.Of([]int32{1, 2, 3})},
		{"[]int32 through etype int, which is C's int", types.Int, types.Of([]int32{1, 2, 3})},
		{"[]int32 through etype float", types.Float, types.Of([]int32{1, 2, 3})},
		{"[]int32 through etype byte", types.Byte, types.Of([]int32{1, 2, 3})},
		{"[]byte through etype int32", types.Int32, types.Of([]byte{1, 2, 3, 4})},
		{"three int32 through an etype of two", types.Contiguous(2, types.Int32), types.Of([]int32{1, 2, 3})},
	} {
		fsys := iofile.NewMem()
		err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
			if err != nil {
				return err
			}
			err = f.SetView(iofile.View{Disp: int64(100 * c.Rank()), Etype: try.etype, Filetype: try.etype})
			if err == nil {
				_, err = f.WriteAt(try.data, 0)
			}
			return errors.Join(err, f.Close())
		}, world.Replay("roundrobin"))
		text := "matches"
		if found := world.Findings(err); len(found) > 0 {
			text = found[0].Text
		}
		fmt.Printf("%s:\n  %s\n", try.name, strings.Join(plain.Fold(text, 76), "\n    "))
	}
}
