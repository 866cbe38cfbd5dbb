package types_test

import (
	"testing"

	"github.com/commworld/commworld/types"
)

// The shapes of the comparison with other libraries, each 1 MiB of data.
const payload = 1 << 20

type benchShape struct {
	name  string
	count int64
	typ   *types.Type
}

// lcg is the generator the comparison programs use, so that irregular shapes
// are the same to the byte.
type lcg uint32

func (x *lcg) next(mod uint32) int64 {
	*x = *x*1664525 + 1013904223
	return int64(uint32(*x) >> 16 % mod)
}

func benchShapes() []benchShape {
	d := types.Double
	shapes := []benchShape{
		{"contiguous_double", payload / 8, d},
		{"contiguous_byte", payload, types.Byte},
	}
	for _, b := range []int64{1, 2, 8, 128} {
		name := map[int64]string{1: "vector_1of2", 2: "vector_2of4", 8: "vector_8of16", 128: "vector_128of256"}[b]
		shapes = append(shapes, benchShape{name, 1, types.Vector(payload/8/b, b, 2*b, d)})
	}
	sub := func(dims ...types.Slab) *types.Type { return types.Subarray(types.OrderC, dims, d) }
	col := types.Resized(types.Vector(512, 1, 512, d), 0, 8)
	rec := types.Resized(types.Struct(field(1, 0, types.Int), field(1, 8, d), field(3, 16, types.Char), field(1, 20, types.Float)), 0, 24)
	nest := types.HVector(payload/8/32, 1, 2048, types.HVector(8, 1, 128, types.Vector(4, 1, 2, d)))
	return append(shapes,
		benchShape{"subarray2d_256x512", 1, sub(types.Slab{Size: 1024, Sub: 256, Start: 100}, types.Slab{Size: 1024, Sub: 512, Start: 200})},
		benchShape{"subarray3d_64x64x32", 1, sub(types.Slab{Size: 128, Sub: 64, Start: 10}, types.Slab{Size: 128, Sub: 64, Start: 20}, types.Slab{Size: 128, Sub: 32, Start: 30})},
		benchShape{"face3d_128x128x4", 1, sub(types.Slab{Size: 128, Sub: 128}, types.Slab{Size: 128, Sub: 128}, types.Slab{Size: 128, Sub: 4, Start: 62})},
		benchShape{"indexed_1to7", 1, indexed1to7()},
		benchShape{"indexed_block_1", 1, indexedBlock1()},
		benchShape{"struct_int_double_3char_float", payload / 19, rec},
		benchShape{"nested_vectors", 1, nest},
		benchShape{"columns_256of512", 256, col},
	)
}

func indexed1to7() *types.Type {
	blocks := make([]types.Block, payload/8/4)
	x, pos := lcg(12345), int64(0)
	for i := range blocks {
		blocks[i].Len = 1 + x.next(7)
		pos += 1 + x.next(8)
		blocks[i].Disp = pos
		pos += blocks[i].Len
	}
	return types.Indexed(blocks, types.Double)
}

func indexedBlock1() *types.Type {
	disps := make([]int64, payload/8)
	x, pos := lcg(777), int64(0)
	for i := range disps {
		pos += 1 + x.next(4)
		disps[i] = pos
	}
	return types.IndexedBlock(1, disps, types.Double)
}

// span returns the bytes of memory that count copies of t reach.
func span(t *types.Type, count int64) int64 {
	l, err := t.Layout(types.Host)
	if err != nil {
		panic(err)
	}
	return (count-1)*l.Extent + l.TrueUB
}

func benchMove(b *testing.B, move func(buf types.Buffer, packed []byte)) {
	for _, s := range benchShapes() {
		b.Run(s.name, func(b *testing.B) {
			buf := types.Raw(noise(span(s.typ, s.count), 1), s.count, s.typ)
			packed := noise(buf.Packed(types.Host), 2)
			b.SetBytes(int64(len(packed)))
			b.ReportAllocs()
			for b.Loop() {
				move(buf, packed)
			}
		})
	}
}

