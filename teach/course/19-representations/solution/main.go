// A solution of the exercise.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

var machines = []*reps.Arch{reps.LP64BE, reps.LP64LE, reps.ILP32LE, reps.ILP32BE}

func main() {
	ranks := flag.Int("ranks", 3, "number of ranks; the kinds of machines repeat")
	n := flag.Int("n", 4, "numbers of each rank")
	flag.Parse()
	var options []world.Option
	for r := range *ranks {
		options = append(options, world.Arch(r, machines[r%len(machines)]))
	}
	fsys, got := iofile.NewMem(), make([]float64, *ranks**n)
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		err := save(c, fsys, *n)
		err = errors.Join(err, c.Barrier())
		if err == nil {
			err = load(c, fsys, got)
		}
		return err
	}, options...)
	fmt.Println("read", got)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// save writes n numbers of the rank: number i of all is i/4.
func save(c *comm.Comm, fsys *iofile.FS, n int) error {
	f, err := iofile.Open(c, fsys, "numbers", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	mine := make([]float64, n)
	for i := range mine {
		mine[i] = float64(c.Rank()*n+i) / 4
	}
	err = f.SetView(iofile.View{Etype: types.Double, Filetype: types.Double, Rep: "external32"})
	if err == nil {
		_, err = f.WriteAtAll(types.Of(mine), iofile.Offset(c.Rank()*n))
	}
	return errors.Join(err, f.Close())
}

// load reads the numbers of all ranks on the last rank.
func load(c *comm.Comm, fsys *iofile.FS, got []float64) error {
	f, err := iofile.Open(c, fsys, "numbers", iofile.ReadOnly)
	if err != nil {
		return err
	}
	err = f.SetView(iofile.View{Etype: types.Double, Filetype: types.Double, Rep: "external32"})
	if err == nil && c.Rank() == c.Size()-1 {
		_, err = f.ReadAt(types.Of(got), 0)
	}
	return errors.Join(err, f.Close())
}
