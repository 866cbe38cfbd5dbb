// Unlike runs one program on ranks of four kinds of machines that share a file.
// Under native each rank writes the bytes of its own machine, so that others
// read garbage, as the standard warns; internal and external32 convert.
//
//	go run ./examples/unlike             # 4 ranks, one of each kind
//	go run ./examples/unlike -ranks 2
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
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "unlike:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("unlike", flag.ContinueOnError)
	ranks := flags.Int("ranks", len(machines), "number of ranks; the kinds of machines repeat")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case flags.NArg() > 0:
		return fmt.Errorf("%q: there are no arguments, only flags", flags.Arg(0))
	case *ranks < 1 || *ranks > 64:
		return fmt.Errorf("-ranks %d: 1 to 64", *ranks)
	}
	var opts []world.Option
	for r := range *ranks {
		opts = append(opts, world.Arch(r, machines[r%len(machines)]))
	}
	fsys := iofile.NewMem()
	for _, rep := range []string{"native", "internal", "external32"} {
		read := make([][]int32, *ranks)
		var lints []iofile.Lint
		err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
			var err error
			read[c.Rank()], err = exchange(c, fsys, rep, &lints)
			return err
		}, opts...)
		if err != nil {
			return err
		}
		file, err := fs.ReadFile(fsys, rep)
		if err != nil {
			return err
		}
		fmt.Printf("%s: % x\n", rep, file)
		for r, xs := range read {
			fmt.Printf("  rank %d, %-8v read %v\n", r, machines[r%len(machines)], xs)
		}
		for _, l := range lints {
			fmt.Println(" ", l.Text)
		}
	}
	return nil
}

// exchange lets every rank write its number and read those of all. Nothing in
// it depends on the representation.
func exchange(c *comm.Comm, fsys *iofile.FS, rep string, lints *[]iofile.Lint) ([]int32, error) {
	f, err := iofile.Open(c, fsys, rep, iofile.Create|iofile.ReadWrite)
	if err != nil {
		return nil, err
	}
	n := int64(c.Size())
	mine := types.Subarray(types.OrderC, []types.Slab{{Size: n, Sub: 1, Start: int64(c.Rank())}}, types.Int)
	err = f.SetView(iofile.View{Etype: types.Int, Filetype: mine, Rep: rep})
	if err == nil {
		_, err = f.WriteAtAll(types.Of([]int32{int32(100 + c.Rank())}).As(types.Int), 0)
	}
	if err = errors.Join(err, f.Sync(), c.Barrier(), f.Sync()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	err = f.SetView(iofile.View{Etype: types.Int, Filetype: types.Int, Rep: rep})
	all := make([]int32, n)
	if err == nil {
		_, err = f.ReadAtAll(types.Of(all).As(types.Int), 0)
	}
	err = errors.Join(err, f.Close())
	if c.Rank() == 0 {
		*lints = f.Lints()
	}
	return all, err
}
