package iofile_test

import (
	"context"
	"errors"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// Each access under way, with its memory touched by rank 1 or by no rank.
func TestBufferTouchedWhilePending(t *testing.T) {
	accesses := map[string]struct {
		write, collective bool
		begin             func(f *iofile.File, b types.Buffer) (end func() error, err error)
	}{
		"IWriteAt":    {true, false, started(func(f *iofile.File, b types.Buffer) (*comm.Request, error) { return f.IWriteAt(b, 0) })},
		"IWrite":      {true, false, started((*iofile.File).IWrite)},
		"IWriteAtAll": {true, true, started(func(f *iofile.File, b types.Buffer) (*comm.Request, error) { return f.IWriteAtAll(b, 0) })},
		"IReadAt":     {false, false, started(func(f *iofile.File, b types.Buffer) (*comm.Request, error) { return f.IReadAt(b, 0) })},
		"IReadAll":    {false, true, started((*iofile.File).IReadAll)},
		"WriteAllBegin": {true, true, func(f *iofile.File, b types.Buffer) (func() error, error) {
			return func() error { return second(f.WriteAllEnd(b)) }, f.WriteAllBegin(b)
		}},
		"ReadAllBegin": {false, true, func(f *iofile.File, b types.Buffer) (func() error, error) {
			return func() error { return second(f.ReadAllEnd(b)) }, f.ReadAllBegin(b)
		}},
	}
	for name, a := range accesses {
		for _, how := range []string{"whole", "strided"} {
			for _, where := range []string{"nowhere", "in its data", "in a hole"} {
				if how == "whole" && where == "in a hole" {
					continue
				}
				t.Run("IO-DA-12 "+name+" of "+how+" memory touched "+where, func(t *testing.T) {
					fsys, wrong := iofile.NewMem(), where == "in its data"
					errs := make([]error, 2)
					body := func(_ context.Context, c *comm.Comm) error {
						f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
						if err != nil {
							return err
						}
						mem := make([]byte, 64)
						b := types.Raw(mem, 2, types.Resized(types.Double, 0, 16))
						if how == "whole" {
							b = types.Raw(mem[:16], 2, types.Double)
						}
						err = f.SetView(iofile.View{Disp: int64(c.Rank()) * 16, Etype: types.Double, Filetype: types.Double})
						end, err2 := a.begin(f, b)
						if err := errors.Join(err, err2); err != nil {
							return err
						}
						if c.Rank() == 1 {
							switch where {
							case "in its data":
								mem[3] = 1
							case "in a hole":
								mem[11] = 1
							}
						}
						errs[c.Rank()] = end()
						if c.Rank() == 1 && wrong && a.write {
							_, err = f.ReadAt(types.Of(make([]float64, 1)), 0)
						}
						return errors.Join(err, f.Close())
					}
					assert.NoError(t, world.Run(t.Context(), 2, body, world.Check(world.Buffers)))
					if !wrong {
						assert.NoError(t, errors.Join(errs...))
						return
					}
					assert.ErrorIs(t, errs[1], iofile.ErrBuffer)
					assert.ErrorContains(t, errs[1], ": at pending_buffer_test.go:")
					if a.collective {
						assert.ErrorIs(t, errs[0], iofile.ErrBuffer)
					} else {
						assert.NoError(t, errs[0])
					}
					if a.write {
						file, err := fsys.ReadFile("f")
						assert.NoError(t, err)
						assert.LessOrEqual(t, len(file), 16, "what was spoiled has not been written")
					}
				})
			}
		}
	}
	t.Run("IO-DA-12 a read that is given up leaves the memory as it was", func(t *testing.T) {
		failed, fsys := errors.New("rank 1 fails"), iofile.NewMem()
		assert.ErrorIs(t, world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
			if err != nil {
				return err
			}
			if c.Rank() == 1 {
				return failed
			}
			mem := []byte("as it was")
			q, err := f.IReadAtAll(types.Of(mem), 0)
			if err != nil {
				return err
			}
			assert.NotEqual(t, "as it was", string(mem), "concealed until Wait returns")
			assert.Error(t, second(q.Wait()))
			assert.Equal(t, "as it was", string(mem))
			return nil
		}, world.Careful()), failed)
	})
	t.Run("IO-DA-12 it is not looked for unless asked", func(t *testing.T) {
		assert.NoError(t, world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, iofile.NewMem(), "f", iofile.Create|iofile.ReadWrite)
			if err != nil {
				return err
			}
			mem := make([]byte, 8)
			q, err := f.IWriteAt(types.Raw(mem, 1, types.Double), 0)
			mem[0] = 1
			return errors.Join(err, second(q.Wait()), f.Close())
		}))
	})
}

func started(begin func(*iofile.File, types.Buffer) (*comm.Request, error)) func(*iofile.File, types.Buffer) (func() error, error) {
	return func(f *iofile.File, b types.Buffer) (func() error, error) {
		q, err := begin(f, b)
		return func() error { return second(q.Wait()) }, err
	}
}
