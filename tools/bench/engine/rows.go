//go:build mpich || openmpi

package engine

import (
	"context"
	"errors"
	"time"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/tools/internal/measure"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A row is one operation that is repeated.
type row struct {
	name  string
	ranks int     // 0: as many as were asked for
	per   float64 // operations per step
	begin func(b *bench) (step func() error, err error)
}

var rows = []row{
	{"8 B half round trip", 2, 2, pingpong(8)},
	{"64 KiB half round trip", 2, 2, pingpong(64 << 10)},
	{"barrier", 0, 1, func(b *bench) (func() error, error) { return b.c.Barrier, nil }},
	{"allreduce of a double", 0, 1, func(b *bench) (func() error, error) {
		x, sum := types.Of([]float64{1}), types.Of(make([]float64, 1))
		return func() error { return b.c.AllReduce(x, sum, comm.Sum) }, nil
	}},
	{"alltoall of 4 KiB", 0, 1, func(b *bench) (func() error, error) {
		x, y := types.Of(make([]byte, b.c.Size()*4<<10)), types.Of(make([]byte, b.c.Size()*4<<10))
		return func() error { return b.c.AllToAll(x, y) }, nil
	}},
	{"write_at_all, 1 MiB a rank", 0, 1, func(b *bench) (func() error, error) {
		at := iofile.Offset(b.c.Rank() * mine)
		return func() error {
			_, err := b.f.WriteAtAll(b.data, at)
			return err
		}, b.open()
	}},
	{"write_all, cyclic doubles, 1 MiB a rank", 0, 1, writeAll("native", 1)},
	{"write_all, external32, 1 MiB a rank", 0, 1, writeAll("external32", mine/8)},
}

const (
	mine     = 1 << 20 // bytes of a rank in a file
	fileName = "bench"
)

// A bench is the state of one rank for a row.
type bench struct {
	c    *comm.Comm
	fsys *iofile.FS
	f    *iofile.File
	data types.Buffer // that the rank writes
}

func pingpong(n int) func(*bench) (func() error, error) {
	return func(b *bench) (func() error, error) {
		p := types.Of(make([]byte, n))
		return func() error {
			if b.c.Rank() == 0 {
				err := b.c.Send(p, 1, 0)
				if err == nil {
					_, err = b.c.Recv(p, 1, 0)
				}
				return err
			}
			_, err := b.c.Recv(p, 0, 0)
			if err == nil {
				err = b.c.Send(p, 0, 0)
			}
			return err
		}, nil
	}
}

// writeAll writes through a view in which the ranks alternate after each run of this
// number of doubles.
func writeAll(rep string, doubles int64) func(*bench) (func() error, error) {
	return func(b *bench) (func() error, error) {
		err := b.open()
		if err == nil {
			err = b.f.SetView(iofile.View{
				Disp: int64(b.c.Rank()) * doubles * 8, Etype: types.Double, Rep: rep,
				Filetype: types.Resized(types.Contiguous(doubles, types.Double), 0, doubles*8*int64(b.c.Size())),
			})
		}
		return func() error {
			if err := b.f.Seek(0, iofile.SeekSet); err != nil {
				return err
			}
			_, err := b.f.WriteAll(b.data)
			return err
		}, err
	}
}

// open opens the file, and makes the data that this rank writes.
func (b *bench) open() (err error) {
	data := make([]float64, mine/8)
	for i := range data {
		data[i] = float64(b.c.Rank()*len(data) + i)
	}
	b.data = types.Of(data)
	b.f, err = iofile.Open(b.c, b.fsys, fileName, iofile.Create|iofile.ReadWrite)
	return err
}

// once runs a row in a world, of so many ranks or of a library. It returns the time in
// seconds that the first rank measured for an operation; in other processes, first is
// false. Files are in dir.
func once(r *row, ranks int, dir string, seconds float64, opts ...world.Option) (took float64, first bool, err error) {
	fsys, err := iofile.NewDir(dir, iofile.WithModel(consistency.POSIX))
	if err != nil {
		return 0, false, err
	}
	err = world.Run(context.Background(), ranks, func(_ context.Context, c *comm.Comm) error {
		b := &bench{c: c, fsys: fsys}
		t, err := b.measure(r, seconds)
		if c.Rank() == 0 {
			took, first = t, true
		}
		return err
	}, opts...)
	return took, first, errors.Join(err, fsys.Close())
}

func (b *bench) measure(r *row, seconds float64) (float64, error) {
	step, err := r.begin(b)
	if err != nil {
		return 0, err
	}
	took, err := b.repeat(step, seconds)
	if b.f != nil {
		err = errors.Join(err, b.f.Close())
	}
	return took / r.per, err
}

// repeat returns the time of one step as the first rank measures it.
func (b *bench) repeat(step func() error, seconds float64) (float64, error) {
	take := func(steps int) (float64, error) {
		if err := b.c.Barrier(); err != nil {
			return 0, err
		}
		start := time.Now()
		for range steps {
			if err := step(); err != nil {
				return 0, err
			}
		}
		return time.Since(start).Seconds(), nil
	}
	return measure.Step(seconds, take, func(again bool) (bool, error) {
		more := []int32{0}
		if again {
			more[0] = 1
		}
		err := b.c.Bcast(types.Of(more), 0)
		return more[0] == 1, err
	})
}
