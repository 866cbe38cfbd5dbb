package world_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// movesAll makes accesses of all kinds on a file, of the buffers that buf returns.
func movesAll(fsys *iofile.FS, s strategy.Strategy, buf func(n int64) types.Buffer) func(context.Context, *comm.Comm) error {
	return func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite, iofile.WithStrategy(s))
		if err != nil {
			return err
		}
		r, n := int64(c.Rank()), int64(c.Size())
		column := types.Resized(types.Contiguous(3, types.Double), 0, 24*n)
		if err = f.SetView(iofile.View{Disp: 24 * r, Etype: types.Double, Filetype: column}); err != nil {
			return err
		}
		const k = 6000
		_, err1 := f.WriteAtAll(buf(k), 0)
		_, err2 := f.WriteAt(buf(30), iofile.Offset(k))
		req, err3 := f.IWriteAtAll(buf(k), iofile.Offset(2*k))
		if err = errors.Join(err1, err2, err3); err != nil {
			return err
		}
		if _, err = req.Wait(); err != nil {
			return err
		}
		half := buf(60)
		if err = f.WriteAtAllBegin(half, iofile.Offset(4*k)); err != nil {
			return err
		}
		if _, err = f.WriteAtAllEnd(half); err != nil {
			return err
		}
		if err = errors.Join(f.Sync(), c.Barrier(), f.Sync()); err != nil {
			return err
		}
		size, err := f.Size()
		if err != nil {
			return err
		}
		if want := 24 * n * (4*k + 60) / 3; size != want {
			return fmt.Errorf("%d bytes, not %d", size, want)
		}
		st, err := f.ReadAtAll(buf(60), iofile.Offset(4*k+30)) // up to the end and beyond
		if err != nil {
			return err
		}
		if got, _ := st.Count(types.Double); got != 30 {
			return fmt.Errorf("%d doubles were read, not 30", got)
		}
		if err = f.SetView(iofile.ViewOf[float64](0)); err != nil {
			return err
		}
		if err = errors.Join(f.Sync(), c.Barrier(), f.Sync()); err != nil {
			return err
		}
		if _, err = f.WriteOrdered(buf(10 + r)); err != nil {
			return err
		}
		return f.Close()
	}
}

func ones(n int64) types.Buffer   { return types.Of(make([]float64, n)) }
func filled(n int64) types.Buffer { return types.Fill(n, types.Double) }

