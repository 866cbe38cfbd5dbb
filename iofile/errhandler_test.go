package iofile_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// handledErrors collects the arguments of the calls of one rank's handler.
type handledErrors struct {
	files []*iofile.File
	errs  []error
}

func (h *handledErrors) handler() *iofile.Errhandler {
	return iofile.NewErrhandler(func(f *iofile.File, err error) {
		h.files, h.errs = append(h.files, f), append(h.errs, err)
	})
}

// one returns the single error that was handled since it was last asked.
func (h *handledErrors) one(t *testing.T, on *iofile.File, returned error) {
	t.Helper()
	if assert.Len(t, h.errs, 1, "returned: %v", returned) {
		assert.Same(t, returned, h.errs[0])
		assert.Same(t, on, h.files[0])
	}
	*h = handledErrors{}
}

// A library that logs failed calls by a handler must get each error once, on every
// rank whose call fails, and no others.
func TestErrhandlerGetsEveryError(t *testing.T) {
	buf := chars("abcd")
	bad := []struct {
		name  string
		fails func(f *iofile.File) error
	}{
		{"explicit", func(f *iofile.File) error { return second(f.WriteAt(buf, -1)) }},
		{"individual", func(f *iofile.File) error { return second(f.Read(types.Of([]int32{1}).Times(-1))) }},
		{"collective", func(f *iofile.File) error { return second(f.WriteAtAll(buf, -1)) }},
		{"one rank of a collective", func(f *iofile.File) error {
			group, _ := f.Group()
			return second(f.WriteAtAll(buf, iofile.Offset(-group.Rank())))
		}},
		{"ordered", func(f *iofile.File) error { return second(f.ReadOrdered(types.Of([]int32{1}).Times(-1))) }},
		{"shared", func(f *iofile.File) error { return second(f.WriteShared(types.Of([]int32{1}).Times(-1))) }},
		{"nonblocking", func(f *iofile.File) error { return second(f.IWriteAt(buf, -1)) }},
		{"nonblocking collective, its own", func(f *iofile.File) error {
			q, err := f.IWriteAtAll(buf, -1)
			if err == nil {
				_, err = q.Wait()
			}
			return err
		}},
		{"nonblocking collective, another's", func(f *iofile.File) error {
			group, _ := f.Group()
			q, err := f.IWriteAtAll(buf, iofile.Offset(-group.Rank()))
			if err == nil {
				_, err = q.Wait()
			}
			return err
		}},
		{"split", func(f *iofile.File) error { return f.WriteAllBegin(types.Of([]int32{1}).Times(-1)) }},
		{"split end", func(f *iofile.File) error { return second(f.WriteAllEnd(buf)) }},
		{"seek", func(f *iofile.File) error { return f.Seek(-1, iofile.SeekSet) }},
		{"shared seek", func(f *iofile.File) error { return f.SeekShared(-1, iofile.SeekSet) }},
		{"view", func(f *iofile.File) error { return f.SetView(iofile.View{}) }},
		{"byte offset", func(f *iofile.File) error { return second(f.ByteOffset(-1)) }},
		{"type extent", func(f *iofile.File) error { return second(f.TypeExtent(nil)) }},
		{"size", func(f *iofile.File) error { return f.SetSize(-1) }},
		{"preallocate", func(f *iofile.File) error { return f.Preallocate(-1) }},
		{"handler", func(f *iofile.File) error { return f.SetErrhandler(nil) }},
		{"called", func(f *iofile.File) error { return f.CallErrhandler(errors.New("mine")) }},
	}
	for _, tc := range bad {
		t.Run("ERR-04 ERR-09 "+tc.name, func(t *testing.T) {
			with(t, 2, iofile.NewMem(), "f", create, func(f *iofile.File, rank int) error {
				var h handledErrors
				if err := f.SetErrhandler(h.handler()); err != nil {
					return err
				}
				_, err := f.WriteAtAll(types.Of([]byte("fine")), iofile.Offset(100+4*rank))
				assert.Empty(t, h.errs)
				h.one(t, f, tc.fails(f))
				return errors.Join(err, f.Sync(), f.SetErrhandler(iofile.ErrorsReturn))
			})
		})
	}
}

