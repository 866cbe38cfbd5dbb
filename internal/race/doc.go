// Package race finds races between accesses to a file, and keeps the details for their
// reports.
//
// Start here: a [Detector] judges one file in one run. A handle opens with [Detector.Open],
// which returns its [Tracker]; each access goes through [Tracker.Access], or
// [Tracker.Begin] and [Pending.End] if it is not blocking; [Tracker.Sync] and
// [Tracker.Close] order them. [Detector.Races] returns the races, as values of package
// consistency.
//
// # Map
//
//   - detector.go: which accesses race; extents.go, row.go, accessgroup.go: footprints of accesses
//   - reach.go: the size of the file that a reader may rely on
//   - advice.go: fixes in words; rerun.go: fixes tried on the recorded run
//   - audit.go: which syncs were needed
//   - sharedpointer.go: calls at the shared pointer whose order is open
//   - forgotten.go, holes.go: findings at the end of a run: holes that were read, old bytes that were left
//   - ledger.go: which write each byte comes from
//   - writehistory.go: all writes of an explored run, and what reads may return
//
// # Borders
//
// The package only decides; it has no goroutines, no clock and no waiting.
package race
