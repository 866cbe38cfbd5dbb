package comm_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// functions has the places where this package calls a function of the program. Each runs f
// on rank 1 of 2, by a call whose error it returns.
var functions = map[string]func(c *comm.Comm, f func() error) error{
	"user operation": func(c *comm.Comm, f func() error) error {
		return c.ReduceLocal(ints(1), ints(2), comm.NewOp("f", func(_, _ types.Buffer) error { return f() }))
	},
	"copy function": func(c *comm.Comm, f func() error) error {
		d := c.Self()
		k := comm.NewKeyval(func(*comm.Comm, *comm.Keyval, any) (any, bool, error) { return nil, false, f() }, nil)
		return errors.Join(d.SetAttr(k, 1), second(d.Dup()), d.DeleteAttr(k))
	},
	"copy function of IDup": func(c *comm.Comm, f func() error) error {
		d := c.Self()
		k := comm.NewKeyval(func(*comm.Comm, *comm.Keyval, any) (any, bool, error) { return nil, false, f() }, nil)
		err := d.SetAttr(k, 1)
		_, q, err2 := d.IDup()
		return errors.Join(err, err2, second(q.Wait()), d.DeleteAttr(k))
	},
	"delete function": func(c *comm.Comm, f func() error) error {
		k := comm.NewKeyval(nil, func(*comm.Comm, *comm.Keyval, any) error { return f() })
		d, err := c.Self().Dup()
		return errors.Join(err, d.SetAttr(k, 1), d.DeleteAttr(k))
	},
	"delete function of Free": func(c *comm.Comm, f func() error) error {
		k := comm.NewKeyval(nil, func(*comm.Comm, *comm.Keyval, any) error { return f() })
		d, err := c.Self().Dup()
		return errors.Join(err, d.SetAttr(k, 1), d.Free())
	},
	"error handler": func(c *comm.Comm, f func() error) error {
		var mine error
		h := comm.NewErrhandler(func(*comm.Comm, error) { mine = f() })
		err := c.Self().SetErrhandler(h)
		wrong := c.Self().Send(ints(1), 7, 0)
		return errors.Join(err, wrong, mine, c.Self().SetErrhandler(comm.ErrorsReturn))
	},
	"query": func(c *comm.Comm, f func() error) error {
		q, err := c.GRequestStart(comm.GRequest{Query: func(*comm.Status) error { return f() }})
		return errors.Join(err, q.GRequestComplete(), second(q.Wait()))
	},
	"cancel": func(c *comm.Comm, f func() error) error {
		q, err := c.GRequestStart(comm.GRequest{Cancel: func(bool) error { return f() }})
		return errors.Join(err, q.Cancel(), q.GRequestComplete(), second(q.Wait()))
	},
	"free": func(c *comm.Comm, f func() error) error {
		q, err := c.GRequestStart(comm.GRequest{Free: f})
		return errors.Join(err, q.GRequestComplete(), second(q.Wait()))
	},
}

// A function of the program must not harm other ranks: a panic in it is an error of the
// call, a rank that leaves by runtime.Goexit in it is reported, and no rank waits for that
// rank.
func TestHostileCallbacks(t *testing.T) {
	modes := map[string][]world.Option{"free": nil, "seeded": {world.Seed(3)}, "by turns": {world.Replay("roundrobin")}}
	for name, run := range functions {
		for mode, opts := range modes {
			t.Run("COMM-01 COLL-03 ERR-04 GREQ-01 a panic in a "+name+", "+mode, func(t *testing.T) {
				err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
					if c.Rank() == 1 {
						err := run(c, func() error { panic("ouch") })
						assert.ErrorContains(t, err, "panicked: ouch")
						var e *comm.Error
						if assert.ErrorAs(t, err, &e) {
							assert.NotEmpty(t, e.Rule)
						}
						said := errors.New("said")
						assert.ErrorIs(t, run(c, func() error { return said }), said, "it is called again")
					}
					return c.Barrier()
				}, opts...)
				if name != "delete function of Free" && name != "delete function" { // whose communicators are left
					assert.NoError(t, err)
				}
			})
			t.Run("WORLD-01 a rank that leaves in a "+name+", "+mode, func(t *testing.T) {
				err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
					if c.Rank() == 1 {
						return run(c, func() error {
							runtime.Goexit()
							return nil
						})
					}
					return c.Barrier()
				}, opts...)
				var gone *world.GoexitError
				assert.ErrorAs(t, err, &gone)
				var dead *world.DeadlockError
				assert.False(t, errors.As(err, &dead), "%v", err)
			})
			t.Run("COMM-01 calls within a "+name+", "+mode, func(t *testing.T) {
				err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
					if c.Rank() == 0 {
						return errors.Join(receiveToken(c, 1), sendToken(c, 1), c.Barrier())
					}
					in := run(c, func() error { return errors.Join(sendToken(c, 0), receiveToken(c, 0)) })
					if name == "user operation" { // which may run on any rank
						refused(t, in, comm.ErrOp, "COLL-03")
						in = errors.Join(sendToken(c, 0), receiveToken(c, 0))
					}
					if name == "error handler" {
						refused(t, in, comm.ErrRank, "P2P-08")
						in = nil
					}
					return errors.Join(in, c.Barrier())
				}, opts...)
				assert.NoError(t, err)
			})
		}
	}
}

