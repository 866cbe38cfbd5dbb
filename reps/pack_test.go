package reps_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// TestPackExternal: packed data is exchanged with other MPIs and with files; if it fails,
// these read wrong values.
func TestPackExternal(t *testing.T) {
	a := reps.LP64LE
	t.Run("PK-X32-01 PK-X32-02 PK-X32-04 calls follow each other", func(t *testing.T) {
		every := types.Resized(types.Int, 0, 8)
		xs := []int32{1, 9, 2, 9}
		out := make([]byte, 20)
		pos, err := reps.PackExternal("external32", a, types.Raw(memory(t, types.Of(xs)), 2, every), out, 0)
		require.NoError(t, err)
		pos, err = reps.PackExternal("external32", a, types.Of([]float64{1}), out, pos)
		require.NoError(t, err)
		assert.EqualValues(t, 16, pos)
		assert.Equal(t, "0000000100000002"+"3ff0000000000000"+"00000000", hex.EncodeToString(out))

		back, d := make([]byte, 16), make([]float64, 1)
		pos, err = reps.UnpackExternal("external32", a, out, 0, types.Raw(back, 2, every))
		require.NoError(t, err)
		pos, err = reps.UnpackExternal("external32", a, out, pos, types.Of(d))
		require.NoError(t, err)
		assert.EqualValues(t, 16, pos)
		assert.Equal(t, memory(t, types.Of([]int32{1, 0, 2, 0})), back)
		assert.Equal(t, []float64{1}, d)
	})
	t.Run("PK-X32-01 names", func(t *testing.T) {
		for _, name := range []string{"native", "internal", "external32"} {
			out := make([]byte, 8)
			pos, err := reps.PackExternal(name, a, types.Of([]int64{-2}), out, 0)
			require.NoError(t, err)
			got := []int64{0}
			_, err = reps.UnpackExternal(name, a, out, 0, types.Of(got))
			require.NoError(t, err)
			assert.EqualValues(t, 8, pos)
			assert.Equal(t, []int64{-2}, got)
		}
		_, err := reps.PackExternal("foo", a, types.Of([]int64{1}), make([]byte, 8), 0)
		assert.ErrorIs(t, err, reps.ErrArg)
		_, err = reps.PackExternal("native", nil, types.Of([]int64{1}), make([]byte, 8), 0)
		assert.ErrorIs(t, err, reps.ErrArg)
	})
	t.Run("PK-X32-03 no room", func(t *testing.T) {
		out := []byte("abcdefgh")
		for _, pos := range []int64{1, 5, 8, 9, -1, math.MaxInt64, math.MinInt64} {
			at, err := reps.PackExternal("external32", a, types.Of([]float64{1}), out, pos)
			assert.ErrorIs(t, err, reps.ErrArg)
			assert.Equal(t, pos, at)
			_, err = reps.UnpackExternal("external32", a, out, pos, types.Of(make([]float64, 1)))
			assert.ErrorIs(t, err, reps.ErrArg)
		}
		assert.Equal(t, "abcdefgh", string(out))
	})
	t.Run("PK-X32-05 REP-X32-08 exact sizes", func(t *testing.T) {
		for _, tc := range []struct {
			t    *types.Type
			n    int64
			want int64
		}{{types.Long, 3, 12}, {types.DoubleInt, 2, 24}, {types.WChar, 5, 10}, {types.Vector(2, 1, 3, types.Long), 2, 16}, {types.LongDouble, 1, 16}, {types.Int, 0, 0}} {
			n, err := reps.PackExternalSize("external32", a, tc.n, tc.t)
			require.NoError(t, err)
			assert.Equal(t, tc.want, n, "%v", tc.t)
		}
		_, err := reps.PackExternalSize("external32", a, -1, types.Int)
		assert.ErrorIs(t, err, reps.ErrCount)
		_, err = reps.PackExternalSize("external32", a, math.MaxInt64, types.Int)
		assert.ErrorIs(t, err, reps.ErrArg)
		_, err = reps.PackExternalSize("external32", a, 1, types.Contiguous(-1, types.Int))
		assert.Error(t, err)
	})
	t.Run("PK-X32-04 a failure changes no memory", func(t *testing.T) {
		got := []int32{7}
		_, err := reps.UnpackExternal("external32", a, []byte{1, 2}, 0, types.Of(got))
		assert.ErrorIs(t, err, reps.ErrArg)
		assert.Equal(t, []int32{7}, got)
	})
}

// If packing in pieces and in rows did not fit together, elements at the seams would be
// wrong, in large buffers only.
func TestPackAcrossPieces(t *testing.T) {
	a := reps.LP64LE
	rows := types.Vector(20, 600, 700, types.Int) // long runs only
	mixed := types.Indexed([]types.Block{{Len: 5000, Disp: 1}, {Len: 3, Disp: 6000}, {Len: 900, Disp: 6005}, {Len: 2, Disp: 7000}}, types.Int)
	columns := types.Resized(types.Vector(200, 1, 300, types.Int), 0, 4)
	singles := types.Vector(30000, 1, 3, types.Int)
	late := types.Indexed([]types.Block{{Len: 1, Disp: 0}, {Len: 90000, Disp: 10}}, types.Int)
	shaped := types.Struct(types.Field{Count: 3000, Type: types.Short}, types.Field{Count: 1, Disp: 6004, Type: types.Int})
	for name, tc := range map[string]struct {
		typ   *types.Type
		count int64
	}{
		"PK-X32-02 rows":                  {rows, 3},
		"PK-X32-02 long and short":        {mixed, 9},
		"PK-X32-02 columns":               {columns, 300},
		"PK-X32-02 single items":          {singles, 2},
		"PK-X32-02 a late long run":       {late, 2},
		"PK-X32-02 runs of several kinds": {shaped, 40},
		"PK-X32-02 bytes in rows":         {types.Vector(9, 3000, 4000, types.Byte), 2},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := tc.typ.Layout(a)
			require.NoError(t, err)
			mem := make([]byte, tc.count*l.Extent+l.TrueUB)
			for i := range mem {
				mem[i] = byte(uint32(i) * 2654435761 >> 24)
			}
			buf := types.Raw(mem, tc.count, tc.typ)
			packed := make([]byte, buf.Packed(a))
			buf.Pack(packed, 0, a)
			sig := tc.typ.Signature()
			rep, err := reps.Lookup("external32", a)
			require.NoError(t, err)
			want, got := make([]byte, len(packed)), make([]byte, len(packed))
			require.NoError(t, rep.Encode(want, packed, a, sig, 0, sig.Len()*tc.count))
			_, err = reps.PackExternal("external32", a, buf, got, 0)
			require.NoError(t, err)
			assert.True(t, bytes.Equal(want, got))
			back, clean := make([]byte, len(mem)), make([]byte, len(mem))
			_, err = reps.UnpackExternal("external32", a, got, 0, types.Raw(back, tc.count, tc.typ))
			require.NoError(t, err)
			types.Raw(clean, tc.count, tc.typ).Unpack(packed, 0, a)
			assert.True(t, bytes.Equal(clean, back))
		})
	}
}

// If packing allocated, each step of a halo exchange in external32 would produce garbage.
func TestPackAllocates(t *testing.T) {
	buf := types.Raw(make([]byte, 8000), 1, types.Vector(100, 1, 2, types.Double))
	out := make([]byte, 800)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		_, _ = reps.PackExternal("external32", reps.LP64LE, buf, out, 0)
		_, _ = reps.UnpackExternal("external32", reps.LP64LE, out, 0, buf)
	}))
}
