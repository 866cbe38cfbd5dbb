package gen

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// etypes are the etypes of the views in programs with marks only: their values are positive
// in every representation.
var etypes = []*types.Type{types.Byte, types.Short, types.Int, types.Double, types.Long, types.Contiguous(2, types.Short)}

// portable are further predefined etypes for which every pattern of bytes is a value, in
// every representation.
var portable = []*types.Type{
	types.Byte, types.Packed, types.Char, types.SChar, types.UChar, types.Short, types.UShort, types.Int, types.UInt,
	types.Long, types.ULong, types.LongLong, types.ULongLong, types.Float, types.Double,
	types.Int8, types.Int16, types.Int32, types.Int64, types.UInt8, types.UInt16, types.UInt32, types.UInt64,
	types.Aint, types.OffsetType, types.CountType, types.FloatComplex, types.DoubleComplex,
	types.Character, types.Integer, types.Real, types.DoublePrecision, types.Complex, types.DComplex,
	types.Integer1, types.Integer2, types.Integer4, types.Integer8, types.Real4, types.Real8, types.Complex8, types.Complex16,
	types.CXXFloatComplex, types.CXXDoubleComplex,
	types.Contiguous(3, types.Float), types.Contiguous(2, types.DoubleComplex),
}

// inMemory are further etypes whose bytes in a native file are those of memory: kinds that
// other representations change, or for which some bytes are not values, and structs.
var inMemory = append(slices.Clone(portable),
	types.LongDouble, types.WChar, types.Bool, types.Logical, types.LongDoubleComplex, types.Integer16, types.Real16,
	types.Complex32, types.Logical1, types.Logical2, types.Logical4, types.Logical8, types.Logical16,
	types.CXXBool, types.CXXLongDoubleComplex, types.TwoInt,
	types.Struct(types.Field{Count: 1, Disp: 0, Type: types.Int}, types.Field{Count: 2, Disp: 4, Type: types.Short}),
	types.Struct(types.Field{Count: 1, Disp: 0, Type: types.Double}, types.Field{Count: 2, Disp: 8, Type: types.Float}),
)

// kindsOf returns the etypes for a representation.
func kindsOf(rep string) []*types.Type {
	if rep == "native" {
		return inMemory
	}
	return portable
}

// Etype draws the etype of a view: predefined, without padding.
func Etype() *rapid.Generator[*types.Type] { return rapid.SampledFrom(etypes) }

// Filetype draws a filetype made of etype that is legal for writing: displacements in
// order, no byte twice in any representation.
func Filetype(t *rapid.T, etype *types.Type) *types.Type {
	small := func(name string, lo, hi int64) int64 { return rapid.Int64Range(lo, hi).Draw(t, name) }
	switch rapid.IntRange(0, 9).Draw(t, "filetype") {
	case 6:
		return types.Subarray(order(t), []types.Slab{{Size: 3, Sub: small("sub", 1, 2), Start: 1}, {Size: 2, Sub: 1, Start: small("start", 0, 1)}, {Size: 4, Sub: 2, Start: 1}}, etype)
	case 7:
		return Darray(t, etype)
	case 8:
		return types.IndexedBlock(small("block", 1, 2), []int64{small("d", 0, 1), 3, 6}, etype)
	case 9:
		return types.Vector(2, 1, 2, types.Vector(small("n", 1, 2), 1, 2, etype))
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

// bytewiseFiletype draws a filetype whose displacements or bounds are in bytes: it does not
// scale with the representation. They are multiples of the extent of the etype. (IO-VIEW-07)
func bytewiseFiletype(t *rapid.T, etype *types.Type) *types.Type {
	_, unit := etype.Extent(types.Host)
	small := func(name string, lo, hi int64) int64 { return rapid.Int64Range(lo, hi).Draw(t, name) }
	d, gap := unit*small("d", 0, 2), unit*small("gap", 1, 4)
	switch rapid.IntRange(0, 4).Draw(t, "in bytes") {
	case 1:
		return types.HVector(small("n", 1, 3), 1, gap, etype)
	case 2:
		return types.HIndexedBlock(1, []int64{d, 2*unit + gap}, etype)
	case 3:
		return types.HIndexed([]types.Block{{Len: 1, Disp: d}, {Len: small("l", 1, 2), Disp: 2*unit + gap}}, etype)
	case 4:
		return types.Resized(etype, 0, gap)
	}
	return types.Struct(types.Field{Count: 1, Disp: d, Type: etype}, types.Field{Count: small("count", 1, 2), Disp: 2*unit + gap, Type: etype})
}

// etypesBefore returns how many etypes of a view are in tiles that begin before a byte.
func etypesBefore(v iofile.View, at int64) int64 {
	sizes := SizesOf(v.Rep)
	_, extent := v.Filetype.Extent(sizes)
	unit := v.Etype.Size(sizes)
	if at <= v.Disp || extent <= 0 || unit <= 0 {
		return 0
	}
	return (at - v.Disp + extent - 1) / extent * (v.Filetype.Size(sizes) / unit)
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
