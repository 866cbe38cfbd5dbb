package types_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/types"
)

// TestOverlapsIn: a receive into copies that share bytes would store two items in one
// place, and is refused. A receive into copies that interleave, as the columns of a matrix
// do, is common and legal.
func TestOverlapsIn(t *testing.T) {
	layout := func(ty *types.Type) *types.Layout {
		l, err := ty.Layout(types.Host)
		assert.NoError(t, err)
		return l
	}
	column := types.Resized(types.Vector(4, 1, 8, types.Int), 0, 4)
	tile := types.Resized(types.Subarray(types.OrderC, []types.Slab{{Size: 4, Sub: 2}, {Size: 4, Sub: 2}}, types.Int), 0, 8)
	odd := types.Resized(types.Struct(
		types.Field{Count: 1, Disp: 0, Type: types.Byte}, types.Field{Count: 1, Disp: 4, Type: types.Vector(3, 1, 4, types.Int)},
	), 0, 8)
	holes := make([]types.Block, 300_000)
	for i := range holes {
		holes[i] = types.Block{Len: 1 + int64(i%3), Disp: int64(i) * 1000}
	}
	for _, tc := range []struct {
		name  string
		typ   *types.Type
		apart int64 // so many copies share no byte
	}{
		{"items side by side", types.Int, math.MaxInt64},
		{"no data", types.Resized(types.Contiguous(0, types.Int), 0, 0), math.MaxInt64},
		{"an extent of 0", types.Resized(types.Byte, 0, 0), 1},
		{"an extent less than the data", types.Resized(types.Int, 0, 2), 1},
		{"a negative extent", types.Resized(types.Int, 0, -4), math.MaxInt64},
		{"a negative extent, less than the data", types.Resized(types.Int, 0, -3), 1},
		{"columns of a matrix of 8", column, 8},
		{"columns of a matrix of 1024 with 10 million rows", types.Resized(types.Vector(1e7, 1, 1024, types.Double), 0, 8), 1024},
		{"tiles", tile, 2},
		{"a header and a vector", odd, 2},
		{"copies between the runs of one another", types.Resized(types.Vector(3, 2, 7, types.Byte), 0, 16), math.MaxInt64},
		{"the last byte of one, the first of another", types.Resized(types.Contiguous(5, types.Byte), 0, 4), 1},
		{"many irregular runs", types.Resized(types.Indexed(holes, types.Byte), 0, 4), 250},
		{"one copy alone", types.Indexed([]types.Block{{Len: 1}, {Len: 1}}, types.Int), 0},
	} {
		t.Run("P2P-08 IO-DA-05 "+tc.name, func(t *testing.T) {
			l := layout(tc.typ)
			assert.False(t, l.OverlapsIn(0))
			assert.False(t, l.OverlapsIn(-1))
			assert.False(t, tc.apart > 0 && l.OverlapsIn(1))
			assert.False(t, l.OverlapsIn(tc.apart))
			assert.Equal(t, tc.apart != math.MaxInt64, l.OverlapsIn(max(tc.apart, tc.apart+1)))
			assert.Equal(t, tc.apart != math.MaxInt64, l.OverlapsIn(1<<40))
			assert.Equal(t, tc.apart != math.MaxInt64, l.OverlapsIn(math.MaxInt64))
		})
	}
	t.Run("P2P-08 IO-DA-05 as the sets of bytes say", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			blocks := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) types.Block {
				return types.Block{Len: rapid.Int64Range(0, 3).Draw(t, "len"), Disp: rapid.Int64Range(-20, 20).Draw(t, "disp")}
			}), 0, 5).Draw(t, "blocks")
			ext, n := rapid.Int64Range(-12, 12).Draw(t, "extent"), rapid.Int64Range(0, 12).Draw(t, "copies")
			typ := types.Resized(types.Indexed(blocks, types.Byte), 0, ext)
			l, err := typ.Layout(types.Host)
			assert.NoError(t, err)
			seen, twice := map[int64]bool{}, false
			for i := range n {
				for _, b := range blocks {
					for j := range b.Len {
						at := i*ext + b.Disp + j
						twice, seen[at] = twice || seen[at], true
					}
				}
			}
			assert.Equal(t, twice, l.OverlapsIn(n), "%d of %v", n, typ)
			assert.Equal(t, twice, l.OverlapsIn(n), "again")
		})
	})
	t.Run("P2P-08 a bad case for the search ends", func(t *testing.T) {
		far := make([]types.Block, 1<<17)
		for i := range far {
			far[i] = types.Block{Len: 1, Disp: int64(i*7919%len(far)) * 16}
			far[i].Disp += int64(i * 31 % 7)
		}
		assert.True(t, layout(types.Resized(types.Indexed(far, types.Byte), 0, 8)).OverlapsIn(1<<40))
	})
}
