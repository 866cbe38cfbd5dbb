package types_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// If swapped bytes went to wrong places, or bytes beside them were not moved, a file would
// have other numbers than the memory.
func TestSwapped(t *testing.T) {
	many(t, 10, checkSwapped)
	many(t, 5, checkSwappedUnits)
}

func turnOf(width int64) *types.Swap { return &types.Swap{Width: width} }

// Items of one width are swapped wherever they are.
func checkSwapped(t *rapid.T) {
	leaf := rapid.SampledFrom([]*types.Type{types.Double, types.Int, types.Short, types.LongDouble, types.Long, types.Float}).Draw(t, "leaf")
	one := leaf.Size(types.Host)
	r := recipes{t, false}
	elem := types.Resized(leaf, 0, one*r.int("pitch", 1, 3))
	var x *types.Type
	switch rapid.IntRange(0, 6).Draw(t, "shape") {
	case 0:
		x = types.Vector(r.int("n", 1, 300), r.int("len", 1, 80), r.int("stride", -90, 90), elem)
	case 1: // columns
		n := r.int("n", 1, 40)
		x = types.HVector(r.int("columns", 1, 40), 1, one, types.HVector(n, 1, one*r.int("far", 40, 50), leaf))
	case 2:
		blocks := r.blocks(60, 1, 100)
		x = types.Indexed(append(blocks, types.Block{Len: r.int("len", 1, 20), Disp: 101}), elem)
	case 3:
		x = types.HIndexedBlock(r.int("len", 1, 9), append(r.disps(60, 1, 900), 901), elem)
	case 4:
		x = r.subarray(900, types.Vector(r.int("n", 1, 9), r.int("len", 1, 9), r.int("stride", 1, 12), elem))
	case 5:
		x = types.Vector(r.int("n", 1, 300), 1, r.int("stride", 1, 5), types.Vector(r.int("kids", 1, 8), 1, 2, leaf))
	default:
		x = types.Struct(types.Field{Count: 3, Disp: 0, Type: elem}, types.Field{Count: 1, Disp: 100, Type: types.Vector(4, 1, 3, leaf)}, types.Field{Count: 2, Disp: -90, Type: elem})
	}
	compareSwapped(t, x, r.int("copies", 1, 60), turnOf(one), int(one), func(p []byte) {
		for item := range slices.Chunk(p, int(one)) {
			slices.Reverse(item)
		}
	})
}

// maxUnit is the longest stretch of a [types.Swap].
const maxUnit = 64

// Structs through windows of whole stretches.
func checkSwappedUnits(t *rapid.T) {
	r := recipes{t, false}
	var fields []types.Field
	var unit []byte
	end := int64(0)
	for range r.int("fields", 1, 5) {
		leaf := rapid.SampledFrom([]*types.Type{types.Double, types.Int, types.Short, types.Char}).Draw(t, "leaf")
		w := leaf.Size(types.Host)
		end += r.int("hole", 0, 4)
		n := min(r.int("count", 1, 3), (maxUnit-int64(len(unit)))/w)
		if n == 0 {
			continue // one stretch would be longer than a window
		}
		fields = append(fields, types.Field{Count: n, Disp: end, Type: leaf})
		for range n {
			at := int64(len(unit))
			for b := range w {
				unit = append(unit, byte(at+w-1-b))
			}
		}
		end += n * w
	}
	x := types.Resized(types.Struct(fields...), 0, end+r.int("more", 0, 9))
	if rapid.Bool().Draw(t, "vector") {
		x = types.Vector(r.int("n", 1, 30), r.int("len", 1, 5), r.int("stride", 5, 7), x)
	}
	compareSwapped(t, x, r.int("copies", 1, 100), &types.Swap{Unit: unit}, len(unit), func(p []byte) {
		for stretch := range slices.Chunk(p, len(unit)) {
			was := slices.Clone(stretch)
			for i := range stretch {
				stretch[i] = was[unit[i]]
			}
		}
	})
}

// compareSwapped compares moving count copies of x with a swap, and moving them first and
// swapping the result.
func compareSwapped(t *rapid.T, x *types.Type, count int64, turn *types.Swap, whole int, twin func([]byte)) {
	l := layout(t, x, types.Host)
	lo, hi := l.TrueLB+min(0, (count-1)*l.Extent), l.TrueUB+max(0, (count-1)*l.Extent)
	mem := noise(hi-lo, 1)
	buf := types.Raw(mem, count, x).At(-lo)
	if err := buf.Check(types.Host); err != nil {
		t.Fatal(err)
	}
	size := count * l.Size
	if turn.Width > 0 {
		size -= rapid.Int64Range(0, min(size/turn.Width-1, 5)).Draw(t, "less") * turn.Width
	}
	want := make([]byte, size)
	buf.Pack(want, 0, types.Host)
	twin(want)
	got := noise(size, 2)
	rest := slices.Clone(got)
	n := buf.PackSwapped(got, turn, types.Host)
	if n%int64(whole) != 0 || turn.Width > 0 && n != size {
		t.Fatalf("%d of %v: %d of %d bytes packed", count, x, n, size)
	}
	if !bytes.Equal(got[:n], want[:n]) || !bytes.Equal(got[n:], rest[n:]) {
		t.Fatalf("%d of %v: packed %x, should be %x and then %x", count, x, got, want[:n], rest[n:])
	}
	src := noise(size, 3)
	back, wanted := slices.Clone(mem), slices.Clone(mem)
	m := types.Raw(back, count, x).At(-lo).UnpackSwapped(src, turn, types.Host)
	twin(src)
	types.Raw(wanted, count, x).At(-lo).Unpack(src[:m], 0, types.Host)
	if m != n || !bytes.Equal(back, wanted) {
		t.Fatalf("%d of %v: unpacked %d bytes: %x, should be %x", count, x, m, back, wanted)
	}
}

// A turn that leaves memory must not happen.
func TestSwappedOutOfBounds(t *testing.T) {
	mem := make([]byte, 64)
	buf := types.Raw(mem, 100, types.Vector(2, 1, 2, types.Double))
	assert.Zero(t, buf.PackSwapped(make([]byte, 1600), turnOf(8), types.Host))
}
