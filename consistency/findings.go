package consistency

import "github.com/commworld/commworld/internal/sched"

// A SyncUse has the uses of the syncs on one line of a program.
type SyncUse struct {
	Place sched.Place
	Calls int // of all ranks
	// Needed counts the calls without which two accesses would have raced: the call
	// published or fetched bytes of a conflict. The other calls ordered nothing; their
	// purpose may be to bring bytes to the storage device.
	Needed int
	// Idle counts the calls without an access through the handle since the previous sync or
	// open, and without one before the next.
	Idle int
	// Last counts the calls that brought bytes to the storage device directly before a close
	// (apart from other syncs): the program may use their result.
	Last int
	// Joined counts the calls that are part of a collective sync that is needed, or the last
	// before a close, on some rank: all ranks of the file have to call it.
	Joined int
}

// A HoleRead is a call that read bytes that no rank wrote in the run and that were not in
// the file before. Calls from one line, on any ranks, are one HoleRead.
type HoleRead struct {
	By     Party // the lowest of the ranks
	Ranks  int   // number of ranks that did it
	Lo, Hi int64 // the first of the bytes
	More   int   // number of further ranges, on the rank in By
}

// A Leftover is the end of a file from before the run: the bytes after the last byte that
// the run wrote.
type Leftover struct {
	Written int64 // end of the written bytes
	Size    int64 // end of the file
}

// RulePointer is the rule of unordered calls at the shared pointer.
const RulePointer = "IO-SHP-04"
