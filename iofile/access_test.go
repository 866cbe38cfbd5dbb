package iofile_test

import (
	"context"
	"encoding/hex"
	"io/fs"
	"math"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ints is data of type int.
func ints(xs ...int32) types.Buffer { return types.Of(xs).As(types.Int) }

// alone opens a fresh file on one rank.
func alone(t *testing.T, text string, body func(f *iofile.File) error) {
	t.Helper()
	fsys := iofile.NewMem()
	put(t, fsys, "f", text)
	with(t, 1, fsys, "f", iofile.ReadWrite, func(f *iofile.File, _ int) error { return body(f) })
}

// TestAccessRules: a refused access returns its error class and moves no bytes.
func TestAccessRules(t *testing.T) {
	t.Run("IO-DA-02 buffers", func(t *testing.T) {
		alone(t, "0123456789", func(f *iofile.File) error {
			_, err := f.ReadAt(types.Raw(make([]byte, 3), 1, types.Int), 0)
			assert.ErrorIs(t, err, iofile.ErrBuffer)
			_, err = f.ReadAt(types.Raw(make([]byte, 3), -1, types.Byte), 0)
			assert.ErrorIs(t, err, iofile.ErrCount)
			_, err = f.ReadAt(types.Raw(make([]byte, 3), 1, nil), 0)
			assert.ErrorIs(t, err, iofile.ErrType)
			_, err = f.ReadAt(types.Buffer{}, 0)
			assert.Error(t, err)
			_, err = f.WriteAtAll(comm.InPlace, 0)
			refused(t, err, iofile.ErrBuffer, "IO-DA-02")
			return nil
		})
	})
	t.Run("IO-DA-18 the memory of a read holds its whole count", func(t *testing.T) {
		alone(t, "0123456789", func(f *iofile.File) error {
			mem := make([]byte, 20)
			long := types.Raw(mem[:12:12], 15, types.Byte)
			for _, read := range []func(types.Buffer) error{
				func(b types.Buffer) error { return second(f.ReadAt(b, 0)) },
				func(b types.Buffer) error { return second(f.ReadAtAll(b, 0)) },
				func(b types.Buffer) error { return second(f.Read(b)) },
				func(b types.Buffer) error { return second(f.ReadShared(b)) },
				func(b types.Buffer) error { return second(f.ReadOrdered(b)) },
				func(b types.Buffer) error { return second(f.IReadAt(b, 0)) },
				func(b types.Buffer) error { return f.ReadAtAllBegin(b, 0) },
				func(b types.Buffer) error { return second(f.ReadAt(b, 100)) }, // nothing comes
			} {
				err := read(long)
				refused(t, err, iofile.ErrBuffer, "IO-DA-18")
				assert.ErrorContains(t, err, "a read needs memory for its whole count, wherever the file ends; give the count that the memory holds")
			}
			assert.Equal(t, make([]byte, 20), mem)
			st, err := f.ReadAt(long.Times(12), 0) // as the advice says
			assert.EqualValues(t, 10, st.Bytes())
			return err
		})
	})
	t.Run("IO-DA-03 DIV-19 negative offset", func(t *testing.T) {
		alone(t, "abc", func(f *iofile.File) error {
			_, err := f.WriteAt(types.Of([]byte("x")), -1)
			refused(t, err, iofile.ErrArg, "IO-DA-03")
			return nil
		})
	})
	t.Run("IO-DA-04 IO-TM-03 DIV-15 DIV-16 the datatype must match the etype", func(t *testing.T) {
		alone(t, "", func(f *iofile.File) error {
			if err := f.SetView(v(0, types.Int, types.Int)); err != nil {
				return err
			}
			for _, b := range []types.Buffer{
				types.Of([]float32{1}), types.Raw(make([]byte, 3), 1, types.Contiguous(3, types.Char)),
				types.Raw(make([]byte, 4), 4, types.Byte), types.Raw(make([]byte, 4), 4, types.Char),
			} {
				_, err := f.WriteAt(b, 0)
				assert.ErrorIs(t, err, iofile.ErrType)
			}
			size, err := f.Size()
			assert.Zero(t, size)
			return err
		})
	})
	t.Run("IO-TM-02 etype byte takes any datatype", func(t *testing.T) {
		alone(t, "", func(f *iofile.File) error {
			_, err := f.WriteAt(ints(1, 2), 3)
			size, _ := f.Size()
			assert.EqualValues(t, 11, size)
			return err
		})
	})
	t.Run("IO-DA-05 a read stores no byte twice", func(t *testing.T) {
		alone(t, "abcd", func(f *iofile.File) error {
			twice := types.HIndexedBlock(1, []int64{0, 0}, types.Byte)
			_, err := f.ReadAt(types.Raw(make([]byte, 1), 1, twice), 0)
			refused(t, err, iofile.ErrType, "IO-DA-05")
			_, err = f.WriteAt(types.Raw([]byte{'z'}, 1, twice), 1)
			assert.NoError(t, err)
			got := make([]byte, 4)
			_, err = f.ReadAt(types.Of(got), 0)
			assert.Equal(t, "azzd", string(got))
			return err
		})
	})
	t.Run("IO-DA-11 nothing to move", func(t *testing.T) {
		alone(t, "abcd", func(f *iofile.File) error {
			for _, b := range []types.Buffer{types.Of([]byte{}), types.Raw(nil, 5, types.Contiguous(0, types.Byte))} {
				_, err := f.Write(b)
				assert.NoError(t, err)
				st, err := f.ReadAll(b)
				assert.NoError(t, err)
				n, ok := st.Count(types.Byte)
				assert.True(t, ok)
				assert.Zero(t, n)
			}
			pos, err := f.Position()
			assert.Zero(t, pos)
			return err
		})
	})
	t.Run("IO-DA-16 beyond the largest offset", func(t *testing.T) {
		alone(t, "", func(f *iofile.File) error {
			_, err := f.WriteAt(types.Of([]byte("ab")), math.MaxInt64-1)
			refused(t, err, iofile.ErrArg, "IO-DA-16")
			if err := f.Seek(math.MaxInt64-2, iofile.SeekSet); err != nil {
				return err
			}
			refused(t, f.Seek(5, iofile.SeekCur), iofile.ErrArg, "IO-DA-16")
			_, err = f.Read(ints(1))
			refused(t, err, iofile.ErrArg, "IO-DA-16")
			return nil
		})
	})
	t.Run("IO-DA-15 IO-AT-01 pointers do not affect each other", func(t *testing.T) {
		alone(t, "0123456789", func(f *iofile.File) error {
			one := make([]byte, 1)
			read := func(b types.Buffer, how func(types.Buffer) (iofile.Status, error)) byte {
				_, err := how(b)
				assert.NoError(t, err)
				return one[0]
			}
			b := types.Of(one)
			assert.EqualValues(t, '0', read(b, f.Read))
			assert.EqualValues(t, '7', read(b, func(b types.Buffer) (iofile.Status, error) { return f.ReadAt(b, 7) }))
			assert.EqualValues(t, '0', read(b, f.ReadShared))
			assert.EqualValues(t, '1', read(b, f.ReadAll))
			assert.EqualValues(t, '1', read(b, f.ReadOrdered))
			assert.EqualValues(t, '2', read(b, f.Read))
			return nil
		})
	})
	t.Run("ERR-ORD-01 the first failure decides", func(t *testing.T) {
		alone(t, "abc", func(f *iofile.File) error {
			bad := types.Raw(make([]byte, 3), -1, nil)
			_, err := f.ReadAt(bad, -1)
			assert.ErrorIs(t, err, iofile.ErrCount)
			_, err = f.ReadAt(types.Raw(nil, 1, nil), -1)
			assert.ErrorIs(t, err, iofile.ErrType)
			_, err = f.ReadAt(types.Of([]byte{1}), -1)
			assert.ErrorIs(t, err, iofile.ErrArg)
			return nil
		})
	})
	t.Run("GEN-02 an access refused on one rank happens on none", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 3, fsys, "f", create, func(f *iofile.File, rank int) error {
			_, err := f.WriteAtAll(types.Of([]byte("x")), iofile.Offset(1-rank))
			refused(t, err, iofile.ErrArg, "IO-DA-03")
			return nil
		})
		assert.Empty(t, get(t, fsys, "f"))
	})
}

