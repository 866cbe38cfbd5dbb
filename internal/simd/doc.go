// Package simd moves bytes with vector instructions in the cases that are faster so than in
// Go: small pieces with holes, rows, and the columns of a matrix. It is the only package
// with assembly for moving bytes, and everything works without it.
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
//   - simd.go: the functions, and how much is done in one call
//   - portable.go: the kernels in Go, the reference for the others
//   - kernels_amd64.go, kernels_amd64.s: the kernels in AVX-512
//   - kernels_other.go: Fast where there are none
//   - swap.go, swap_*.go: items with their bytes in reverse order, in Go and in AVX2
//   - swapped.go, swapped_*.go: the same while packing or unpacking
//
// # Borders
//
// Nothing checks bounds here: the caller has done so. Each function touches the
// bytes it names and no others, not even to read them: bytes between may belong
// to another goroutine, or be outside all memory.
package simd