// At the end of the world no rank is left that a function could end, only the goroutine that
// waits for all ranks: that goroutine must still return.
func TestHostileCallbacksAtWorldEnd(t *testing.T) {
	for mode, opts := range map[string][]world.Option{"free": nil, "seeded": {world.Seed(3)}} {
		for how, x := range map[string]struct {
			f    func() error
			says string
		}{
			"panics":  {func() error { panic("ouch") }, "ouch"},
			"leaves":  {func() error { runtime.Goexit(); return nil }, "left by runtime.Goexit at the end of the world"},
			"refuses": {func() error { return errors.New("no") }, "no"},
		} {
			t.Run("COMM-01 a delete function that "+how+" at the end, "+mode, func(t *testing.T) {
				ends := 0
				err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
					bad := comm.NewKeyval(nil, func(*comm.Comm, *comm.Keyval, any) error { return x.f() })
					good := comm.NewKeyval(nil, func(*comm.Comm, *comm.Keyval, any) error { ends++; return nil })
					if c.Rank() == 1 {
						return c.Self().SetAttr(good, 1)
					}
					return c.Self().SetAttr(bad, 1)
				}, opts...)
				assert.ErrorContains(t, err, x.says)
				assert.ErrorIs(t, err, comm.ErrOther)
				assert.Equal(t, 1, ends, "the other rank's attribute is deleted all the same")
			})
		}
	}
}

// The end of the world deletes the attributes of COMM_SELF, the last one first. Those of another
// communicator are deleted when it is freed.
func TestAttributesAtWorldEnd(t *testing.T) {
	var deleted []any
	assert.NoError(t, world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
		key := func() *comm.Keyval {
			return comm.NewKeyval(nil, func(_ *comm.Comm, _ *comm.Keyval, v any) error {
				deleted = append(deleted, v)
				return nil
			})
		}
		first := key()
		self := c.Self()
		return errors.Join(c.SetAttr(key(), "world"), self.SetAttr(first, 1), self.DeleteAttr(first), self.SetAttr(first, 2), self.SetAttr(key(), 3))
	}))
	assert.Equal(t, []any{1, 3, 2}, deleted, "COMM-01")
}

// The function of an operation runs on the rank that comes last, with the
// buffers of all ranks. If that rank leaves, no rank may wait for it.
func TestGoexitInUserOp(t *testing.T) {
	leave := comm.NewOp("leaves", func(_, _ types.Buffer) error { runtime.Goexit(); return nil })
	calls := map[string]func(c *comm.Comm) error{
		"AllReduce": func(c *comm.Comm) error { return c.AllReduce(ints(1), ints(0), leave) },
		"Reduce":    func(c *comm.Comm) error { return c.Reduce(ints(1), ints(0), leave, 1) },
		"Scan":      func(c *comm.Comm) error { return c.Scan(ints(1), ints(0), leave) },
		"long": func(c *comm.Comm) error {
			x := make([]int32, 1<<16)
			return c.AllReduce(types.Of(x), types.Of(make([]int32, 1<<16)), leave)
		},
		"IAllReduce": func(c *comm.Comm) error {
			q, err := c.IAllReduce(ints(1), ints(0), leave)
			return errors.Join(err, second(q.Wait()))
		},
		"persistent": func(c *comm.Comm) error {
			q, err := c.AllReduceInit(ints(1), ints(0), leave)
			return errors.Join(err, q.Start(), second(q.Wait()), q.Free())
		},
	}
	for name, call := range calls {
		for mode, opts := range map[string][]world.Option{"free": nil, "seeded": {world.Seed(3)}} {
			t.Run("COLL-03 WORLD-01 "+name+", "+mode, func(t *testing.T) {
				err := world.Run(t.Context(), 4, func(_ context.Context, c *comm.Comm) error {
					return errors.Join(call(c), c.Barrier())
				}, opts...)
				var gone *world.GoexitError
				assert.ErrorAs(t, err, &gone)
				var dead *world.DeadlockError
				assert.False(t, errors.As(err, &dead), "%v", err)
			})
		}
	}
}

