package types_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/types"
)

// Small random types do not reach the loops that large ones run in; those move
// nearly all bytes of a real program.
func TestLargeShapes(t *testing.T) {
	shapes := benchShapes()
	for _, w := range []int64{1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 200} {
		el := types.Contiguous(w, types.Byte)
		for _, stride := range []int64{w + 1, 3 * w, -2 * w, w / 2} {
			shapes = append(shapes, benchShape{fmt.Sprintf("hvector_%d_by_%d", w, stride), 1, types.HVector(1001, 1, stride, el)})
		}
		col := types.Resized(types.HVector(37, 1, 50*w, el), 0, w)
		shapes = append(shapes,
			benchShape{fmt.Sprintf("columns_%d", w), 43, col},
			benchShape{fmt.Sprintf("columns_back_%d", w), 43, types.Resized(col, 0, -w)},
			benchShape{fmt.Sprintf("columns_overlap_%d", w), 60, col},
			benchShape{fmt.Sprintf("short_rows_%d", w), 300, types.Resized(types.HVector(5, 1, w+2, el), 0, 7*w+9)},
			benchShape{fmt.Sprintf("list_%d", w), 3, types.HIndexedBlock(1, shuffled(500, w+1), el)},
			benchShape{fmt.Sprintf("records_%d", w), 200, types.Resized(types.Struct(field(1, 0, el), field(1, 3*w+1, types.Byte), field(2, w+1, types.Short)), 0, 4*w+5)},
		)
	}
	for _, lens := range [][2]int64{{1, 7}, {2, 16}, {4, 7}, {4, 32}, {5, 64}, {7, 65}, {8, 15}, {8, 64}, {9, 128}, {16, 129}, {33, 300}} {
		name := fmt.Sprintf("blocks_%d_to_%d", lens[0], lens[1])
		shapes = append(shapes,
			benchShape{name, 3, variedBlocks(lens[0], lens[1], lens[1]+1)},
			benchShape{name + "_overlapping", 3, variedBlocks(lens[0], lens[1], lens[1]/2+1)},
		)
	}
	shapes = append(shapes,
		benchShape{"shuffled_blocks", 2, shuffledBlocks()},
		benchShape{"blocks_of_columns", 2, types.Indexed([]types.Block{block(40, 0), block(3, 100), block(1, 50)}, types.Resized(types.Vector(30, 1, 64, types.Int), 0, 4))},
		benchShape{"overlapping_tiles", 1000, types.Resized(types.Struct(field(1, 0, types.Int), field(1, 6, types.Short)), 0, 3)},
		benchShape{"long_runs", 3, types.Resized(types.Contiguous(700_000, types.Byte), 0, 700_001)},
	)
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range shapes {
		t.Run("DT-DEF-01 "+s.name, func(t *testing.T) { checkShape(t, r, s) })
	}
}

// Offsets that need more than 32 bits would otherwise be tested only where
// gigabytes are.
func TestListOfLargeOffsets(t *testing.T) {
	const far = 3 << 30
	for _, start := range []int64{0, -far} {
		x := types.HIndexedBlock(1, []int64{start, start + far, start + far + 24, start + far + 40}, types.Double)
		w := types.Tiling{L: layout(t, x, types.Host)}
		mem := noise(48, 7)
		want := slices.Concat(mem[:8], mem[24:32], mem[40:])
		packed := make([]byte, 24)
		w.Gather(packed, mem, start+far, 8)
		assert.Equal(t, want, packed)
		got := make([]byte, 48)
		w.Scatter(got, start+far, packed, 8)
		assert.Equal(t, slices.Concat(mem[:8], make([]byte, 16), mem[24:32], make([]byte, 8), mem[40:]), got)
	}
}

func shuffled(n, step int64) []int64 {
	v := make([]int64, n)
	for i := range v {
		v[i] = int64(i) * step
	}
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
	return v
}

func shuffledBlocks() *types.Type {
	var blocks []types.Block
	for i, d := range shuffled(9000, 12) {
		blocks = append(blocks, types.Block{Len: int64(i % 11), Disp: d})
	}
	return types.Indexed(blocks, types.Short)
}

// variedBlocks returns blocks of all lengths from shortest to longest, one every step bytes
// and in no order.
func variedBlocks(shortest, longest, step int64) *types.Type {
	var blocks []types.Block
	for i, d := range shuffled(500, step) {
		blocks = append(blocks, types.Block{Len: shortest + int64(i)%(longest-shortest+1), Disp: d})
	}
	return types.Indexed(blocks, types.Byte)
}

// checkShape compares moves and limits with the runs of the layout.
func checkShape(t *testing.T, r *rand.Rand, s benchShape) {
	l, err := s.typ.Layout(types.Host)
	if err != nil {
		t.Fatal(err)
	}
	w, total := types.Tiling{L: l}, s.count*l.Size
	type run struct{ off, n int64 }
	var runs []run
	base, end := int64(0), int64(0)
	for off, n := range w.Runs(0, total) {
		runs = append(runs, run{off, n})
		base, end = min(base, off), max(end, off+n)
	}
	mem := noise(end-base, 5)
	packed := make([]byte, 0, total)
	for _, x := range runs {
		packed = append(packed, mem[x.off-base:x.off-base+x.n]...)
	}
	for try := range 3 {
		from, n := int64(0), total
		if try > 0 {
			from = r.Int64N(total)
			n = r.Int64N(total - from + 1)
		}
		dst := make([]byte, n)
		w.Gather(dst, mem, base, from)
		if !bytes.Equal(dst, packed[from:from+n]) {
			t.Fatalf("gather %d+%d is wrong", from, n)
		}
		src, got, want := noise(n, 6), slices.Clone(mem), slices.Clone(mem)
		w.Scatter(got, base, src, from)
		at := int64(0)
		for off, k := range w.Runs(from, n) {
			copy(want[off-base:off-base+k], src[at:])
			at += k
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("scatter %d+%d is wrong", from, n)
		}
		limit, before := base+r.Int64N(end-base), int64(0)
		for off, k := range w.Runs(from, n) {
			if off+k > limit {
				before += max(0, limit-off)
				break
			}
			before += k
		}
		if got := w.Until(limit, from, n); got != before {
			t.Fatalf("%d of %d+%d before %d, should be %d", got, from, n, limit, before)
		}
		zipped := make([]byte, len(mem))
		types.Zip(types.Place{Mem: zipped, Base: base, At: w, From: from}, types.Place{Mem: mem, Base: base, At: w, From: from}, n)
		if w.Gather(dst, zipped, base, from); !bytes.Equal(dst, packed[from:from+n]) {
			t.Fatalf("zip %d+%d is wrong", from, n)
		}
	}
}

// Two Fortran types that share a kind alternate a trillion times: a caller that asks for
// their kinds must not have to count.
func TestKindsOfALongAlternation(t *testing.T) {
	pair := types.Struct(types.Field{Count: 1, Disp: 0, Type: types.F90Integer(9)}, types.Field{Count: 1, Disp: 4, Type: types.Integer4})
	runs := map[types.Kind]int64{}
	for k, n := range types.Contiguous(1e12, pair).Signature().Runs() {
		runs[k] += n
	}
	assert.Equal(t, map[types.Kind]int64{types.KindInteger4: 2e12}, runs)
}
