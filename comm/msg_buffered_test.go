package comm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A library that gives its communicator a buffer counts on it: a send that took
// room elsewhere, or gave it back to another buffer, would fail in a program that
// is right.
func TestCommBuffers(t *testing.T) {
	const one = comm.BSendOverhead + 4 // room for one int
	t.Run("P2P-01 a communicator's buffer serves its sends alone", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			d, err := c.Dup()
			if err != nil {
				return err
			}
			mem, of := make([]byte, one), make([]byte, 2*one)
			err = errors.Join(c.BufferAttach(mem), d.AttachBuffer(of))
			refused(t, d.AttachBuffer(of), comm.ErrBuffer, "P2P-01")
			err = errors.Join(err, d.BSend(ints(1), 0, 0), d.BSend(ints(2), 0, 0), c.BSend(ints(3), 0, 0))
			refused(t, d.BSend(ints(4), 0, 0), comm.ErrBuffer, "P2P-01") // though the rank's would do once it is empty
			refused(t, c.BSend(ints(4), 0, 0), comm.ErrBuffer, "P2P-01")
			x := []int32{0}
			err = errors.Join(err, second(c.Recv(types.Of(x), 0, 0)), equal(int32(3), x[0]))
			refused(t, d.BSend(ints(4), 0, 0), comm.ErrBuffer, "P2P-01")
			err = errors.Join(err, c.BSend(ints(5), 0, 0), second(d.Recv(types.Of(x), 0, 0)), equal(int32(1), x[0]), d.BSend(ints(6), 0, 0))
			for _, from := range []*comm.Comm{d, d, c} {
				err = errors.Join(err, second(from.Recv(types.Of(x), 0, 0)))
			}
			back, err2 := d.DetachBuffer()
			err = errors.Join(err, err2, equal(true, &back[0] == &of[0]), equal(2*one, len(back)))
			for _, call := range []func() error{
				func() error { return second(d.DetachBuffer()) }, d.FlushBuffer, func() error { return second(d.IFlushBuffer()) },
			} {
				refused(t, call(), comm.ErrBuffer, "P2P-01")
			}
			err = errors.Join(err, d.BSend(ints(7), 0, 0), second(d.Recv(types.Of(x), 0, 0)), second(c.BufferDetach()), d.Free()) // in the rank's again
			refused(t, d.AttachBuffer(of), comm.ErrComm, "COMM-01")
			refused(t, second(d.DetachBuffer()), comm.ErrComm, "COMM-01")
			return err
		})
	})
	t.Run("P2P-01 COMM-01 a duplicate has no buffer", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			err := c.AttachBuffer(make([]byte, 1000))
			d, err2 := c.Dup()
			if err2 != nil {
				return err2
			}
			refused(t, d.BSend(ints(1), 0, 0), comm.ErrBuffer, "P2P-01")
			return errors.Join(err, d.AttachBuffer(nil), second(d.DetachBuffer()), second(c.DetachBuffer()))
		})
	})
	t.Run("P2P-01 COMM-01 freeing detaches, and messages come all the same", func(t *testing.T) {
		for _, s := range []setting{{}, seeded(1), seeded(2)} {
			pair(t, s, func(c *comm.Comm) error {
				d, err := c.Dup()
				if err != nil {
					return err
				}
				err = errors.Join(d.AttachBuffer(make([]byte, one)), d.BSend(ints(8), 1, 0), d.Free(), c.AttachBuffer(make([]byte, one)), c.BSend(ints(9), 1, 0))
				return errors.Join(err, sendToken(c, 1), second(c.DetachBuffer()))
			}, func(c *comm.Comm) error {
				d, err := c.Dup()
				x, y := []int32{0}, []int32{0}
				return errors.Join(err, receiveToken(c, 0), second(d.Recv(types.Of(x), 0, 0)), second(c.Recv(types.Of(y), 0, 0)), equal(int32(8), x[0]), equal(int32(9), y[0]), d.Free())
			})
		}
		assert.NoError(t, world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
			d, err := c.Dup()
			return errors.Join(err, d.AttachBuffer(make([]byte, 5)), d.Free())
		}))
	})
	t.Run("P2P-01 automatic buffering has room for everything", func(t *testing.T) {
		assert.NoError(t, world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
			for _, x := range []struct {
				attach func([]byte) error
				detach func() ([]byte, error)
			}{{c.BufferAttach, c.BufferDetach}, {c.AttachBuffer, c.DetachBuffer}} {
				err := x.attach(comm.BufferAutomatic)
				refused(t, x.attach(comm.BufferAutomatic), comm.ErrBuffer, "P2P-01")
				refused(t, x.attach(make([]byte, 5)), comm.ErrBuffer, "P2P-01")
				for k := range 10 {
					err = errors.Join(err, c.BSend(types.Of(vals(k, 0, 100_000)), 0, k))
				}
				for k := range 10 {
					got := make([]int32, 100_000)
					err = errors.Join(err, second(c.Recv(types.Of(got), 0, k)), equal(vals(k, 0, 100_000), got))
				}
				back, err2 := x.detach()
				if err = errors.Join(err, err2, x.attach(back), c.BSend(ints(1), 0, 0), second(c.Recv(ints(0), 0, 0))); err != nil {
					return err
				}
			}
			return nil // if it is never detached, that is not an error
		}))
	})
	t.Run("P2P-01 other memory is not automatic", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			for _, mem := range [][]byte{nil, {}, make([]byte, 0, 1), comm.BufferAutomatic[:0:0]} {
				err := c.BufferAttach(mem)
				refused(t, c.BSend(ints(1), 0, 0), comm.ErrBuffer, "P2P-01")
				if err := errors.Join(err, second(c.BufferDetach())); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// A flush that waited for too much would hang programs that are right, one that
// waited for too little would give memory back that is in use.
func TestFlushRequests(t *testing.T) {
	t.Run("P2P-01 P2P-02 a flush waits for the messages before it, in whatever order they go", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			actions := rapid.SliceOfN(rapid.SampledFrom([]string{"send", "flush", "receive"}), 1, 40).Draw(t, "actions")
			own, cut := rapid.Bool().Draw(t, "own"), rapid.SliceOfN(rapid.IntRange(0, 99), len(actions), len(actions)).Draw(t, "which")
			for i, err := range start(1, setting{}, func(c *comm.Comm) error { return flushes(c, own, actions, cut) }) {
				if err != nil {
					t.Fatalf("rank %d: %v\n%v", i, err, actions)
				}
			}
		})
	})
	t.Run("P2P-02 in every form of waiting and testing, with other requests", func(t *testing.T) {
		for how := range finishes {
			pair(t, setting{comm: commport.LaunchOptions{Eager: -1}}, func(c *comm.Comm) error {
				err := errors.Join(c.BufferAttach(comm.BufferAutomatic), c.AttachBuffer(make([]byte, 1000)), c.BSend(ints(1), 1, 0), c.BSend(ints(2), 1, 1))
				a, err2 := c.BufferIFlush() // of an empty one
				b, err3 := c.IFlushBuffer()
				x := []int32{0}
				r, err4 := c.IRecv(types.Of(x), 1, 2)
				s, err5 := c.ISSend(ints(3), 1, 3)
				g, err6 := c.IBarrier()
				refused(t, b.Cancel(), comm.ErrRequest, "P2P-02")
				assert.Equal(t, "IFlushBuffer on COMM_WORLD, for 2 buffered messages to be received by rank 1", b.String())
				_, ok, err7 := b.Test()
				err = errors.Join(err, err2, err3, err4, err5, err6, err7, equal(false, ok), sendToken(c, 1))
				reqs := []*comm.Request{a, nil, r, b, s, g}
				sts, err2 := finish(how, slices.DeleteFunc(reqs, func(q *comm.Request) bool { return q == nil }))
				if err = errors.Join(err, err2); err != nil {
					return err
				}
				return errors.Join(equal(comm.AnySource, sts[0].Source), equal(comm.AnySource, sts[2].Source), equal(comm.AnyTag, sts[2].Tag), equal(false, sts[2].Cancelled()),
					equal("REQUEST_NULL", b.String()), second(c.BufferDetach()), second(c.DetachBuffer()))
			}, func(c *comm.Comm) error {
				err := receiveToken(c, 0)
				q, err2 := c.IBarrier()
				err = errors.Join(err, err2, c.Send(ints(4), 0, 2), second(c.Recv(ints(0), 0, 3)), second(c.Recv(ints(0), 0, 1)), second(c.Recv(ints(0), 0, 0)))
				return errors.Join(err, second(q.Wait()))
			})
		}
	})
	t.Run("P2P-02 given up, it needs no rank", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			err := errors.Join(c.BufferAttach(make([]byte, 100)), c.BSend(ints(1), 0, 0))
			q, err2 := c.BufferIFlush()
			err = errors.Join(err, err2, q.Free(), second(c.Recv(ints(0), 0, 0)), second(c.BufferDetach()))
			refused(t, q.Free(), comm.ErrRequest, "P2P-02")
			return err
		})
	})
	t.Run("P2P-02 never completed, it is reported at the end, and so is a buffer", func(t *testing.T) {
		err := world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
			err := errors.Join(c.AttachBuffer(make([]byte, 100)), c.BSend(ints(1), 0, 0))
			_, err2 := c.IFlushBuffer()
			return errors.Join(err, err2, second(c.Recv(ints(0), 0, 0)))
		}, world.Check(world.Handles))
		assert.ErrorContains(t, err, `comm: AttachBuffer "COMM_WORLD": at msg_buffered_test.go:`)
		assert.ErrorContains(t, err, "the buffer of 100 bytes was never detached")
		assert.ErrorContains(t, err, `comm: IFlushBuffer "COMM_WORLD": at msg_buffered_test.go:`)
		assert.ErrorContains(t, err, "IFlushBuffer on COMM_WORLD: the request was never completed; it is done: Wait or Test completes it, Free gives it up")
	})
	t.Run("P2P-01 WORLD-01 an abort ends the waiting", func(t *testing.T) {
		for seed := range uint64(20) {
			body := func(flush func(c *comm.Comm) error) func(context.Context, *comm.Comm) error {
				return func(_ context.Context, c *comm.Comm) error {
					if c.Rank() == 1 {
						return c.Abort(3)
					}
					return errors.Join(c.AttachBuffer(comm.BufferAutomatic), c.BSend(ints(1), 1, 0), flush(c))
				}
			}
			for _, flush := range []func(c *comm.Comm) error{
				(*comm.Comm).FlushBuffer,
				func(c *comm.Comm) error { return second(c.DetachBuffer()) },
				func(c *comm.Comm) error {
					q, err := c.IFlushBuffer()
					if err != nil {
						return err
					}
					_, err = comm.WaitAll(q)
					return err
				},
			} {
				var abort *comm.AbortError
				assert.ErrorAs(t, world.Run(t.Context(), 2, body(flush), world.Seed(seed)), &abort)
			}
		}
	})
}

