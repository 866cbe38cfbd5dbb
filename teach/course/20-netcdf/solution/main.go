// A solution of the exercise.
package main

import (
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
	ranks := flag.Int("ranks", 3, "number of ranks")
	n := flag.Int("n", 10, "numbers in the file")
	flag.Parse()
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		return write(c, fsys, *n)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes a classic NetCDF file of n numbers: i + 0.5.
func write(c *comm.Comm, fsys *iofile.FS, n int) error {
	f, err := iofile.Open(c, fsys, "t.nc", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	header := headerOf(n)
	lo, hi := n*c.Rank()/c.Size(), n*(c.Rank()+1)/c.Size()
	mine := make([]float64, hi-lo)
	for i := range mine {
		mine[i] = float64(lo+i) + 0.5
	}
	if c.Rank() == 0 {
		_, err = f.WriteAt(types.Of(header), 0)
	}
	err = errors.Join(err, f.SetView(iofile.View{Disp: int64(len(header)), Etype: types.Double, Filetype: types.Double, Rep: "external32"}))
	if err == nil {
		_, err = f.WriteAtAll(types.Of(mine), iofile.Offset(lo))
	}
	return errors.Join(err, f.Close())
}

// headerOf returns the header of a classic NetCDF file with one variable t(x) of n doubles. The
// data begin behind it, at byte 80.
func headerOf(n int) []byte {
	const dimension, variable, double, begin, none = 10, 11, 6, 80, 0
	b := []byte("CDF\x01")
	for _, x := range []int{
		0, dimension, 1, 1, 'x' << 24, n, none, none, // records; one dimension, its name has one letter; attributes
		variable, 1, 1, 't' << 24, 1, 0, none, none, // one variable, of one dimension, number 0; attributes
		double, 8 * n, begin,
	} {
		b = binary.BigEndian.AppendUint32(b, uint32(x))
	}
	return b
}