func BenchmarkPack(b *testing.B) {
	benchMove(b, func(buf types.Buffer, packed []byte) { buf.Pack(packed, 0, types.Host) })
}

func BenchmarkUnpack(b *testing.B) {
	benchMove(b, func(buf types.Buffer, packed []byte) { buf.Unpack(packed, 0, types.Host) })
}

// BenchmarkCopy measures the machine's own speed.
func BenchmarkCopy(b *testing.B) {
	src, dst := noise(payload, 1), noise(payload, 2)
	b.SetBytes(payload)
	for b.Loop() {
		copy(dst[:payload/2], src)
		copy(dst[payload/2:], src[payload/2:])
	}
}

// BenchmarkZip copies from one layout with holes to another.
func BenchmarkZip(b *testing.B) {
	d := types.Double
	for _, c := range []struct {
		name     string
		dst, src *types.Type
	}{
		{"64B_blocks_both", types.Vector(payload/64, 8, 16, d), types.Vector(payload/64, 8, 24, d)},
		{"doubles_both", types.Vector(payload/8, 1, 2, d), types.Vector(payload/8, 1, 3, d)},
		{"64B_from_doubles", types.Vector(payload/64, 8, 16, d), types.Vector(payload/8, 1, 2, d)},
		{"24B_from_64B", types.Vector(payload/24, 3, 4, d), types.Vector(payload/64, 8, 16, d)},
		{"indexed_from_indexed", indexed1to7(), indexed1to7()},
		{"subarray_from_block", types.Subarray(types.OrderC, []types.Slab{{Size: 512, Sub: 256}, {Size: 1024, Sub: 512}}, d), types.Contiguous(payload/8, d)},
	} {
		b.Run(c.name, func(b *testing.B) {
			dst := types.Raw(make([]byte, span(c.dst, 1)), 1, c.dst)
			src := types.Raw(noise(span(c.src, 1), 1), 1, c.src)
			n := min(dst.Packed(types.Host), src.Packed(types.Host))
			b.SetBytes(n)
			b.ReportAllocs()
			for b.Loop() {
				types.Copy(dst, 0, types.Host, src, 0, types.Host, n)
			}
		})
	}
}

// BenchmarkCall measures the cost of a small access before its first byte moves.
func BenchmarkCall(b *testing.B) {
	host := types.Host
	one := types.Of([]float64{1})
	col := types.Of(make([]float64, 64)).As(types.Vector(4, 1, 16, types.Double))
	sub := types.Subarray(types.OrderC, []types.Slab{{Size: 1 << 20, Sub: 1 << 19, Start: 9}, {Size: 1 << 20, Sub: 1000, Start: 5}}, types.Double)
	l, _ := sub.Layout(host)
	irregular, _ := indexed1to7().Layout(host)
	view, list := types.Tiling{L: l}, types.Tiling{L: irregular}
	buf := make([]byte, 64)
	pos := int64(0)
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"check_slice", func() { _ = one.Check(host) }},
		{"plan_slice", func() { _, _ = one.Plan(host) }},
		{"plan_column", func() { _, _ = col.Plan(host) }},
		{"check_column", func() { _ = col.Check(host) }},
		{"pack_8B", func() { one.Pack(buf[:8], 0, host) }},
		{"pack_column_of_4", func() { col.Pack(buf[:32], 0, host) }},
		{"of_slice", func() { one = types.Of([]float64{1}) }},
		{"seek_array", func() { view.At(pos); pos = (pos + 1<<33) % l.Size }},
		{"below_array", func() { view.Below(pos); pos = (pos + 1<<33) % l.Size }},
		{"seek_list_32768", func() { list.At(pos); pos = (pos + 54321) % irregular.Size }},
		{"match_same", func() { _ = types.MatchMessage(types.Double, 5, types.Double, 5, host) }},
		{"match_access", func() { _ = types.MatchAccess(types.MatchFinal, types.Double, sub, 1, host) }},
		{"build_vector", func() { types.Vector(10, 1, 3, types.Double) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			pos = 0
			b.ReportAllocs()
			for b.Loop() {
				c.f()
			}
		})
	}
}
