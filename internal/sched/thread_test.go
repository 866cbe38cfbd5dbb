package sched_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/sched"
)

// A rank on a thread of its own takes the same turns as one that has none; if it did not, a
// seed would not repeat the run of a C program beside Go ranks.
func TestOnThreadKeepsTheOrder(t *testing.T) {
	order := func(seed uint64, locked func(rank int) bool) (ids []int) {
		s := sched.New(5, sched.Options{Seeded: true, Seed: seed})
		next := 0
		body := func(r *sched.Rank) error {
			for range 10 {
				if err := r.Step(text("step")); err != nil {
					return err
				}
				ids = append(ids, r.ID())
				for next != r.ID() {
					if err := r.Park(text("its turn in the ring")); err != nil {
						return err
					}
				}
				next = (next + 1) % 5
				s.Rank(next).Wake()
			}
			return nil
		}
		assert.NoError(t, run(s, func(r *sched.Rank) error {
			if locked(r.ID()) {
				return sched.OnThread(r, func() error { return body(r) })
			}
			return body(r)
		}))
		return ids
	}
	for seed := range uint64(20) {
		want := order(seed, func(int) bool { return false })
		assert.Equal(t, want, order(seed, func(int) bool { return true }), "seed %d", seed)
		assert.Equal(t, want, order(seed, func(rank int) bool { return rank%2 == 0 }), "seed %d", seed)
	}
}

// A panic, a Goexit, an error and a deadlock of such a rank are reported as those of any other,
// in free worlds, by turns and in explorations.
func TestOnThreadFailures(t *testing.T) {
	fails := func(r *sched.Rank, how int) error {
		return sched.OnThread(r, func() error {
			switch {
			case r.ID() > 0:
				return r.Park(text("for rank 0"))
			case how == 0:
				panic("a rank panics")
			case how == 1:
				runtime.Goexit()
			case how == 2:
				return fmt.Errorf("a rank fails")
			}
			return r.Park(text("for ever"))
		})
	}
	for how, want := range []string{"rank 0: panic: a rank panics", "rank 0: left without returning", "rank 0: a rank fails", "deadlock"} {
		for _, o := range []sched.Options{{}, {Seeded: true}} {
			s := sched.New(3, o)
			s.Run(func(r *sched.Rank) error { return fails(r, how) })
			assert.ErrorContains(t, s.Cause(), want)
		}
		x := sched.NewExplorer()
		for x.Next() {
			s := sched.New(3, sched.Options{Explorer: x})
			s.Run(func(r *sched.Rank) error { return fails(r, how) })
			assert.ErrorContains(t, s.Cause(), want)
			x.Counts(s)
		}
		x.Close()
	}
}
