//go:build !amd64 || race || purego

package simd

import "unsafe"

// fastSwap reports that [Swap] and [Shuffle] are vector code.
const fastSwap = false

func swap(_, _ unsafe.Pointer, _ int64, _ *[32]byte) {}

func shuffle(_, _ unsafe.Pointer, _ int64, _ *Block, _ int64) {}
