// Deadlocks: five small programs whose ranks wait for each other, and what the report says.
//
//	go run ./teach/course/21-deadlocks -ranks 4
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	ranks := flag.Int("ranks", 2, "number of ranks")
	flag.Parse()
	for _, p := range []struct {
		name string
		body func(c *comm.Comm, f *iofile.File) error
		opts []world.Option
	}{
		{"all send first, and a send waits", sendFirst, []world.Option{world.Eager(0)}},
		{"all receive first", receiveFirst, nil},
		{"all send first, and a send is buffered", sendFirst, nil},
		{"a barrier on rank 0 alone", barrierOnOne, nil},
		{"rank 0 skips a collective write", skip, nil},
	} {
		fsys := iofile.NewMem()
		err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
			if err != nil {
				return err
			}
			return errors.Join(p.body(c, f), f.Close())
		}, append(p.opts, world.Replay("roundrobin"))...)
		fmt.Printf("%s:\n", p.name)
		text := "ends well"
		if found := world.Findings(err); len(found) > 0 {
			text = found[0].Text
		}
		for line := range strings.Lines(text) {
			words := strings.TrimLeft(line, " ")
			fmt.Printf("  %s%s\n", line[:len(line)-len(words)], strings.Join(plain.Fold(words, 76), "\n        "))
		}
	}
}

func receiveFirst(c *comm.Comm, _ *iofile.File) error {
	left, right := (c.Rank()+c.Size()-1)%c.Size(), (c.Rank()+1)%c.Size()
	_, err := c.Recv(types.Of(make([]byte, 1)), left, 7)
	return errors.Join(err, c.Send(types.Of([]byte{1}), right, 7))
}

func sendFirst(c *comm.Comm, _ *iofile.File) error {
	left, right := (c.Rank()+c.Size()-1)%c.Size(), (c.Rank()+1)%c.Size()
	err := c.Send(types.Of([]byte{1}), right, 7)
	_, e := c.Recv(types.Of(make([]byte, 1)), left, 7)
	return errors.Join(err, e)
}

func barrierOnOne(c *comm.Comm, _ *iofile.File) error {
	if c.Rank() == 0 {
		return c.Barrier()
	}
	return nil
}

func skip(c *comm.Comm, f *iofile.File) error {
	if c.Rank() == 0 {
		return nil
	}
	_, err := f.WriteAtAll(types.Of([]byte{1}), iofile.Offset(c.Rank()))
	return err
}
