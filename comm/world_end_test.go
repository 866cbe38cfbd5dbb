package comm_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Objects that a program forgets cost nothing here, but cost memory or hang elsewhere: so
// the end of a world reports each, with the line that made it.
func TestObjectsNeverFreed(t *testing.T) {
	for _, row := range []struct {
		name string
		body func(c *comm.Comm) error
		want []string // of rank 0
	}{
		{"P2P-04 messages that no rank received", func(c *comm.Comm) error {
			if c.Rank() == 1 {
				return nil
			}
			return errors.Join(c.Send(ints(1, 2), 1, 7), c.Send(ints(3), 1, 7), c.Send(ints(), 0, 8))
		}, []string{
			"a message to rank 0 with tag 8 of 0 x int32, never received",
			"2 messages to rank 1 with tag 7, the first of 2 x int32, never received",
		}},
		{"P2P-04 messages of a row that was begun", func(c *comm.Comm) error {
			if c.Rank() == 1 {
				return nil
			}
			var errs []error
			for range 9 {
				errs = append(errs, c.Send(ints(1), 0, 7))
			}
			for range 3 {
				_, err := c.Recv(ints(0), 0, 7)
				errs = append(errs, err)
			}
			return errors.Join(errs...)
		}, []string{"6 messages to rank 0 with tag 7, the first of 1 x int32, never received"}},
		{"P2P-02 requests that were never completed", func(c *comm.Comm) error {
			if c.Rank() == 1 {
				return nil
			}
			_, err := c.ISend(ints(1), 0, 3)
			_, err2 := c.IRecv(ints(1), 0, 3)
			_, err3 := c.GRequestStart(comm.GRequest{})
			return errors.Join(err, err2, err3)
		}, []string{
			"ISend to 0 tag 3 on COMM_WORLD: the request was never completed; it is done: Wait or Test completes it, Free gives it up",
			"IRecv from 0 tag 3 on COMM_WORLD: the request was never completed; it is done",
			"@GRequest on COMM_WORLD: the request was never completed; it is under way still",
		}},
		{"P2P-06 P2P-07 persistent requests that were never freed", func(c *comm.Comm) error {
			if c.Rank() == 1 {
				return nil
			}
			_, err := c.SendInit(ints(1), 1, 3)
			_, err2 := c.PRecvInit(ints(1), 1, 1, 3)
			return errors.Join(err, err2)
		}, []string{
			"@SendInit to 1 tag 3 on COMM_WORLD: the persistent request was never freed",
			"@PRecvInit from 1 tag 3 on COMM_WORLD, 1 partitions: the persistent request was never freed",
		}},
		{"P2P-05 messages that were found and never received", func(c *comm.Comm) error {
			if c.Rank() == 1 {
				return nil
			}
			_, _, err := c.MProbe(comm.ProcNull, 0)
			err2 := c.Send(ints(1), 0, 3)
			_, _, err3 := c.MProbe(0, 3)
			return errors.Join(err, err2, err3)
		}, []string{"@the message from 0 tag 3 was found and never received"}},
		{"P2P-01 a buffer that was never detached", func(c *comm.Comm) error {
			if c.Rank() == 1 {
				return nil
			}
			err := c.BufferAttach(make([]byte, 5))
			back, err2 := c.BufferDetach()
			return errors.Join(err, err2, c.BufferAttach(back))
		}, []string{"@the buffer of 5 bytes was never detached"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			body := func(_ context.Context, c *comm.Comm) error { return row.body(c) }
			err := world.Run(t.Context(), 2, body)
			var run *world.RunError
			if !assert.ErrorAs(t, err, &run) || !assert.Len(t, run.Ranks, len(row.want), "%v", err) {
				return
			}
			for i, want := range row.want {
				assert.Equal(t, 0, run.Ranks[i].Rank)
				text, placed := strings.CutPrefix(want, "@")
				assert.ErrorContains(t, run.Ranks[i], text)
				if placed || sched.QuickLines {
					assert.ErrorContains(t, run.Ranks[i], ": at world_end_test.go:")
				} else {
					assert.ErrorContains(t, run.Ranks[i], "; run with world.Check(world.Handles) to see the line")
				}
			}
			assert.NoError(t, world.Run(t.Context(), 2, body, world.Unchecked()))
		})
	}
	t.Run("P2P-02 the line of every request", func(t *testing.T) {
		b, noRank := ints(1), comm.ProcNull
		to, from := comm.To{Rank: noRank}, comm.From{Rank: noRank}
		_, _, first, _ := runtime.Caller(0)
		calls := []func(c *comm.Comm) (*comm.Request, error){ // the next line has the first
			func(c *comm.Comm) (*comm.Request, error) { return c.IRecv(b, noRank, 0) },
			func(c *comm.Comm) (*comm.Request, error) { return c.ISend(b, noRank, 0) },
			func(c *comm.Comm) (*comm.Request, error) { return c.ISSend(b, noRank, 0) },
			func(c *comm.Comm) (*comm.Request, error) { return c.IBSend(b, noRank, 0) },
			func(c *comm.Comm) (*comm.Request, error) { return c.IRSend(b, noRank, 0) },
			func(c *comm.Comm) (*comm.Request, error) { return c.ISendRecv(b, to, b, from) },
			func(c *comm.Comm) (*comm.Request, error) { return claimed(c).IMRecv(b) },
		}
		for k, call := range calls {
			for _, opts := range [][]world.Option{{}, {world.Seed(1)}} {
				if len(opts) == 0 && !sched.QuickLines {
					continue
				}
				err := world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
					_, err := call(c)
					return err
				}, opts...)
				assert.ErrorContains(t, err, fmt.Sprintf(": at world_end_test.go:%d < world_end_test.go:%d: still pending: I", first+2+k, first+16))
			}
		}
	})
	t.Run("P2P-04 the line of every message", func(t *testing.T) {
		if !sched.QuickLines {
			t.Skip("P2P-04 here lines are noted only if asked for; the test of that is below")
		}
		b, long := ints(1), types.Of(make([]int32, 1000))
		to, none := comm.To{Tag: 3}, comm.From{Rank: comm.ProcNull}
		start := func(q *comm.Request, err error) error {
			return errors.Join(err, q.Start(), second(q.Wait()), q.Free())
		}
		_, _, first, _ := runtime.Caller(0)
		calls := []func(c *comm.Comm) error{ // the next line has the first
			func(c *comm.Comm) error { return c.Send(b, 0, 3) },
			func(c *comm.Comm) error { return c.Send(long, 0, 3) },
			func(c *comm.Comm) error { return wait(c.ISend(b, 0, 3)) },
			func(c *comm.Comm) error { q, err := c.ISSend(b, 0, 3); return errors.Join(err, q.Free()) },
			func(c *comm.Comm) error { return second(c.SendRecv(b, to, ints(1), none)) },
			func(c *comm.Comm) error { return second(c.SendRecvReplace(b, to, none)) },
			func(c *comm.Comm) error { return start(c.SendInit(b, 0, 3)) },
		}
		for k, call := range calls {
			for _, opts := range [][]world.Option{{}, {world.Seed(1)}} {
				line := first + 2 + k
				if k == 6 {
					line = first - 2 // Start
				}
				for range 2 { // looked up, and remembered
					err := world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error { return call(c) }, opts...)
					assert.Regexp(t, fmt.Sprintf(`at world_end_test.go:%d( < world_end_test.go:\d+)+: still pending: a message to rank 0 with tag 3`, line), err)
				}
			}
		}
	})
	t.Run("P2P-02 P2P-04 a run that checks handles names the lines of requests and messages", func(t *testing.T) {
		for _, opts := range [][]world.Option{{}, {world.Seed(1)}, {world.Eager(0)}} {
			_, _, line, _ := runtime.Caller(0)
			err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
				if c.Rank() == 1 {
					return nil
				}
				_, err := c.IRecv(ints(1), 1, 3)
				q, err2 := c.ISend(ints(1), 1, 7)
				return errors.Join(err, err2, q.Free(), c.Self().Send(ints(), comm.ProcNull, 0))
			}, append(opts, world.Check(world.Handles))...)
			assert.ErrorContains(t, err, fmt.Sprintf("at world_end_test.go:%d: still pending: IRecv from 1 tag 3", line+5))
			assert.ErrorContains(t, err, fmt.Sprintf("at world_end_test.go:%d: still pending: a message to rank 1 with tag 7", line+6))
			assert.NotContains(t, err.Error(), "world.Check(")
		}
	})
	t.Run("P2P-02 what was given up or is tidy is not reported", func(t *testing.T) {
		assert.NoError(t, world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
			x := []int32{0}
			q, err := c.ISend(ints(1), 0, 0)
			err = errors.Join(err, q.Free())
			p, err2 := c.RecvInit(types.Of(x), 0, 0)
			return errors.Join(err, err2, p.Start(), second(p.Wait()), p.Free())
		}))
	})
}