// flushes is a rank that sends to itself, flushes, and receives messages by their number. By
// counting it finds which flushes must be complete.
func flushes(c *comm.Comm, own bool, actions []string, which []int) error {
	attach, flush, wait, detach := c.BufferAttach, c.BufferIFlush, c.BufferFlush, c.BufferDetach
	if own {
		attach, flush, wait, detach = c.AttachBuffer, c.IFlushBuffer, c.FlushBuffer, c.DetachBuffer
	}
	if err := attach(make([]byte, 1<<12)); err != nil {
		return err
	}
	var under []int // messages that have not been received
	type started struct {
		q      *comm.Request
		before []int // messages that were under way
	}
	var flushing []started
	receive := func(i int) error {
		tag := under[i]
		under = slices.Delete(under, i, i+1)
		return second(c.Recv(ints(0), 0, tag))
	}
	for k, action := range actions {
		var err error
		switch {
		case action == "send":
			under, err = append(under, k), c.BSend(ints(1), 0, k)
		case action == "flush":
			var q *comm.Request
			q, err = flush()
			flushing = append(flushing, started{q, slices.Clone(under)})
		case len(under) > 0:
			err = receive(which[k] % len(under))
		}
		if err != nil {
			return fmt.Errorf("action %d: %w", k, err)
		}
		for i, f := range flushing {
			over := !slices.ContainsFunc(f.before, func(tag int) bool { return slices.Contains(under, tag) })
			if _, ok, err := f.q.Status(); err != nil || ok != over {
				return fmt.Errorf("after action %d flush %d: over %v, want %v, %w", k, i, ok, over, err)
			}
		}
	}
	for len(under) > 0 {
		if err := receive(0); err != nil {
			return err
		}
	}
	err := wait()
	for _, f := range flushing {
		err = errors.Join(err, second(f.q.Wait()))
	}
	return errors.Join(err, second(detach()))
}

