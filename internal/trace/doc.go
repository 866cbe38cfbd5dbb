// Package trace records the calls of the ranks of a world, for the report and the pictures
// of a run.
//
// Start here: a [Log] counts the calls of one rank; a [World] has the logs of all.
//
// A package whose calls should be reported holds the [Log] of its rank, nil if there is
// none, and records a call in one line: without a log that costs one nil check. Counting
// allocates nothing once a rank has met the peers, calls and files that it uses.
//
// # Map
//
//   - log.go: a rank's counters, and the methods that update them
//   - event.go: the record of each call, kept if a picture is wanted
//   - done.go: calls, with the calls that happened before them
//   - counters.go: counters of requests, as Darshan has them
//   - calls.go: calls for a recorder, such as the model of a machine
//   - kept.go: files that ranks opened
//   - apart.go: logs of ranks in separate processes
//   - failed.go: errors that calls returned, in a careful run
//   - chrome.go, requests.go: the picture as Chrome trace events; in it, planned requests
//   - shiviz.go: the picture as a log for ShiViz
package trace
