package simd

import (
	"math/bits"
	"unsafe"
)

// most is how many windows of 64 bytes one call of a kernel moves: a goroutine
// cannot be stopped inside assembly, and a collection would wait for it.
const most = 1 << 14

// A Stencil is windows of up to 64 bytes, of which Mask has the bytes that are
// data, bit 0 the first: N of them, one every Stride bytes, and all that Count
// times, one every Far bytes. N, Count and Mask are not zero.
type Stencil struct {
	N, Stride  int64
	Count, Far int64
	Mask       uint64
}

// Gather copies the data of all windows, the first of which begins at src, to
// dst, one behind the other.
func (p *Stencil) Gather(dst, src unsafe.Pointer) {
	if p.short() {
		squeeze(dst, src, p.N, p.Stride, p.Count, p.Far, p.Mask)
		return
	}
	width := int64(bits.OnesCount64(p.Mask))
	p.split(func(q Stencil, off, at int64) {
		squeeze(unsafe.Add(dst, at*width), unsafe.Add(src, off), q.N, q.Stride, q.Count, q.Far, q.Mask)
	})
}

// Scatter copies what is one behind the other from src on into the windows,
// the first of which begins at dst, in their order.
func (p *Stencil) Scatter(dst, src unsafe.Pointer) {
	if p.short() {
		spread(dst, src, p.N, p.Stride, p.Count, p.Far, p.Mask)
		return
	}
	width := int64(bits.OnesCount64(p.Mask))
	p.split(func(q Stencil, off, at int64) {
		spread(unsafe.Add(dst, off), unsafe.Add(src, at*width), q.N, q.Stride, q.Count, q.Far, q.Mask)
	})
}

// short reports that one call of a kernel will do.
func (p *Stencil) short() bool { return p.N <= most && p.Count <= most && p.N*p.Count <= most }

// split calls do for parts of p that follow one another: where they begin, and
// how many windows are before.
func (p *Stencil) split(do func(part Stencil, off, at int64)) {
	if p.N > most { // Count is small beside it
		for i := range p.Count {
			for j := int64(0); j < p.N; j += most {
				do(Stencil{min(most, p.N-j), p.Stride, 1, 0, p.Mask}, i*p.Far+j*p.Stride, i*p.N+j)
			}
		}
		return
	}
	step := most / p.N
	for i := int64(0); i < p.Count; i += step {
		do(Stencil{p.N, p.Stride, min(step, p.Count-i), p.Far, p.Mask}, i*p.Far, i*p.N)
	}
}

// Rows copies n rows of w bytes, at least 64 and at most 4096: to d, one every
// ds bytes, from s, one every ss bytes.
func Rows(d, s unsafe.Pointer, ds, ss, n, w int64) {
	const step = most / 64
	for ; n > step; n -= step {
		rows(d, s, ds, ss, step, w)
		d, s = unsafe.Add(d, step*ds), unsafe.Add(s, step*ss)
	}
	rows(d, s, ds, ss, n, w)
}

// band is how many tiles of eight rows are done before going across.
const band = 8

// Transpose copies a matrix of 8-byte values, 8*down rows of 8*across, whose
// rows begin every ss bytes from s on, to its transpose at d, whose rows begin
// every ds bytes. It walks bands of 64 rows, so that eight lines of cache beside
// each other are written together and the rows read stay near.
func Transpose(d, s unsafe.Pointer, ds, ss, down, across int64) {
	for j := int64(0); j < down; j += band {
		for i := range across {
			tiles(unsafe.Add(d, i*8*ds+j*64), unsafe.Add(s, j*8*ss+i*64), ds, ss, min(band, down-j))
		}
	}
}
