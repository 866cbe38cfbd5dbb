package sched

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDifferentCalls(t *testing.T) {
	a, b := Place{File: "/x/a.go", Line: 7}, Place{File: "/x/a.go", Line: 9}
	assert.Equal(t, "ranks are in different collective calls: ranks 0, 2-5 in Barrier (a.go:7), rank 1 in Barrier (a.go:9), rank 6 in Bcast",
		DifferentCalls([]RankCall{
			{0, "Barrier", a},
			{1, "Barrier", b},
			{5, "Barrier", a},
			{2, "Barrier", a},
			{3, "Barrier", a},
			{4, "Barrier", a},
			{6, "Bcast", Place{}},
		}))
}
