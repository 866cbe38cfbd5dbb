package proptest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
)

// TestExhaustive: if it fails, this module's files break a promise in a small program, or a
// broken layer passes all of them.
func TestExhaustive(t *testing.T) {
	n := 3
	if thorough.All() {
		n = 4
	}
	proptest.Exhaustive(t, proptest.Ours(nil), n)
	p := gen.MustParse(`ranks 2, schedule random:0, no conflicts
		0: write_at at 0 n 6
		all: sync
		1: read_at at 0 n 6`)
	_, err := proptest.Explored(losing(proptest.Ours(nil)), p)
	assert.ErrorContains(t, err, "under the schedule ")
}

func ExampleExplored() {
	p := gen.MustParse(`ranks 2, schedule random:0, no conflicts
		0: write_at at 0 n 2
		1: write_at at 2 n 2
		all: sync
		1: read_at at 0 n 2`)
	x, err := proptest.Explored(proptest.Ours(nil), p)
	fmt.Println(len(x.Outcomes), err)
	// Output: 1 <nil>
}
