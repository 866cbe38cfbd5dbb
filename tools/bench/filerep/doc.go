// Package filerep measures collective writes of a file under native and external32 beside
// MPICH and Open MPI, where they are installed:
//
//	go run ./bench filerep
//
// Four ranks write a file together and sync it, in a folder of /dev/shm (-dir), and our
// ranks ("memory") also in a file system in memory, which no library has; a turn lasts from
// the first rank's start to the last one's end. Our turns go back and forth between a
// native file and one in external32, and o/native and m/native are the median over those
// pairs. The files of all are compared.
//
// # Map
//
//   - filerep.go: our side, and the figures
//   - c/peer.c: the same in C
package filerep
