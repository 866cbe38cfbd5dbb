// Atomic mode: one rank writes and another reads the same letters at the same time, through
// a view with holes. A hundred runs without atomic mode and a hundred with it.
//
//	go run ./teach/course/18-atomic
//	go run ./teach/course/18-atomic -ranks 3 -n 64
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	ranks := flag.Int("ranks", 2, "number of ranks: the first writes, the last reads")
	n := flag.Int("n", 8, "letters that are written and read, an even number")
	flag.Parse()
	for _, atomic := range []bool{false, true} {
		seen := map[string]int{}
		var race error
		for seed := range uint64(100) {
			text, err := once(atomic, seed, *ranks, *n)
			switch strings.Count(text, "N") {
			case 0:
				seen["all old"]++
			case *n:
				seen["all new"]++
			default:
				seen["mixed"]++
			}
			if race == nil {
				race = err
			}
		}
		fmt.Printf("atomic mode %-5v  all old %3d  all new %3d  mixed %3d\n", atomic, seen["all old"], seen["all new"], seen["mixed"])
		if race != nil {
			fmt.Println(race)
		}
	}
}

// once lets rank 0 write n letters and the last rank read them.
func once(atomic bool, seed uint64, ranks, n int) (string, error) {
	// Chaos lets what no rank has synced appear in pieces, as file systems do.
	fsys := iofile.NewMem(iofile.WithModel(consistency.Chaos(seed)))
	if err := fsys.Import("letters", strings.NewReader(strings.Repeat("oo--", n/2))); err != nil {
		return "", err
	}
	pairs := types.Resized(types.Contiguous(2, types.Char), 0, 4)
	got := make([]byte, n)
	err := world.Run(context.Background(), ranks, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "letters", iofile.ReadWrite)
		if err != nil {
			return err
		}
		err = errors.Join(f.SetView(iofile.View{Etype: types.Char, Filetype: pairs}), f.SetAtomicity(atomic))
		switch c.Rank() {
		case 0:
			_, e := f.WriteAt(types.Of([]byte(strings.Repeat("N", n))).As(types.Char), 0)
			err = errors.Join(err, e)
		case ranks - 1:
			_, e := f.ReadAt(types.Of(got).As(types.Char), 0)
			err = errors.Join(err, e)
		}
		return errors.Join(err, f.Close())
	}, world.Seed(seed))
	return string(got), err
}
