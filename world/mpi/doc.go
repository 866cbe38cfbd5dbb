// Package mpi runs the ranks of a world on a real MPI library, in the manner of
// a database driver:
//
//	import (
//		"github.com/commworld/commworld/world"
//		_ "github.com/commworld/commworld/world/mpi"
//	)
//
//	err := world.Run(ctx, 0, body, world.Engine("mpi"))
//
// Started by mpirun -n 4, each of the four processes runs body as one rank;
// started by hand, it is a world of one. The body does not change. The library
// is the one that the program was built with: MPICH, or with the build tag
// openmpi Open MPI, found by pkg-config:
//
//	go build -o prog.mpich .
//	go build -tags openmpi -o prog.openmpi .
//	mpirun -n 4 ./prog.mpich
//	srun --kill-on-bad-exit --mpi=pmi2 -n 4 ./prog.mpich     # under Slurm
//	srun --kill-on-bad-exit --mpi=pmix -n 4 ./prog.openmpi
//
// A launcher that the library does not know would start several worlds of one rank; that is
// an error.
//
// # What runs where
//
// The library carries out messages, collectives, communicators and topologies, and also
// files: its own MPI-IO opens the real path of a file system made with iofile.NewDir. A file
// of iofile.NewMem is, while it is open, in a temporary directory that all ranks must share.
// The file begins with rank 0's bytes, and after its close every rank has the result in its
// own memory. A job that ends before that leaves the directory behind, commworld-* in
// [os.TempDir] (set by TMPDIR); the next job that makes such a directory on that machine
// removes it.
//
// Before a call is passed on, each rank checks its arguments and types, as in a world in one
// process. Errors that only all ranks together show, such as different roots, are left to
// the library, which may crash or hang. Run a program in one process first.
//
// An error of the library has the library's class, name, version and text. A rank whose body
// returns an error, or panics, ends the whole job, by MPI_Abort, after its text was written
// to standard error.
//
// # Threads and memory
//
// The library is asked for MPI_THREAD_MULTIPLE. If it gives less, all calls of a rank come
// from one operating-system thread, to which its goroutine is locked; a message, a
// collective or an access of another goroutine is then an error. Buffers are pinned until
// the operation that uses them is complete. The library handles signals.
//
// # What ranks share
//
// The ranks of one process share its memory: a variable that the body closes over, or a
// global one, is the same for all of them, and here each process has its own. A program that
// passes values between ranks in this way, and not by messages and files, is no MPI program,
// and gives other results here. No check refuses it. Four tools each find some of these
// programs:
//
//   - The analyzer tools/sharing reads the source of the body for variables that ranks
//     share, and names each with its lines: sharing ./...
//   - [world.Strict] runs the program twice in one process, ranks in the opposite
//     order, and names the first call that is not the same.
//   - go test -race, in one process, where the accesses of two ranks have no order,
//     or none but by chance. Sharing in an order that messages or barriers give is
//     none for it.
//   - The results of a world in one process beside those of mpirun, where sharing
//     changes them in the case that is run.
//
// None of them finds all.
//
// # Map
//
//   - mpi.go: joining a job, leaving it, errors
//   - types.go: datatypes, made by replaying their recipes
//   - comm.go, request.go: messages, communicators, requests; room.go: buffers of buffered sends
//   - collective.go, op.go: collectives, and operations of programs
//   - file.go: files
//   - judged: tables of what the library answers where libraries part, and to random
//     programs of the conformance suite, written by tools/judge
//   - newcomer: a module of its own gets this one by go get
//   - shim.h, shim.c: the library's calls, in words that fit every library
package mpi
