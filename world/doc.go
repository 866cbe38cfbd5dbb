// Package world starts the ranks of an MPI world inside this process and reports how they
// ended.
//
// Start here: run a program, then under every order of its ranks.
//
//	err := world.Run(ctx, 4, func(ctx context.Context, c *comm.Comm) error {
//		sum := make([]int32, 1)
//		return c.AllReduce(types.Of([]int32{int32(c.Rank())}), types.Of(sum), comm.Sum)
//	})
//
// A rank is a goroutine that runs a function. If the function returns an error, the world
// ends, as under ERRORS_ARE_FATAL. It also ends if a rank panics or calls runtime.Goexit,
// as t.FailNow and testify's require do. Then every wait of the other ranks returns, and
// [Run] returns one error that names each rank that failed, and the line. A world in
// which all ranks wait for each other ends at once, with a [DeadlockError] that lists the
// call in which each of them waits.
//
// A communicator, request or file belongs to the rank that got it. If that rank uses
// several goroutines, they must take turns. A call by another goroutine while the rank
// waits, or is in a collective, is an error that names both lines. A free world cannot
// tell whether that goroutine belongs to the same rank or to another one.
// If ranks take turns, as under [Seed], every use of another rank's handle is an error.
// [Check] of [Threads] reports two goroutines that exchange messages of one rank at the
// same time, even if neither waits; without this check, run the test with -race to find
// them.
//
// # Reports
//
// Without any option, [Run] returns an error for these mistakes, with the known lines of
// the program: ranks that do not agree, messages that do not fit or that no rank received,
// requests never completed, files and attached buffers left open, deadlock, races. Calls
// that are legal, but probably not what you meant, such as a communicator that was never
// freed, are hints in the [Report] of [RunReport]. [Careful] turns on all checks that one
// run can make, and makes hints errors. Expensive checks are opt-in, by [Check]: [Buffers]
// looks for buffers that were changed while they were in use, [Threads] for goroutines of
// one rank that do not take turns, and [Handles] makes the hint about communicators an
// error. [Unchecked] turns off reports at the end.
//
// # Borders
//
// Package comm handles messages and package iofile files; this package does not import
// iofile. internal/sched makes ranks wait, wakes them, and notices how a rank ended.
package world
