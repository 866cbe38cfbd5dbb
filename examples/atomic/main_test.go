package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The text that a newcomer reads must stay worth reading.
func Example() {
	_ = run(nil)
	// Output:
	// atomic mode false, a hundred runs: all old 84, all new 9, mixed 7
	// race on "letters", bytes 0 to 1 and 3 more ranges
	//   rank 0   writes  WriteAt  main.go:85  view disp 0, etype char, filetype resized(contiguous(2, char), 0, 4)
	//   rank 1   reads   ReadAt   main.go:88  view disp 0, etype char, filetype resized(contiguous(2, char), 0, 4)
	//   missing  order: nothing makes one of the two wait for the other
	//   fix      add Sync, Barrier, Sync after WriteAt (main.go:85) on rank 0, before ReadAt (main.go:88)
	//            on rank 1; or for the other order, ReadAt (main.go:88) before WriteAt (main.go:85): add
	//            Sync, Barrier, Sync before WriteAt (main.go:85) on rank 0, after ReadAt (main.go:88) on
	//            rank 1
	//   rule     CONS-C2
	// to see it again: world.Replay("random:1")
	// atomic mode true, a hundred runs: all old 54, all new 46, mixed 0
	// <nil>
}

// If this fails, other values of the flags do not work, or wrong ones are not refused.
func TestFlags(t *testing.T) {
	assert.EqualError(t, run([]string{"-ranks", "1"}), `-ranks 1: 2 to 64, one writes and one reads`)
	assert.EqualError(t, run([]string{"-n", "3"}), `-n 3: an even number from 2 to 1024`)
	assert.EqualError(t, run([]string{"x"}), `"x": there are no arguments, only flags`)
	assert.NoError(t, run([]string{"-ranks", "3", "-n", "4"}))
}
