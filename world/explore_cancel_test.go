package world_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// What may happen to a request that is cancelled, or that is tested once and left.
func TestExploreCancelAndLeave(t *testing.T) {
	anyone := comm.AnySource
	receive := func(c *comm.Comm, src, tag int) *comm.Request {
		q, err := c.IRecv(types.Of([]int32{0}), src, tag)
		require.NoError(t, err)
		return q
	}
	test := func(q *comm.Request) bool {
		_, ok, err := q.Test()
		require.NoError(t, err)
		return ok
	}
	cancel := func(q *comm.Request) bool {
		require.NoError(t, q.Cancel())
		st, err := q.Wait()
		require.NoError(t, err)
		return st.Cancelled()
	}
	word := types.Of([]int32{7})
	for _, row := range []struct {
		name     string
		ranks    int
		body     func(c *comm.Comm, say func(...any)) error
		want     []string
		complete bool
	}{
		{"a test of a synchronous send that a receive takes which is left", 2, func(c *comm.Comm, say func(...any)) error {
			if c.Rank() == 0 {
				q, err := c.ISSend(word, 1, 1)
				say(test(q))
				return err
			}
			_, _, err := c.IProbe(anyone, 9)
			receive(c, anyone, 1)
			return err
		}, []string{"[false]", "[true]"}, true},
		{"receives that take only what came after the test", 4, func(c *comm.Comm, _ func(...any)) error {
			if c.Rank() > 0 {
				_, err := c.Recv(word, 0, 0)
				return errors.Join(err, c.Send(word, 0, 1))
			}
			receive(c, anyone, 1)
			receive(c, anyone, 1)
			test(receive(c, anyone, 1))
			return errors.Join(c.Send(word, 1, 0), c.Send(word, 2, 0), c.Send(word, 3, 0))
		}, []string{"[]"}, false},
		{"Cancel after a message of the rank itself", 1, func(c *comm.Comm, say func(...any)) error {
			q := receive(c, anyone, 1)
			err := c.Send(word, 0, 1)
			say(cancel(q))
			return err
		}, []string{"[false]"}, true},
		{"Cancel after a message and a barrier", 2, func(c *comm.Comm, say func(...any)) error {
			if c.Rank() == 1 {
				return errors.Join(c.Send(word, 0, 1), c.Barrier())
			}
			q := receive(c, anyone, 1)
			err := c.Barrier()
			say(cancel(q))
			return err
		}, []string{"[false]"}, true},
		{"Cancel of a buffered send", 2, func(c *comm.Comm, say func(...any)) error {
			if c.Rank() == 1 {
				return second(c.Recv(word, 0, 1))
			}
			q, err := c.ISend(word, 1, 1)
			say(cancel(q))
			return err
		}, []string{"[false]"}, true},
		{"Cancel of a receive from ProcNull, and of one twice", 1, func(c *comm.Comm, say func(...any)) error {
			say(cancel(receive(c, comm.ProcNull, 1)))
			q := receive(c, 0, 1)
			err := q.Cancel()
			say(cancel(q))
			return err
		}, []string{"[false true]"}, true},
		{"Cancel of a receive that was tested", 2, func(c *comm.Comm, say func(...any)) error {
			if c.Rank() == 1 {
				return c.Send(word, 0, 1)
			}
			q := receive(c, anyone, 1)
			ok := test(q)
			say(ok)
			if !ok {
				say(cancel(q))
			}
			return nil
		}, []string{"[true]", "[false false]", "[false true]"}, true},
		{"Cancel of one receive and then of another", 2, func(c *comm.Comm, say func(...any)) error {
			if c.Rank() == 1 {
				return c.Send(word, 0, 1)
			}
			one, two := receive(c, anyone, 1), receive(c, anyone, 2)
			say(cancel(two), cancel(one))
			return nil
		}, []string{"[true true]", "[true false]"}, true},
		{"Cancel of a receive from one source", 2, func(c *comm.Comm, say func(...any)) error {
			if c.Rank() == 1 {
				return c.Send(word, 0, 1)
			}
			say(cancel(receive(c, 1, 1)))
			return nil
		}, []string{"[false]"}, false},
		{"a ready send whose receive another message may take", 3, func(c *comm.Comm, say func(...any)) error {
			switch c.Rank() {
			case 1:
				_, err := c.Recv(word, 0, 5)
				return errors.Join(err, c.RSend(word, 0, 1))
			case 2:
				return c.Send(word, 0, 1)
			}
			q := receive(c, anyone, 1)
			err := c.Send(word, 1, 5)
			st, e := q.Wait()
			say(st.Source)
			return errors.Join(err, e, second(c.Recv(word, anyone, 1)))
		}, []string{"[1]", "[2]"}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			setup := func() (program, func() any) {
				said := []any{}
				return func(_ context.Context, c *comm.Comm) error {
					return row.body(c, func(what ...any) { said = append(said, what...) })
				}, func() any { return said }
			}
			x, err := world.Explore(t.Context(), row.ranks, setup, world.Unchecked())
			require.NoError(t, err)
			assert.Equal(t, row.complete, x.Complete, "%v", x.Stopped)
			var ends []string
			for _, o := range x.Outcomes {
				body, said := setup()
				err := world.Run(t.Context(), row.ranks, body, world.Unchecked(), world.Replay(o.Witness))
				ends = append(ends, endText(err, said()))
			}
			assert.ElementsMatch(t, row.want, ends)
			for seed := range uint64(40) {
				if !row.complete {
					break
				}
				body, said := setup()
				err := world.Run(t.Context(), row.ranks, body, world.Unchecked(), world.Seed(seed))
				assert.Contains(t, ends, endText(err, said()))
			}
		})
	}
}