// TestIndependentCallsDoNotWait: only collective calls may wait for other ranks.
func TestIndependentCallsDoNotWait(t *testing.T) {
	t.Run("IO-DA-14 CONS-PROG-01 noncollective calls depend on no other rank", func(t *testing.T) {
		with2 := func(f *iofile.File, c *comm.Comm) error {
			if c.Rank() == 1 { // waits until rank 0 has done all of it
				_, err := c.Recv(types.Of(make([]byte, 1)), 0, 0)
				return err
			}
			one := types.Of([]byte{1})
			for _, call := range []func() error{
				func() error { return second(f.WriteAt(one, 0)) }, func() error { return second(f.ReadAt(one, 0)) },
				func() error { return second(f.Write(one)) }, func() error { return second(f.Read(one)) },
				func() error { return second(f.WriteShared(one)) }, func() error { return second(f.ReadShared(one)) },
				func() error { return f.Seek(0, iofile.SeekEnd) }, func() error { return second(f.Position()) },
				func() error { return second(f.PositionShared()) }, func() error { return second(f.ByteOffset(3)) },
				func() error { return second(f.Size()) }, func() error { return second(f.View()) },
				func() error { return second(f.TypeExtent(types.Int)) }, func() error { return second(f.Group()) },
			} {
				if err := call(); err != nil {
					return err
				}
			}
			return c.Send(one, 1, 0)
		}
		fsys := iofile.NewMem()
		ranks(t, 2, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			if err := with2(f, c); err != nil {
				return err
			}
			return f.Close()
		})
	})
}

