// Package world starts the ranks of an MPI world inside this process and tells
// how they ended.
//
//	err := world.Run(ctx, 4, func(ctx context.Context, c *comm.Comm) error {
//		sum := make([]int32, 1)
//		return c.AllReduce(types.Of([]int32{int32(c.Rank())}), types.Of(sum), comm.Sum)
//	})
//
// A rank is a goroutine and its program a function that returns an error; the
// error ends the world, as ERRORS_ARE_FATAL does. So does a rank that panics
// or leaves by runtime.Goexit, which t.FailNow and testify's require call: the
// other ranks are released from whatever they wait for, and [Run] returns one
// error that names every rank that failed and where. A world in which all
// ranks wait for each other ends at once, with a [DeadlockError] that lists
// what each of them waits for.
//
// A communicator, request or file belongs to the rank that got it, whose
// goroutines take turns. A call by another goroutine while the rank waits, or is in
// a collective, is an error that names both lines; whether that goroutine is one
// of the same rank or of another nobody knows, except where ranks run by turns,
// under [Seed], [RoundRobin] or [PCT]: there every use of another rank's handle is
// told. [CheckThreads] tells two goroutines in messages of one rank at one time,
// also if neither waits; without it run the test with -race for those.
//
// # What is told
//
// What a program did wrong is an error of [Run] without any option: ranks that do
// not agree, messages that do not fit or that nobody received, requests never
// completed, files and attached buffers left open, deadlock, races; each with the
// lines of the program that are known. What is legal and suspicious, such as a
// communicator that was never freed, is a hint in the [Report] of [RunReport].
// [Careful] turns on all checks that one run can make, and makes hints errors.
// What costs more than a run should is an option: [CheckBuffers] looks for buffers
// touched while they were in use, [CheckThreads] for goroutines of one rank that do
// not take turns, and [CheckHandles] makes the hint about communicators an error. [Unchecked] turns off what is told at the end.
//
// # Map
//
//   - run.go: Run, from the first rank's start to the last one's end
//   - explore.go: Explore, every schedule that makes a difference
//   - strict.go: Strict, a program in two orders of its ranks
//   - careful.go, careenv.go: Careful, one switch for all checks, also by an environment variable
//   - options.go: seeds and other schedules, architectures
//   - errors.go: what a world that failed returns
//   - report.go, reporttable.go: RunReport, what a run did, for programs and people
//   - engine.go, tell.go: worlds of an engine, and what is told of them
//   - trace.go: Trace and ShiViz, pictures of a run
//
// # Borders
//
// Messages are the business of package comm and files of package iofile, which
// this package does not import. Waiting, waking and noticing how a rank ended
// is done in internal/sched.
package world
