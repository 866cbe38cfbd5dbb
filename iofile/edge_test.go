package iofile_test

import (
	"math"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
)

// TestCollectiveFailsOnAllRanks: if a collective call fails on one rank it must fail on all, or the
// ranks would continue in different places.
func TestCollectiveFailsOnAllRanks(t *testing.T) {
	t.Run("ERR-09 REP-X32-09 a value that does not fit on one rank", func(t *testing.T) {
		with(t, 3, iofile.NewMem(), "f", create, func(f *iofile.File, rank int) error {
			if err := f.SetView(iofile.View{Etype: types.Long, Filetype: types.Long, Rep: "external32"}); err != nil {
				return err
			}
			value := []int64{1, 1 << 40, 3}[rank]
			_, err := f.WriteAtAll(types.Of([]int64{value}).As(types.Long), iofile.Offset(rank))
			refused(t, err, iofile.ErrConversion, "REP-X32-09")
			return nil
		})
	})
	t.Run("ERR-09 IO-DA-16 beyond the largest file on one rank", func(t *testing.T) {
		with(t, 2, iofile.NewMem(), "f", create, func(f *iofile.File, rank int) error {
			_, err := f.WriteAtAll(types.Of([]byte{1}), iofile.Offset(1<<62)-iofile.Offset(rank))
			refused(t, err, iofile.ErrArg, "IO-DA-16")
			return nil
		})
	})
	t.Run("GEN-02 GEN-06 a Close that is refused changes nothing", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 2, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			if c.Rank() == 0 {
				refused(t, f.Close(), iofile.ErrNotSame, "GEN-06")
			} else {
				refused(t, f.Sync(), iofile.ErrNotSame, "GEN-06")
				if _, err := f.WriteAt(types.Of([]byte("hello")), 0); err != nil {
					return err
				}
			}
			if err := syncBarrierSync(f, c); err != nil {
				return err
			}
			got := make([]byte, 5)
			_, err = f.ReadAt(types.Of(got), 0)
			assert.NoError(t, err)
			assert.Equal(t, "hello", string(got))
			return f.Close()
		})
	})
	t.Run("GEN-02 IO-SIZE-03 a size that is refused changes nothing", func(t *testing.T) {
		alone(t, "abc", func(f *iofile.File) error {
			if _, err := f.WriteAt(types.Of([]byte("d")), 3); err != nil {
				return err
			}
			for _, size := range []int64{1<<62 + 1, math.MaxInt64} {
				refused(t, f.SetSize(size), iofile.ErrArg, "IO-SIZE-03")
				refused(t, f.Preallocate(size), iofile.ErrArg, "IO-SIZE-05")
			}
			size, err := f.Size()
			assert.EqualValues(t, 4, size)
			return err
		})
	})
}