// A program must not touch a buffer in use. If it does, its results depend on luck.
func TestCheckBuffers(t *testing.T) {
	run := func(body func(c *comm.Comm) error, opts ...world.Option) error {
		return world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error { return body(c) }, opts...)
	}
	for _, eager := range []int64{0, 1000} {
		opts := []world.Option{world.Check(world.Buffers), world.Eager(eager)}
		t.Run("P2P-02 writing into what is being sent", func(t *testing.T) {
			body := func(c *comm.Comm) error {
				x := []int32{1}
				r, err := c.IRecv(ints(0), 0, 0)
				q, err2 := c.ISend(types.Of(x), 0, 0)
				x[0] = 2
				_, err3 := q.Wait()
				return errors.Join(err, err2, err3, second(r.Wait()))
			}
			err := run(body, opts...)
			assert.ErrorIs(t, err, comm.ErrBuffer)
			assert.ErrorContains(t, err, "invalid buffer: the program wrote into the buffer of ISend to 0 tag 0 on COMM_WORLD while it was under way")
			assert.NoError(t, run(body, world.Eager(eager)))
		})
	}
	for _, late := range []bool{false, true} {
		t.Run("P2P-02 writing into what is being received", func(t *testing.T) {
			err := run(func(c *comm.Comm) error {
				col := types.Raw(make([]byte, 16), 1, types.Vector(2, 1, 2, types.Int32))
				q, err := c.RecvInit(col, 0, 0)
				if err := q.Start(); err != nil {
					return err
				}
				if !late {
					col.Mem()[8] = 1
				}
				err = errors.Join(err, c.Send(ints(4, 5), 0, 0))
				if late {
					col.Mem()[0] = 1
				}
				_, err2 := q.Wait()
				return errors.Join(err, err2, q.Free())
			}, world.Check(world.Buffers))
			assert.ErrorIs(t, err, comm.ErrBuffer)
		})
	}
	t.Run("P2P-02 what is left alone, holes too, is right", func(t *testing.T) {
		assert.NoError(t, run(func(c *comm.Comm) error {
			col := types.Raw(make([]byte, 16), 1, types.Vector(2, 1, 2, types.Int32))
			q, err := c.IRecv(col, 0, 0)
			col.Mem()[4] = 1 // in a hole
			x := ints(4, 5)
			r, err2 := c.ISend(x, 0, 0)
			_, err3 := comm.WaitAll(q, r)
			_, err4 := c.SendRecvReplace(x, comm.To{Rank: 0, Tag: 1}, comm.From{Rank: 0, Tag: 1})
			return errors.Join(err, err2, err3, err4)
		}, world.Check(world.Buffers)))
	})
}

// claimed is a message that c's rank has sent itself and found.
func claimed(c *comm.Comm) *comm.Message {
	if err := c.Send(ints(1), c.Rank(), 9); err != nil {
		panic(err)
	}
	m, _, err := c.MProbe(c.Rank(), 9)
	if err != nil {
		panic(err)
	}
	return m
}
