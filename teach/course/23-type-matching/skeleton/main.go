// The exercise: find out why another machine cannot read the file. See README.md.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A reading has four bytes of padding in memory, behind the id; in the file it has none.
type reading struct {
	id    int32
	value float64
}

// reason says why another machine could not read the file of the exercise's program.
const reason = ``

func main() {
	ranks := flag.Int("ranks", 2, "number of ranks")
	n := flag.Int("n", 3, "readings of each rank")
	flag.Parse()
	fsys, got := iofile.NewMem(), make([]float64, *ranks**n)
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		mine := make([]reading, *n)
		for i := range mine {
			mine[i] = reading{int32(c.Rank()**n + i), float64(i) / 8}
		}
		err := errors.Join(write(c, fsys, mine), c.Barrier())
		return errors.Join(err, read(c, fsys, got))
	})
	fmt.Println("values", got)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes the readings of all ranks as records of 12 bytes, id and value, in the form that
// all machines share.
func write(c *comm.Comm, fsys *iofile.FS, mine []reading) error {
	f, err := iofile.Open(c, fsys, "readings", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	packed, err := binary.Append(nil, binary.NativeEndian, mine)
	err = errors.Join(err, f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte, Rep: "external32"}))
	if err == nil {
		_, err = f.WriteAtAll(types.Of(packed), iofile.Offset(12*c.Rank()*len(mine)))
	}
	return errors.Join(err, f.Close())
}

// read reads the values of all readings, on the last rank.
func read(c *comm.Comm, fsys *iofile.FS, got []float64) error {
	f, err := iofile.Open(c, fsys, "readings", iofile.ReadOnly)
	if err != nil {
		return err
	}
	err = f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte, Rep: "external32"})
	if err == nil && c.Rank() == c.Size()-1 {
		packed := make([]byte, 12*len(got))
		_, err = f.ReadAt(types.Of(packed), 0)
		for i := range got {
			value := packed[12*i+4:]
			got[i] = math.Float64frombits(binary.NativeEndian.Uint64(value))
		}
	}
	return errors.Join(err, f.Close())
}
