package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The text that a newcomer reads must stay worth reading.
func Example() {
	_ = run(nil)
	// Output:
	// 2 schedules, 2 outcomes
	//      1  world: deadlock: no rank can continue
	//           rank 0: waits in Recv from 1 tag 2 on COMM_WORLD at main.go:38
	//             a message from rank 2 with tag 1 on COMM_WORLD (sent at main.go:43) has arrived and no receive matches it
	//           ranks 1-2: have ended
	//         witness choices:0
	//      1  served rank 2
	//         witness choices:1
	//
	// replayed: world: deadlock: no rank can continue
	//   rank 0: waits in Recv from 1 tag 2 on COMM_WORLD at main.go:38
	//     a message from rank 2 with tag 1 on COMM_WORLD (sent at main.go:43) has arrived and no receive matches it
	//   ranks 1-2: have ended
	// to see it again: world.Replay("choices:0")
}

func TestFlags(t *testing.T) {
	assert.EqualError(t, run([]string{"-ranks", "1"}), "-ranks 1: 2 to 6, a server and a few clients")
	assert.NoError(t, run([]string{"-ranks", "2"}))
}
