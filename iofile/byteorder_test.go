package iofile_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type packedRecord struct {
	A int32
	B [4]byte
	C float64
	D [2]int16
	E uint32
}

// A typedSlice is a slice of values without padding, and its bytes on a big-endian machine
// by package binary.
type typedSlice struct {
	buf   types.Buffer
	size  int64 // of an element
	bytes func() []byte
}

func typedSliceOf[T any](t *rapid.T, n int) typedSlice {
	var one [1]T
	size := binary.Size(one[:])
	seed := rapid.SliceOfN(rapid.Byte(), n*size, n*size).Draw(t, "values")
	xs := make([]T, n)
	_, err := binary.Decode(seed, binary.NativeEndian, xs)
	require.NoError(t, err)
	return typedSlice{types.Of(xs), int64(size), func() []byte {
		p, err := binary.Append(nil, binary.BigEndian, xs)
		require.NoError(t, err)
		return p
	}}
}

func drawSlice(t *rapid.T, n int) typedSlice {
	makers := []func(*rapid.T, int) typedSlice{
		typedSliceOf[int16], typedSliceOf[uint32], typedSliceOf[int64], typedSliceOf[float32], typedSliceOf[float64],
		typedSliceOf[complex64], typedSliceOf[complex128], typedSliceOf[[3]int32], typedSliceOf[packedRecord], typedSliceOf[byte], typedSliceOf[int8],
	}
	return makers[rapid.IntRange(0, len(makers)-1).Draw(t, "slice of")](t, n)
}

// A fileForm is one of the ways to read and to write.
type fileForm struct {
	name        string
	read, write func(f *iofile.File, b types.Buffer, off iofile.Offset) (iofile.Status, error)
}

type (
	moveAt    = func(*iofile.File, types.Buffer, iofile.Offset) (iofile.Status, error)
	startAt   = func(*iofile.File, types.Buffer, iofile.Offset) (*comm.Request, error)
	moveHere  = func(*iofile.File, types.Buffer) (iofile.Status, error)
	startHere = func(*iofile.File, types.Buffer) (*comm.Request, error)
)

func waited(start startAt) moveAt {
	return func(f *iofile.File, b types.Buffer, off iofile.Offset) (iofile.Status, error) {
		r, err := start(f, b, off)
		if err != nil {
			return iofile.Status{}, err
		}
		return r.Wait()
	}
}

func sought(move moveHere) moveAt {
	return func(f *iofile.File, b types.Buffer, off iofile.Offset) (iofile.Status, error) {
		if err := f.Seek(off, iofile.SeekSet); err != nil {
			return iofile.Status{}, err
		}
		return move(f, b)
	}
}

func soughtShared(move moveHere) moveAt {
	return func(f *iofile.File, b types.Buffer, off iofile.Offset) (iofile.Status, error) {
		if err := f.SeekShared(off, iofile.SeekSet); err != nil {
			return iofile.Status{}, err
		}
		return move(f, b)
	}
}

func atPointer(start startHere) moveHere {
	return func(f *iofile.File, b types.Buffer) (iofile.Status, error) {
		return waited(func(f *iofile.File, b types.Buffer, _ iofile.Offset) (*comm.Request, error) { return start(f, b) })(f, b, 0)
	}
}

func inHalves(begin func(*iofile.File, types.Buffer, iofile.Offset) error, end moveHere) moveAt {
	return func(f *iofile.File, b types.Buffer, off iofile.Offset) (iofile.Status, error) {
		if err := begin(f, b, off); err != nil {
			return iofile.Status{}, err
		}
		return end(f, b)
	}
}

var fileForms = []fileForm{
	{"At", (*iofile.File).ReadAt, (*iofile.File).WriteAt},
	{"AtAll", (*iofile.File).ReadAtAll, (*iofile.File).WriteAtAll},
	{"IAt", waited((*iofile.File).IReadAt), waited((*iofile.File).IWriteAt)},
	{"IAtAll", waited((*iofile.File).IReadAtAll), waited((*iofile.File).IWriteAtAll)},
	{"individual", sought((*iofile.File).Read), sought((*iofile.File).Write)},
	{"All", sought((*iofile.File).ReadAll), sought((*iofile.File).WriteAll)},
	{"I", sought(atPointer((*iofile.File).IRead)), sought(atPointer((*iofile.File).IWrite))},
	{"Shared", soughtShared((*iofile.File).ReadShared), soughtShared((*iofile.File).WriteShared)},
	{"IShared", soughtShared(atPointer((*iofile.File).IReadShared)), soughtShared(atPointer((*iofile.File).IWriteShared))},
	{"Ordered", soughtShared((*iofile.File).ReadOrdered), soughtShared((*iofile.File).WriteOrdered)},
	{"split", inHalves((*iofile.File).ReadAtAllBegin, (*iofile.File).ReadAtAllEnd), inHalves((*iofile.File).WriteAtAllBegin, (*iofile.File).WriteAtAllEnd)},
}

