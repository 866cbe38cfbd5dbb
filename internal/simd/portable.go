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
