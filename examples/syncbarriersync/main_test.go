package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The text that a newcomer reads must stay worth reading.
func Example() {
	_ = run(nil)
	// Output:
	// write, sync, barrier, sync, read: 0 of 100 read the old bytes
	// write, barrier, sync, read: 56 of 100 read the old bytes
	//   100 lack a Sync of the writer after its write
	// write, sync, barrier, read: 61 of 100 read the old bytes
	//   100 lack a Sync of the reader before its read
	// write, sync, sync, read: 0 of 100 read the old bytes
	//   100 lack order: nothing makes one of the two wait for the other
	// write, sync, read: 61 of 100 read the old bytes
	//   100 lack order: nothing makes one of the two wait for the other
}

// If this fails, other values of the flags do not work, or wrong ones are not refused.
func TestFlags(t *testing.T) {
	assert.EqualError(t, run([]string{"-ranks", "65"}), `-ranks 65: 2 to 64, one writes and one reads`)
	assert.EqualError(t, run([]string{"-n", "0"}), `-n 0: 1 to 10000`)
	assert.EqualError(t, run([]string{"x"}), `"x": there are no arguments, only flags`)
	assert.NoError(t, run([]string{"-ranks", "3", "-n", "5"}))
}
