package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The README shows the output of this example.
func Example() {
	_ = run(nil)
	// Output:
	// 1 the quick brown fox jump <nil>
	// 2 the quick brown fox jump <nil>
	// 3 the quick brown fox jump <nil>
	// 4 the quick brown fox jump <nil>
	// 6 the quick brown fox jump <nil>
}

// Five ranks have five letters each, but the last, which has four.
func Example_flags() {
	_ = run([]string{"-ranks", "5"})
	_ = run([]string{"-ranks", "24"})
	// Output:
	// 5 the quick brown fox jump <nil>
	// 24 the quick brown fox jump <nil>
}

func TestFlags(t *testing.T) {
	assert.EqualError(t, run([]string{"-ranks", "25"}), "-ranks 25: 1 to 24, one for each letter")
	assert.EqualError(t, run([]string{"-ranks", "-1"}), "-ranks -1: 1 to 24, one for each letter")
	assert.EqualError(t, run([]string{"5"}), `"5": there are no arguments, only flags`)
}
