package reps_test

import (
	"encoding/hex"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// TestPackExternal: packed data is exchanged with other MPIs and with files;
// if it fails, they read something else.
func TestPackExternal(t *testing.T) {
	a := reps.LP64LE
	t.Run("PK-X32-01 PK-X32-02 PK-X32-04 PACK-01 calls follow each other", func(t *testing.T) {
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
