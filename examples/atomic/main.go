// Atomic lets one rank write and another read the same bytes at the same time,
// through a view with holes. Without atomic mode the reader may find a mixture
// of old and new, and the run is reported as a race. In atomic mode each call
// happens as a whole, however many pieces its view has: the reader finds all of
// it or nothing. Which of the two is up to the schedule, and legal.
package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	for _, atomic := range []bool{false, true} {
		seen := map[string]int{}
		var race error
		for seed := range uint64(100) {
			text, err := once(atomic, seed)
			mixed := strings.Contains(text, "o") && strings.Contains(text, "N")
			if mixed {
				text = "mixed"
			}
			if seen[text]++; race == nil && (mixed || atomic) {
				race = err
			}
		}
		fmt.Printf("atomic mode %v, a hundred runs: all old %d, all new %d, mixed %d\n", atomic, seen["oooooooo"], seen["NNNNNNNN"], seen["mixed"])
		fmt.Println(race)
	}
}

// once lets rank 0 write eight letters and rank 1 read them.
func once(atomic bool, seed uint64) (string, error) {
	// Chaos lets what nobody has synced surface in pieces, as file systems do.
	fsys := iofile.NewMem(iofile.WithModel(consistency.Chaos(seed)))
	if err := fsys.Import("letters", strings.NewReader("oo--oo--oo--oo--")); err != nil {
		return "", err
	}
	pairs := types.Resized(types.Contiguous(2, types.Char), 0, 4)
	got := make([]byte, 8)
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "letters", iofile.ReadWrite)
		if err != nil {
			return err
		}
		err = errors.Join(f.SetView(iofile.View{Etype: types.Char, Filetype: pairs}), f.SetAtomicity(atomic))
		if c.Rank() == 0 {
			_, e := f.WriteAt(types.Of([]byte("NNNNNNNN")).As(types.Char), 0)
			return errors.Join(err, e, f.Close())
		}
		_, e := f.ReadAt(types.Of(got).As(types.Char), 0)
		return errors.Join(err, e, f.Close())
	}, world.Seed(seed))
	return string(got), err
}
