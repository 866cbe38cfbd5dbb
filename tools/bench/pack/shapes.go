package pack

import (
	"fmt"

	"github.com/commworld/commworld/types"
)

// usual is the number of data bytes of each shape, except for the face, which has half.
// It fits the caches that a file view or a halo exchange would find warm, and is large
// compared with the cost of a call. Array and packed bytes together, however, fill the
// second-level cache of most machines, so the third level bounds the speed; with
// --payload 64 it is the first.
const usual = 1 << 20

// least holds two planes of every array, the fewest with which each shape keeps its form.
const least = 32 << 10

// A shape is count copies of a type, and the loop a programmer would write
// instead, if there is one.
type shape struct {
	name  string
	count int64
	typ   *types.Type
	hand  *loops
}

// shapes returns shapes with payload bytes each, a multiple of least; a smaller payload
// gives arrays fewer rows, planes or columns of the same length.
func shapes(payload int64) []shape {
	d := types.Double
	whole := blocks(1, payload/8, payload/8)
	all := []shape{
		{"contiguous double", payload / 8, d, whole},
		{"contiguous int", payload / 4, types.Int, whole},
		{"contiguous byte", payload, types.Byte, whole},
		{"vector 1 of 2", 1, types.Vector(payload/8, 1, 2, d), &loops{packSingles, unpackSingles}},
		{"vector 2 of 4", 1, types.Vector(payload/16, 2, 4, d), &loops{packPairs, unpackPairs}},
		{"vector 8 of 16", 1, types.Vector(payload/64, 8, 16, d), blocks(payload/64, 8, 16)},
		{"vector 128 of 256", 1, types.Vector(payload/1024, 128, 256, d), blocks(payload/1024, 128, 256)},
	}
	all = append(all, arrays(payload)...)
	return append(all, irregular(payload)...)
}

func arrays(payload int64) []shape {
	d := types.Double
	array := func(dims ...types.Slab) *types.Type { return types.Subarray(types.OrderC, dims, d) }
	nest := types.HVector(payload/8/32, 1, 2048, types.HVector(8, 1, 128, types.Vector(4, 1, 2, d)))
	column := types.Resized(types.Vector(512, 1, 512, d), 0, 8)
	return []shape{
		{
			fmt.Sprintf("2D %dx512 of 1024x1024", payload/4096), 1,
			array(types.Slab{Size: 1024, Sub: payload / 4096, Start: 100}, types.Slab{Size: 1024, Sub: 512, Start: 200}),
			blocks(payload/4096, 512, 1024).from(100*1024 + 200),
		},
		{
			fmt.Sprintf("3D %dx64x32 of 128^3", payload>>14), 1,
			array(types.Slab{Size: 128, Sub: payload >> 14, Start: 10}, types.Slab{Size: 128, Sub: 64, Start: 20}, types.Slab{Size: 128, Sub: 32, Start: 30}),
			blocks(64, 32, 128).times(payload>>14, 64*32, 128*128).from((10*128+20)*128 + 30),
		},
		{
			fmt.Sprintf("3D face %dx128x4", payload>>13), 1,
			array(types.Slab{Size: 128, Sub: payload >> 13}, types.Slab{Size: 128, Sub: 128}, types.Slab{Size: 128, Sub: 4, Start: 62}),
			blocks(payload>>13*128, 4, 128).from(62),
		},
		{"nested vectors", 1, nest, &loops{packNest, unpackNest}},
		{fmt.Sprintf("%d columns of 512x512", payload>>12), payload >> 12, column, columns(payload >> 12)},
	}
}

func irregular(payload int64) []shape {
	fields := []types.Field{
		{Count: 1, Disp: 0, Type: types.Int},
		{Count: 1, Disp: 8, Type: types.Double},
		{Count: 3, Disp: 16, Type: types.Char},
		{Count: 1, Disp: 20, Type: types.Float},
	}
	runs := make([]types.Block, payload/8/4)
	x, at := random(12345), int64(0)
	for i := range runs {
		runs[i].Len = 1 + x.next(7)
		at += 1 + x.next(8)
		runs[i].Disp = at
		at += runs[i].Len
	}
	singles := make([]int64, payload/8)
	x, at = random(777), 0
	for i := range singles {
		at += 1 + x.next(4)
		singles[i] = at
	}
	return []shape{
		{"indexed, runs of 1 to 7", 1, types.Indexed(runs, types.Double), nil},
		{"indexed_block of 1", 1, types.IndexedBlock(1, singles, types.Double), nil},
		{"struct int double 3char float", payload / 19, types.Resized(types.Struct(fields...), 0, 24), nil},
	}
}

// A random is a generator whose numbers need not be good, but must be the same on every
// machine.
type random uint32

func (x *random) next(n uint32) int64 {
	*x = *x*1664525 + 1013904223
	return int64(uint32(*x) >> 16 % n)
}