// Cancel in a world that has ended works as it does elsewhere.
func TestExploreCancelAtTheEnd(t *testing.T) {
	cancelled := false
	_, err := world.Explore(t.Context(), 2, func() (program, func() any) {
		return func(_ context.Context, c *comm.Comm) error {
			if c.Rank() == 1 {
				return nil
			}
			q, err := c.IRecv(types.Of([]int32{0}), comm.AnySource, 1)
			require.NoError(t, err)
			_, err = c.Recv(types.Of([]int32{0}), 1, 7)
			require.Error(t, err)
			require.NoError(t, q.Cancel())
			st, err := q.Wait()
			cancelled = err == nil && st.Cancelled()
			return nil
		}, nil
	}, world.Unchecked())
	require.NoError(t, err)
	assert.True(t, cancelled)
}

// Cancel by a goroutine that a rank has left behind changes nothing for other ranks. The next
// message to that rank once ended in a panic.
func TestExploreCancelByAnother(t *testing.T) {
	_, err := world.Explore(t.Context(), 2, func() (program, func() any) {
		begin, done := make(chan struct{}), make(chan struct{})
		return func(_ context.Context, c *comm.Comm) error {
			if c.Rank() == 0 {
				q, err := c.IRecv(types.Of([]int32{0}), 1, 1)
				go func() {
					<-begin
					_ = q.Cancel()
					close(done)
				}()
				return err
			}
			_, _, err := c.IProbe(0, 5)
			close(begin)
			<-done
			return errors.Join(err, c.Send(types.Of([]int32{7}), 0, 1))
		}, nil
	}, world.Unchecked())
	assert.NoError(t, err)
}

// A receive that its rank gave up takes its message, so the world has nothing to report.
func TestExploreFreedReceive(t *testing.T) {
	x, err := world.Explore(t.Context(), 2, func() (program, func() any) {
		return func(_ context.Context, c *comm.Comm) error {
			if c.Rank() == 1 {
				return c.Send(types.Of([]int32{7}), 0, 1)
			}
			q, err := c.IRecv(types.Of([]int32{0}), comm.AnySource, 1)
			return errors.Join(err, q.Free())
		}, nil
	})
	require.NoError(t, err)
	require.Len(t, x.Outcomes, 1)
	assert.NoError(t, x.Outcomes[0].Err)
	assert.True(t, x.Complete)
}

// Of two messages for a receive that was given up, either may be left, and be reported or
// received by another.
func TestExploreFreedReceives(t *testing.T) {
	x, err := world.Explore(t.Context(), 3, func() (program, func() any) {
		return func(_ context.Context, c *comm.Comm) error {
			if c.Rank() > 0 {
				return c.Send(types.Of([]int32{7}), 0, 1)
			}
			q, err := c.IRecv(types.Of([]int32{0}), comm.AnySource, 1)
			q2, err2 := c.IRecv(types.Of([]int32{0}), 2, 1)
			return errors.Join(err, err2, q.Free(), q2.Free())
		}, nil
	})
	require.NoError(t, err)
	assert.ErrorIs(t, x.Stopped, world.ErrUntried)
}
