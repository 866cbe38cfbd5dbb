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
// A launcher that the library does not know would start as many worlds of one; that
// is an error.
//
// # What runs where
//
// Messages, collectives, communicators and topologies are the library's, and so
// are files: its own MPI-IO opens the real path of a file system made with
// iofile.NewDir. A file of iofile.NewMem is, while it is open, in a temporary
// directory that all ranks must share; rank 0's bytes count when it is opened, and
// every rank finds them in its own memory when it has been closed. A job that ends
// before leaves the directory behind, commworld-* in [os.TempDir] (TMPDIR says
// where); the next one that makes such a directory on that machine removes it.
//
// Arguments and types are checked before a call is handed on, as in a world in
// one process, by what a rank knows by itself. What takes all ranks to see, such as
// roots that differ, is up to the library, and so is what it does then:
// usually nothing good. Run a program in one process first.
//
// What the library refuses is an error of its class, with its name, version
// and text. A rank whose body returns an error, or panics, ends the whole job,
// by MPI_Abort, after its text was written to standard error.
//
// # Threads and memory
//
// The library is asked for MPI_THREAD_MULTIPLE. If it gives less, a rank's
// calls all come from one operating-system thread, which its goroutine is tied
// to; a message, a collective or an access of another goroutine is then an error.
// Buffers are pinned until what uses them is complete. Signals are left to the
// library.
//
// # What ranks share
//
// The ranks of one process share its memory: a variable that the body closes over,
// or a global one, is the same for all of them, and here each process has its own.
// A program that passes values between ranks so, and not by messages and files, is
// none of MPI, and gives other results here. Nothing refuses it, and four means
// find it, each a part:
//
//   - The analyzer tools/sharing reads the source of the body for variables that ranks
//     share, and names each with its lines: go vet -vettool=$(which sharing) ./...
//   - [world.Strict] runs the program twice in one process, ranks in the opposite
//     order, and names the first call that is not the same.
//   - go test -race, in one process, where the accesses of two ranks have no order,
//     or none but by chance. Sharing in an order that messages or barriers give is
//     none for it.
//   - The results of a world in one process beside those of mpirun, where sharing
//     changes them in the case that is run.
//
// What none of them shows stays unseen.
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
