// Trace shows the events of a run in three ways. Rank 0 hands out work, the others send
// results back and all write one file together; the report then counts, the trace can be
// opened at https://ui.perfetto.dev, and the log at https://bestchai.bitbucket.io/shiviz.
//
//	go run ./examples/trace               # prints the report
//	go run ./examples/trace DIR           # also writes DIR/trace.json and DIR/shiviz.log
//	go run ./examples/trace -ranks 5 DIR
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// squares lets rank 0 send a number to each other rank, which squares it. Then each rank
// writes to a file the sum of all squares up to its own.
func squares(fsys *iofile.FS) func(ctx context.Context, c *comm.Comm) error {
	return func(ctx context.Context, c *comm.Comm) error {
		mine := []int64{int64(c.Rank())}
		if c.Rank() == 0 {
			for to := 1; to < c.Size(); to++ {
				if err := c.Send(types.Of([]int64{int64(to)}), to, 7); err != nil {
					return err
				}
			}
		} else if _, err := c.Recv(types.Of(mine), 0, 7); err != nil {
			return err
		}
		sum := []int64{0}
		if err := c.Scan(types.Of([]int64{mine[0] * mine[0]}), types.Of(sum), comm.Sum); err != nil {
			return err
		}
		f, err := iofile.Open(c, fsys, "squares", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, err = f.WriteAtAll(types.Of(sum), iofile.Offset(8*c.Rank()))
		return errors.Join(err, f.Close())
	}
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "trace:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("trace", flag.ContinueOnError)
	ranks := flags.Int("ranks", 3, "number of ranks")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case flags.NArg() > 1:
		return fmt.Errorf("%q: one directory at most", flags.Arg(1))
	case *ranks < 1 || *ranks > 1000:
		return fmt.Errorf("-ranks %d: 1 to 1000", *ranks)
	}
	var chrome, shiviz bytes.Buffer
	rep, err := world.RunReport(context.Background(), *ranks, squares(iofile.NewMem()),
		world.Seed(1), world.Trace(&chrome, world.Chrome), world.Trace(&shiviz, world.ShiViz))
	fmt.Print(rep)
	if dir := flags.Arg(0); dir != "" {
		err = errors.Join(err,
			os.WriteFile(filepath.Join(dir, "trace.json"), chrome.Bytes(), 0o644),
			os.WriteFile(filepath.Join(dir, "shiviz.log"), shiviz.Bytes(), 0o644),
		)
	}
	return err
}
