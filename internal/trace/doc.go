// Package trace keeps what the ranks of a world did, for the report of a run
// and for pictures of it.
//
//   - log.go: a rank's counters, and the hooks that feed them
//   - event.go: what is kept of each call when a picture is wanted
//   - apart.go: logs of ranks in processes of their own
//   - failed.go: errors that calls returned, of a careful run
//   - chrome.go: the picture as Chrome trace events
//   - shiviz.go: the picture as a log for ShiViz
//
// A package that does something worth telling holds the [Log] of its rank, nil
// if nobody asked for one, and tells it in a line: a nil check is all that it
// costs otherwise. Counting allocates nothing once a rank has met the peers,
// calls and files that it uses.
package trace
