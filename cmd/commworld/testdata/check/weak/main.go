// Command weak makes a mistake and uses an option that would hide it. Its argument names the
// option.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A body is the program of a rank, on a file system.
type body func(c *comm.Comm, fsys *iofile.FS, how ...iofile.OpenOption) error

// A kind is a mistake with the option that hides it.
type kind struct {
	body  body
	three bool
	world []world.Option
	files []iofile.Option
	open  []iofile.OpenOption
}

// ranks returns the number of ranks: three where one is asked which of the others comes first.
func (k *kind) ranks() int {
	if k.three {
		return 3
	}
	return 2
}

var kinds = map[string]kind{
	"Unchecked":            {body: races, world: []world.Option{world.Unchecked()}},
	"WithRaceDetector Off": {body: races, files: []iofile.Option{iofile.WithRaceDetector(consistency.Off)}},
	"WithRaceDetector":     {body: races, files: []iofile.Option{iofile.WithRaceDetector(consistency.ROMIO)}},
	"WithModel":            {body: seesEarly, files: []iofile.Option{iofile.WithModel(consistency.POSIX)}},
	"WithModel of an open": {body: seesEarly, open: []iofile.OpenOption{iofile.WithModel(consistency.Commit)}},
	"WithPoison":           {body: readsHole, files: []iofile.Option{iofile.WithModel(consistency.Weakest.WithPoison(0))}},
	"WithMatch":            {body: otherType, open: []iofile.OpenOption{iofile.WithMatch(types.MatchSize)}},
	"Eager":                {body: sendsFirst, world: []world.Option{world.Eager(1 << 20)}},
	"LibraryOrder":         {body: dups, world: []world.Option{world.LibraryOrder()}},
	"Careful":              {body: leavesHole, world: []world.Option{world.Careful("IO-SIZE-06", "ignored")}},
	"Replay":               {three: true, body: backward, world: []world.Option{world.Replay("roundrobin")}},
	"Seed":                 {three: true, body: forward, world: []world.Option{world.Seed(2)}},
	"PCT":                  {three: true, body: forward, world: []world.Option{world.Replay("pct:1:2")}},
	"WithoutBytes":         {body: nothing, files: []iofile.Option{iofile.WithoutBytes()}},
	"Setenv":               {three: true, body: backward},
	"none":                 {body: nothing},
}

func main() {
	if os.Args[1] == "Setenv" {
		os.Setenv("COMMWORLD_CARE", "on,order=forward,allow=IO-SIZE-06")
	}
	k, ok := kinds[os.Args[1]]
	if !ok {
		os.Exit(99)
	}
	fsys := iofile.NewMem(k.files...)
	err := world.Run(context.Background(), k.ranks(), func(_ context.Context, c *comm.Comm) error { return k.body(c, fsys, k.open...) }, k.world...)
	fmt.Println(err)
}

func file(c *comm.Comm, fsys *iofile.FS, do func(f *iofile.File) error, how ...iofile.OpenOption) error {
	f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite, how...)
	if err != nil {
		return err
	}
	return errors.Join(do(f), f.Close())
}

func races(c *comm.Comm, fsys *iofile.FS, how ...iofile.OpenOption) error {
	return file(c, fsys, func(f *iofile.File) error {
		_, err := f.WriteAt(types.Of([]byte{byte(c.Rank())}), 0)
		return err
	}, how...)
}

// seesEarly returns an error if rank 1 does not see a write that was not synced.
func seesEarly(c *comm.Comm, fsys *iofile.FS, how ...iofile.OpenOption) error {
	return file(c, fsys, func(f *iofile.File) (err error) {
		if c.Rank() == 0 {
			_, err = f.WriteAt(types.Of([]byte{7}), 0)
			err = errors.Join(err, f.Sync(), c.Barrier())
			return err
		}
		x := []byte{0}
		if err = errors.Join(f.Sync(), c.Barrier()); err == nil {
			_, err = f.ReadAt(types.Of(x), 0)
		}
		if x[0] != 7 {
			err = errors.Join(err, errors.New("not seen"))
		}
		return err
	}, how...)
}

func readsHole(c *comm.Comm, fsys *iofile.FS, how ...iofile.OpenOption) error {
	return file(c, fsys, func(f *iofile.File) (err error) {
		if c.Rank() > 0 {
			return nil
		}
		x := []byte{0}
		_, err = f.WriteAt(types.Of([]byte{7}), 4)
		if err == nil {
			_, err = f.ReadAt(types.Of(x), 1)
		}
		if x[0] != 0 {
			err = errors.Join(err, errors.New("the hole is not 0"))
		}
		return err
	}, how...)
}

func leavesHole(c *comm.Comm, fsys *iofile.FS, how ...iofile.OpenOption) error {
	return file(c, fsys, func(f *iofile.File) (err error) {
		for _, at := range []iofile.Offset{0, 4} {
			if c.Rank() == 0 {
				_, e := f.WriteAt(types.Of([]byte{7}), at)
				err = errors.Join(err, e)
			}
		}
		return err
	}, how...)
}

func otherType(c *comm.Comm, fsys *iofile.FS, how ...iofile.OpenOption) error {
	return file(c, fsys, func(f *iofile.File) error {
		err := f.SetView(iofile.View{Etype: types.Int32, Filetype: types.Int32})
		if err == nil && c.Rank() == 0 {
			_, err = f.WriteAt(types.Of([]float32{1}), 0)
		}
		return err
	}, how...)
}

func sendsFirst(c *comm.Comm, _ *iofile.FS, _ ...iofile.OpenOption) error {
	other := 1 - c.Rank()
	if err := c.Send(types.Of([]byte{1}), other, 0); err != nil {
		return err
	}
	_, err := c.Recv(types.Of(make([]byte, 1)), other, 0)
	return err
}

// dups takes Dup for a barrier.
func dups(c *comm.Comm, fsys *iofile.FS, how ...iofile.OpenOption) error {
	return file(c, fsys, func(f *iofile.File) (err error) {
		if c.Rank() == 0 {
			_, err = f.WriteAt(types.Of([]byte{7}), 0)
		}
		err = errors.Join(err, f.Sync())
		d, e := c.Dup()
		if err = errors.Join(err, e); err != nil {
			return err
		}
		err = errors.Join(f.Sync(), d.Free())
		if err == nil && c.Rank() == 1 {
			_, err = f.ReadAt(types.Of([]byte{0}), 0)
		}
		return err
	}, how...)
}

// backward fails if rank 2 comes before rank 1.
func backward(c *comm.Comm, _ *iofile.FS, _ ...iofile.OpenOption) error { return order(c, 2) }

// forward fails if rank 1 comes before rank 2.
func forward(c *comm.Comm, _ *iofile.FS, _ ...iofile.OpenOption) error { return order(c, 1) }

func order(c *comm.Comm, wrong int) error {
	if c.Rank() > 0 {
		return c.Send(types.Of([]byte{1}), 0, 0)
	}
	for i := range 2 {
		st, err := c.Recv(types.Of(make([]byte, 1)), comm.AnySource, 0)
		if err != nil {
			return err
		}
		if i == 0 && st.Source == wrong {
			return fmt.Errorf("rank %d came first", wrong)
		}
	}
	return nil
}

func nothing(c *comm.Comm, fsys *iofile.FS, how ...iofile.OpenOption) error {
	return file(c, fsys, func(*iofile.File) error { return nil }, how...)
}
