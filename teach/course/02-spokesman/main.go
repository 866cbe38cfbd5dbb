// The spokesman: rank 0 gathers the numbers of all ranks and writes them alone, beside ranks
// that write their numbers themselves.
//
//	go run ./teach/course/02-spokesman -ranks 16
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
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	ranks := flag.Int("ranks", 4, "number of ranks")
	n := flag.Int("n", 1000, "numbers of each rank")
	flag.Parse()
	fmt.Printf("%-10s  %14s  %16s  %14s\n", "program", "bytes gathered", "memory of rank 0", "ranks writing")
	var files []string
	for _, way := range []struct {
		name  string
		write func(*comm.Comm, *iofile.File, []int32) error
	}{{"spokesman", spokesman}, {"together", together}} {
		fsys := iofile.NewMem()
		rep, err := world.RunReport(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "numbers", iofile.Create|iofile.WriteOnly)
			if err != nil {
				return err
			}
			mine := make([]int32, *n)
			for i := range mine {
				mine[i] = int32(c.Rank()**n + i)
			}
			return errors.Join(way.write(c, f, mine), f.Close())
		})
		text, e := fs.ReadFile(fsys, "numbers")
		if err = errors.Join(err, e); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		gathered, writing := int64(0), 0
		for _, call := range rep.Collectives {
			gathered += call.Bytes
		}
		for _, r := range rep.PerRank {
			writing += min(1, int(r.Accesses.Bytes))
		}
		memory := 4 * *n
		if gathered > 0 {
			memory += 4 * *n * *ranks
		}
		fmt.Printf("%-10s  %14d  %16d  %14d\n", way.name, gathered, memory, writing)
		files = append(files, string(text))
	}
	fmt.Println("same file:", files[0] == files[1])
}

// spokesman gathers all numbers at rank 0, which writes them.
func spokesman(c *comm.Comm, f *iofile.File, mine []int32) error {
	all := make([]int32, len(mine)*c.Size())
	err := c.Gather(types.Of(mine), types.Of(all), 0)
	if err == nil && c.Rank() == 0 {
		_, err = f.WriteAt(types.Of(all), 0)
	}
	return err
}

// together lets every rank write its numbers.
func together(c *comm.Comm, f *iofile.File, mine []int32) error {
	_, err := f.WriteAtAll(types.Of(mine), iofile.Offset(4*len(mine)*c.Rank()))
	return err
}
