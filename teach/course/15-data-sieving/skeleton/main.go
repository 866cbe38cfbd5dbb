// The exercise: the ranks never sieve. See README.md.
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
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// price is what a request costs, counted in bytes that could be moved in its time.
const price = 64

func main() {
	ranks := flag.Int("ranks", 2, "number of ranks")
	n := flag.Int("n", 16, "numbers that each rank reads")
	every := flag.Int("every", 4, "which of the numbers: every fourth")
	flag.Parse()
	fsys, got := iofile.NewMem(), make([][]int32, *ranks)
	var file []byte
	for i := range *ranks * *n * *every {
		file = binary.LittleEndian.AppendUint32(file, uint32(i*i))
	}
	err := fsys.Import("numbers", bytes.NewReader(file))
	err = errors.Join(err, world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) (err error) {
		got[c.Rank()], err = read(c, fsys, *n, *every)
		return err
	}))
	for r, list := range got {
		sum := int64(0)
		for _, x := range list {
			sum += int64(x)
		}
		fmt.Printf("rank %d read %d numbers, sum %d\n", r, len(list), sum)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// read reads n numbers, every so many, from the part of the rank.
func read(c *comm.Comm, fsys *iofile.FS, n, every int) ([]int32, error) {
	// When is it cheaper to read the whole stretch?
	var how strategy.Strategy = strategy.Direct{}
	f, err := iofile.Open(c, fsys, "numbers", iofile.ReadOnly, iofile.WithStrategy(how))
	if err != nil {
		return nil, err
	}
	got := make([]int32, n)
	pieces := types.Vector(int64(n), 1, int64(every), types.Int32)
	err = f.SetView(iofile.View{Disp: int64(4 * n * every * c.Rank()), Etype: types.Int32, Filetype: pieces})
	if err == nil {
		_, err = f.ReadAt(types.Of(got), 0)
	}
	return got, errors.Join(err, f.Close())
}
