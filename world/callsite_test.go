package world_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// sendTo is a helper function between a program and the library.
func sendTo(c *comm.Comm, rank, tag int) error {
	return c.Send(num(1), rank, tag) // 4 lines above helperLine
}

func helperLine() int {
	_, _, line, _ := runtime.Caller(0)
	return line - 4
}

// before returns the line before the one that calls it.
func before() int {
	_, _, line, _ := runtime.Caller(1)
	return line - 1
}

func one[T any](_ T, err error) error { return err }

// A programmer looks for the call that failed. A line of another call, or of this module's
// own code, would lead him astray.
func TestErrorsCarryTheirCallSite(t *testing.T) {
	opened := func(c *comm.Comm, opts ...iofile.Option) *iofile.File {
		f, err := iofile.Open(c, iofile.NewMem(opts...), "f", iofile.Create|iofile.ReadWrite)
		assert.NoError(t, err)
		return f
	}
	full := func() iofile.Option {
		rules, err := faults.Parse("call error=nospace")
		assert.NoError(t, err)
		plan, err := faults.NewPlan(rules...)
		assert.NoError(t, err)
		return iofile.WithFaults(plan)
	}
	shared := iofile.NewMem()
	for _, x := range []struct {
		name  string
		n     int
		noted bool // known only where lines are noted
		body  func(c *comm.Comm) (int, error)
	}{
		{"a message", 1, false, func(c *comm.Comm) (int, error) {
			err := c.Send(num(1), 9, 0)
			return before(), err
		}},
		{"a communicator that is nil", 1, false, func(*comm.Comm) (int, error) {
			err := (*comm.Comm)(nil).Barrier()
			return before(), err
		}},
		{"a group", 1, false, func(c *comm.Comm) (int, error) {
			g, _ := c.Group()
			_, err := g.Incl([]int{3})
			return before(), err
		}},
		{"hints", 1, false, func(*comm.Comm) (int, error) {
			err := comm.NewInfo().Set("", "x")
			return before(), err
		}},
		{"a collective", 2, false, func(c *comm.Comm) (int, error) {
			err := c.Bcast(num(1), c.Rank())
			return before(), err
		}},
		{"a nonblocking receive, completed elsewhere", 1, true, func(c *comm.Comm) (int, error) {
			q, err := c.IRecv(num(1), 0, 0)
			line := before()
			err = errors.Join(err, c.Send(types.Of([]int32{1, 2}), 0, 0))
			if err != nil {
				return 0, err
			}
			return line, one(q.Wait())
		}},
		{"a nonblocking receive, completed with another", 1, true, func(c *comm.Comm) (int, error) {
			q, err := c.IRecv(num(1), 0, 0)
			line := before()
			err = errors.Join(err, c.Send(types.Of([]int32{1, 2}), 0, 0))
			if err != nil {
				return 0, err
			}
			_, _, err = comm.WaitAny(nil, q)
			return line, err
		}},
		{"a nonblocking collective", 2, false, func(c *comm.Comm) (int, error) {
			q, err := c.IBcast(num(1), c.Rank())
			line := before()
			if err != nil {
				return 0, err
			}
			return line, one(q.Wait())
		}},
		{"a persistent request", 1, true, func(c *comm.Comm) (int, error) {
			q, err := c.RecvInit(num(1), 0, 0)
			line := before()
			err = errors.Join(err, q.Start(), c.Send(types.Of([]int32{1, 2}), 0, 0))
			if err != nil {
				return 0, err
			}
			return line, errors.Join(one(q.Wait()), q.Free())
		}},
		{"a file that is not there", 2, false, func(c *comm.Comm) (int, error) {
			_, err := iofile.Open(c, iofile.NewMem(), "none", iofile.ReadOnly)
			return before(), err
		}},
		{"a file on no communicator", 1, false, func(*comm.Comm) (int, error) {
			_, err := iofile.Open(nil, iofile.NewMem(), "none", iofile.ReadOnly)
			return before(), err
		}},
		{"deleting a file", 1, false, func(*comm.Comm) (int, error) {
			err := iofile.Delete(iofile.NewMem(), "none")
			return before(), err
		}},
		{"an access", 1, false, func(c *comm.Comm) (int, error) {
			f := opened(c)
			defer f.Close()
			_, err := f.WriteAt(num(1), -1)
			return before(), err
		}},
		{"an access that the store refuses", 1, false, func(c *comm.Comm) (int, error) {
			f := opened(c, full())
			defer f.Close()
			_, err := f.WriteAt(num(1), 0)
			return before(), err
		}},
		{"a call by a function of Go", 1, false, func(*comm.Comm) (int, error) {
			barrier := reflect.ValueOf((*comm.Comm)(nil).Barrier)
			err, _ := barrier.Call(nil)[0].Interface().(error)
			return before(), err
		}},
		{"a collective access that fails on another rank", 2, false, func(c *comm.Comm) (int, error) {
			f, err := iofile.Open(c, shared, "f", iofile.Create|iofile.ReadWrite)
			if err != nil {
				return 0, err
			}
			defer f.Close()
			_, err = f.WriteAtAll(num(1), iofile.Offset(-c.Rank()))
			return before(), err
		}},
		{"a nonblocking access, completed elsewhere", 1, false, func(c *comm.Comm) (int, error) {
			f := opened(c, full())
			defer f.Close()
			q, err := f.IWriteAt(num(1), 0)
			line := before()
			if err != nil {
				return 0, err
			}
			return line, one(q.Wait())
		}},
		{"the first half of a split collective", 1, false, func(c *comm.Comm) (int, error) {
			f := opened(c)
			defer f.Close()
			err := f.WriteAtAllBegin(num(1), -1)
			return before(), err
		}},
		{"the second half of a split collective", 1, false, func(c *comm.Comm) (int, error) {
			f := opened(c, full())
			defer f.Close()
			buf := num(1)
			if err := f.WriteAtAllBegin(buf, 0); err != nil {
				return 0, err
			}
			_, err := f.WriteAtAllEnd(buf)
			return before(), err
		}},
		{"what an error handler of a communicator is given", 1, false, func(c *comm.Comm) (line int, given error) {
			h := comm.NewErrhandler(func(_ *comm.Comm, err error) { given = err })
			if err := c.SetErrhandler(h); err != nil {
				return 0, err
			}
			_ = c.Send(num(1), 9, 0)
			return before(), given
		}},
		{"what an error handler of a file is given", 1, false, func(c *comm.Comm) (line int, given error) {
			f := opened(c, full())
			defer f.Close()
			h := iofile.NewErrhandler(func(_ *iofile.File, err error) { given = err })
			if err := f.SetErrhandler(h); err != nil {
				return 0, err
			}
			q, err := f.IWriteAt(num(1), 0)
			line = before()
			if err != nil {
				return 0, err
			}
			_, _ = q.Wait()
			return line, given
		}},
		{"a call of an error handler", 1, false, func(c *comm.Comm) (line int, inner error) {
			h := comm.NewErrhandler(func(c *comm.Comm, _ error) {
				inner = c.Send(num(1), 8, 0)
				line = before()
			})
			if err := c.SetErrhandler(h); err != nil {
				return 0, err
			}
			_ = c.Send(num(1), 9, 0)
			return line, inner
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			for _, opts := range [][]world.Option{nil, {world.Seed(1)}} {
				if x.noted && !sched.QuickLines {
					opts = append(opts, world.Check(world.Handles))
				}
				err := world.Run(t.Context(), x.n, func(_ context.Context, c *comm.Comm) error {
					line, err := x.body(c)
					var e *world.Error
					if assert.ErrorAs(t, err, &e) {
						assert.Equal(t, fmt.Sprint("callsite_test.go:", line), e.Place.Base(), "%v", err)
						assert.Contains(t, err.Error(), ": at "+e.Place.Chain()+": ")
					}
					return nil
				}, opts...)
				assert.NoError(t, err)
			}
		})
	}
	t.Run("a call in a helper function", func(t *testing.T) {
		var line int
		err := world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
			err := sendTo(c, 9, 0)
			line = before()
			return err
		})
		at := fmt.Sprintf("callsite_test.go:%d < callsite_test.go:%d", helperLine(), line)
		assert.EqualError(t, err, `rank 0: comm: Send "COMM_WORLD": at `+at+`: invalid rank: rank 9 is none of the 1 ranks of COMM_WORLD (P2P-08)`)
		var e *world.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, "github.com/commworld/commworld/world_test.sendTo", e.Place.Func)
		found := world.Findings(err)
		require.Len(t, found, 1)
		assert.Equal(t, []world.Place{e.Place}, found[0].Places)
		text, err := json.Marshal(e)
		require.NoError(t, err)
		var read struct{ Place world.Place }
		require.NoError(t, json.Unmarshal(text, &read))
		assert.Equal(t, at, read.Place.Chain())
	})
	t.Run("a nonblocking call in a helper function", func(t *testing.T) {
		if !sched.QuickLines {
			t.Skip("lines are not noted")
		}
		startLine := 0
		start := func(c *comm.Comm) (*comm.Request, error) {
			q, err := c.IRecv(num(1), 0, 0)
			startLine = before()
			return q, err
		}
		err := world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
			q, err := start(c)
			at := fmt.Sprintf("callsite_test.go:%d < callsite_test.go:%d", startLine, before())
			if err = errors.Join(err, c.Send(types.Of([]int32{1, 2}), 0, 0)); err != nil {
				return err
			}
			_, err = comm.WaitAll(q)
			assert.ErrorContains(t, err, fmt.Sprintf(`comm: rank 0: WaitAll "COMM_WORLD": at callsite_test.go:%d: `, before()))
			assert.ErrorContains(t, err, `: comm: rank 0: IRecv "COMM_WORLD": at `+at+`: message truncated: `)
			return nil
		})
		assert.NoError(t, err)
	})
}
