package sched_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/sched"
)

func TestDeadlockNamesPlacesSetByRanks(t *testing.T) {
	s := sched.New(1, sched.Options{})
	given := sched.Place{File: "story.mpio", Line: 7}
	err := run(s, func(r *sched.Rank) error {
		assert.NotEqual(t, given, r.Place())
		r.SetPlace(&given)
		return r.Park(nil)
	})
	var stuck *sched.DeadlockError
	if assert.True(t, errors.As(err, &stuck)) {
		assert.Equal(t, given, stuck.Ranks[0].Place)
	}
}