// TestExtremeOffsetsAndCounts: offsets and counts at the ends of what numbers can say.
func TestExtremeOffsetsAndCounts(t *testing.T) {
	t.Run("IO-DA-16 GEN-02 a refused access moves no pointer", func(t *testing.T) {
		alone(t, "", func(f *iofile.File) error {
			if err := f.SetView(v(1<<62, types.Byte, types.Byte)); err != nil {
				return err
			}
			_, err := f.Write(types.Of([]byte("xyz")))
			refused(t, err, iofile.ErrArg, "IO-DA-16")
			_, err = f.WriteShared(types.Of([]byte("xyz")))
			refused(t, err, iofile.ErrArg, "IO-DA-16")
			pos, err := f.Position()
			assert.Zero(t, pos)
			assert.NoError(t, err)
			pos, err = f.PositionShared()
			assert.Zero(t, pos)
			return err
		})
	})
	t.Run("IO-DA-16 the last byte counts, not the end of its tile", func(t *testing.T) {
		alone(t, "", func(f *iofile.File) error {
			for _, ft := range []*types.Type{types.Contiguous(1<<62, types.Byte), types.Resized(types.Byte, 0, math.MaxInt64)} {
				if err := f.SetView(v(0, types.Byte, ft)); err != nil {
					return err
				}
				if _, err := f.WriteAt(types.Of([]byte{1}), 0); err != nil {
					return err
				}
				if _, err := f.WriteAt(types.Of([]byte{}), math.MaxInt64); err != nil {
					return err
				}
			}
			_, err := f.WriteAt(types.Of([]byte{1}), 1)
			refused(t, err, iofile.ErrArg, "IO-DA-16")
			return nil
		})
	})
	t.Run("IO-DA-16 a copy of the filetype that reaches farther than the last byte", func(t *testing.T) {
		alone(t, "", func(f *iofile.File) error {
			far := types.HIndexedBlock(1, []int64{0, 1<<62 - 9}, types.Byte)
			if err := f.SetView(v(10, types.Byte, types.Resized(far, 0, 2))); err != nil {
				return err
			}
			for n := 1; n <= 4; n++ {
				_, err := f.ReadAt(types.Of(make([]byte, n)), 0)
				if n == 1 {
					assert.NoError(t, err)
				} else {
					refused(t, err, iofile.ErrArg, "IO-DA-16")
				}
			}
			return nil
		})
	})
	t.Run("IO-DA-05 items that share memory", func(t *testing.T) {
		alone(t, "abcdefgh", func(f *iofile.File) error {
			for _, dt := range []*types.Type{types.Resized(types.Byte, 0, 0), types.Resized(types.Short, 0, 1), types.Resized(types.Short, 0, -1)} {
				_, err := f.ReadAt(types.Raw(make([]byte, 16), 3, dt).At(8), 0)
				refused(t, err, iofile.ErrType, "IO-DA-05")
			}
			_, err := f.ReadAt(types.Raw(make([]byte, 16), 3, types.Resized(types.Short, 0, -2)).At(8), 0)
			return err
		})
	})
	t.Run("IO-DA-16 a byte written a trillion times", func(t *testing.T) {
		alone(t, "", func(f *iofile.File) error {
			for _, n := range []int64{1 << 40, 1 << 61, math.MaxInt64} {
				_, err := f.WriteAt(types.Raw([]byte{1}, n, types.Resized(types.Byte, 0, 0)), 0)
				assert.Error(t, err)
			}
			_, err := f.WriteAt(types.Raw([]byte{1}, 1<<40, types.Resized(types.Byte, 0, 0)), 0)
			refused(t, err, iofile.ErrNoMem, "IO-DA-16")
			return nil
		})
	})
	t.Run("IO-VIEW-18 IO-BOFF-01 no byte to give the offset of", func(t *testing.T) {
		alone(t, "", func(f *iofile.File) error {
			if err := f.SetView(v(0, types.Int, types.Contiguous(0, types.Int))); err != nil {
				return err
			}
			_, err := f.ByteOffset(7)
			refused(t, err, iofile.ErrArg, "IO-VIEW-18")
			return nil
		})
	})
	t.Run("IO-CLOSE-04 a handle that Open did not make", func(t *testing.T) {
		f := new(iofile.File)
		refused(t, f.Close(), iofile.ErrFile, "IO-CLOSE-04")
		refused(t, second(f.WriteAtAll(types.Of([]byte{1}), 0)), iofile.ErrFile, "IO-CLOSE-04")
		refused(t, second(f.Size()), iofile.ErrFile, "IO-CLOSE-04")
	})
	t.Run("IO-TM-03 a lower layer's error is reported once", func(t *testing.T) {
		alone(t, "", func(f *iofile.File) error {
			if err := f.SetView(v(0, types.Int, types.Int)); err != nil {
				return err
			}
			_, err := f.WriteAt(types.Of([]float64{1}), 0)
			assert.Equal(t, 1, strings.Count(err.Error(), "IO-TM-03"), "%v", err)
			assert.NotContains(t, err.Error(), "types:")
			_, err = f.WriteAt(types.Of([]int32{1}), 0)
			assert.ErrorContains(t, err, "describe the memory with types.Of(x).As(types.Int)")
			return nil
		})
	})
}
