// Package simd moves bytes with vector instructions in cases where they are faster than Go:
// small pieces with holes, rows, and the columns of a matrix. It is the only package with
// assembly for moving bytes, and all callers work without it.
//
// Start here: callers ask [Fast] first, then call the function for their shape of bytes.
//
// [Fast] is false on processors without the instructions, with the build tag purego,
// and under the race detector, which does not see into assembly. The same functions
// then run in Go. They are correct, but slower than the loops of package types, so that
// package asks first.
//
// # Map
//
//   - simd.go: the functions, and the limit of one call
//   - portable.go: the kernels in Go, the reference for the others
//   - kernels_amd64.go, kernels_amd64.s: the kernels in AVX-512
//   - kernels_other.go: Fast for processors without them
//   - swap.go, swap_*.go: items with their bytes in reverse order, in Go and in AVX2
//   - swapped.go, swapped_*.go: the same while packing or unpacking
//
// # Borders
//
// No function checks bounds here: the caller has done so. Each function touches only the
// bytes that it names, and does not even read others: bytes in between may belong to another
// goroutine, or be outside all memory.
package simd
