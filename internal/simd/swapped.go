package simd

import (
	"math/bits"
	"unsafe"
)

// GatherSwapped does the same as [Stencil.Gather], with the bytes of each window in another
// order: packed byte i of a window is the one that Gather would put at order[i].
func (p *Stencil) GatherSwapped(dst, src unsafe.Pointer, order *[64]byte) {
	var places, from [64]byte
	width := p.places(&places)
	for i := range width {
		from[i] = places[order[i]%64]
	}
	p.parts(func(q Stencil, off, at int64) {
		permute(unsafe.Add(dst, at*width), unsafe.Add(src, off),
			q.N, width, q.Stride, q.Count, q.N*width, q.Far, q.Mask, ^uint64(0)>>(64-width), &from)
	})
}

// ScatterSwapped is the inverse of GatherSwapped for an order that is its own inverse.
func (p *Stencil) ScatterSwapped(dst, src unsafe.Pointer, order *[64]byte) {
	var places, from [64]byte
	width := p.places(&places)
	for i := range width {
		from[places[i]] = order[i]
	}
	p.parts(func(q Stencil, off, at int64) {
		permute(unsafe.Add(dst, off), unsafe.Add(src, at*width),
			q.N, q.Stride, width, q.Count, q.Far, q.N*width, ^uint64(0)>>(64-width), q.Mask, &from)
	})
}

// places lists the data bytes of a window, and returns their number.
func (p *Stencil) places(at *[64]byte) int64 {
	n := int64(0)
	for m := p.Mask; m != 0; m &= m - 1 {
		at[n] = byte(bits.TrailingZeros64(m))
		n++
	}
	return n
}

// parts does the same as split, but makes only one call if that is enough.
func (p *Stencil) parts(do func(part Stencil, off, at int64)) {
	if p.short() {
		do(*p, 0, 0)
		return
	}
	p.split(do)
}

// reversal returns the order of 64 bytes that reverses items of width bytes; width divides
// 16.
func reversal(width int64) *[64]byte { return &orders[bits.TrailingZeros64(uint64(width))] }

var orders = func() (all [5][64]byte) {
	for i := range all {
		for b := range 64 {
			all[i][b] = byte(b) ^ byte(1<<i-1)
		}
	}
	return all
}()

// longest is the largest width of rows that one call swaps together.
const longest = 4 << 10

// SwapRows copies n rows of w bytes from s, one every ss bytes, to d, one every ds bytes,
// and reverses the bytes of each item. Items have width bytes, which divides w and 16.
// n is not zero.
func SwapRows(d, s unsafe.Pointer, ds, ss, n, w, width int64) {
	switch {
	case w == 8 && width == 8:
		swapWords(d, s, ds, ss, n)
	case w == 4 && width == 4:
		swapHalves(d, s, ds, ss, n)
	case Fast && w <= longest:
		order := reversal(width)
		const step = most / 64
		for ; n > step; n -= step {
			swapRows(d, s, ds, ss, step, w, order)
			d, s = unsafe.Add(d, step*ds), unsafe.Add(s, step*ss)
		}
		swapRows(d, s, ds, ss, n, w, order)
	default:
		for i := range n {
			Swap(unsafe.Slice((*byte)(unsafe.Add(d, i*ds)), w), unsafe.Slice((*byte)(unsafe.Add(s, i*ss)), w), int(width))
		}
	}
}

// Single items far apart gain nothing from vectors.
func swapWords(d, s unsafe.Pointer, ds, ss, n int64) {
	var do, so int64
	for ; n >= 4; n -= 4 {
		a, b := *(*uint64)(unsafe.Add(s, so)), *(*uint64)(unsafe.Add(s, so+ss))
		e, f := *(*uint64)(unsafe.Add(s, so+2*ss)), *(*uint64)(unsafe.Add(s, so+3*ss))
		*(*uint64)(unsafe.Add(d, do)) = bits.ReverseBytes64(a)
		*(*uint64)(unsafe.Add(d, do+ds)) = bits.ReverseBytes64(b)
		*(*uint64)(unsafe.Add(d, do+2*ds)) = bits.ReverseBytes64(e)
		*(*uint64)(unsafe.Add(d, do+3*ds)) = bits.ReverseBytes64(f)
		do, so = do+4*ds, so+4*ss
	}
	for ; n > 0; n-- {
		*(*uint64)(unsafe.Add(d, do)) = bits.ReverseBytes64(*(*uint64)(unsafe.Add(s, so)))
		do, so = do+ds, so+ss
	}
}

func swapHalves(d, s unsafe.Pointer, ds, ss, n int64) {
	var do, so int64
	for ; n > 0; n-- {
		*(*uint32)(unsafe.Add(d, do)) = bits.ReverseBytes32(*(*uint32)(unsafe.Add(s, so)))
		do, so = do+ds, so+ss
	}
}

// TransposeSwapped does the same as [Transpose], and also reverses the bytes of each value.
func TransposeSwapped(d, s unsafe.Pointer, ds, ss, down, across int64) {
	for j := int64(0); j < down; j += band {
		for i := range across {
			tilesSwapped(unsafe.Add(d, i*8*ds+j*64), unsafe.Add(s, j*8*ss+i*64), ds, ss, min(band, down-j), reversal(8))
		}
	}
}

// GatherRuns copies run i from src+offs[i] to dst+starts[i]; starts[i+1] is the start of
// the next run. No run has more than 64 bytes. The bytes of each item of width bytes are
// reversed; width divides 16 and the length of each run, and 1 changes nothing.
func GatherRuns(dst, src unsafe.Pointer, offs, starts []int64, width int64) {
	for ; len(offs) > 0; offs, starts = offs[min(most, len(offs)):], starts[min(most, len(offs)):] {
		gather(dst, src, unsafe.SliceData(offs), unsafe.SliceData(starts), int64(min(most, len(offs))), reversal(width))
	}
}

// ScatterRuns is the inverse of [GatherRuns].
func ScatterRuns(dst, src unsafe.Pointer, offs, starts []int64, width int64) {
	for ; len(offs) > 0; offs, starts = offs[min(most, len(offs)):], starts[min(most, len(offs)):] {
		scatter(dst, src, unsafe.SliceData(offs), unsafe.SliceData(starts), int64(min(most, len(offs))), reversal(width))
	}
}

// GatherEven copies the items at offs, all of width bytes, which is 4 or 8, and
// reverses the bytes of each.
func GatherEven[O int32 | int64](dst, src unsafe.Pointer, offs []O, width int64) {
	if width == 4 {
		for i, o := range offs {
			*(*uint32)(unsafe.Add(dst, 4*i)) = bits.ReverseBytes32(*(*uint32)(unsafe.Add(src, o)))
		}
		return
	}
	for i, o := range offs {
		*(*uint64)(unsafe.Add(dst, 8*i)) = bits.ReverseBytes64(*(*uint64)(unsafe.Add(src, o)))
	}
}

// ScatterEven is the inverse of [GatherEven].
func ScatterEven[O int32 | int64](dst, src unsafe.Pointer, offs []O, width int64) {
	if width == 4 {
		for i, o := range offs {
			*(*uint32)(unsafe.Add(dst, o)) = bits.ReverseBytes32(*(*uint32)(unsafe.Add(src, 4*i)))
		}
		return
	}
	for i, o := range offs {
		*(*uint64)(unsafe.Add(dst, o)) = bits.ReverseBytes64(*(*uint64)(unsafe.Add(src, 8*i)))
	}
}
