// Package peers finds the installed MPI libraries and asks them for their results with a
// datatype, so that tests and benchmarks can compare ours with theirs.
//
// Start here: [OpenMPI] and [MPICH] are the libraries, a [Peer] is one rank of a library.
//
//	p, err := peers.OpenMPI.Start()
//	err = p.Build(types.Vector(2, 1, 3, types.Int))
//	a, err := p.Describe(1, 0, 16) // size, bounds, hash of the packed bytes
//
// A peer is one rank of a small C program that is compiled with the library's own compiler
// at the start, runs under the library's own mpirun, and answers each line of input with one
// line:
//
//	build RECIPE             ok           the type all other questions are about
//	load FILE                ok           the same, with the line in a file
//	describe COUNT LO HI     size lb extent true_lb true_extent length hash hash
//	window COUNT LO HI       ok           memory for pack and unpack
//	pack N, unpack N         seconds      of N calls
//	external                 length hash  of the window packed in external32
//	packx N, unpackx N       seconds      of N calls that do that, and the way back
//	store PATH REP ETYPE N   count hash   N etypes written through a view of the type
//	fetch PATH REP ETYPE N   count hash   read through one; the hash covers the memory
//	extent PATH REP          extent       of the type in a file
//	datarep NAME HOW         accepted     or the class that registering it returned;
//	                                      HOW is "plain" or "converts"
//	byteview PATH REP        name         of the view of bytes after setting it, through
//	                                      which one of the type, bytes 0 1 2..., is written;
//	                                      or the class that setting it returned
//	version                  a line
//	any of them              error CLASS  when the library returned an error
//
// # Map
//
//   - library.go: which libraries there are, and starting a rank of one
//   - peer.go: questions and answers
//   - program.go: whole programs of many ranks, for benchmarks
//   - files.go: questions about files and external32
//   - recipe.go: the text of a datatype, the memory pattern and the hash
//   - c/datatype.c, c/peer.c: the other side
//   - played.go, c/player.c: programs of many ranks over a file, line by line
//   - trace.go, c/trace.c: system calls of a library, as strace shows them
//
// # Borders
//
// The tests decide which answers are right. This package knows only the paths and arguments
// of a library's programs. Only tests and tools import it.
package peers
