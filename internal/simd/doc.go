// Package simd moves bytes by vectors where package types cannot do as well in
// Go: small pieces with holes, rows, and the columns of a matrix. It is the one
// place for assembly; nothing else may depend on its being there.
//
// Start here: callers ask [Fast] first, then call the function for their shape of bytes.
//
// Where [Fast] is false, as on processors without the instructions, with the
// build tag purego, and under the race detector, which does not see into
// assembly, the same functions run in Go: right, but slower than the loops of
// package types, which asks first.
//
// # Map
//
//   - simd.go: the functions, and how much is done in one call
//   - portable.go: the kernels in Go, the reference for the others
//   - kernels_amd64.go, kernels_amd64.s: the kernels in AVX-512
//   - kernels_other.go: Fast where there are none
//   - turn.go, turn_*.go: bytes of items in reverse order, in Go and in AVX2
//   - turned.go, turned_*.go: the same on the way between typed and packed bytes
//
// # Borders
//
// Nothing checks bounds here: the caller has done so. Each function touches the
// bytes it names and no others, be it to read them: what is between may belong
// to another goroutine, or to no rank.
package simd
