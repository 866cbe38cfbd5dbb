package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A bench is what one rank has for its steps.
type bench struct {
	c    *comm.Comm
	arg  int
	a, b types.Buffer
	none types.Buffer
	reqs []*comm.Request
}

// verbs are the steps, each as c/peer.c has it.
var verbs = map[string]func(*bench) error{
	"pingpong": func(b *bench) error {
		if b.c.Rank() == 0 {
			return b.then(b.c.Send(b.a, 1, 1), 1, 1)
		}
		if _, err := b.c.Recv(b.b, 0, 1); err != nil {
			return err
		}
		return b.c.Send(b.a, 0, 1)
	},
	"window": func(b *bench) (err error) {
		for i := range b.reqs {
			if b.c.Rank() == 0 {
				b.reqs[i], err = b.c.ISend(b.a, 1, 1)
			} else {
				b.reqs[i], err = b.c.IRecv(b.b, 0, 1)
			}
			if err != nil {
				return err
			}
		}
		_, err = comm.WaitAll(b.reqs...)
		return b.acknowledge(err)
	},
	"stream": func(b *bench) (err error) {
		for range b.reqs {
			if b.c.Rank() == 0 {
				err = b.c.Send(b.a, 1, 1)
			} else {
				_, err = b.c.Recv(b.b, 0, 1)
			}
			if err != nil {
				return err
			}
		}
		return b.acknowledge(nil)
	},
	"unexpected": func(b *bench) error {
		if b.c.Rank() == 0 {
			for tag := range b.arg {
				if err := b.c.Send(b.a, 1, tag); err != nil {
					return err
				}
			}
		}
		if err := b.c.Barrier(); err != nil {
			return err
		}
		if b.c.Rank() == 1 {
			for tag := b.arg - 1; tag >= 0; tag-- {
				if _, err := b.c.Recv(b.b, 0, tag); err != nil {
					return err
				}
			}
		}
		return b.c.Barrier()
	},
	"barrier":   func(b *bench) error { return b.c.Barrier() },
	"allreduce": func(b *bench) error { return b.c.AllReduce(b.a, b.b, comm.Sum) },
	"alltoall":  func(b *bench) error { return b.c.AllToAll(b.a, b.b) },
}

const window = 64

func (b *bench) then(err error, src, tag int) error {
	if err == nil {
		_, err = b.c.Recv(b.b, src, tag)
	}
	return err
}

func (b *bench) acknowledge(err error) error {
	switch {
	case err != nil:
		return err
	case b.c.Rank() == 1:
		return b.c.Send(b.none, 0, 2)
	}
	_, err = b.c.Recv(b.none, 1, 2)
	return err
}

// newBench makes buffers for a verb.
func newBench(c *comm.Comm, r *row) *bench {
	b := &bench{c: c, arg: r.arg, reqs: make([]*comm.Request, window)}
	size := 8
	switch r.verb {
	case "allreduce":
		b.a, b.b = types.Of(make([]float64, r.arg)), types.Of(make([]float64, r.arg))
		return b
	case "alltoall":
		size = r.arg * c.Size()
	case "pingpong", "window", "stream":
		size = r.arg
	}
	b.a, b.b = types.Of(make([]byte, size)), types.Of(make([]byte, size))
	b.none = types.Of([]byte{})
	for _, mem := range [][]byte{b.a.Mem(), b.b.Mem()} {
		for i := range mem {
			mem[i] = byte(i) // memory that nobody wrote is one page of zeros
		}
	}
	return b
}

// ours runs rows of one number of ranks and returns the seconds of one step of
// each.
func ours(rows []*row, seconds float64) ([]float64, error) { return with(rows, seconds) }

// with is ours in a world with options.
func with(rows []*row, seconds float64, opts ...world.Option) ([]float64, error) {
	figs := make([]float64, len(rows))
	if rows[0].verb == start {
		t, err := life(rows[0].ranks)
		return []float64{t}, err
	}
	err := world.Run(context.Background(), rows[0].ranks, func(_ context.Context, c *comm.Comm) error {
		for i, r := range rows {
			t, err := newBench(c, r).measure(verbs[r.verb], seconds)
			if err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			if c.Rank() == 0 {
				figs[i] = t
			}
		}
		return nil
	}, opts...)
	return figs, err
}

// measure takes twice as many steps until they take a quarter of the time;
// then that often three times, of which the median counts.
func (b *bench) measure(step func(*bench) error, seconds float64) (float64, error) {
	count, more := 1, []int32{1}
	for ; more[0] == 1; count *= 2 {
		t, err := b.take(step, count)
		if err != nil {
			return 0, err
		}
		if t >= seconds/4 {
			more[0] = 0
		}
		if err := b.c.Bcast(types.Of(more), 0); err != nil {
			return 0, err
		}
	}
	count /= 2
	var t [3]float64
	for i := range t {
		one, err := b.take(step, count)
		if err != nil {
			return 0, err
		}
		t[i] = one / float64(count)
	}
	slices.Sort(t[:])
	return t[1], nil
}

func (b *bench) take(step func(*bench) error, count int) (float64, error) {
	if err := b.c.Barrier(); err != nil {
		return 0, err
	}
	begin := time.Now()
	for range count {
		if err := step(b); err != nil {
			return 0, err
		}
	}
	return time.Since(begin).Seconds(), nil
}

// life is a world from start to end, with a barrier; the third of three.
func life(ranks int) (float64, error) {
	var took time.Duration
	for range 3 {
		begin := time.Now()
		err := world.Run(context.Background(), ranks, func(_ context.Context, c *comm.Comm) error { return c.Barrier() })
		if err != nil {
			return 0, err
		}
		took = time.Since(begin)
	}
	return took.Seconds(), nil
}