// TestBytesOfBigEndianRanks: a native file is the memory of its rank, so a rank finds its
// values again whether it moves them as values or as bytes.
func TestBytesOfBigEndianRanks(t *testing.T) {
	t.Run("REP-NAT-01 IO-TM-07 int32 100 as INT, then as bytes", func(t *testing.T) {
		for _, a := range reps.Archs() {
			for _, describe := range []func(types.Buffer) types.Buffer{
				func(b types.Buffer) types.Buffer { return b },
				func(b types.Buffer) types.Buffer { return b.As(types.Byte) },
				func(b types.Buffer) types.Buffer { return b.As(types.Packed) },
			} {
				with(t, 1, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
					err := f.SetView(as("native", 0, types.Int, types.Int))
					_, e := f.WriteAt(types.Of([]int32{100}).As(types.Int), 0)
					x := []int32{0}
					err = errors.Join(err, e, f.SetView(as("native", 0, types.Byte, types.Byte)))
					_, e = f.ReadAt(describe(types.Of(x)), 0)
					assert.Equal(t, []int32{100}, x, "%v", a)
					assert.Empty(t, f.Lints())
					return errors.Join(err, e)
				}, world.Arch(0, a))
			}
		}
	})
	t.Run("REP-NAT-01 REP-INT-05 bytes between unlike machines", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 2, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			x := []int32{100}
			if c.Rank() == 0 {
				_, err = f.WriteAt(types.Of(x).As(types.Byte), 0)
			}
			err = errors.Join(err, syncBarrierSync(f, c))
			x[0] = 0
			_, e := f.ReadAt(types.Of(x).As(types.Byte), 0)
			assert.Equal(t, []int32{100, 1677721600}[c.Rank()], x[0])
			return errors.Join(err, e, f.Close())
		}, world.Arch(1, reps.LP64BE))
	})
	t.Run("REP-NAT-01 REP-BYTE-01 every form against package binary", rapid.MakeCheck(func(rt *rapid.T) {
		var opts []iofile.OpenOption
		switch rapid.IntRange(0, 3).Draw(rt, "moved by") {
		case 1:
			opts = append(opts, iofile.WithStrategy(rapid.SampledFrom([]strategy.Strategy{strategy.TwoPhase{}, strategy.Sieve{}}).Draw(rt, "strategy")))
		case 2:
			opts = append(opts, iofile.WithCallbacks(iofile.Callbacks{Progress: func(iofile.Progress) {}}))
		}
		n := rapid.IntRange(1, 6).Draw(rt, "n")
		if rapid.IntRange(0, 30).Draw(rt, "many") == 30 {
			n = 40000 // more than is packed at once
		}
		var s typedSlice
		if n > 6 {
			xs := make([]int32, n)
			for i := range xs {
				xs[i] = int32(i * 70001)
			}
			s = typedSlice{types.Of(xs), 4, func() []byte { p, _ := binary.Append(nil, binary.BigEndian, xs); return p }}
		} else {
			s = drawSlice(rt, n)
		}
		own, total := s.buf.Type(), int64(n)*s.size
		hole := rapid.Int64Range(0, 3).Draw(rt, "hole")
		shown := types.Byte // through views of bytes, maybe with holes
		if hole > 0 {
			shown = types.Resized(types.Contiguous(5, types.Byte), 0, 5+hole)
		}
		rep := rapid.SampledFrom([]string{"native", "internal"}).Draw(rt, "rep") // bytes are not converted
		raw := as(rep, 8, types.Byte, shown)
		native := as("native", 8, own, own)
		arch := rapid.SampledFrom([]*reps.Arch{reps.LP64BE, reps.ILP32BE}).Draw(rt, "arch")
		descriptions := []func(types.Buffer) types.Buffer{
			func(b types.Buffer) types.Buffer { return b },
			func(b types.Buffer) types.Buffer { return b.As(types.Byte) },
			func(b types.Buffer) types.Buffer { return b.As(types.Packed) },
		}
		how, howBack := rapid.IntRange(0, 2).Draw(rt, "written as"), rapid.IntRange(0, 2).Draw(rt, "read as")
		describe, back := descriptions[how], descriptions[howBack]
		writer := rapid.SampledFrom(fileForms).Draw(rt, "write")
		reader := rapid.SampledFrom(fileForms).Draw(rt, "read")
		typed := hole == 0 && how != 1 && rapid.Bool().Draw(rt, "through a typed view")
		typedBack := hole == 0 && howBack != 1 && rapid.Bool().Draw(rt, "back through a typed view")
		lo := rapid.Int64Range(0, total-1).Draw(rt, "from")
		k := rapid.Int64Range(0, total-lo).Draw(rt, "bytes")
		want := s.bytes()
		require.NoError(rt, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, iofile.NewMem(), "f", create, opts...)
			if err != nil {
				return err
			}
			set := func(typed bool) error {
				if typed {
					return f.SetView(native)
				}
				return f.SetView(raw)
			}
			err = set(typed)
			_, e := writer.write(f, describe(s.buf), 0)
			file := make([]byte, total) // []byte memory shows the file as it is
			err = errors.Join(err, e, f.SetView(raw))
			_, e = f.ReadAt(types.Of(file), 0)
			assert.Equal(rt, want, file, "written by %s", writer.name)

			mem := slices.Clone(s.buf.Mem())
			clear(s.buf.Mem())
			err = errors.Join(err, e, set(typedBack))
			_, e = reader.read(f, back(s.buf), 0)
			assert.True(rt, bytes.Equal(mem, s.buf.Mem()), "read by %s: %v, not %v", reader.name, s.buf.Mem(), mem)

			// A part: bytes lo to lo+k of the machine's memory, and of no others.
			part := append(append(slices.Clone(want[:lo]), bytes.Repeat([]byte{0x41}, int(k))...), want[lo+k:]...)
			err = errors.Join(err, e, f.SetView(raw))
			_, e = f.WriteAt(types.Of(part), 0)
			_, e2 := reader.read(f, s.buf.As(types.Byte).At(lo).Times(k), iofile.Offset(lo))
			assert.Equal(rt, part, s.bytes(), "bytes %d to %d, read by %s", lo, lo+k, reader.name)
			_, e3 := writer.write(f, s.buf.As(types.Byte).At(lo).Times(k), iofile.Offset(lo))
			_, e4 := f.ReadAt(types.Of(file), 0)
			assert.Equal(rt, part, file)

			// The end of the file cuts a value.
			err = errors.Join(err, e, e2, e3, e4, f.SetView(as("native", 8, types.Byte, types.Byte)))
			_, e = f.WriteAt(types.Of(want), 0)
			clear(s.buf.Mem())
			err = errors.Join(err, e, f.SetSize(8+lo))
			st, e := reader.read(f, s.buf, 0)
			moved, _ := st.Count(types.Byte)
			assert.EqualValues(rt, lo, moved)
			assert.Equal(rt, append(slices.Clone(want[:lo]), make([]byte, total-lo)...), s.bytes())
			return errors.Join(err, e, f.Close())
		}, world.Arch(0, arch)))
	}))
	t.Run("REP-USR-12 bytes of values through a representation of the user's own", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			err := iofile.RegisterDatarep(c, "same", reps.Conversion{Extent: func(t *types.Type, _ any) (int64, error) { return c.Arch().Sizeof(t.Kind()), nil }})
			f, e := iofile.Open(c, iofile.NewMem(), "f", create)
			if err = errors.Join(err, e); err != nil {
				return err
			}
			err = f.SetView(as("same", 0, types.Int, types.Int))
			x := []int32{100, 7}
			_, e = f.WriteAt(types.Of(x).As(types.Packed), 0)
			y := make([]int32, 2)
			_, e2 := f.ReadAt(types.Of(y).As(types.Packed), 0)
			assert.Equal(t, x, y)
			file := make([]byte, 8)
			_, e3 := f.Bytes().ReadAt(file, 0)
			assert.Equal(t, []byte{0, 0, 0, 100, 0, 0, 0, 7}, file)
			return errors.Join(err, e, e2, e3, f.Close())
		}, world.Arch(0, reps.LP64BE))
	})
}
