// Package engine measures the same bodies of ranks twice: as goroutines of this process,
// and as processes of the MPI library that the program was built with, which it starts
// itself:
//
//	go run -tags mpich ./bench engine              # MPICH
//	go run -tags openmpi ./bench engine            # Open MPI
//	go run -tags mpich ./bench engine -rounds 9 64 KiB
//
// A row shows microseconds an operation, the median of the rounds, and the median over the
// rounds of the library's time over ours: above 1 ours is the faster. What the engine itself
// costs is within the library's figures; command overhead measures that. Files are in -dir
// on both sides, are written under the POSIX model, and are compared after every turn.
//
// With more ranks than processors a library that spins, as MPICH does, waits for the
// system's scheduler; -ranks is the number that write files and take part in collectives.
//
// # Map
//
//   - engine.go: the sides, and the table
//   - rows.go: the measurements
//   - without.go: a program that was built without a library
package engine
