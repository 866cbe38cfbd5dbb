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
// A rank is a goroutine and its program a function that returns an error; the error ends
// the world, as ERRORS_ARE_FATAL does. So does a rank that panics or leaves by
// runtime.Goexit, which t.FailNow and testify's require call: the other ranks are released
// from whatever they wait for, and [Run] returns one error that names every rank that
// failed and where. A world in which all ranks wait for each other ends at once, with a
// [DeadlockError] that lists what each of them waits for.
//
// A communicator, request or file belongs to the rank that got it. If that rank uses
// several goroutines, they must take turns. A call by another goroutine while the rank
// waits, or is in a collective, is an error that names both lines. In a free world it is
// unknown whether that goroutine belongs to the same rank or to another one; where ranks
// run by turns, as under [Seed], every use of another rank's handle is
// reported. [Check] of [Threads] reports two goroutines that exchange messages of one rank at the
// same time, even if neither waits; without it, run the test with -race to find those.
//
// # Reports
//
// Mistakes of a program are errors of [Run] without any option: ranks that do not agree,
// messages that do not fit or that no rank received, requests never completed, files and
// attached buffers left open, deadlock, races; each with the lines of the program that are
// known. Calls that are legal, but probably not what you meant, such as a communicator that
// was never freed, are hints in the [Report] of [RunReport]. [Careful] turns on all checks
// that one run can make, and makes hints errors. Expensive checks are opt-in,
// by [Check]: [Buffers] looks for buffers that were changed while they were in use, [Threads]
// for goroutines of one rank that do not take turns, and [Handles] makes the hint about
// communicators an error. [Unchecked] turns off reports at the end.
//
// # Borders
//
// Package comm handles messages and package iofile files; this package does not import
// iofile. internal/sched waits, wakes, and notices how a rank ended.
package world
