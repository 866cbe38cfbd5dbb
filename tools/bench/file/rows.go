package file

import (
	"fmt"
	"slices"
)

// A row is one way to write and to read a file.
type row struct {
	name string
	verb string // in c/peer.c and in verbs
	arg  int64  // bytes of a call or of a block, or a number of calls
	part int64  // this row's file has 1/part of the bytes of a run
	// goals are lower bounds to reach for the better library's time divided by ours.
	write, read float64
	each        bool // figures are microseconds a call, not MiB/s
}

func rows() []*row {
	return []*row{
		{"contiguous, 8 B a call", "contiguous", 8, 128, 15, 1, true},
		{"contiguous, 4 KiB a call", "contiguous", 4 << 10, 1, 1, 1, false},
		{"contiguous, 64 KiB a call", "contiguous", 64 << 10, 1, 1, 1, false},
		{"contiguous, 1 MiB a call", "contiguous", 1 << 20, 1, 2.5, 2.5, false},
		{"3-D blocks", "block", 0, 1, 3, 3, false},
		{"cyclic, a double", "cyclic", 8, 8, 25, 25, false},
		{"64 B blocks, holes in both", "holes", 64, 4, 4, 4, false},
		{"the same, alone", "holes alone", 64, 4, 4, 4, false},
		{"IOR strided, 64 KiB", "cyclic", 64 << 10, 1, 1, 1, false},
		{"IOR segmented, 256 KiB", "segmented", 256 << 10, 1, 1, 1, false},
		{"write_shared, 4 KiB", "shared", 4 << 10, 16, 1, 0, true},
		{"write_ordered, 4 KiB", "ordered", 4 << 10, 16, 10, 0, true},
		{"open + close", "open", 20, 64, 50, 0, true},
		{"atomic, 4 KiB a call", "atomic", 4 << 10, 1, 1, 1, false},
		{"atomic, 64 KiB a call", "atomic", 64 << 10, 1, 1, 1, false},
		{"atomic, 1 MiB a call", "atomic", 1 << 20, 1, 1, 1, false},
	}
}

// A job is a row at a number of ranks, with a file of so many bytes.
type job struct {
	*row
	ranks int
	bytes int64
}

// check returns an error if the ranks cannot share the file evenly.
func (j *job) check() error {
	mine := j.bytes / int64(j.ranks)
	if j.verb != opening && j.arg > 0 && (mine < j.arg || mine%j.arg > 0) {
		return fmt.Errorf("%s, %d ranks: %d bytes of a rank are not a whole number of %d; give -mib", j.name, j.ranks, mine, j.arg)
	}
	return nil
}

// calls returns the number of calls of each rank in one repetition.
func (j *job) calls() int64 {
	switch {
	case j.verb == opening:
		return j.arg
	case slices.Contains([]string{"contiguous", "segmented", "atomic", "shared", "ordered"}, j.verb):
		return j.bytes / int64(j.ranks) / j.arg
	}
	return 1
}

// goal returns the goal of a phase; 0: none.
func (j *job) goal(phase string) float64 {
	if phase == "read" {
		return j.read
	}
	return j.write
}
