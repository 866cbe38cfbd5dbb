// Package extent computes with the bytes of a file that accesses touch: which
// they are, whether two accesses share some, and whether a file can hold them.
//
// A [Stretch] is what one access touches, by the tiling of its view. A
// [Pattern] is a regular arrangement of blocks: most stretches are one pattern
// or a few, however many fragments they have, and whether two patterns share a
// byte is arithmetic. Package image locks by them, the race detector compares
// by them.
//
// # Map
//
//   - pattern.go: patterns, stretches, and the patterns of a stretch
//   - place.go: questions about a tiling; what a file can hold
//   - errors.go: how an error is built
package extent
