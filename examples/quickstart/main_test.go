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

// Of five ranks the last has four letters, of thirty six have none.
func Example_flags() {
	_ = run([]string{"-ranks", "5"})
	_ = run([]string{"-ranks", "24"})
	_ = run([]string{"-ranks", "30"})
	// Output:
	// 5 the quick brown fox jump <nil>
	// 24 the quick brown fox jump <nil>
	// 30 the quick brown fox jump <nil>
}

func TestFlags(t *testing.T) {
	assert.EqualError(t, run([]string{"-ranks", "-1"}), "-ranks -1: 1 or more")
	assert.EqualError(t, run([]string{"5"}), `"5": there are no arguments, only flags`)
}
