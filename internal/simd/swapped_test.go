package simd

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// drawOrder is an order of 64 bytes that is its own reverse within its first n.
func drawOrder(t *rapid.T, n int) *[64]byte {
	var order [64]byte
	for i := range order {
		order[i] = byte(i)
	}
	for i := 0; i < n; {
		w := min(n-i, rapid.SampledFrom([]int{1, 2, 4, 8, 16}).Draw(t, "item"))
		for b := range w {
			order[i+b] = byte(i + w - 1 - b)
		}
		i += w
	}
	return &order
}

// If a byte of an item went to another item, numbers in files would be wrong; if a byte
// beside the window moved, data of other goroutines would be.
func TestStencilSwapped(t *testing.T) {
	many(t, func(t *rapid.T) {
		p, seed := drawStencil(t), rapid.Uint64().Draw(t, "seed")
		var places [64]byte
		width := p.places(&places)
		order := drawOrder(t, int(width))
		span := (p.N-1)*p.Stride + (p.Count-1)*p.Far + 64
		total := width * p.N * p.Count
		_, src := memory(span, seed)
		got, dst := memory(total, seed+1)
		want, twin := memory(total, seed+1)
		p.GatherSwapped(dst, src, order)
		_, plain := memory(total, 0)
		squeezeGo(plain, src, p.N, p.Stride, p.Count, p.Far, p.Mask)
		for i := range total {
			*(*byte)(unsafe.Add(twin, i)) = *(*byte)(unsafe.Add(plain, i/width*width+int64(order[i%width])))
		}
		assert.Equal(t, want, got, "gather")

		_, src = memory(total, seed)
		got, dst = memory(span, seed+1)
		want, twin = memory(span, seed+1)
		p.ScatterSwapped(dst, src, order)
		for i := range total {
			*(*byte)(unsafe.Add(plain, i)) = *(*byte)(unsafe.Add(src, i/width*width+int64(order[i%width])))
		}
		spreadGo(twin, plain, p.N, p.Stride, p.Count, p.Far, p.Mask)
		assert.Equal(t, want, got, "scatter")
	})
}

// The same where one call is cut in parts.
func TestStencilSwappedLong(t *testing.T) {
	order := reversal(2)
	for _, p := range long(0xf7f70f) {
		total, span := p.N*p.Count*18, p.N*p.Count*24+64
		_, src := memory(span, 1)
		got, dst := memory(total, 2)
		want, twin := memory(total, 2)
		p.GatherSwapped(dst, src, order)
		squeezeGo(twin, src, p.N*p.Count, p.Stride, 1, 0, p.Mask)
		Swap(unsafe.Slice((*byte)(twin), total), unsafe.Slice((*byte)(twin), total), 2)
		assert.True(t, string(want) == string(got), "gather %v", p)
		back, mem := memory(span, 3)
		wanted, twin := memory(span, 3)
		p.ScatterSwapped(mem, dst, order)
		Swap(unsafe.Slice((*byte)(dst), total), unsafe.Slice((*byte)(dst), total), 2)
		spreadGo(twin, dst, p.N*p.Count, p.Stride, 1, 0, p.Mask)
		assert.True(t, string(wanted) == string(back), "scatter %v", p)
	}
}

func TestSwapRows(t *testing.T) {
	many(t, func(t *rapid.T) {
		width := rapid.SampledFrom([]int64{1, 2, 4, 8, 16}).Draw(t, "width")
		n := rapid.Int64Range(1, 9).Draw(t, "n")
		w := rapid.SampledFrom([]int64{1, 2, 3, 4, 5, 8, 9, 40, longest / 16, longest/16 + 1}).Draw(t, "items") * width
		if rapid.IntRange(0, 20).Draw(t, "many") == 0 {
			n = most/64 + 3
		}
		ds, ss := w+rapid.Int64Range(0, 99).Draw(t, "ds"), w+rapid.Int64Range(0, 99).Draw(t, "ss")
		_, src := memory(n*ss, 1)
		got, dst := memory(n*ds, 2)
		want, twin := memory(n*ds, 2)
		SwapRows(dst, src, ds, ss, n, w, width)
		swapRowsGo(twin, src, ds, ss, n, w, reversal(width))
		assert.True(t, string(want) == string(got), "%d rows of %d", n, w)
		for i := range n {
			row := unsafe.Slice((*byte)(unsafe.Add(twin, i*ds)), w)
			swapGo(row, unsafe.Slice((*byte)(unsafe.Add(src, i*ss)), w), int(width))
		}
		assert.True(t, string(want) == string(got), "the twin of %d rows of %d", n, w)
	})
}

