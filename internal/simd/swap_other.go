//go:build !amd64 || race || purego

package simd

import "unsafe"

// FastSwap reports that [Swap] and [Shuffle] are vector code.
const FastSwap = false

func swap(_, _ unsafe.Pointer, _ int64, _ *[32]byte) {}

func shuffle(_, _ unsafe.Pointer, _ int64, _ *Block, _ int64) {}
