package simd

import (
	"math/bits"
	"unsafe"
)

func squeezeGo(dst, src unsafe.Pointer, n, stride, count, far int64, mask uint64) {
	at := int64(0)
	for i := range count {
		for j := range n {
			for m := mask; m != 0; m &= m - 1 {
				*(*byte)(unsafe.Add(dst, at)) = *(*byte)(unsafe.Add(src, i*far+j*stride+int64(bits.TrailingZeros64(m))))
				at++
			}
		}
	}
}

func spreadGo(dst, src unsafe.Pointer, n, stride, count, far int64, mask uint64) {
	at := int64(0)
	for i := range count {
		for j := range n {
			for m := mask; m != 0; m &= m - 1 {
				*(*byte)(unsafe.Add(dst, i*far+j*stride+int64(bits.TrailingZeros64(m)))) = *(*byte)(unsafe.Add(src, at))
				at++
			}
		}
	}
}

func rowsGo(d, s unsafe.Pointer, ds, ss, n, w int64) {
	for i := range n {
		copy(unsafe.Slice((*byte)(unsafe.Add(d, i*ds)), w), unsafe.Slice((*byte)(unsafe.Add(s, i*ss)), w))
	}
}

func tilesGo(d, s unsafe.Pointer, ds, ss, n int64) {
	for r := range 8 * n {
		for c := range int64(8) {
			*(*[8]byte)(unsafe.Add(d, c*ds+r*8)) = *(*[8]byte)(unsafe.Add(s, r*ss+c*8))
		}
	}
}

// In an order, byte i of 64 comes from byte order[i].

func permuteGo(dst, src unsafe.Pointer, n, ds, ss, count, dfar, sfar int64, load, store uint64, order *[64]byte) {
	for i := range count {
		for j := range n {
			var window [64]byte
			for m := load; m != 0; m &= m - 1 {
				b := bits.TrailingZeros64(m)
				window[b] = *(*byte)(unsafe.Add(src, i*sfar+j*ss+int64(b)))
			}
			for m := store; m != 0; m &= m - 1 {
				b := bits.TrailingZeros64(m)
				*(*byte)(unsafe.Add(dst, i*dfar+j*ds+int64(b))) = window[order[b]%64]
			}
		}
	}
}

// The orders of the functions below stay within 16 bytes.

func swapRowsGo(d, s unsafe.Pointer, ds, ss, n, w int64, order *[64]byte) {
	for i := range n {
		for b := int64(0); b < w; b += 64 {
			reorder(unsafe.Add(d, i*ds+b), unsafe.Add(s, i*ss+b), min(64, w-b), order)
		}
	}
}

// reorder copies n bytes, at most 64, in the given order; n is a multiple of an item.
func reorder(d, s unsafe.Pointer, n int64, order *[64]byte) {
	for b := range n {
		*(*byte)(unsafe.Add(d, b)) = *(*byte)(unsafe.Add(s, order[b]))
	}
}

func tilesSwappedGo(d, s unsafe.Pointer, ds, ss, n int64, order *[64]byte) {
	for r := range 8 * n {
		for c := range int64(8) {
			reorder(unsafe.Add(d, c*ds+r*8), unsafe.Add(s, r*ss+c*8), 8, order)
		}
	}
}

func gatherGo(dst, src unsafe.Pointer, offs, starts *int64, n int64, order *[64]byte) {
	from := unsafe.Slice(starts, n+1)
	for i, off := range unsafe.Slice(offs, n) {
		reorder(unsafe.Add(dst, from[i]), unsafe.Add(src, off), from[i+1]-from[i], order)
	}
}

func scatterGo(dst, src unsafe.Pointer, offs, starts *int64, n int64, order *[64]byte) {
	from := unsafe.Slice(starts, n+1)
	for i, off := range unsafe.Slice(offs, n) {
		reorder(unsafe.Add(dst, off), unsafe.Add(src, from[i]), from[i+1]-from[i], order)
	}
}
