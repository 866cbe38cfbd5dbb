package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func Example() {
	fmt.Println(run(nil))
	// Output:
	// table.txt:
	//                                       1
	//                                    -2.5
	//                                     0.1
	//                      0.3333333333333333
	//                                  1e+300
	//                                 -1e-300
	// ints:
	// 00 00 00 00 00 01 00 00 02 00 00 03 20 00 00 1f ff ff
	// <nil>
}

// If this fails, other values of the flags do not work, or wrong ones are not refused.
func TestFlags(t *testing.T) {
	assert.EqualError(t, run([]string{"-ranks", "0"}), `-ranks 0: 1 to 64`)
	assert.EqualError(t, run([]string{"-n", "-1"}), `-n -1: 0 to 10000`)
	assert.EqualError(t, run([]string{"x"}), `"x": there are no arguments, only flags`)
	assert.NoError(t, run([]string{"-ranks", "3", "-n", "5"}))
	assert.NoError(t, run([]string{"-ranks", "1", "-n", "0"}))
}
