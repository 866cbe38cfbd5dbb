// Scribble: every rank writes its letters at the beginning of one file. The program lists all
// files that can come out.
//
//	go run ./teach/course/01-scribble
//	go run ./teach/course/01-scribble -ranks 2 -n 8
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	ranks := flag.Int("ranks", 3, "number of ranks")
	n := flag.Int("n", 4, "letters of each rank")
	flag.Parse()
	all, err := world.Explore(context.Background(), *ranks, func() (func(context.Context, *comm.Comm) error, func() any) {
		fsys := iofile.NewMem()
		return func(_ context.Context, c *comm.Comm) error { return scribble(c, fsys, *n) }, func() any {
			text, err := fs.ReadFile(fsys, "page")
			return fmt.Sprintf("%s %v", text, err)
		}
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	files := map[string]int{}
	races := map[string]bool{}
	for _, o := range all.Outcomes {
		text, _, _ := strings.Cut(fmt.Sprint(o.Value), " ")
		files[text] += o.Schedules
		for _, f := range world.Findings(o.Err) {
			races[fmt.Sprint(f.Ranks)] = true
		}
	}
	fmt.Printf("%d schedules, %d different files\n", all.Schedules, len(files))
	for _, text := range slices.Sorted(maps.Keys(files)) {
		fmt.Println(" ", text)
	}
	fmt.Println("races between ranks", strings.Join(slices.Sorted(maps.Keys(races)), ", "))
}

// scribble writes the letters of the rank at offset 0.
func scribble(c *comm.Comm, fsys *iofile.FS, n int) error {
	f, err := iofile.Open(c, fsys, "page", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	letters := bytes.Repeat([]byte{byte('A' + c.Rank())}, n)
	_, err = f.WriteAt(types.Of(letters), 0)
	return errors.Join(err, f.Close())
}