// TestEndOfFile: a read returns exactly what it found.
func TestEndOfFile(t *testing.T) {
	t.Run("IO-DA-07 IO-DA-10 IO-DA-09 a read cut inside an item", func(t *testing.T) {
		alone(t, "0123456789", func(f *iofile.File) error {
			if err := f.SetView(v(0, types.Int, types.Int)); err != nil {
				return err
			}
			xs := []int32{-1, -1, -1, -1}
			st, err := f.ReadAt(types.Of(xs).As(types.Int), 0)
			_, whole := st.Count(types.Int)
			assert.False(t, whole)
			_, whole = st.Elements(types.Int)
			assert.False(t, whole)
			assert.EqualValues(t, -1, xs[3], "bytes beyond the data stay")
			return err
		})
	})
	t.Run("IO-DA-07 P2P-MATCH-11 a byte that is not a bool becomes one", func(t *testing.T) {
		alone(t, "\x00\x01\x07", func(f *iofile.File) error {
			if err := f.SetView(v(0, types.Bool, types.Bool)); err != nil {
				return err
			}
			got := make([]bool, 3)
			_, err := f.ReadAt(types.Of(got), 0)
			assert.Equal(t, []bool{false, true, true}, got)
			assert.Equal(t, []byte{0, 1, 1}, types.Of(got).Mem())
			return err
		})
	})
	t.Run("IO-DA-07 at and past the end", func(t *testing.T) {
		alone(t, "0123", func(f *iofile.File) error {
			for _, off := range []iofile.Offset{4, 5, 1 << 40} {
				got := []byte{'x'}
				st, err := f.ReadAt(types.Of(got), off)
				assert.NoError(t, err)
				n, ok := st.Count(types.Byte)
				assert.True(t, ok)
				assert.Zero(t, n)
				assert.EqualValues(t, 'x', got[0])
			}
			return nil
		})
	})
	t.Run("IO-IND-03 DIV-04 IO-IND-02 the pointer moves by what was accessed", func(t *testing.T) {
		alone(t, "0123456789", func(f *iofile.File) error {
			if err := f.Seek(8, iofile.SeekSet); err != nil {
				return err
			}
			st, err := f.Read(types.Of(make([]byte, 5)))
			n, _ := st.Count(types.Byte)
			assert.EqualValues(t, 2, n)
			pos, _ := f.Position()
			assert.EqualValues(t, 10, pos)
			return err
		})
	})
	t.Run("IO-IND-03 the pointer moves past an etype that the end of file cuts", func(t *testing.T) {
		alone(t, "0123456789", func(f *iofile.File) error {
			if err := f.SetView(v(0, types.Int32, types.Int32)); err != nil {
				return err
			}
			for _, want := range []int64{8, 2, 0} {
				q, err := f.IRead(types.Of(make([]int32, 2)))
				if err != nil {
					return err
				}
				st, err := q.Wait()
				n, _ := st.Count(types.Byte)
				assert.Equal(t, want, n)
				if err != nil {
					return err
				}
			}
			pos, _ := f.Position()
			assert.EqualValues(t, 3, pos)
			return nil
		})
	})
	t.Run("IO-IND-02b GEN-01 etype byte counts bytes of the file", func(t *testing.T) {
		alone(t, "", func(f *iofile.File) error {
			_, err := f.Write(ints(1, 2, 3))
			pos, _ := f.Position()
			assert.EqualValues(t, 12, pos)
			return err
		})
	})
	t.Run("IO-DA-07 holes in view and memory, cut by the end", func(t *testing.T) {
		alone(t, "a-b-c-d", func(f *iofile.File) error {
			if err := f.SetView(v(0, types.Char, types.Resized(types.Char, 0, 2))); err != nil {
				return err
			}
			mem := []byte("............")
			st, err := f.ReadAt(types.Raw(mem, 6, types.Resized(types.Char, 0, 2)), 1)
			n, ok := st.Count(types.Char)
			assert.True(t, ok)
			assert.EqualValues(t, 3, n)
			assert.Equal(t, "b.c.d.......", string(mem))
			return err
		})
	})
	t.Run("IO-SEEK-01 IO-SEEK-02 IO-SEEK-04 IO-POS-01 seeking", func(t *testing.T) {
		alone(t, "0123456789", func(f *iofile.File) error {
			pos := func() iofile.Offset { p, err := f.Position(); assert.NoError(t, err); return p }
			assert.NoError(t, f.Seek(4, iofile.SeekSet))
			assert.NoError(t, f.Seek(-1, iofile.SeekCur))
			assert.EqualValues(t, 3, pos())
			assert.NoError(t, f.Seek(-2, iofile.SeekEnd))
			assert.EqualValues(t, 8, pos())
			refused(t, f.Seek(-9, iofile.SeekCur), iofile.ErrArg, "IO-SEEK-02")
			refused(t, f.Seek(0, 0), iofile.ErrArg, "IO-SEEK-02")
			assert.EqualValues(t, 8, pos())
			assert.NoError(t, f.Seek(100, iofile.SeekEnd))
			assert.EqualValues(t, 110, pos())
			size, err := f.Size()
			assert.EqualValues(t, 10, size)
			return err
		})
	})
}

