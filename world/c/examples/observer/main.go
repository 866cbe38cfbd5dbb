// Command observer runs a C program on all ranks but the first, which is written in Go: it
// takes part in what the others do together, and looks at their file after each step.
//
//	commworldcc app/app.c -o app.so
//	go run . app.so
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/commworld/commworld/world/c"
)

const (
	ranks = 4
	steps = 3
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: observer app.so")
	}
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(program string) error {
	dir, err := os.MkdirTemp("", "observer-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := c.Open(program)
	if err != nil {
		return err
	}
	p.Dir = dir
	err = world.Run(context.Background(), ranks, func(ctx context.Context, w *comm.Comm) error {
		if w.Rank() > 0 {
			return p.Rank(ctx, w)
		}
		return observe(p, w)
	}, world.Seed(1))
	if err != nil {
		return err
	}
	return p.Close()
}

// observe makes the calls that app.c makes, but reads where it writes.
func observe(p *c.Program, w *comm.Comm) error {
	fsys, name, err := p.FS("steps.dat")
	if err != nil {
		return err
	}
	f, err := iofile.Open(w, fsys, name, iofile.Create|iofile.ReadWrite)
	if err != nil {
		return err
	}
	for step := range steps {
		if err := errors.Join(f.Sync(), w.Barrier(), f.Sync()); err != nil {
			return err
		}
		records := make([]int32, ranks-1)
		if _, err := f.ReadAt(types.Of(records), iofile.Offset(4*(ranks*step+1))); err != nil {
			return err
		}
		fmt.Printf("step %d: %d\n", step, records)
		if err := w.Barrier(); err != nil {
			return err
		}
	}
	return f.Close()
}