// The report of a deadlock with a flush must name the ranks that have not received, or it
// would not explain the deadlock.
func TestFlushDeadlock(t *testing.T) {
	for _, x := range []struct {
		name string
		wait func(c *comm.Comm) error
		want string
	}{
		{"detaching the rank's", func(c *comm.Comm) error { return second(c.BufferDetach()) }, "BufferDetach, for 2 buffered messages to be received by ranks 0, 2"},
		{"detaching a communicator's", func(c *comm.Comm) error { return second(c.DetachBuffer()) }, "DetachBuffer on COMM_WORLD, for 1 buffered message to be received by rank 0"},
		{"flushing", (*comm.Comm).FlushBuffer, "FlushBuffer on COMM_WORLD, for 1 buffered message to be received by rank 0"},
		{"a request", func(c *comm.Comm) error {
			q, err := c.IFlushBuffer()
			return errors.Join(err, second(q.Wait()))
		}, "Wait for IFlushBuffer on COMM_WORLD, for 1 buffered message to be received by rank 0"},
		{"several requests", func(c *comm.Comm) error {
			q, err := c.BufferIFlush()
			r, err2 := c.IRecv(ints(0), 0, 9)
			_, err3 := comm.WaitAll(q, r)
			return errors.Join(err, err2, err3)
		}, "WaitAll for 2 of 2 requests: BufferIFlush, for 2 buffered messages to be received by ranks 0, 2, IRecv from 0 tag 9 on COMM_WORLD"},
	} {
		t.Run("P2P-01 "+x.name, func(t *testing.T) {
			err := world.Run(t.Context(), 3, func(_ context.Context, c *comm.Comm) error {
				switch c.Rank() {
				case 0:
					return second(c.Recv(ints(0), 1, 5))
				case 2:
					return nil
				}
				d, err := c.Self().Dup()
				err = errors.Join(err, c.BufferAttach(make([]byte, 1000)), c.BSend(ints(1), 0, 4), c.BSend(ints(1), 2, 4),
					c.AttachBuffer(make([]byte, 1000)), c.BSend(ints(1), 0, 4), d.BSend(ints(1), 0, 4), second(d.Recv(ints(0), 0, 4)))
				return errors.Join(err, x.wait(c))
			})
			var dead *world.DeadlockError
			if assert.ErrorAs(t, err, &dead) {
				assert.Equal(t, x.want, dead.Ranks[1].Why)
				if len(dead.Ranks[1].For) == 1 {
					assert.Equal(t, []int{0, 1}, dead.Cycle)
				}
			}
		})
	}
}

