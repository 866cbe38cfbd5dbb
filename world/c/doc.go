// Package c runs C programs that call MPI as ranks of a world, unchanged: each rank is
// the program's main in this process.
//
// Start here: two commands.
//
//	go install github.com/commworld/commworld/world/c/cmd/commworldcc@latest
//	go install github.com/commworld/commworld/world/c/cmd/commworldrun@latest
//
//	commworldcc prog.c -o prog.so
//	commworldrun -n 16 prog.so
//
// The same from Go, where some ranks may be C and others Go:
//
//	p, err := c.Open("prog.so")
//	err = world.Run(ctx, 16, p.Rank)
//
// # How
//
// The compiler makes a shared object of the program. Each rank loads a copy of it, so that
// global variables are its own, and runs main on a stack of its own. A call of MPI leaves
// that stack for the goroutine of the rank, which calls packages comm, iofile and types, and
// enters it again with the result. So a rank waits as a Go rank does: deadlocks are found,
// seeds and replays work, and reports name the lines of the C program.
//
// A handle of the standard is a number here that the rank looks up in its own table;
// using a handle that was freed, or is of another kind, is an error of its class.
//
// # Ranks as processes
//
// [Command] returns a program whose ranks are processes: whatever uses the standard ABI runs. Its
// library (process/library.c) puts a call, with its arguments and return addresses, into memory that
// it shares with this process, and waits; the goroutine of the rank carries the call out and answers
// with the result, or with a function of the program to call. What a call looks at in the memory of
// the process is copied here, to the same place of a reserved range, and what it has changed is
// copied back before the answer. So a call costs two switches between processes, and a buffer two
// copies, where one process has none.
//
// # What ranks share
//
// The process: its C library, with standard output, the environment and the working directory;
// and libraries that the program links dynamically, with their global variables.
//
// A rank runs on a thread of its own, with its variables, from the first line of main to the
// end, if the program can tell: it has variables of threads, calls a function that depends on
// the thread, or links a library other than those of C. Other programs run on common threads,
// because handing on the turn from thread to thread takes about ten times as long. Threads that
// a program starts must not call MPI.
//
// # Where
//
// Linux on amd64 and arm64 with cgo. Elsewhere [Open] returns an error that says so.
//
// # Map
//
//   - internal/table/functions.txt: the functions of MPI; generate makes stubs.c and include/mpi_functions.h of it
//   - include/mpi.h: the standard's ABI
//   - internal/fortran: mpif.h, the modules of Fortran, and the C code behind them, made from the header
//   - frame.h, frame.c, frame.go: C code on stacks of its own, what ends it
//   - posix.c, posix.go, posixcall.go: calls of POSIX and stdio on files that are open through MPI
//   - program.go, rank.go: loading programs, and a rank's life
//   - process.go, library.go, process: ranks that are processes, their library and its making; remote.go: what differs
//     for their ranks; labelled.go: their output
//   - needs.go: what programs want of MPI
//   - memory.go, scattered.go: the memory of a process; objects.go: what it has mapped, and its lines
//   - threads.go: which programs have a thread for each rank
//   - lastcall.go: where each rank was when its process was killed
//   - call.go, handle.go, status.go, errors.go: arguments, handles, statuses and errors between C and Go
//   - calls_*.go: the functions, a table for each chapter of the standard
//   - place.go: lines of C programs
package c

//go:generate go run ./generate
