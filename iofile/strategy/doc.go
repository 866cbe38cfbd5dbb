// Package strategy plans by which requests the bytes of accesses move between
// memory and file: one request a run of bytes, data sieving, lists, or two phases
// with aggregators, as the MPI-IO libraries in use do it.
//
// Start here: give [iofile.WithStrategy] a [Direct], [Sieve], [List] or
// [TwoPhase] to have the accesses of a file carried out so; [NewPlan] works out
// what a strategy makes of an access without any file or world, and
// [Plan.Counts] adds up its requests.
//
// # Map
//
//   - strategy.go: the strategies, their settings and the hints that give them
//   - plan.go: parts, plans, requests, counts; what each rank does by itself
//   - twophase.go: file domains, rounds and what ranks send to each other
//
// [iofile.WithStrategy]: https://pkg.go.dev/github.com/commworld/commworld/iofile#WithStrategy
package strategy
