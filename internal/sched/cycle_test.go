package sched_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/sched"
)

// waitFor is a reason that knows who could end the wait.
type waitFor []int

func (waitFor) String() string             { return "Recv" }
func (w waitFor) Explain(x *sched.Waiting) { x.For = w }

// blind is a reason whose ranks cannot be had.
type blind struct{ text }

func (blind) Explain(*sched.Waiting) { panic("no ranks") }

// If the circle were wrong or too long, a student would look at ranks that only
// wait for the ones at fault.
func TestDeadlockNamesTheShortestCycle(t *testing.T) {
	for _, c := range []struct {
		name string
		wait []waitFor
		want []int
		text string
	}{
		{"two beside three", []waitFor{{1}, {2}, {0}, {4}, {3}, {0}}, []int{3, 4}, "rank 3 waits for rank 4, 4 for 3"},
		{"found behind a tail", []waitFor{{3}, {2}, {3}, {4}, {1}}, []int{1, 2, 3, 4}, "rank 1 waits for rank 2, 2 for 3, 3 for 4, 4 for 1"},
		{"itself", []waitFor{{1}, {1}}, []int{1}, "rank 1 waits for itself"},
		{"any of several is not a circle", []waitFor{{1}, {0, 1}}, nil, ""},
		{"ranks that are none", []waitFor{{7}, {-1}}, nil, ""},
	} {
		eachMode(t, c.name, func(t *testing.T, o sched.Options) {
			err := run(sched.New(len(c.wait), o), func(r *sched.Rank) error { return r.Park(c.wait[r.ID()]) })
			var dead *sched.DeadlockError
			if assert.True(t, errors.As(err, &dead)) {
				assert.Equal(t, c.want, dead.Cycle)
				assert.True(t, strings.HasSuffix(err.Error(), c.text), err)
			}
		})
	}
	eachMode(t, "a wait that panics when asked", func(t *testing.T, o sched.Options) {
		err := run(sched.New(1, o), func(r *sched.Rank) error { return r.Park(blind{"Recv"}) })
		assert.ErrorContains(t, err, "rank 0: waits in Recv")
	})
}

// needs is a reason that needs all ranks of a call.
type needs []int

func (needs) String() string             { return "Barrier" }
func (n needs) Explain(x *sched.Waiting) { x.For, x.Needs = n, "all ranks" }

// A circle leads through a collective call as well: none of its ranks can do without another.
func TestDeadlockCycleThroughACollective(t *testing.T) {
	eachMode(t, "Barrier", func(t *testing.T, o sched.Options) {
		err := run(sched.New(4, o), func(r *sched.Rank) error {
			if r.ID() == 3 {
				return nil
			}
			return r.Park([]interface{ String() string }{needs{2, 3}, needs{2, 3}, waitFor{0}}[r.ID()])
		})
		var dead *sched.DeadlockError
		if assert.True(t, errors.As(err, &dead)) {
			assert.Equal(t, []int{0, 2}, dead.Cycle)
			assert.Regexp(t, `\n  ranks 0-1: wait in Barrier at cycle_test.go:\d+, which needs all ranks: ranks 2-3 are missing\n  rank 2: waits in Recv at`, err.Error())
		}
	})
}
