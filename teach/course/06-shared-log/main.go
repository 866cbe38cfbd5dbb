// A log by the shared file pointer: each rank appends a record. All orders are possible, and
// no record is lost. The program lists all files that can come out.
//
//	go run ./teach/course/06-shared-log
//	go run ./teach/course/06-shared-log -ranks 4
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	ranks := flag.Int("ranks", 3, "number of ranks")
	flag.Parse()
	all, err := world.Explore(context.Background(), *ranks, func() (func(context.Context, *comm.Comm) error, func() any) {
		fsys := iofile.NewMem()
		return func(_ context.Context, c *comm.Comm) error { return record(c, fsys) }, func() any { return content(fsys) }
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%d ranks, %d possible files:\n", *ranks, len(all.Outcomes))
	var list []string
	for _, o := range all.Outcomes {
		list = append(list, fmt.Sprint(o.Value))
	}
	slices.Sort(list)
	for _, text := range list {
		fmt.Println(" ", text)
	}
}

// record appends the record of the rank.
func record(c *comm.Comm, fsys *iofile.FS) error {
	f, err := iofile.Open(c, fsys, "log", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	_, err = f.WriteShared(types.Of([]byte(fmt.Sprintf("[rank %d]", c.Rank()))))
	return errors.Join(err, f.Close())
}

func content(fsys *iofile.FS) string {
	text, err := fs.ReadFile(fsys, "log")
	if err != nil {
		return err.Error()
	}
	return string(text)
}
