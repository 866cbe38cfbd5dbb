// Package rerun carries out the calls of a recording again, in a world of as many ranks, so that
// its checks judge a job that ran with another MPI library: races on files, deviations from the
// standard that the library forgave, collectives that do not fit together, objects left open.
//
// Start here: [Run].
//
// Files and messages have no bytes: buffers are those of types.Fill. A receive from any source
// receives the message that it received in the job, and a wait for any request completes the
// one that was complete.
//
// # Map
//
//   - rerun.go: the world, and what it found
//   - survey.go: what a reading of the whole recording shows before: matches of receives, files
//     that were there
//   - rank.go: the objects of a rank; args.go: fields of calls
//   - calls_*.go: the calls
package rerun
