// A solution of the exercise.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	ranks := flag.Int("ranks", 2, "number of ranks")
	n := flag.Int("n", 5, "rows of the table")
	flag.Parse()
	fsys, table := iofile.NewMem(), []byte{}
	for i := range *n { // the ids are there already
		table = binary.LittleEndian.AppendUint32(table, uint32(100+i))
		table = append(table, "........"...)
	}
	err := fsys.Import("table", bytes.NewReader(table))
	err = errors.Join(err, world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		return write(c, fsys, *n)
	}))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes the points of rows lo to hi-1 of the table, two numbers behind the id of each row.
func write(c *comm.Comm, fsys *iofile.FS, n int) error {
	f, err := iofile.Open(c, fsys, "table", iofile.ReadWrite)
	if err != nil {
		return err
	}
	lo, hi := n*c.Rank()/c.Size(), n*(c.Rank()+1)/c.Size()
	var points []int32
	for i := lo; i < hi; i++ {
		points = append(points, int32(i), int32(-i))
	}
	point := types.HIndexed([]types.Block{{Len: 2, Disp: 4}}, types.Int32) // bytes 4 to 11 of a row
	row := types.Resized(point, 0, 12)
	err = f.SetView(iofile.View{Disp: int64(12 * lo), Etype: types.Int32, Filetype: row})
	if err == nil {
		_, err = f.WriteAtAll(types.Of(points), 0)
	}
	return errors.Join(err, f.Close())
}
