//go:build !race && !purego

package simd

import "unsafe"

func permute(dst, src unsafe.Pointer, n, ds, ss, count, dfar, sfar int64, load, store uint64, order *[64]byte) {
	if Fast {
		permuteAVX512(dst, src, n, ds, ss, count, dfar, sfar, load, store, order)
	} else {
		permuteGo(dst, src, n, ds, ss, count, dfar, sfar, load, store, order)
	}
}

func swapRows(d, s unsafe.Pointer, ds, ss, n, w int64, order *[64]byte) {
	if Fast {
		swapRowsAVX512(d, s, ds, ss, n, w, order)
	} else {
		swapRowsGo(d, s, ds, ss, n, w, order)
	}
}

func tilesSwapped(d, s unsafe.Pointer, ds, ss, n int64, order *[64]byte) {
	if Fast {
		tilesSwappedAVX512(d, s, ds, ss, n, order)
	} else {
		tilesSwappedGo(d, s, ds, ss, n, order)
	}
}

func gather(dst, src unsafe.Pointer, offs, starts *int64, n int64, order *[64]byte) {
	if Fast {
		gatherAVX512(dst, src, offs, starts, n, order)
	} else {
		gatherGo(dst, src, offs, starts, n, order)
	}
}

func scatter(dst, src unsafe.Pointer, offs, starts *int64, n int64, order *[64]byte) {
	if Fast {
		scatterAVX512(dst, src, offs, starts, n, order)
	} else {
		scatterGo(dst, src, offs, starts, n, order)
	}
}

//go:noescape
func permuteAVX512(dst, src unsafe.Pointer, n, ds, ss, count, dfar, sfar int64, load, store uint64, order *[64]byte)

//go:noescape
func swapRowsAVX512(d, s unsafe.Pointer, ds, ss, n, w int64, order *[64]byte)

//go:noescape
func tilesSwappedAVX512(d, s unsafe.Pointer, ds, ss, n int64, order *[64]byte)

//go:noescape
func gatherAVX512(dst, src unsafe.Pointer, offs, starts *int64, n int64, order *[64]byte)

//go:noescape
func scatterAVX512(dst, src unsafe.Pointer, offs, starts *int64, n int64, order *[64]byte)