// TestSizes holds the rules of sizes.
func TestSizes(t *testing.T) {
	t.Run("IO-SIZE-01 IO-SIZE-02 IO-SIZE-08 IO-SIZE-09 LIT-39 sizes", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 2, fsys, "f", create, func(f *iofile.File, rank int) error {
			size := func() int64 { n, err := f.Size(); assert.NoError(t, err); return n }
			if rank == 0 {
				if _, err := f.WriteAt(types.Of(make([]byte, 50)), 0); err != nil {
					return err
				}
				assert.EqualValues(t, 50, size())
			}
			assert.NoError(t, f.Seek(40, iofile.SeekSet))
			if err := f.SetSize(10); err != nil {
				return err
			}
			assert.EqualValues(t, 10, size())
			pos, _ := f.Position()
			assert.EqualValues(t, 40, pos)
			if rank == 0 {
				if _, err := f.WriteAt(types.Of([]byte{1}), 20); err != nil {
					return err
				}
				assert.EqualValues(t, 21, size())
				if _, err := f.WriteAt(types.Of([]byte{}), 90); err != nil {
					return err
				}
				assert.EqualValues(t, 21, size())
			}
			return nil
		}, world.Unchecked()) // rank 1 asks for a size that rank 0 is changing
		fi, err := fs.Stat(fsys, "f")
		require.NoError(t, err)
		assert.EqualValues(t, 21, fi.Size())
	})
	t.Run("IO-SIZE-04 LIT-40 preallocating", func(t *testing.T) {
		with(t, 2, iofile.NewMem(), "f", create, func(f *iofile.File, rank int) error {
			size := func() int64 { n, err := f.Size(); assert.NoError(t, err); return n }
			assert.NoError(t, f.Preallocate(30))
			assert.EqualValues(t, 30, size())
			assert.NoError(t, f.Preallocate(5))
			assert.EqualValues(t, 30, size())
			if rank == 0 {
				if _, err := f.WriteAt(types.Of([]byte("z")), 3); err != nil {
					return err
				}
				assert.EqualValues(t, 30, size())
				if _, err := f.WriteAt(types.Of([]byte("z")), 99); err != nil {
					return err
				}
			}
			assert.NoError(t, f.Preallocate(50))
			assert.EqualValues(t, []int64{100, 50}[rank], size(), "rank 0 wrote 100 bytes, and has not published them")
			return nil
		}, world.Unchecked())
	})
	t.Run("IO-SIZE-05 refused preallocation", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "abc")
		with(t, 2, fsys, "f", iofile.ReadOnly, func(f *iofile.File, rank int) error {
			refused(t, f.Preallocate(10), iofile.ErrReadOnly, "IO-SIZE-05")
			refused(t, f.Preallocate(-1), iofile.ErrArg, "IO-SIZE-05")
			return nil
		})
		with(t, 2, fsys, "f", iofile.ReadWrite, func(f *iofile.File, rank int) error {
			refused(t, f.Preallocate(int64(rank)), iofile.ErrNotSame, "IO-SIZE-04")
			return nil
		})
		with(t, 1, fsys, "f", iofile.WriteOnly|iofile.Sequential, func(f *iofile.File, _ int) error {
			refused(t, f.Preallocate(1), iofile.ErrUnsupportedOperation, "IO-SIZE-05")
			return nil
		})
		assert.Equal(t, "abc", get(t, fsys, "f"))
	})
	t.Run("IO-SIZE-03 refused sizes", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "abc")
		with(t, 1, fsys, "f", iofile.ReadOnly, func(f *iofile.File, _ int) error {
			refused(t, f.SetSize(1), iofile.ErrReadOnly, "IO-SIZE-03")
			refused(t, f.SetSize(-1), iofile.ErrArg, "IO-SIZE-03")
			size, err := f.Size()
			assert.EqualValues(t, 3, size)
			return err
		})
		with(t, 2, fsys, "f", iofile.ReadWrite, func(f *iofile.File, rank int) error {
			refused(t, f.SetSize(-1), iofile.ErrArg, "IO-SIZE-03")
			size, err := f.Size()
			assert.EqualValues(t, 3, size)
			return err
		})
		with(t, 1, fsys, "f", iofile.WriteOnly|iofile.Sequential, func(f *iofile.File, _ int) error {
			refused(t, f.SetSize(1), iofile.ErrUnsupportedOperation, "IO-SIZE-03")
			return nil
		})
		assert.Equal(t, "abc", get(t, fsys, "f"))
	})
	t.Run("IO-SIZE-06 DIV-24 bytes no rank wrote are poison, never 0", func(t *testing.T) {
		alone(t, "", func(f *iofile.File) error {
			if err := f.SetSize(3); err != nil {
				return err
			}
			got := make([]byte, 3)
			_, err := f.ReadAt(types.Of(got), 0)
			assert.Equal(t, "a5a5a5", hex.EncodeToString(got))
			return err
		})
	})
	t.Run("IO-SIZE-01 GEN-03 a far end costs nothing", func(t *testing.T) {
		alone(t, "", func(f *iofile.File) error {
			const far = 1 << 61
			if _, err := f.WriteAt(types.Of([]byte("z")), far); err != nil {
				return err
			}
			if err := f.Sync(); err != nil {
				return err
			}
			size, err := f.Size()
			assert.EqualValues(t, int64(far+1), size)
			got := make([]byte, 4)
			st, err2 := f.ReadAt(types.Of(got), far-2)
			assert.NoError(t, err2)
			n, _ := st.Count(types.Byte)
			assert.EqualValues(t, 3, n)
			assert.EqualValues(t, 'z', got[2])
			return err
		})
	})
}

