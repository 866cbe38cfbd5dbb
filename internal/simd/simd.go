package simd

import (
	"math/bits"
	"unsafe"
)

// most is the largest number of windows of 64 bytes that one call of a kernel moves. The
// runtime cannot stop a goroutine inside assembly, so a garbage collection waits for it.
const most = 1 << 14

// A Stencil describes windows of up to 64 bytes. N windows begin Stride bytes apart, and
// there are Count such groups, which begin Far bytes apart. Mask has a bit for each data
// byte of a window, bit 0 for the first byte. N, Count and Mask are not zero.
type Stencil struct {
	N, Stride  int64
	Count, Far int64
	Mask       uint64
}

// Gather copies the data of all windows, which begin at src, to consecutive bytes at dst.
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

// Scatter copies consecutive bytes from src to the data of all windows, which begin at dst.
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

// short reports whether one call of a kernel moves all windows.
func (p *Stencil) short() bool { return p.N <= most && p.Count <= most && p.N*p.Count <= most }

// split calls do for consecutive parts of p, with the position of each part and the number
// of windows before it.
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

// Rows copies n rows of w bytes from s, one every ss bytes, to d, one every ds bytes.
// w is from 64 to 4096.
func Rows(d, s unsafe.Pointer, ds, ss, n, w int64) {
	const step = most / 64
	for ; n > step; n -= step {
		rows(d, s, ds, ss, step, w)
		d, s = unsafe.Add(d, step*ds), unsafe.Add(s, step*ss)
	}
	rows(d, s, ds, ss, n, w)
}

// band is the number of tiles of eight rows in a band of [Transpose].
const band = 8

// Transpose copies a matrix of 8-byte values, 8*down rows of 8*across, whose rows begin
// every ss bytes from s on, to its transpose at d, whose rows begin every ds bytes. It walks
// bands of 64 rows, so that eight adjacent cache lines are written together and the rows
// that are read stay in the cache.
func Transpose(d, s unsafe.Pointer, ds, ss, down, across int64) {
	for j := int64(0); j < down; j += band {
		for i := range across {
			tiles(unsafe.Add(d, i*8*ds+j*64), unsafe.Add(s, j*8*ss+i*64), ds, ss, min(band, down-j))
		}
	}
}