// A function that calls itself through the library would fill the stack, and the process
// would end without a useful message.
func TestRecursiveCallbacks(t *testing.T) {
	calls := map[string]func(t *testing.T, c *comm.Comm) error{
		"a delete function that deletes": func(t *testing.T, c *comm.Comm) error {
			return deletes(t, c, func(c *comm.Comm, k *comm.Keyval) error { return c.DeleteAttr(k) }, comm.ErrKeyval)
		},
		"a delete function that sets": func(t *testing.T, c *comm.Comm) error {
			return deletes(t, c, func(c *comm.Comm, k *comm.Keyval) error { return c.SetAttr(k, 2) }, comm.ErrKeyval)
		},
		"a delete function that frees": func(t *testing.T, c *comm.Comm) error {
			return deletes(t, c, func(c *comm.Comm, _ *comm.Keyval) error { return c.Free() }, comm.ErrKeyval)
		},
		"a copy function that copies": func(t *testing.T, c *comm.Comm) error {
			k := comm.NewKeyval(func(c *comm.Comm, _ *comm.Keyval, v any) (any, bool, error) {
				_, err := c.Dup()
				refused(t, err, comm.ErrOther, "COMM-01")
				assert.ErrorContains(t, err, "must not duplicate it")
				return v, true, nil
			}, nil)
			d, err := c.Dup()
			if err = errors.Join(err, d.SetAttr(k, 1)); err != nil {
				return err
			}
			e, err := d.Dup()
			v, ok, err2 := e.Attr(k)
			return errors.Join(err, err2, equal(1, v), equal(true, ok))
		},
		"a query that asks": func(t *testing.T, c *comm.Comm) error {
			var q *comm.Request
			var errs []error
			q, err := c.GRequestStart(comm.GRequest{Query: func(*comm.Status) error {
				_, _, err := q.Status()
				errs = append(errs, err)
				return nil
			}})
			if err = errors.Join(err, q.GRequestComplete()); err != nil {
				return err
			}
			_, _, err = q.Status()
			err = errors.Join(err, second(q.Wait()), equal(2, len(errs)))
			refused(t, errs[0], comm.ErrRequest, "GREQ-01")
			return errors.Join(err, errs[1]) // by then the request is inactive
		},
		"a query that waits": func(_ *testing.T, c *comm.Comm) error {
			var q *comm.Request
			q, err := c.GRequestStart(comm.GRequest{Query: func(*comm.Status) error { return second(q.Wait()) }})
			return errors.Join(err, q.GRequestComplete(), second(q.Wait()))
		},
		"a cancel that cancels": func(t *testing.T, c *comm.Comm) error {
			var q *comm.Request
			q, err := c.GRequestStart(comm.GRequest{Cancel: func(bool) error {
				refused(t, q.Cancel(), comm.ErrRequest, "GREQ-01")
				return q.GRequestComplete()
			}})
			return errors.Join(err, q.Cancel(), second(q.Wait()))
		},
		"a handler that errs": func(t *testing.T, c *comm.Comm) error {
			times := 0
			h := comm.NewErrhandler(func(c *comm.Comm, _ error) {
				times++
				refused(t, c.Send(ints(1), 7, 0), comm.ErrRank, "P2P-08")
			})
			err := c.SetErrhandler(h)
			refused(t, c.Send(ints(1), 7, 0), comm.ErrRank, "P2P-08")
			return errors.Join(err, equal(1, times))
		},
	}
	for name, body := range calls {
		t.Run("COMM-01 GREQ-01 ERR-04 "+name, func(t *testing.T) {
			ranks(t, 2, func(c *comm.Comm) error { return body(t, c) })
		})
	}
}

// deletes has the delete function of an attribute make a call, which is refused,
// and sees that the attribute and its communicator end properly.
func deletes(t *testing.T, c *comm.Comm, within func(c *comm.Comm, k *comm.Keyval) error, class error) error {
	times := 0
	k := comm.NewKeyval(nil, func(c *comm.Comm, k *comm.Keyval, _ any) error {
		times++
		err := within(c, k)
		assert.ErrorIs(t, err, class)
		assert.ErrorContains(t, err, "the delete function of this attribute is running")
		return nil
	})
	d, err := c.Dup()
	if err = errors.Join(err, d.SetAttr(k, 1), d.SetAttr(k, 3)); err != nil {
		return err
	}
	v, _, err := d.Attr(k)
	err = errors.Join(err, equal(3, v), d.DeleteAttr(k), d.SetAttr(k, 4), d.Free())
	return errors.Join(err, equal(3, times), wantFreed(d))
}

func wantFreed(c *comm.Comm) error {
	if err := c.Barrier(); !errors.Is(err, comm.ErrComm) {
		return fmt.Errorf("the communicator is not freed: %v", err)
	}
	return nil
}
