// The missing sync: rank 0 writes, the last rank reads. Between the two calls come no call,
// a barrier (B), syncs (S), or both. The table lists every value that the read can return,
// under four models of when a write becomes visible.
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
	fmt.Printf("%-12s  %-9v  %-9v  %-9v  %-9v\n", "between", models[0], models[1], models[2], models[3])
	for _, steps := range []string{"none", "B", "SB", "BS", "SBS"} {
		fmt.Printf("%-12s", steps)
		for _, m := range models {
			fmt.Printf("  %-9s", explore(*ranks, steps, m))
		}
		fmt.Println()
	}
}

// explore returns what the read can return under all schedules.
func explore(ranks int, steps string, model consistency.Model) (values string) {
	all, err := world.Explore(context.Background(), ranks, func() (func(context.Context, *comm.Comm) error, func() any) {
		fsys, got := iofile.NewMem(iofile.WithModel(model)), make([]byte, 3)
		err := fsys.Import("word", strings.NewReader("old"))
		return func(_ context.Context, c *comm.Comm) error {
			return errors.Join(err, handOver(c, fsys, steps, got))
		}, func() any { return string(got) }
	})
	if err != nil || all.Stopped != nil {
		return fmt.Sprint(errors.Join(err, all.Stopped))
	}
	for _, word := range []string{"old", "new"} {
		if slices.ContainsFunc(all.Outcomes, func(o world.Outcome) bool { return o.Value == word }) {
			values += " " + word
		}
	}
	return strings.TrimSpace(values)
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
	for _, s := range strings.TrimPrefix(steps, "none") {
		switch s {
		case 'S':
			err = errors.Join(err, f.Sync())
		case 'B':
			err = errors.Join(err, c.Barrier())
		}
	}
	if c.Rank() == c.Size()-1 {
		_, e := f.ReadAt(types.Of(got), 0)
		err = errors.Join(err, e)
	}
	return errors.Join(err, f.Close())
}
