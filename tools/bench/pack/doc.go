// Package pack measures how fast datatypes are packed and unpacked: by this module, by the
// MPI libraries installed here, and by a loop written by hand for each regular shape.
//
//	go run ./bench pack              # all shapes
//	go run ./bench pack vector       # those with vector in their name
//	go run ./bench pack -payload 64  # with 64 KiB of data instead of 1024
//
// A row shows MiB/s of payload (median of all rounds), the median over the rounds of ours
// against the better library and against the loop, and how often one call of ours
// allocates.
//
// # Map
//
//   - shapes.go: the datatypes that are packed
//   - hand.go: the loops
//   - external.go: the same in external32, beside packing natively
//   - contest.go: the sides, and the table
package pack
