// Package extent computes with the bytes of a file that accesses touch: which bytes they
// are, whether two accesses share some, and whether a file can hold them.
//
// Start here: a [types.Part] is the bytes that one access touches, given by the tiling of
// its view. A [Pattern] is a regular arrangement of blocks: most parts are one pattern or a
// few ([Patterns]), however many fragments they have, and whether two patterns share a byte
// is arithmetic. Package image locks patterns, and the race detector compares them.
//
// # Map
//
//   - pattern.go: patterns, and those of a part
//   - place.go: questions about a tiling; what a file can hold
//   - errors.go: how an error is built
package extent
