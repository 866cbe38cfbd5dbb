//go:build !amd64 || race || purego

package simd

import "unsafe"

// Fast reports that the kernels are vector code.
const Fast = false

func squeeze(dst, src unsafe.Pointer, n, stride, count, far int64, mask uint64) {
	squeezeGo(dst, src, n, stride, count, far, mask)
}

func spread(dst, src unsafe.Pointer, n, stride, count, far int64, mask uint64) {
	spreadGo(dst, src, n, stride, count, far, mask)
}

func rows(d, s unsafe.Pointer, ds, ss, n, w int64) { rowsGo(d, s, ds, ss, n, w) }

func tiles(d, s unsafe.Pointer, ds, ss, n int64) { tilesGo(d, s, ds, ss, n) }
