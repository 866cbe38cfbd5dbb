package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The text that a newcomer reads must stay worth reading.
func Example() {
	_ = run(nil)
	// Output:
	// world: deadlock: no rank can continue
	//   rank 0: waits in Send to 1 tag 0 on COMM_WORLD at main.go:50
	//   rank 1: waits in Send to 2 tag 0 on COMM_WORLD at main.go:50
	//   rank 2: waits in Send to 0 tag 0 on COMM_WORLD at main.go:50
	//   rank 3: waits in Recv from 0 tag 7 on COMM_WORLD at main.go:45
	//   rank 0 waits for rank 1, 1 for 2, 2 for 0
	//   Send of 524288 bytes waits for its receive to be posted: up to 65536 bytes are buffered (world.Eager), and the standard never promises it
	//   each sends, and the next does not receive it yet: let one receive first, or use SendRecv
}

func TestFlags(t *testing.T) {
	assert.EqualError(t, run([]string{"-ranks", "2"}), "-ranks 2: 3 to 1000, two for a ring and one that waits")
	assert.EqualError(t, run([]string{"-n", "-1"}), "-n -1: 0 to 1048576")
	assert.NoError(t, run([]string{"-ranks", "3", "-n", "1"}))
}
