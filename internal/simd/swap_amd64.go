//go:build !race && !purego

package simd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// fastSwap reports that [Swap] and [Shuffle] are vector code.
var fastSwap = cpu.X86.HasAVX2

// swap permutes n bytes, a multiple of 32, in groups of 16 by the mask.
//
//go:noescape
func swap(dst, src unsafe.Pointer, n int64, mask *[32]byte)

// shuffle goes n times over the blocks; it reads and writes 16 bytes for each block.
//
//go:noescape
func shuffle(dst, src unsafe.Pointer, n int64, blocks *Block, count int64)