// TestSharedPointer holds the shared pointer.
func TestSharedPointer(t *testing.T) {
	t.Run("IO-SHP-01 IO-SHP-06 IO-SHP-07 IO-SHP-08 IO-SHP-09 LIT-44 ordered by rank", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 2, fsys, "f", create, func(f *iofile.File, rank int) error {
			fill := func(n int) types.Buffer {
				b := make([]byte, n)
				for i := range b {
					b[i] = "AB"[rank]
				}
				return types.Of(b)
			}
			at := func() iofile.Offset { p, err := f.PositionShared(); assert.NoError(t, err); return p }
			if _, err := f.WriteOrdered(fill(3 - rank)); err != nil {
				return err
			}
			assert.EqualValues(t, 5, at())
			if _, err := f.WriteOrdered(fill(1 + rank)); err != nil {
				return err
			}
			return f.Sync()
		})
		assert.Equal(t, "AAABBABB", get(t, fsys, "f"))
		with(t, 2, fsys, "f", iofile.ReadOnly, func(f *iofile.File, rank int) error {
			if err := f.SeekShared(1, iofile.SeekSet); err != nil {
				return err
			}
			got := make([]byte, 2+rank)
			if _, err := f.ReadOrdered(types.Of(got)); err != nil {
				return err
			}
			assert.Equal(t, []string{"AA", "BBA"}[rank], string(got))
			p, err := f.PositionShared()
			assert.EqualValues(t, 6, p)
			if err != nil {
				return err
			}
			if err := f.SeekShared(0, iofile.SeekEnd); err != nil {
				return err
			}
			st, err := f.ReadOrdered(types.Of(got[:2]))
			n, _ := st.Count(types.Byte)
			assert.Zero(t, n)
			p, _ = f.PositionShared()
			assert.EqualValues(t, 12, p, "by what was requested")
			refused(t, f.SeekShared(iofile.Offset(rank), iofile.SeekSet), iofile.ErrNotSame, "IO-SHP-08")
			return err
		})
	})
	t.Run("IO-SHP-04 IO-SHP-05 IO-SHP-03 LIT-43 no record is lost or torn", func(t *testing.T) {
		fsys := iofile.NewMem()
		const n, p = 20, 5
		with(t, p, fsys, "f", create, func(f *iofile.File, rank int) error {
			for i := range n {
				if _, err := f.WriteShared(types.Of([]byte{byte('a' + rank), byte('A' + i)})); err != nil {
					return err
				}
			}
			pos, err := f.Position()
			assert.Zero(t, pos)
			return err
		})
		b, err := fs.ReadFile(fsys, "f")
		require.NoError(t, err)
		require.Len(t, b, 2*n*p)
		next := make([]int, p)
		for i := 0; i < len(b); i += 2 {
			r := b[i] - 'a'
			assert.EqualValues(t, 'A'+next[r], b[i+1], "in the order of the rank's own calls")
			next[r]++
		}
	})
	t.Run("IO-SHP-02 views must agree", func(t *testing.T) {
		with(t, 2, iofile.NewMem(), "f", create, func(f *iofile.File, rank int) error {
			if err := f.SetView(v(int64(rank), types.Char, types.Char)); err != nil {
				return err
			}
			_, err := f.WriteShared(chars("x"))
			refused(t, err, iofile.ErrNotSame, "IO-SHP-02")
			_, err = f.WriteOrdered(chars("x"))
			refused(t, err, iofile.ErrNotSame, "IO-SHP-02")
			return nil
		})
	})
	t.Run("IO-SHP-02 the first rank with another view is named", func(t *testing.T) {
		with(t, 4, iofile.NewMem(), "f", create, func(f *iofile.File, rank int) error {
			if err := f.SetView(v(int64(min(rank, 2)), types.Char, types.Char)); err != nil {
				return err
			}
			_, err := f.WriteShared(chars("x"))
			assert.ErrorContains(t, err, "ranks 0 and 1 have different views")
			return nil
		})
	})
}

