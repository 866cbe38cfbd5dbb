// NetCDF: any number of ranks write a classic NetCDF file that ncdump and others read. Rank 0
// writes the header, all write the data in the representation external32.
//
//	go run ./teach/course/20-netcdf -ranks 7
package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	most := flag.Int("ranks", 3, "largest number of ranks")
	n := flag.Int("n", 5, "numbers in the file")
	flag.Parse()
	for ranks := 1; ranks <= *most; ranks++ {
		fsys := iofile.NewMem()
		err := world.Run(context.Background(), ranks, func(_ context.Context, c *comm.Comm) error {
			return write(c, fsys, *n)
		})
		text, e := fs.ReadFile(fsys, "t.nc")
		if err = errors.Join(err, e); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Printf("written by %d: %d bytes, sha256 %.8x\n", ranks, len(text), sha256.Sum256(text))
		if ranks == *most {
			fmt.Print(hex.Dump(text))
		}
	}
}

// write writes the header on rank 0 and the rank's part of n numbers.
func write(c *comm.Comm, fsys *iofile.FS, n int) error {
	f, err := iofile.Open(c, fsys, "t.nc", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	if c.Rank() == 0 {
		_, err = f.WriteAt(types.Of(headerOf(n)), 0)
	}
	var mine []float64
	lo, hi := n*c.Rank()/c.Size(), n*(c.Rank()+1)/c.Size()
	for i := lo; i < hi; i++ {
		mine = append(mine, float64(i)+0.5)
	}
	err = errors.Join(err, f.SetView(iofile.View{Disp: int64(len(headerOf(n))), Etype: types.Double, Filetype: types.Double, Rep: "external32"}))
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
