// A solution of the exercise.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	ranks := flag.Int("ranks", 3, "number of ranks")
	n := flag.Int("n", 2, "rounds")
	flag.Parse()
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		return report(c, fsys, *n)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// report writes what the rank has to say in each round, in the order of the ranks.
func report(c *comm.Comm, fsys *iofile.FS, n int) error {
	f, err := iofile.Open(c, fsys, "report", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	for round := 0; round < n && err == nil; round++ {
		line := text(c.Rank(), round)
		_, err = f.WriteOrdered(types.Of([]byte(line)))
	}
	return errors.Join(err, f.Close())
}

// text is what a rank has to say: some have long lines, some say nothing.
func text(rank, round int) string {
	if (rank+round)%3 == 1 {
		return ""
	}
	return fmt.Sprintf("round %d rank %d %s\n", round, rank, strings.Repeat("*", rank*round))
}
