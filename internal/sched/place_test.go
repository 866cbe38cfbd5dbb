package sched_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/sched"
)

// An interpreter prints its own lines: one of its Go code beside them would mislead.
func TestCallSite(t *testing.T) {
	assert.Contains(t, sched.CallSite().String(), "place_test.go:")
	s := sched.New(1, sched.Options{})
	require.NoError(t, run(s, func(r *sched.Rank) error {
		assert.Contains(t, r.NoteLine(sched.AnyDepth).CallSite().String(), "place_test.go:")
		r.SetPlace(&sched.Place{File: "story.mpio", Line: 7})
		assert.Zero(t, r.NoteLine(sched.AnyDepth).CallSite())
		return nil
	}))
}