func TestErrhandlers(t *testing.T) {
	t.Run("ERR-01 ERR-02 files return, unless the default is another", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 2, func(c *comm.Comm) error {
			d, err := iofile.DefaultErrhandler(c)
			assert.Same(t, iofile.ErrorsReturn, d)
			before, err1 := iofile.Open(c, fsys, "f", create)
			var h handledErrors
			mine := h.handler()
			if c.Rank() == 1 { // each rank has its own
				err = errors.Join(err, iofile.SetDefaultErrhandler(c, mine))
			}
			own, err2 := c.Dup()
			after, err3 := iofile.Open(own, fsys, "f", create)
			if err := errors.Join(err, err1, err2, err3); err != nil {
				return err
			}
			got, _ := before.Errhandler()
			assert.Same(t, iofile.ErrorsReturn, got)
			got, _ = after.Errhandler()
			assert.Equal(t, c.Rank() == 1, got == mine)
			err = iofile.SetDefaultErrhandler(c, iofile.ErrorsReturn) // changes no open file
			refused := second(after.WriteAt(chars("a"), -1))
			assert.Error(t, refused)
			if c.Rank() == 1 {
				h.one(t, after, refused)
			}
			assert.Error(t, second(before.WriteAt(chars("a"), -1)))
			assert.Empty(t, h.errs)
			return errors.Join(err, before.Close(), after.Close())
		})
	})
	t.Run("ERR-03 IO-OPEN-09 calls without a file raise on the default handler", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 2, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			err = f.Close()
			var h handledErrors
			if err := errors.Join(err, iofile.SetDefaultErrhandler(c, h.handler())); err != nil {
				return err
			}
			for _, fails := range []func() error{
				func() error {
					f, err := iofile.Open(c, fsys, "none", iofile.ReadOnly)
					assert.Nil(t, f)
					return err
				},
				func() error { return second(iofile.Open(c, fsys, "none", iofile.Mode(1<<c.Rank()))) },
				func() error { return iofile.DeleteFor(c, fsys, "none", nil) },
				func() error { return iofile.RegisterDatarep(c, "native", reps.Conversion{}) },
				func() error { return f.Sync() },
				func() error { return second(f.Amode()) },
				func() error { return iofile.SetDefaultErrhandler(c, nil) },
			} {
				h.one(t, nil, fails())
			}
			return nil
		})
	})
	t.Run("ERR-03 a nil file is not a rank's", func(t *testing.T) {
		var f *iofile.File
		refused(t, f.Sync(), iofile.ErrFile, "IO-CLOSE-04")
		refused(t, f.SetErrhandler(iofile.ErrorsReturn), iofile.ErrFile, "IO-CLOSE-04")
		refused(t, iofile.SetDefaultErrhandler(nil, iofile.ErrorsReturn), iofile.ErrComm, "ERR-02")
		refused(t, second(iofile.DefaultErrhandler(nil)), iofile.ErrComm, "ERR-02")
		refused(t, iofile.DeleteFor(nil, iofile.NewMem(), "f", nil), iofile.ErrComm, "IO-DEL-01")
	})
	t.Run("ERR-04 a handler may use the file", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 2, fsys, "f", create, func(f *iofile.File, rank int) error {
			calls := 0
			err := f.SetErrhandler(iofile.NewErrhandler(func(f *iofile.File, _ error) {
				calls++
				assert.Error(t, second(f.WriteAt(chars("x"), -1)), "returned, not handled again")
				assert.NoError(t, second(f.WriteAtAll(types.Of([]byte{"ab"[rank]}), iofile.Offset(rank))))
			}))
			assert.Error(t, second(f.WriteAtAll(chars("x"), -1)))
			assert.Equal(t, 1, calls)
			return err
		})
		assert.Equal(t, "ab", get(t, fsys, "f"))
	})
	t.Run("ERR-04 a handler that panics", func(t *testing.T) {
		with(t, 1, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
			err := f.SetErrhandler(iofile.NewErrhandler(func(*iofile.File, error) { panic("oh") }))
			for range 2 { // it is called again the next time
				bad := second(f.WriteAt(chars("x"), -1))
				refused(t, bad, iofile.ErrOther, "ERR-04")
				assert.ErrorIs(t, bad, iofile.ErrArg)
				assert.ErrorContains(t, bad, `"f"`)
				assert.ErrorContains(t, bad, "the handler panicked: oh")
			}
			return err
		})
	})
	for _, h := range []*iofile.Errhandler{iofile.ErrorsAreFatal, iofile.ErrorsAbort} {
		t.Run("ERR-05 "+h.String()+" ends the world", func(t *testing.T) {
			var got [2]error
			err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, sharedFS, "f", create)
				if c.Rank() == 1 {
					return errors.Join(err, c.Barrier()) // never comes
				}
				err = errors.Join(err, f.SetErrhandler(h))
				got[0] = second(f.WriteAt(chars("x"), -1))
				_, got[1] = f.WriteAt(chars("x"), -1) // nothing is handled any more
				return err
			})
			var fatal *errclass.FatalError
			assert.ErrorAs(t, err, &fatal)
			assert.ErrorIs(t, got[0], iofile.ErrArg)
			assert.ErrorContains(t, got[0], h.String()+" ends the world")
			assert.ErrorIs(t, got[1], errclass.ProcAborted)
		})
	}
	t.Run("ERR-03 the end of the world is not an error to be handled", func(t *testing.T) {
		var h handledErrors
		stop := errors.New("stop")
		err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			if c.Rank() == 0 {
				_ = iofile.SetDefaultErrhandler(c, h.handler())
			}
			f, err := iofile.Open(c, sharedFS, "end", create)
			if c.Rank() == 1 {
				return stop
			}
			return errors.Join(err, f.Sync())
		})
		assert.ErrorIs(t, err, stop)
		assert.Empty(t, slices.Clone(h.errs))
	})
}

