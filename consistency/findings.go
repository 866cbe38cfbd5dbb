package consistency

import "github.com/commworld/commworld/internal/sched"

// A SyncUse says what the syncs on one line of a program were needed for.
type SyncUse struct {
	Place sched.Place
	Calls int // of all ranks
	// Needed counts the calls without which two accesses would have raced: the call
	// published or fetched bytes of a conflict. The other calls ordered nothing; they may
	// be there to bring bytes to the storage device.
	Needed int
	// Idle counts the calls with no access through the handle between them and the sync (or
	// open) before, and none after.
	Idle int
	// Last counts the calls that brought bytes to the storage device and came right before
	// a close, other syncs aside: the program may want to know whether that succeeded.
	Last int
}

// A HoleRead is a call that read bytes that no rank wrote in the run and that were not in
// the file before. Calls from one line, on any ranks, are one HoleRead.
type HoleRead struct {
	By     Party // the lowest of the ranks
	Ranks  int   // number of ranks that did it
	Lo, Hi int64 // the first of the bytes
	More   int   // number of further ranges, on the rank in By
}

// A Leftover is the end of a file from before the run: the bytes after everything that
// the run wrote.
type Leftover struct {
	Written int64 // end of what was written
	Size    int64 // end of the file
}

// RulePointer is the rule of unordered calls at the shared pointer.
const RulePointer = "IO-SHP-04"
