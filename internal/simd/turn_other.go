//go:build !amd64 || race || purego

package simd

import "unsafe"

// FastTurn reports that [Turn] and [Shuffle] are vector code.
const FastTurn = false

func turn(_, _ unsafe.Pointer, _ int64, _ *[32]byte) {}

func shuffle(_, _ unsafe.Pointer, _ int64, _ *Block, _ int64) {}