var sharedFS = iofile.NewMem()

// A library on files returns its own errors to its callers: every form of a call must
// return the error that the handler returns.
func TestErrhandlerReturning(t *testing.T) {
	buf := chars("abcd")
	for _, v := range []struct {
		name string
		call func(f *iofile.File) error
	}{
		{"explicit", func(f *iofile.File) error { return second(f.WriteAt(buf, -1)) }},
		{"collective", func(f *iofile.File) error { return second(f.WriteAtAll(buf, -1)) }},
		{"nonblocking", func(f *iofile.File) error { return second(f.IWriteAt(buf, -1)) }},
		{"split", func(f *iofile.File) error { return f.WriteAtAllBegin(buf, -1) }},
		{"view", func(f *iofile.File) error { return f.SetView(iofile.View{Disp: -5}) }},
		{"size", func(f *iofile.File) error { return f.SetSize(-1) }},
		{"CallErrhandler", func(f *iofile.File) error { return f.CallErrhandler(errors.New("bad")) }},
	} {
		t.Run("ERR-04 a function can change what a call returns, "+v.name, func(t *testing.T) {
			onInts(t, 2, "", func(f *iofile.File, c *comm.Comm) error {
				mine, n := errors.New("mine"), 0
				err := f.SetErrhandler(iofile.NewErrhandlerReturning(func(on *iofile.File, err error) error {
					n++
					if n == 1 {
						return errors.Join(mine, err)
					}
					return nil // the call returns what it found
				}))
				first, then := v.call(f), v.call(f)
				assert.ErrorIs(t, first, mine)
				assert.Error(t, then)
				assert.NotErrorIs(t, then, mine)
				assert.Equal(t, 2, n)
				return errors.Join(err, f.SetErrhandler(iofile.ErrorsReturn))
			})
		})
	}
	t.Run("ERR-02 ERR-03 where there is no file", func(t *testing.T) {
		onInts(t, 2, "", func(f *iofile.File, c *comm.Comm) error {
			mine := errors.New("mine")
			err := iofile.SetDefaultErrhandler(c, iofile.NewErrhandlerReturning(func(on *iofile.File, err error) error { return mine }))
			_, got := iofile.Open(c, iofile.NewMem(), "none", iofile.ReadOnly)
			assert.Equal(t, mine, got)
			return err
		})
	})
}