// If this fails, a program without bytes is counted or costed otherwise than with them.
func TestWithoutBytes(t *testing.T) {
	const ranks = 6
	m := machine.Lustre(8, 1<<16)
	m.StripeCount = 4
	run := func(t *testing.T, fsys *iofile.FS, s strategy.Strategy, buf func(n int64) types.Buffer) *world.Report {
		rep, err := world.RunReport(context.Background(), ranks, movesAll(fsys, s, buf), world.On(m))
		require.NoError(t, err)
		return rep
	}
	for _, s := range []strategy.Strategy{nil, strategy.Direct{}, strategy.Sieve{}, strategy.List{}, strategy.TwoPhase{Nodes: 2, Buffer: 1 << 16}} {
		t.Run(fmt.Sprintf("CONS-LAY-01 %v", s), func(t *testing.T) {
			want := run(t, iofile.NewMem(), s, ones)
			for name, fsys := range map[string]*iofile.FS{"Fill": iofile.NewMem(), "WithoutBytes": iofile.NewMem(iofile.WithoutBytes())} {
				got := run(t, fsys, s, filled)
				assert.Equal(t, want.Files, got.Files, name)
				assert.Equal(t, want.Model.Seconds, got.Model.Seconds, name)
				assert.Equal(t, want.Model.Requests(), got.Model.Requests(), name)
				assert.Equal(t, want.Races, got.Races, name)
			}
		})
	}
	t.Run("IO-DA-01 Fill writes its bytes, and reading into it discards", func(t *testing.T) {
		fsys := iofile.NewMem()
		err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
			if err != nil {
				return err
			}
			const n = 200_000 // more than is packed at once
			if _, err = f.WriteAtAll(types.Fill(n, types.Byte), iofile.Offset(n*c.Rank())); err != nil {
				return err
			}
			st, err := f.ReadAt(types.Fill(100, types.Byte), iofile.Offset(n*c.Rank()))
			got, _ := st.Count(types.Byte)
			assert.EqualValues(t, 100, got)
			return errors.Join(err, f.Close())
		})
		require.NoError(t, err)
		data, err := fsys.ReadFile("f")
		require.NoError(t, err)
		require.Len(t, data, 400_000)
		for i, b := range data {
			if b != types.FillByte(int64(i%200_000)) {
				t.Fatalf("byte %d is %d", i, b)
			}
		}
	})
	t.Run("IO-DA-01 a page says that there are no bytes", func(t *testing.T) {
		var b bytes.Buffer
		fsys := iofile.NewMem(iofile.WithoutBytes())
		require.NoError(t, world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
			if err != nil {
				return err
			}
			_, err = f.WriteAtAll(types.Fill(1<<20, types.Double), iofile.Offset(c.Rank())<<23)
			return errors.Join(err, f.Close())
		}, world.Trace(&b, world.HTML)))
		assert.Contains(t, b.String(), "has no bytes")
	})
	t.Run("IO-OPEN-03 what needs bytes is refused", func(t *testing.T) {
		open := func(fsys *iofile.FS, mode iofile.Mode, then func(c *comm.Comm, f *iofile.File) error) error {
			return world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", mode)
				if err != nil {
					return err
				}
				if then != nil {
					err = then(c, f)
				}
				return errors.Join(err, f.Close())
			})
		}
		rw := iofile.Create | iofile.ReadWrite
		none := iofile.NewMem(iofile.WithoutBytes())
		dir, err := iofile.NewDir(t.TempDir(), iofile.WithoutBytes())
		require.NoError(t, err)
		defer dir.Close()
		external := func(c *comm.Comm, f *iofile.File) error {
			v := iofile.ViewOf[float64](0)
			v.Rep = "external32"
			err := f.SetView(v)
			if err == nil {
				_, err = f.WriteAt(types.Fill(4, types.Double), iofile.Offset(4*c.Rank()))
			}
			return err
		}
		assert.NoError(t, open(none, rw, external))
		for name, err := range map[string]error{
			"a directory":        open(dir, rw, nil),
			"crashes":            open(iofile.NewMem(iofile.WithoutBytes(), iofile.WithTracking(iofile.Crashes)), rw, nil),
			"provenance":         open(iofile.NewMem(iofile.WithoutBytes(), iofile.WithTracking(iofile.Provenance)), rw, nil),
			"sequential":         open(none, iofile.Create|iofile.WriteOnly|iofile.Sequential, nil),
			"fill in other form": open(iofile.NewMem(), rw, external),
			"reading": open(none, rw, func(c *comm.Comm, f *iofile.File) error {
				_, err := f.ReadAtAll(types.Of(make([]byte, 4*(1-c.Rank()))), 0) // an error of one rank is an error of all
				return err
			}),
		} {
			assert.ErrorIs(t, err, iofile.ErrUnsupportedOperation, name)
		}
		_, err = none.ReadFile("f")
		assert.ErrorIs(t, err, iofile.ErrUnsupportedOperation)
		x, err := world.Explore(context.Background(), 2, func() (func(context.Context, *comm.Comm) error, func() any) {
			return func(_ context.Context, c *comm.Comm) error {
				_, err := iofile.Open(c, none, "f", rw)
				return err
			}, nil
		})
		require.NoError(t, err)
		for _, o := range x.Outcomes {
			assert.ErrorIs(t, o.Err, iofile.ErrUnsupportedOperation)
		}
	})
}