func TestTransposeSwapped(t *testing.T) {
	transposes(t, TransposeSwapped, func(d, s unsafe.Pointer, ds, ss, n int64) { tilesSwappedGo(d, s, ds, ss, n, reversal(8)) })
}

// Lists of runs, as in indexed types.
func TestRuns(t *testing.T) {
	many(t, func(t *rapid.T) {
		width := rapid.SampledFrom([]int64{1, 2, 4, 8, 16}).Draw(t, "width")
		offs, starts, end := []int64{}, []int64{0}, int64(0)
		for range rapid.IntRange(0, 9).Draw(t, "runs") {
			end += rapid.Int64Range(0, 30).Draw(t, "gap")
			n := rapid.Int64Range(1, 64/width).Draw(t, "items") * width
			offs, starts, end = append(offs, end), append(starts, starts[len(starts)-1]+n), end+n
		}
		total := starts[len(starts)-1]
		_, src := memory(end, 1)
		got, dst := memory(total, 2)
		want, twin := memory(total, 2)
		GatherRuns(dst, src, offs, starts, width)
		for i, o := range offs {
			swapGo(unsafe.Slice((*byte)(unsafe.Add(twin, starts[i])), starts[i+1]-starts[i]), unsafe.Slice((*byte)(unsafe.Add(src, o)), starts[i+1]-starts[i]), int(width))
		}
		assert.Equal(t, want, got)
		back, mem := memory(end, 3)
		wanted, kept := memory(end, 3)
		ScatterRuns(mem, dst, offs, starts, width)
		for i, o := range offs {
			copy(unsafe.Slice((*byte)(unsafe.Add(kept, o)), starts[i+1]-starts[i]), unsafe.Slice((*byte)(unsafe.Add(src, o)), starts[i+1]-starts[i]))
		}
		assert.Equal(t, wanted, back)
	})
}

func TestEven(t *testing.T) {
	many(t, func(t *rapid.T) {
		width := rapid.SampledFrom([]int64{4, 8}).Draw(t, "width")
		n := rapid.IntRange(0, 9).Draw(t, "n")
		offs, near := make([]int64, n), make([]int32, n)
		for i := range offs {
			offs[i] = int64(i)*16 + rapid.Int64Range(0, 8).Draw(t, "off")
			near[i] = int32(offs[i])
		}
		_, src := memory(int64(n)*16, 1)
		got, dst := memory(int64(n)*width, 2)
		again, dst2 := memory(int64(n)*width, 2)
		want, twin := memory(int64(n)*width, 2)
		GatherEven(dst, src, offs, width)
		GatherEven(dst2, src, near, width)
		for i, o := range offs {
			swapGo(unsafe.Slice((*byte)(unsafe.Add(twin, int64(i)*width)), width), unsafe.Slice((*byte)(unsafe.Add(src, o)), width), int(width))
		}
		assert.Equal(t, want, got)
		assert.Equal(t, want, again)
		back, mem := memory(int64(n)*16, 3)
		again, mem2 := memory(int64(n)*16, 3)
		wanted, kept := memory(int64(n)*16, 3)
		ScatterEven(mem, dst, offs, width)
		ScatterEven(mem2, dst, near, width)
		for _, o := range offs {
			copy(unsafe.Slice((*byte)(unsafe.Add(kept, o)), width), unsafe.Slice((*byte)(unsafe.Add(src, o)), width))
		}
		assert.Equal(t, wanted, back)
		assert.Equal(t, wanted, again)
	})
}
