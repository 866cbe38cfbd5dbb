package types_test

import (
	"testing"

	"github.com/commworld/commworld/types"
	"pgregory.net/rapid"
)

// If parts overlapped or left a gap, a matrix written by all ranks would not be
// the matrix.
func TestDarrayPartitions(t *testing.T) {
	t.Run("DT-DARR-06 parts cover the array once", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			g := types.Grid{Size: 1, Order: recipes{t, false}.order()}
			total := int64(1)
			for range rapid.IntRange(1, 3).Draw(t, "dims") {
				d := types.GridDim{
					Size: rapid.Int64Range(1, 7).Draw(t, "size"), Procs: rapid.Int64Range(1, 4).Draw(t, "procs"),
					Dist: rapid.SampledFrom([]types.Distribution{types.DistBlock, types.DistCyclic}).Draw(t, "dist"),
					Arg:  types.DefaultArg,
				}
				if d.Dist == types.DistCyclic {
					d.Arg = rapid.Int64Range(1, 9).Draw(t, "arg")
				}
				g.Dims, g.Size, total = append(g.Dims, d), g.Size*d.Procs, total*d.Size
			}
			seen := make([]int, total)
			for g.Rank = range g.Size {
				l := layout(t, types.Darray(g, types.Char), types.Host)
				for off, n := range (types.Tiling{L: l}).Runs(0, l.Size) {
					for i := range n {
						seen[off+i]++
					}
				}
				if !l.Monotone() || l.Overlaps() {
					t.Fatalf("%v: part is not in order", g)
				}
			}
			for i, n := range seen {
				if n != 1 {
					t.Fatalf("%v: element %d belongs to %d ranks", g, i, n)
				}
			}
		})
	})
}
