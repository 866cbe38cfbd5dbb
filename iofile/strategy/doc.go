// Package strategy plans by which requests the bytes of accesses move between memory and
// file: one request for each run of bytes, data sieving, lists, or two-phase I/O with
// aggregators, as in real MPI-IO libraries.
//
// Start here: give [iofile.WithStrategy] a [Direct], [Sieve], [List] or [TwoPhase] to carry
// out the accesses of a file by that strategy; [NewPlan] computes the plan of a strategy for
// an access without any file or world, and [Plan.Counts] adds up its requests. A strategy of
// the program is a [Planner], a [JointPlanner], or both.
package strategy
