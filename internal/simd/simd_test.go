package simd

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func many(t *testing.T, prop func(*rapid.T)) {
	if !Fast {
		t.Log("the kernels compared with the portable ones are the portable ones here")
	}
	rapid.Check(t, prop)
}

// memory is n bytes of noise with room before and behind.
func memory(n int64, seed uint64) ([]byte, unsafe.Pointer) {
	const room = 128
	r := rand.NewPCG(seed, 1)
	mem := make([]byte, n+2*room)
	for i := range mem {
		mem[i] = byte(r.Uint64())
	}
	return mem, unsafe.Pointer(&mem[room])
}

func drawStencil(t *rapid.T) Stencil {
	r := func(name string, lo, hi int64) int64 { return rapid.Int64Range(lo, hi).Draw(t, name) }
	p := Stencil{N: r("n", 1, 9), Stride: r("stride", 0, 130), Count: r("count", 1, 5), Far: r("far", 0, 1500)}
	p.Mask = max(1, rapid.Uint64().Draw(t, "mask"))
	if rapid.IntRange(0, 9).Draw(t, "all") == 0 {
		p.Mask = ^uint64(0)
	}
	return p
}

// A kernel that read or wrote other bytes than its twin would damage memory that no test
// of a datatype checks.
func TestStencil(t *testing.T) {
	many(t, func(t *rapid.T) {
		p, seed := drawStencil(t), rapid.Uint64().Draw(t, "seed")
		span := (p.N-1)*p.Stride + (p.Count-1)*p.Far + 64
		total := 64 * p.N * p.Count
		_, src := memory(span, seed)
		got, dst := memory(total, seed+1)
		want, twin := memory(total, seed+1)
		p.Gather(dst, src)
		squeezeGo(twin, src, p.N, p.Stride, p.Count, p.Far, p.Mask)
		assert.Equal(t, want, got)

		_, src = memory(total, seed)
		got, dst = memory(span, seed+1)
		want, twin = memory(span, seed+1)
		p.Scatter(dst, src)
		spreadGo(twin, src, p.N, p.Stride, p.Count, p.Far, p.Mask)
		assert.Equal(t, want, got)
	})
}

func TestRows(t *testing.T) {
	many(t, func(t *rapid.T) {
		n, w := rapid.Int64Range(1, 9).Draw(t, "n"), rapid.Int64Range(64, 700).Draw(t, "w")
		ds, ss := w+rapid.Int64Range(0, 99).Draw(t, "ds"), rapid.Int64Range(0, 900).Draw(t, "ss")
		_, src := memory(n*ss+w, 1)
		got, dst := memory(n*ds, 2)
		want, twin := memory(n*ds, 2)
		Rows(dst, src, ds, ss, n, w)
		rowsGo(twin, src, ds, ss, n, w)
		assert.Equal(t, want, got)
	})
}

// transposes compares one kind of transposing with its twin, which takes a column
// of tiles at a time.
func transposes(t *testing.T, transpose func(d, s unsafe.Pointer, ds, ss, down, across int64), twin func(d, s unsafe.Pointer, ds, ss, n int64)) {
	many(t, func(t *rapid.T) {
		down, across := rapid.Int64Range(1, 19).Draw(t, "down"), rapid.Int64Range(1, 4).Draw(t, "across")
		ds, ss := 64*down+rapid.Int64Range(0, 99).Draw(t, "ds"), 64*across+rapid.Int64Range(0, 99).Draw(t, "ss")
		_, src := memory(8*down*ss, 1)
		got, dst := memory(8*across*ds, 2)
		want, mem := memory(8*across*ds, 2)
		transpose(dst, src, ds, ss, down, across)
		for i := range across {
			twin(unsafe.Add(mem, i*8*ds), unsafe.Add(src, i*64), ds, ss, down)
		}
		assert.Equal(t, want, got)
	})
}

func TestTranspose(t *testing.T) { transposes(t, Transpose, tilesGo) }

// long are stencils of more windows than one call moves, along either axis, whose
// windows follow each other all the same.
func long(mask uint64) []Stencil {
	return []Stencil{
		{N: 3*most + 5, Stride: 24, Count: 2, Far: 24 * (3*most + 5), Mask: mask},
		{N: 7, Stride: 24, Count: most, Far: 168, Mask: mask},
	}
}

// Long moves are cut into parts; a part with a wrong beginning would show in large arrays
// only.
func TestLongMoves(t *testing.T) {
	for _, p := range long(0xf7ff0f) {
		total, span := p.N*p.Count*19, p.N*p.Count*24+64
		_, src := memory(span, 1)
		got, dst := memory(total, 2)
		want, twin := memory(total, 2)
		p.Gather(dst, src)
		squeezeGo(twin, src, p.N*p.Count, p.Stride, 1, 0, p.Mask)
		assert.True(t, string(want) == string(got), "gather %v", p)
		got, dst = memory(span, 3)
		want, twin = memory(span, 3)
		p.Scatter(dst, src)
		spreadGo(twin, src, p.N*p.Count, p.Stride, 1, 0, p.Mask)
		assert.True(t, string(want) == string(got), "scatter %v", p)
	}
	const n = 3*most/64 + 5
	_, src := memory(n*100, 1)
	got, dst := memory(n*80, 2)
	want, twin := memory(n*80, 2)
	Rows(dst, src, 80, 100, n, 70)
	rowsGo(twin, src, 80, 100, n, 70)
	assert.True(t, string(want) == string(got), "rows")
}
