package types_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/types"
)

// TestNoType: a Type that no constructor made is an error, wherever it goes.
func TestNoType(t *testing.T) {
	for _, none := range []*types.Type{nil, new(types.Type)} {
		t.Run("DT-ARG-01 every use reports it", func(t *testing.T) {
			assert.ErrorIs(t, none.Err(), types.ErrType)
			_, err := none.Layout(types.Host)
			assert.ErrorIs(t, err, types.ErrType)
			_, err = none.Contents()
			assert.ErrorIs(t, err, types.ErrType)
			for _, of := range []*types.Type{
				types.Contiguous(1, none), types.Vector(1, 1, 1, none), types.Dup(none), types.Resized(none, 0, 4), none.WithName("x"),
				types.Struct(types.Field{Count: 1, Type: none}), types.Indexed([]types.Block{{Len: 1}}, none),
				types.Subarray(types.OrderC, []types.Slab{{Size: 1, Sub: 1}}, none),
			} {
				assert.ErrorIs(t, of.Err(), types.ErrType)
			}
			assert.ErrorIs(t, types.Raw(nil, 1, none).Check(types.Host), types.ErrType)
			assert.NotPanics(t, func() {
				_ = none.String()
				_ = none.GoString()
				_ = none.Size(types.Host)
				_ = none.Envelope()
				_ = none.Signature().String()
				_ = none.Kind()
				_ = none.Name()
				_ = none.Equal(types.Int)
				_ = types.Int.Equal(none)
				_ = none.Portable()
				_ = none.Predefined()
			})
		})
	}
	t.Run("DT-ARG-01 nesting without end", func(t *testing.T) {
		deep := types.Int
		for range 2000 {
			deep = types.Dup(deep)
		}
		assert.ErrorIs(t, deep.Err(), types.ErrArg)
		assert.NotPanics(t, func() { _ = deep.String() })
		fine := types.Int
		for range 900 {
			fine = types.Dup(fine)
		}
		assert.NoError(t, fine.Err())
		back, err := types.Parse(fine.String())
		assert.NoError(t, err)
		assert.True(t, back.Equal(fine))
	})
	t.Run("DT-ARG-01 an origin far outside", func(t *testing.T) {
		b := types.Of(make([]int32, 4)).At(math.MaxInt64)
		assert.ErrorIs(t, b.Check(types.Host), types.ErrBuffer)
		assert.Zero(t, b.As(types.Int).Count())
		assert.Zero(t, types.Of(make([]int32, 4)).At(math.MinInt64).As(types.Int).Count())
	})
}
