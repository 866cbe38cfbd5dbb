// Representations: ranks on four kinds of machines write the number 100 + rank into one file and
// read those of all, in three representations.
//
//	go run ./teach/course/19-representations
//	go run ./teach/course/19-representations -ranks 2
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

var machines = []*reps.Arch{reps.LP64LE, reps.LP64BE, reps.ILP32LE, reps.ILP32BE}

func main() {
	ranks := flag.Int("ranks", 4, "number of ranks; the kinds of machines repeat")
	flag.Parse()
	var options []world.Option
	for r := range *ranks {
		options = append(options, world.Arch(r, machines[r%len(machines)]))
	}
	fsys := iofile.NewMem()
	for _, rep := range []string{"native", "internal", "external32"} {
		read := make([][]int32, *ranks)
		err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) (err error) {
			read[c.Rank()], err = exchange(c, fsys, rep)
			return err
		}, options...)
		file, e := fs.ReadFile(fsys, rep)
		if err = errors.Join(err, e); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Printf("%-10s  % x\n", rep, file)
		for r, list := range read {
			fmt.Printf("  rank %d on %-8v reads %v\n", r, machines[r%len(machines)], list)
		}
	}
}

// exchange writes the number of the rank and reads those of all. Nothing in it depends on
// the representation.
func exchange(c *comm.Comm, fsys *iofile.FS, rep string) ([]int32, error) {
	f, err := iofile.Open(c, fsys, rep, iofile.Create|iofile.ReadWrite)
	if err != nil {
		return nil, err
	}
	all := make([]int32, c.Size())
	err = f.SetView(iofile.View{Etype: types.Int32, Filetype: types.Int32, Rep: rep})
	if err == nil {
		_, err = f.WriteAtAll(types.Of([]int32{int32(100 + c.Rank())}), iofile.Offset(c.Rank()))
	}
	if err = errors.Join(err, f.Sync(), c.Barrier(), f.Sync()); err == nil {
		_, err = f.ReadAtAll(types.Of(all), 0)
	}
	return all, errors.Join(err, f.Close())
}
