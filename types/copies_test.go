package types_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/types"
)

// TestCopiesOf: a view whose filetype only seems to be made of its etype would
// tear items apart.
func TestCopiesOf(t *testing.T) {
	layout := func(ty *types.Type) *types.Layout {
		l, err := ty.Layout(types.Host)
		assert.NoError(t, err)
		return l
	}
	gapped := types.Resized(types.HIndexedBlock(1, []int64{0, 2}, types.Char), 0, 4)
	pair := types.Contiguous(2, types.Int)
	for _, tc := range []struct {
		name     string
		of, unit *types.Type
		want     bool
	}{
		{"IO-VIEW-07 a trillion columns at once", types.Vector(1e12, 1, 2, types.Double), types.Double, true},
		{"IO-VIEW-07 a cube at once", types.Subarray(types.OrderC, []types.Slab{{Size: 1e4, Sub: 5e3, Start: 1}, {Size: 1e4, Sub: 5e3, Start: 1}, {Size: 1e4, Sub: 5e3, Start: 1}}, pair), pair, true},
		{"IO-VIEW-07 holes inside", types.Vector(1e9, 2, 5, gapped), gapped, true},
		{"IO-VIEW-07 holes inside, adjacent", types.Contiguous(5, gapped), gapped, true},
		{"IO-VIEW-07 holes inside, irregular", types.Indexed([]types.Block{{Len: 2, Disp: 0}, {Len: 1, Disp: 9}}, gapped), gapped, true},
		{"IO-VIEW-07 odd hole", types.HVector(3, 1, 6, types.Int), types.Int, false},
		{"IO-VIEW-05 torn", types.HIndexedBlock(1, []int64{0, 8}, types.Int), pair, false},
		{"IO-VIEW-05 torn evenly", types.Vector(4, 1, 4, types.Int), pair, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, layout(tc.of).CopiesOf(layout(tc.unit)))
		})
	}
	t.Run("IO-VIEW-05 IO-VIEW-07 whenever it says so, it is so", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			unit := rapid.SampledFrom([]*types.Type{types.Char, types.Int, pair, gapped, types.Vector(2, 1, 2, types.Short)}).Draw(t, "unit")
			of := unit
			for range rapid.IntRange(0, 3).Draw(t, "depth") {
				n, s := rapid.Int64Range(1, 3).Draw(t, "n"), rapid.Int64Range(-3, 9).Draw(t, "stride")
				switch rapid.IntRange(0, 3).Draw(t, "how") {
				case 0:
					of = types.Vector(n, 1, s, of)
				case 1:
					of = types.HVector(n, 2, s, of)
				case 2:
					of = types.HIndexedBlock(1, []int64{s, 0, 3 * n}, of)
				case 3:
					of = types.Resized(of, 0, s*n)
				}
			}
			l, u := layout(of), layout(unit)
			if !l.CopiesOf(u) {
				return
			}
			w, one := types.Tiling{L: l}, types.Tiling{L: u}
			for k := range l.Size / u.Size {
				at := w.At(k*u.Size) - one.At(0)
				if (at-(w.At(0)-one.At(0)))%u.Extent != 0 {
					t.Fatalf("%v: copy %d at %d", of, k, at)
				}
				for b := range u.Size {
					if w.At(k*u.Size+b) != at+one.At(b) {
						t.Fatalf("%v: copy %d of %v is torn at byte %d", of, k, unit, b)
					}
				}
			}
		})
	})
}
