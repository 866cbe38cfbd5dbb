package sched_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/internal/sched"
)

// If a token did not mean the schedule that printed it, a failure could not be
// shown again.
func TestScheduleTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		s := rapid.SampledFrom([]sched.Schedule{
			{},
			sched.Random(seed), sched.RoundRobin(), sched.ReverseRobin(),
			sched.PCT(rapid.IntRange(1, 9).Draw(t, "depth"), seed),
			sched.Choices(rapid.SliceOf(rapid.IntRange(0, 12)).Draw(t, "choices")...),
		}).Draw(t, "schedule")
		again, err := sched.ParseSchedule(s.String())
		if err != nil || again.String() != s.String() || again.Free() != s.Free() {
			t.Fatalf("%v became %v, %v", s, again, err)
		}
	})
}

// If a round left a rank out, the rank could wait forever for its turn.
func TestRoundRobin(t *testing.T) {
	_, order, err := program{{{1}, {1}}, {{2}, {2}}, {{0}, {0}}}.run(sched.Options{Seeded: false, Schedule: sched.RoundRobin()})
	assert.NoError(t, err)
	assert.Equal(t, []string{"0:give 1", "1:give 2", "2:give 0", "0:give 1", "1:give 2", "2:give 0"}, order)
	_, order, err = program{{{2}, {2}}, {{0}, {0}}, {{1}, {1}}}.run(sched.Options{Schedule: sched.ReverseRobin()})
	assert.NoError(t, err)
	assert.Equal(t, []string{"2:give 1", "1:give 0", "0:give 2", "2:give 1", "1:give 0", "0:give 2"}, order)
}

// If coroutines did not live in bubbles, a seeded world could not be tested
// under a clock that is not real.
func TestSeedInSynctestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := program{{{1}, {-1}}, {{2}, {-1}}, {{0}, {-1}}}
		for seed := range uint64(20) {
			assert.NoError(t, p.verify(sched.Options{Seeded: true, Seed: seed}))
		}
	})
}