// Whether a message has been received when a rank asks depends on other ranks: an
// exploration must try both answers, and not report the program as uncontrolled.
func TestExploreFlushes(t *testing.T) {
	t.Run("P2P-01 a flush that waits is not a choice", func(t *testing.T) {
		x, err := world.Explore(t.Context(), 3, func() (func(context.Context, *comm.Comm) error, func() any) {
			return func(_ context.Context, c *comm.Comm) error {
				if c.Rank() > 0 {
					return second(c.Recv(ints(0), 0, 0))
				}
				err := errors.Join(c.BufferAttach(make([]byte, 1000)), c.BSend(ints(1), 1, 0), c.BSend(ints(1), 2, 0))
				q, err2 := c.BufferIFlush()
				return errors.Join(err, err2, second(q.Wait()), c.BufferFlush(), second(c.BufferDetach()))
			}, nil
		})
		if assert.NoError(t, err) {
			assert.Equal(t, 1, x.Schedules, "%v", x)
			assert.True(t, x.Complete)
		}
	})
	t.Run("P2P-02 a test of a flush goes either way", func(t *testing.T) {
		var seen bool
		x, err := world.Explore(t.Context(), 2, func() (func(context.Context, *comm.Comm) error, func() any) {
			seen = false
			return func(_ context.Context, c *comm.Comm) error {
				if c.Rank() == 1 {
					return second(c.Recv(ints(0), 0, 0))
				}
				err := errors.Join(c.AttachBuffer(make([]byte, 1000)), c.BSend(ints(1), 1, 0))
				q, err2 := c.IFlushBuffer()
				_, ok, err3 := q.Test()
				seen = ok
				if !ok {
					_, err3 = q.Wait()
				}
				return errors.Join(err, err2, err3, second(c.DetachBuffer()))
			}, func() any { return seen }
		})
		if assert.NoError(t, err) {
			assert.Len(t, x.Outcomes, 2, "%v", x)
			assert.True(t, x.Complete)
		}
	})
}

