// Ordered writing: the records have different lengths, and the file has them in the order of
// the ranks, under every schedule.
//
//	go run ./teach/course/07-ordered
//	go run ./teach/course/07-ordered -ranks 4 -n 2
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
	ranks := flag.Int("ranks", 3, "number of ranks")
	n := flag.Int("n", 1, "rounds")
	flag.Parse()
	for _, ordered := range []bool{false, true} {
		all, err := world.Explore(context.Background(), *ranks, func() (func(context.Context, *comm.Comm) error, func() any) {
			fsys := iofile.NewMem()
			return func(_ context.Context, c *comm.Comm) error { return record(c, fsys, *n, ordered) }, func() any { return content(fsys) }
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Printf("%-12s  %3d schedules  %2d files  the first is %v\n", map[bool]string{false: "WriteShared", true: "WriteOrdered"}[ordered],
			all.Schedules, len(all.Outcomes), all.Outcomes[0].Value)
	}
}

// record writes the records of the rank, one in each round.
func record(c *comm.Comm, fsys *iofile.FS, n int, ordered bool) error {
	f, err := iofile.Open(c, fsys, "log", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	text := types.Of([]byte(fmt.Sprintf("[%d%s]", c.Rank(), strings.Repeat("+", c.Rank()))))
	for range n {
		if ordered {
			_, e := f.WriteOrdered(text)
			err = errors.Join(err, e)
		} else {
			_, e := f.WriteShared(text)
			err = errors.Join(err, e)
		}
	}
	return errors.Join(err, f.Close())
}

func content(fsys *iofile.FS) string {
	text, err := fs.ReadFile(fsys, "log")
	if err != nil {
		return err.Error()
	}
	return string(text)
}
