//go:build !amd64 || race || purego

package simd

import "unsafe"

func permute(dst, src unsafe.Pointer, n, ds, ss, count, dfar, sfar int64, load, store uint64, order *[64]byte) {
	permuteGo(dst, src, n, ds, ss, count, dfar, sfar, load, store, order)
}

func swapRows(d, s unsafe.Pointer, ds, ss, n, w int64, order *[64]byte) {
	swapRowsGo(d, s, ds, ss, n, w, order)
}

func tilesSwapped(d, s unsafe.Pointer, ds, ss, n int64, order *[64]byte) {
	tilesSwappedGo(d, s, ds, ss, n, order)
}

func gather(dst, src unsafe.Pointer, offs, starts *int64, n int64, order *[64]byte) {
	gatherGo(dst, src, offs, starts, n, order)
}

func scatter(dst, src unsafe.Pointer, offs, starts *int64, n int64, order *[64]byte) {
	scatterGo(dst, src, offs, starts, n, order)
}
