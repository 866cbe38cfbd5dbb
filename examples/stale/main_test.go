package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The text that a newcomer reads must stay worth reading.
func Example() {
	_ = run(nil)
	// Output:
	// as it is: rank 1 reads "stale"
	// race on "word", bytes 0 to 4
	//   rank 0   writes  WriteAt  main.go:72
	//   rank 1   reads   ReadAt   main.go:81
	//   missing  a Sync of the writer after its write
	//   fix      add Sync before Barrier (main.go:78) on all ranks of the file, and add Sync after
	//            Barrier (main.go:78) on all ranks of the file (you have Barrier (main.go:78)); or add
	//            SetAtomicity(true) after Open (main.go:67), on all ranks of the file
	//   rule     CONS-C2
	// to see it again: world.Replay("random:1")
	//
	// as on a laptop: rank 1 reads "fresh"
	// race on "word", bytes 0 to 4
	//   rank 0   writes  WriteAt  main.go:72
	//   rank 1   reads   ReadAt   main.go:81
	//   missing  a Sync of the writer after its write
	//   fix      add Sync before Barrier (main.go:78) on all ranks of the file, and add Sync after
	//            Barrier (main.go:78) on all ranks of the file (you have Barrier (main.go:78)); or add
	//            SetAtomicity(true) after Open (main.go:67), on all ranks of the file
	//   rule     CONS-C2
	// to see it again: world.Replay("random:1")
	//
	// with the missing calls: rank 1 reads "fresh"
}

// If this fails, other values of the flags do not work, or wrong ones are not refused.
func TestFlags(t *testing.T) {
	assert.EqualError(t, run([]string{"-ranks", "1"}), `-ranks 1: 2 to 1000, one writes and one reads`)
	assert.EqualError(t, run([]string{"-n", "0"}), `-n 0: 1 to 1048576`)
	assert.EqualError(t, run([]string{"x"}), `"x": there are no arguments, only flags`)
	assert.NoError(t, run([]string{"-ranks", "3", "-n", "40"}))
}