// TestVisibility: a read sees only bytes that were published and fetched.
func TestVisibility(t *testing.T) {
	t.Run("CONS-SYNC-05 CONS-SYNC-01 LIT-04 sync, barrier, sync", func(t *testing.T) {
		for _, dir := range []bool{false, true} {
			fsys := iofile.NewMem()
			if dir {
				var err error
				fsys, err = iofile.NewDir(t.TempDir())
				require.NoError(t, err)
				defer fsys.Close()
			}
			ranks(t, 2, func(c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", create)
				if err != nil {
					return err
				}
				if c.Rank() == 0 {
					if _, err := f.WriteAt(types.Of([]byte("555")), 0); err != nil {
						return err
					}
				}
				if err := syncBarrierSync(f, c); err != nil {
					return err
				}
				got := make([]byte, 3)
				if _, err := f.ReadAt(types.Of(got), 0); err != nil {
					return err
				}
				assert.Equal(t, "555", string(got))
				return f.Close()
			})
		}
	})
	t.Run("CONS-ATOM-05 a barrier alone shows nothing", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "000")
		err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			if c.Rank() == 0 {
				if _, err := f.WriteAt(types.Of([]byte("555")), 0); err != nil {
					return err
				}
			}
			if err := c.Barrier(); err != nil {
				return err
			}
			got := make([]byte, 3)
			if _, err := f.ReadAt(types.Of(got), 0); err != nil {
				return err
			}
			assert.Equal(t, []string{"555", "000"}[c.Rank()], string(got))
			return f.Close()
		})
		var race *consistency.RaceError
		if assert.ErrorAs(t, err, &race) {
			assert.Equal(t, consistency.WriterSync, race.Missing)
			assert.Equal(t, "CONS-C2", race.Rule)
			assert.Equal(t, [2]int{0, 1}, [2]int{race.A.Rank, race.B.Rank})
			assert.Equal(t, 1, race.Count)
		}
	})
	t.Run("CONS-ATOM-01 CONS-ATOM-04 LIT-02 atomic mode and a barrier", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 2, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			if err := f.SetAtomicity(true); err != nil {
				return err
			}
			on, _ := f.Atomicity()
			assert.True(t, on)
			if c.Rank() == 0 {
				if _, err := f.WriteAt(types.Of([]byte("555")), 0); err != nil {
					return err
				}
			}
			if err := c.Barrier(); err != nil {
				return err
			}
			got := make([]byte, 3)
			if _, err := f.ReadAt(types.Of(got), 0); err != nil {
				return err
			}
			assert.Equal(t, "555", string(got))
			return f.Close()
		})
	})
	t.Run("LIT-03 atomic mode and a message", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 2, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			if err := f.SetAtomicity(true); err != nil {
				return err
			}
			none := types.Of([]byte{})
			if c.Rank() == 0 {
				if _, err := f.WriteAt(types.Of([]byte("5555555555")), 0); err != nil {
					return err
				}
				if err := c.Send(none, 1, 0); err != nil {
					return err
				}
			} else {
				if _, err := c.Recv(none, 0, 0); err != nil {
					return err
				}
				got := make([]byte, 10)
				if _, err := f.ReadAt(types.Of(got), 0); err != nil {
					return err
				}
				assert.Equal(t, "5555555555", string(got))
			}
			return f.Close()
		})
	})
	t.Run("LIT-23 sync, barrier, sync across two opens", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 2, func(c *comm.Comm) error {
			f, err := iofile.Open(c.Self(), fsys, "f", create)
			if err != nil {
				return err
			}
			if c.Rank() == 0 {
				if _, err := f.WriteAt(types.Of([]byte("5")), 0); err != nil {
					return err
				}
			}
			if err := syncBarrierSync(f, c); err != nil {
				return err
			}
			got := []byte{0}
			if _, err := f.ReadAt(types.Of(got), 0); err != nil {
				return err
			}
			assert.Equal(t, "5", string(got))
			return f.Close()
		})
	})
	t.Run("LIT-46 readers need no sync", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "abcdef")
		for _, atomic := range []bool{false, true} {
			with(t, 3, fsys, "f", iofile.ReadOnly, func(f *iofile.File, rank int) error {
				if err := f.SetAtomicity(atomic); err != nil {
					return err
				}
				got := make([]byte, 4)
				_, err := f.ReadAt(types.Of(got), iofile.Offset(rank))
				assert.Equal(t, "abcdef"[rank:rank+4], string(got))
				return err
			})
		}
	})
	t.Run("CONS-SYNC-04 DIV-05 sync on a read-only file", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "abc")
		with(t, 2, fsys, "f", iofile.ReadOnly, func(f *iofile.File, _ int) error { return f.Sync() })
	})
}

