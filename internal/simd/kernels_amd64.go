//go:build !race && !purego

package simd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// Fast reports that the kernels are vector code.
var Fast = cpu.X86.HasAVX512 && cpu.X86.HasAVX512VBMI && cpu.X86.HasAVX512VBMI2 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT

func squeeze(dst, src unsafe.Pointer, n, stride, count, far int64, mask uint64) {
	if Fast {
		squeezeAVX512(dst, src, n, stride, count, far, mask)
	} else {
		squeezeGo(dst, src, n, stride, count, far, mask)
	}
}

func spread(dst, src unsafe.Pointer, n, stride, count, far int64, mask uint64) {
	if Fast {
		spreadAVX512(dst, src, n, stride, count, far, mask)
	} else {
		spreadGo(dst, src, n, stride, count, far, mask)
	}
}

func rows(d, s unsafe.Pointer, ds, ss, n, w int64) {
	if Fast {
		rowsAVX512(d, s, ds, ss, n, w)
	} else {
		rowsGo(d, s, ds, ss, n, w)
	}
}

func tiles(d, s unsafe.Pointer, ds, ss, n int64) {
	if Fast {
		tilesAVX512(d, s, ds, ss, n)
	} else {
		tilesGo(d, s, ds, ss, n)
	}
}

//go:noescape
func squeezeAVX512(dst, src unsafe.Pointer, n, stride, count, far int64, mask uint64)

//go:noescape
func spreadAVX512(dst, src unsafe.Pointer, n, stride, count, far int64, mask uint64)

//go:noescape
func rowsAVX512(d, s unsafe.Pointer, ds, ss, n, w int64)

//go:noescape
func tilesAVX512(d, s unsafe.Pointer, ds, ss, n int64)