// The texts, whole.
func TestBufferWording(t *testing.T) {
	ranks(t, 1, func(c *comm.Comm) error {
		for _, x := range []struct {
			name string
			err  func() error
			want string
		}{
			{"P2P-01 none", func() error { return c.BSend(ints(1), 0, 0) }, `BSend "COMM_WORLD": invalid buffer: no buffer is attached for 68 bytes; call BufferAttach first (P2P-01)`},
			{"P2P-01 none to detach", func() error { return second(c.BufferDetach()) }, `BufferDetach "COMM_WORLD": invalid buffer: no buffer is attached (P2P-01)`},
			{"P2P-01 none of its own", c.FlushBuffer, `FlushBuffer "COMM_WORLD": invalid buffer: no buffer is attached to the communicator; that of the rank is another one (P2P-01)`},
			{"P2P-01 a second one", func() error { return errors.Join(c.AttachBuffer(make([]byte, 70)), c.AttachBuffer(nil)) }, `AttachBuffer "COMM_WORLD": invalid buffer: the buffer of 70 bytes is attached already; a communicator has one at a time (P2P-01)`},
			{"P2P-01 no room", func() error { return c.BSend(ints(1, 2), 0, 0) }, `BSend "COMM_WORLD": invalid buffer: 72 bytes, with BSendOverhead of 64, do not fit: 70 of the 70 attached bytes are free (P2P-01)`},
			{"P2P-01 automatic", func() error {
				return errors.Join(c.BufferAttach(comm.BufferAutomatic), c.BufferAttach(nil))
			}, `BufferAttach "COMM_WORLD": invalid buffer: automatic buffering is attached already; a rank has one at a time (P2P-01)`},
		} {
			t.Run(x.name, func(t *testing.T) { assert.Equal(t, "comm: rank 0: "+x.want, unplaced(x.err())) })
		}
		return errors.Join(second(c.BufferDetach()), second(c.DetachBuffer()))
	})
}
