package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The counts are those that MPICH was seen to make; the reads of level 2 depend
// there on who comes first.
func Example() {
	fmt.Println(run(nil))
	// Output:
	// level                              reads      bytes   writes      bytes     sent  useful
	// 0 one call a row                       0          0     1024     524288        0  100.0 %
	// 1 one collective call a row            0          0     1024     524288        0  100.0 %
	// 2 a view, one call                     4    2091008        4    2091008        0   12.5 %
	// 3 a view, one collective call          0          0        1     524288   393216  100.0 %
	// The four files are equal.
	// <nil>
}

// If this fails, other values of the flags do not work, or wrong ones are not refused.
func TestFlags(t *testing.T) {
	assert.EqualError(t, run([]string{"-ranks", "0"}), `-ranks 0: 1 to 256`)
	assert.EqualError(t, run([]string{"-ranks", "3"}), `-n 256: a multiple of the 3 ranks up to 2048`)
	assert.EqualError(t, run([]string{"x"}), `"x": there are no arguments, only flags`)
	assert.NoError(t, run([]string{"-ranks", "3", "-n", "9"}))
	assert.NoError(t, run([]string{"-ranks", "1", "-n", "2"}))
}
