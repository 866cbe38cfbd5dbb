package iofile_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// If this fails, the fast path to slices does not do what the general one does.
func TestSlices(t *testing.T) {
	type point struct {
		X, Y float64
		Tag  int32
	}
	t.Run("IO-AT-01 IO-DA-10 there and back", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 3, func(w *comm.Comm) error {
			f, err := iofile.Open(w, fsys, "f", create)
			if err != nil {
				return err
			}
			if err := f.SetView(iofile.ViewOf[point](4)); err != nil {
				return err
			}
			r := w.Rank()
			n, err := iofile.WriteSliceAll(f, iofile.Offset(2*r), []point{{X: float64(r)}, {Tag: int32(r)}})
			assert.Equal(t, 2, n)
			if err = errors.Join(err, f.Sync(), w.Barrier(), f.Sync()); err != nil {
				return err
			}
			all, err := iofile.ReadSliceAll[point](f, 0, 100)
			assert.Equal(t, []point{{}, {}, {X: 1}, {Tag: 1}, {X: 2}, {Tag: 2}}, all)
			assert.NoError(t, err)
			if size, _ := f.Size(); r == 0 {
				assert.EqualValues(t, 4+5*reflect.TypeFor[point]().Size()+20, size, "padding is not data")
			}
			if err = f.SetSize(4 + int64(reflect.TypeFor[point]().Size()) + 12); err != nil {
				return err
			}
			some, err := iofile.ReadSlice[point](f, 0, 3)
			assert.Len(t, some, 1, "of the second there is only a part")
			assert.NoError(t, err)
			none, err := iofile.ReadSlice[point](f, 9, 3)
			assert.Empty(t, none)
			assert.NoError(t, err)
			return f.Close()
		})
	})
	t.Run("IO-DA-02 IO-DA-16 refused", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 2, func(w *comm.Comm) error {
			f, err := iofile.Open(w, fsys, "f", create)
			if err != nil {
				return err
			}
			_, err = iofile.ReadSlice[int32](f, 0, -1)
			refused(t, err, iofile.ErrCount, "IO-DA-02")
			for _, n := range []int{math.MaxInt, math.MaxInt/2 + 1, math.MaxInt/4 + 1} {
				_, err = iofile.ReadSlice[int32](f, 0, n)
				refused(t, err, iofile.ErrNoMem, "IO-DA-16")
			}
			_, err = iofile.ReadSliceAll[int32](f, 0, 1-2*w.Rank())
			refused(t, err, iofile.ErrCount, "IO-DA-02")
			_, err = iofile.ReadSlice[string](f, 0, 1)
			refused(t, err, iofile.ErrType, "P2P-MATCH-11")
			assert.ErrorContains(t, err, "[]string has no MPI type, because each string is a pointer to its text: use []byte(s)")
			_, err = iofile.ReadSliceAll[int](f, 0, 1)
			assert.ErrorContains(t, err, "use []int32 or []int64")
			_, err = iofile.WriteSlice(f, 0, []uint{1})
			assert.ErrorContains(t, err, "use []uint32 or []uint64")
			_, err = iofile.WriteSliceAll(f, 0, [][]float64{{1}})
			refused(t, err, iofile.ErrType, "P2P-MATCH-11")
			assert.ErrorContains(t, err, "[][]float64 has no MPI type")
			_, err = iofile.WriteSlice(f, -1, []byte{1})
			refused(t, err, iofile.ErrArg, "IO-DA-03")
			_, err = iofile.WriteSlice((*iofile.File)(nil), 0, []byte{1})
			refused(t, err, iofile.ErrFile, "IO-CLOSE-04")
			assert.Error(t, f.SetView(iofile.ViewOf[*int](0)))
			return f.Close()
		})
	})
	t.Run("IO-DA-09 of a write that fails what is there counts", func(t *testing.T) {
		fsys, plan := planned(t, "write error=nospace after=10", iofile.WithModel(consistency.POSIX))
		ranks(t, 1, func(w *comm.Comm) error {
			f, err := iofile.Open(w, fsys, "f", create)
			if err != nil {
				return err
			}
			n, err := iofile.WriteSlice(f, 0, []int32{1, 2, 3, 4})
			assert.Equal(t, 2, n)
			assert.ErrorIs(t, err, iofile.ErrNoSpace)
			assert.NoError(t, plan.Set(faults.Must("read error=io after=6")...))
			xs, err := iofile.ReadSlice[int32](f, 0, 2)
			assert.Equal(t, []int32{1}, xs)
			assert.ErrorIs(t, err, iofile.ErrIO)
			assert.NoError(t, plan.Set())
			return f.Close()
		}, world.Unchecked())
	})
}
