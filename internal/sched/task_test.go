package sched_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/sched"
)

// A second is the later one of two meetings; a rank comes to it by a task.
type second struct {
	r     *sched.Rank
	first sched.Arrival[int]
	again *sched.Meeting[int]
	last  sched.Arrival[int]
	did   int
	never bool
}

func (s *second) Due() bool { return !s.never && s.did == 0 && s.first.Complete() }

func (s *second) Do() {
	s.did++
	s.first.Leave()
	s.last, _ = s.again.Arrive(s.r, s.r.ID(), 0, nil)
	s.r.RemoveTask(s)
}

// If this fails, a rank that waits keeps others waiting for what it has started.
func TestBackgroundProgress(t *testing.T) {
	pass := func(o sched.Options, never bool) error {
		s := sched.New(2, o)
		first, again, other := sched.NewMeeting[int](2), sched.NewMeeting[int](2), sched.NewMeeting[int](2)
		return run(s, func(r *sched.Rank) error {
			a, err := first.Arrive(r, r.ID(), 0, nil)
			if err != nil {
				return err
			}
			c := &second{r: r, first: a, again: again, never: never && r.ID() == 1}
			r.AddTask(c)
			if r.ID() == 1 {
				if _, err := other.Meet(r, 1, text("Barrier"), 0); err != nil {
					return err
				}
			}
			for !c.last.Complete() || c.did == 0 {
				if err := r.Park(text("Wait")); err != nil {
					return err
				}
			}
			c.last.Leave()
			assert.Equal(t, 1, c.did)
			if r.ID() == 0 {
				_, err = other.Meet(r, 0, text("Barrier"), 0)
			}
			return err
		})
	}
	for _, never := range []bool{false, true} {
		check := func(err error) {
			t.Helper()
			var dead *sched.DeadlockError
			if !never {
				assert.NoError(t, err)
			} else if assert.ErrorAs(t, err, &dead) {
				assert.Equal(t, "Wait", dead.Ranks[0].Why)
				assert.Equal(t, "Barrier", dead.Ranks[1].Why)
			}
		}
		for range 200 {
			check(pass(sched.Options{}, never))
		}
		for seed := range uint64(50) {
			check(pass(sched.Options{Seeded: true, Seed: seed}, never))
		}
		x := sched.NewExplorer()
		defer x.Close()
		for x.Next() {
			check(pass(sched.Options{Explorer: x}, never))
		}
		assert.NoError(t, x.Err())
	}
}

// If this fails, a rank that polls by its own means keeps others waiting for ever.
func TestBackgroundProgressOfBusyRank(t *testing.T) {
	for seed := range uint64(20) {
		for _, o := range []sched.Options{{}, {Seeded: true, Seed: seed}} {
			first, again := sched.NewMeeting[int](2), sched.NewMeeting[int](2)
			var over atomic.Bool
			assert.NoError(t, run(sched.New(2, o), func(r *sched.Rank) error {
				a, err := first.Arrive(r, r.ID(), 0, nil)
				if err != nil {
					return err
				}
				c := &second{r: r, first: a, again: again}
				r.AddTask(c)
				for r.ID() == 1 && !over.Load() {
					if err := r.Step(text("ReadAt")); err != nil {
						return err
					}
				}
				for !c.last.Complete() || c.did == 0 {
					if err := r.Park(text("Wait")); err != nil {
						return err
					}
				}
				over.Store(true)
				return nil
			}))
		}
	}
}