func syncBarrierSync(f *iofile.File, c *comm.Comm) error {
	if err := f.Sync(); err != nil {
		return err
	}
	if err := c.Barrier(); err != nil {
		return err
	}
	return f.Sync()
}

// TestRepresentations: views scale with the representation, displacements and
// memory do not.
func TestRepresentations(t *testing.T) {
	t.Run("EX-REP-08 DIV-09 IO-DA-06 REP-DT-04 REP-DT-05 REP-INT-03 a strided long under external32", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
			ft := types.Vector(2, 1, 3, types.Long)
			if err := f.SetView(iofile.View{Etype: types.Long, Filetype: ft, Rep: "external32"}); err != nil {
				return err
			}
			_, err := f.WriteAt(types.Of([]int64{1, 2, 3}).As(types.Long), 0)
			return err
		})
		b, err := fs.ReadFile(fsys, "f")
		require.NoError(t, err)
		assert.Equal(t, "00000001"+"a5a5a5a5a5a5a5a5"+"00000002"+"00000003", hex.EncodeToString(b))
	})
	t.Run("DIV-08 contiguous longs under external32", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
			if err := f.SetView(iofile.View{Etype: types.Long, Filetype: types.Long, Rep: "external32"}); err != nil {
				return err
			}
			if _, err := f.WriteAt(types.Of([]int64{1, -2, 3}).As(types.Long), 0); err != nil {
				return err
			}
			back := make([]int64, 4)
			st, err := f.ReadAt(types.Of(back).As(types.Long), 0)
			n, ok := st.Count(types.Long)
			assert.True(t, ok)
			assert.EqualValues(t, 3, n)
			assert.Equal(t, []int64{1, -2, 3, 0}, back)
			return err
		})
		b, err := fs.ReadFile(fsys, "f")
		require.NoError(t, err)
		assert.Len(t, b, 12)
	})
	t.Run("REP-EXT-01 REP-EXT-03 REP-EXT-04 REP-DT-09 DIV-07 extents in the file", func(t *testing.T) {
		with(t, 1, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
			ext := func(ty *types.Type) int64 { n, err := f.TypeExtent(ty); assert.NoError(t, err); return n }
			assert.EqualValues(t, 8, ext(types.Long))
			if err := f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte, Rep: "external32"}); err != nil {
				return err
			}
			assert.EqualValues(t, 4, ext(types.Long))
			assert.EqualValues(t, 2, ext(types.WChar))
			assert.EqualValues(t, 12, ext(types.DoubleInt))
			_, err := f.TypeExtent(nil)
			assert.ErrorIs(t, err, iofile.ErrType)
			return nil
		})
	})
	t.Run("REP-BYTE-01 DIV-28 IO-TM-07 etype byte converts nothing", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
			if err := f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte, Rep: "external32"}); err != nil {
				return err
			}
			_, err := f.WriteAt(types.Raw([]byte{4, 3, 2, 1}, 1, types.Int), 0)
			return err
		})
		b, err := fs.ReadFile(fsys, "f")
		require.NoError(t, err)
		assert.Equal(t, "04030201", hex.EncodeToString(b))
	})
	t.Run("REP-INT-05 REP-MATCH-01 LIT-50 IO-TM-04 the program has to name the representation", func(t *testing.T) {
		alone(t, "", func(f *iofile.File) error {
			if err := f.SetView(iofile.View{Etype: types.Int, Filetype: types.Int, Rep: "external32"}); err != nil {
				return err
			}
			if _, err := f.WriteAt(ints(1), 0); err != nil {
				return err
			}
			if err := f.SetView(iofile.View{Etype: types.Int, Filetype: types.Int, Rep: "native"}); err != nil {
				return err
			}
			got := []int32{0}
			_, err := f.ReadAt(types.Of(got).As(types.Int), 0)
			assert.EqualValues(t, 1<<24, got[0], "the bytes as they are stored")
			return err
		})
	})
	t.Run("REP-X32-09 a value that does not fit writes nothing", func(t *testing.T) {
		alone(t, "", func(f *iofile.File) error {
			if err := f.SetView(iofile.View{Etype: types.Long, Filetype: types.Long, Rep: "external32"}); err != nil {
				return err
			}
			_, err := f.WriteAt(types.Of([]int64{1, 1 << 40}).As(types.Long), 0)
			refused(t, err, iofile.ErrConversion, "REP-X32-09")
			size, err := f.Size()
			assert.Zero(t, size)
			return err
		})
	})
	t.Run("REP-X32-00 REP-INT-01 REP-MATCH-02 unlike machines share a file", func(t *testing.T) {
		fsys := iofile.NewMem()
		archs := []*reps.Arch{reps.LP64LE, reps.LP64BE, reps.ILP32LE, reps.ILP32BE}
		opts := make([]world.Option, len(archs))
		for r, a := range archs {
			opts[r] = world.Arch(r, a)
		}
		ranks(t, len(archs), func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			ft := types.Vector(1, 1, 1, types.Double)
			if err := f.SetView(iofile.View{Disp: int64(8 * c.Rank()), Etype: types.Double, Filetype: ft, Rep: "external32"}); err != nil {
				return err
			}
			if _, err := f.WriteAtAll(types.Of([]float64{float64(c.Rank()) + 0.5}), 0); err != nil {
				return err
			}
			if err := syncBarrierSync(f, c); err != nil {
				return err
			}
			if err := f.SetView(iofile.View{Etype: types.Double, Filetype: types.Double, Rep: "external32"}); err != nil {
				return err
			}
			xs := make([]float64, 4)
			if _, err := f.ReadAtAll(types.Of(xs), 0); err != nil {
				return err
			}
			assert.Equal(t, []float64{0.5, 1.5, 2.5, 3.5}, xs)
			return f.Close()
		}, opts...)
	})
}

// If the cached plan covered calls that differ from the remembered one, a wrong call would
// be carried out because an earlier one was right.
func TestCachedPlanIsDropped(t *testing.T) {
	alone(t, "", func(f *iofile.File) error {
		twice := types.HVector(2, 1, 4, types.Double) // its items share bytes
		mem := make([]byte, 64)
		long, short := types.Raw(mem, 2, twice), types.Raw(mem[:20], 2, twice)
		for range 2 {
			_, err := f.WriteAt(long, 0)
			assert.NoError(t, err)
			_, err = f.WriteAt(short, 0)
			assert.ErrorIs(t, err, iofile.ErrBuffer, "less memory")
			_, err = f.ReadAt(long, 0)
			assert.ErrorIs(t, err, iofile.ErrType, "two places for a byte")
			_, err = f.WriteAt(long, iofile.Offset(extent.MaxSize))
			assert.ErrorIs(t, err, iofile.ErrArg, "beyond what a file can hold")
		}
		assert.NoError(t, f.SetView(iofile.View{Etype: types.Int, Filetype: types.Int}))
		_, err := f.WriteAt(long, 0)
		assert.ErrorIs(t, err, iofile.ErrType, "another etype")
		return nil
	})
}
