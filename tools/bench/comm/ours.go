package comm

import (
	"context"
	"fmt"
	"time"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/tools/internal/measure"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A bench is the state of one rank for its steps.
type bench struct {
	c    *comm.Comm
	arg  int
	a, b types.Buffer
	none types.Buffer
	reqs []*comm.Request
}

// verbs are the steps; c/peer.c has the same in C.
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
		return b.acknowledge(comm.WaitAllIgnore(b.reqs...)) // peer.c ignores the statuses, too
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
			mem[i] = byte(i) // touch it: memory that was never written is one shared page of zeros
		}
	}
	return b
}

// ours is this module as a side, in a world with options. Its rows have the same number
// of ranks.
func (c *contest) ours(name string, opts ...world.Option) measure.Side[*row] {
	return measure.Side[*row]{Name: name, Turn: func(rows []*row, note func(*row, float64)) error {
		if rows[0].verb == start {
			t, err := life(rows[0].ranks)
			note(rows[0], t/rows[0].per)
			return err
		}
		return world.Run(context.Background(), rows[0].ranks, func(_ context.Context, k *comm.Comm) error {
			for _, r := range rows {
				t, err := newBench(k, r).measure(verbs[r.verb], c.Seconds)
				if err != nil {
					return fmt.Errorf("%s: %w", r.name, err)
				}
				if k.Rank() == 0 {
					note(r, t/r.per)
				}
			}
			return nil
		}, opts...)
	}}
}

// measure returns the time of one step in seconds, measured by rank 0.
func (b *bench) measure(step func(*bench) error, seconds float64) (float64, error) {
	return measure.Step(seconds, func(count int) (float64, error) { return b.take(step, count) }, func(again bool) (bool, error) {
		more := []int32{0}
		if again {
			more[0] = 1
		}
		err := b.c.Bcast(types.Of(more), 0)
		return more[0] == 1, err
	})
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

// life runs three worlds with a barrier from start to end, and returns the time of the
// third.
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
