// Nonblocking and split: a rank starts a write and computes while it is under way. The buffer
// belongs to the library until the write is complete.
//
//	go run ./teach/course/22-nonblocking -ranks 3
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
	}{
		{"wait, then change the buffer", late},
		{"change the buffer, then wait", early},
		{"no wait", forgotten},
		{"split: begin, compute, end", split},
		{"two split collectives at once", twice},
	} {
		fsys := iofile.NewMem()
		err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
			if err != nil {
				return err
			}
			return errors.Join(p.body(c, f), f.Close())
		}, world.Check(world.Buffers), world.Replay("roundrobin"))
		text := "fine"
		if found := world.Findings(err); len(found) > 0 {
			text = found[0].Text
		}
		fmt.Printf("%s:\n  %s\n", p.name, strings.Join(plain.Fold(text, 76), "\n    "))
	}
}

func late(c *comm.Comm, f *iofile.File) error  { return change(c, f, false) }
func early(c *comm.Comm, f *iofile.File) error { return change(c, f, true) }

func change(c *comm.Comm, f *iofile.File, early bool) error {
	buf := []byte{1, 2, 3, 4}
	r, err := f.IWriteAt(types.Of(buf), iofile.Offset(4*c.Rank()))
	if early {
		buf[0] = 9
	}
	_, e := r.Wait()
	buf[0] = 9
	return errors.Join(err, e)
}

func forgotten(c *comm.Comm, f *iofile.File) error {
	_, err := f.IWriteAt(types.Of([]byte{1, 2, 3, 4}), iofile.Offset(4*c.Rank()))
	return err
}

func split(c *comm.Comm, f *iofile.File) error {
	buf := types.Of([]byte{1, 2, 3, 4})
	err := f.WriteAtAllBegin(buf, iofile.Offset(4*c.Rank()))
	_, e := f.WriteAtAllEnd(buf)
	return errors.Join(err, e)
}

func twice(c *comm.Comm, f *iofile.File) error {
	buf := types.Of([]byte{1, 2, 3, 4})
	return errors.Join(f.WriteAtAllBegin(buf, 0), f.WriteAtAllBegin(buf, iofile.Offset(8*c.Size())))
}
