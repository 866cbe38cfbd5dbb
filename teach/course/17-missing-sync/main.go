// The missing sync: rank 0 writes, the last rank reads. Between the two calls come no call,
// a barrier (B), syncs (S), or both. The table lists the values that the read returned, under
// four models of when a write becomes visible.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

var models = []consistency.Model{consistency.Weakest, consistency.Session, consistency.Commit, consistency.POSIX}

func main() {
	ranks := flag.Int("ranks", 2, "number of ranks: the first writes, the last reads")
	flag.Parse()
	fmt.Printf("%-12s  %-9v  %-9v  %-9v  %v\n", "between", models[0], models[1], models[2], models[3])
	for _, steps := range []string{"none", "B", "SB", "BS", "SBS"} {
		fmt.Printf("%-12s", steps)
		for _, m := range models {
			fmt.Printf("  %-9s", read(*ranks, steps, m))
		}
		fmt.Println()
	}
}

// read returns the values that the read can return under a model.
func read(ranks int, steps string, model consistency.Model) string {
	x, err := world.Explore(context.Background(), ranks, func() (func(context.Context, *comm.Comm) error, func() any) {
		fsys, got := iofile.NewMem(iofile.WithModel(model)), make([]byte, 3)
		err := fsys.Import("word", strings.NewReader("old"))
		return func(_ context.Context, c *comm.Comm) error {
			return errors.Join(err, handOver(c, fsys, steps, got))
		}, func() any { return string(got) }
	})
	if err != nil || !x.Complete {
		panic(fmt.Sprint("not everything was tried: ", err))
	}
	var seen []string
	for _, o := range x.Outcomes {
		seen = append(seen, fmt.Sprint(o.Value))
	}
	slices.Sort(seen)
	seen = slices.Compact(seen)
	slices.Reverse(seen)
	return strings.Join(seen, " ")
}

// handOver writes on the first rank and reads on the last, with steps between.
func handOver(c *comm.Comm, fsys *iofile.FS, steps string, got []byte) error {
	f, err := iofile.Open(c, fsys, "word", iofile.ReadWrite)
	if err != nil {
		return err
	}
	if c.Rank() == 0 {
		_, err = f.WriteAt(types.Of([]byte("new")), 0)
	}
	calls := map[rune]func() error{'S': f.Sync, 'B': c.Barrier}
	for _, s := range strings.TrimPrefix(steps, "none") {
		err = errors.Join(err, calls[s]())
	}
	if c.Rank() == c.Size()-1 {
		_, e := f.ReadAt(types.Of(got), 0)
		err = errors.Join(err, e)
	}
	return errors.Join(err, f.Close())
}
