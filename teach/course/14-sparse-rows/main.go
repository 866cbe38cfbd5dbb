// Sparse rows: every rank has another number of values, some have none. A prefix sum says where
// each begins, and all take part in one collective write.
//
//	go run ./teach/course/14-sparse-rows
//	go run ./teach/course/14-sparse-rows -ranks 7 -n 3
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	ranks := flag.Int("ranks", 5, "number of ranks")
	n := flag.Int("n", 2, "a rank has 0 to 3 times as many values")
	flag.Parse()
	fsys, begins := iofile.NewMem(), make([]int64, *ranks)
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) (err error) {
		begins[c.Rank()], err = write(c, fsys, *n)
		return err
	})
	for r, at := range begins {
		fmt.Printf("rank %d has %d values and begins at %d\n", r, len(values(r, *n)), at)
	}
	text, e := fs.ReadFile(fsys, "values")
	fmt.Printf("file %s\n", text)
	if err = errors.Join(err, e); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// values returns those of a rank: none, n, 2n or 3n letters.
func values(rank, n int) []byte {
	return []byte(strings.Repeat(string(rune('a'+rank%26)), (rank*3+2)%4*n))
}

// write writes the values of the rank behind those of the ranks before it and returns where
// they begin.
func write(c *comm.Comm, fsys *iofile.FS, n int) (int64, error) {
	mine := values(c.Rank(), n)
	before := []int64{0}
	err := c.ExScan(types.Of([]int64{int64(len(mine))}), types.Of(before), comm.Sum)
	if c.Rank() == 0 {
		before[0] = 0 // ExScan leaves it undefined
	}
	if err != nil {
		return 0, err
	}
	f, err := iofile.Open(c, fsys, "values", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return 0, err
	}
	_, err = f.WriteAtAll(types.Of(mine), iofile.Offset(before[0])) // with no values, too
	return before[0], errors.Join(err, f.Close())
}
