package gen

import (
	"pgregory.net/rapid"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// etypes are the etypes of the views in programs: predefined kinds for which every
// pattern of marks is a value, in every representation.
var etypes = []*types.Type{types.Byte, types.Short, types.Int, types.Double, types.Long, types.Contiguous(2, types.Short)}

// Etype draws the etype of a view: predefined, without padding.
func Etype() *rapid.Generator[*types.Type] { return rapid.SampledFrom(etypes) }

// Filetype draws a filetype made of etype that is legal for writing: displacements in
// order, no byte twice in any representation.
func Filetype(t *rapid.T, etype *types.Type) *types.Type {
	small := func(name string, lo, hi int64) int64 { return rapid.Int64Range(lo, hi).Draw(t, name) }
	switch rapid.IntRange(0, 5).Draw(t, "filetype") {
	case 1:
		return types.Contiguous(small("n", 1, 3), etype)
	case 2:
		b := small("block", 1, 2)
		return types.Vector(small("n", 1, 3), b, b+small("gap", 0, 2), etype)
	case 3:
		return types.Subarray(order(t), []types.Slab{{Size: 4, Sub: small("sub", 1, 2), Start: 2}, {Size: 3, Sub: 2, Start: 1}}, etype)
	case 4:
		return types.Indexed([]types.Block{{Len: 1, Disp: small("d", 0, 2)}, {Len: small("l", 0, 2), Disp: 4}}, etype)
	case 5:
		b, gap := small("block", 1, 2), small("gap", 0, 3)
		return spaced(b, b+gap, etype)
	}
	return etype
}

// spaced returns b etypes in every n. It uses a subarray instead of Resized: a subarray's
// extent counts elements, so it scales with the representation.
func spaced(b, n int64, etype *types.Type) *types.Type {
	return types.Subarray(types.OrderC, []types.Slab{{Size: n, Sub: b}}, etype)
}

// View draws a view that is legal for writing.
func View() *rapid.Generator[iofile.View] {
	return rapid.Custom(func(t *rapid.T) iofile.View {
		e := Etype().Draw(t, "etype")
		return iofile.View{Disp: rapid.Int64Range(0, 9).Draw(t, "disp"), Etype: e, Filetype: Filetype(t, e), Rep: "native"}
	})
}

// SizesOf returns the sizes of items in a file for a representation, if ranks
// have the default architecture.
func SizesOf(rep string) types.Sizes {
	if rep == "external32" {
		return reps.External32
	}
	return reps.LP64LE
}

// Partition draws one view for each rank so that together they show every byte
// of the file from some displacement on, and none twice.
func Partition(ranks int, rep string) *rapid.Generator[[]iofile.View] {
	return rapid.Custom(func(t *rapid.T) []iofile.View {
		return partition(t, ranks, Etype().Draw(t, "etype"), rapid.Int64Range(0, 9).Draw(t, "disp"), rep)
	})
}

func partition(t *rapid.T, ranks int, etype *types.Type, disp int64, rep string) []iofile.View {
	views := make([]iofile.View, ranks)
	cut := cutter(t, ranks, etype)
	for r := range views {
		views[r] = iofile.View{Disp: disp, Etype: etype, Filetype: cut(int64(r)), Rep: rep}
	}
	return views
}

// cutter draws a way to distribute a tile over the ranks.
func cutter(t *rapid.T, ranks int, etype *types.Type) func(rank int64) *types.Type {
	n := int64(ranks)
	switch rapid.IntRange(0, 2).Draw(t, "cut") {
	case 1: // blocks of unequal length, the last rank first
		return func(r int64) *types.Type {
			after := n*(n+1)/2 - (r+1)*(r+2)/2
			return types.Subarray(types.OrderC, []types.Slab{{Size: n * (n + 1) / 2, Sub: r + 1, Start: after}}, etype)
		}
	case 2:
		g := Grid(t, n)
		return func(r int64) *types.Type {
			g.Rank = r
			return types.Darray(g, etype)
		}
	}
	b := rapid.Int64Range(1, 3).Draw(t, "block")
	return func(r int64) *types.Type {
		return types.Subarray(types.OrderC, []types.Slab{{Size: n * b, Sub: b, Start: r * b}}, etype)
	}
}
