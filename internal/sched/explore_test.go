package sched_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/sched"
)

// all runs body once for every schedule and counts how often each outcome came.
func all(t *testing.T, n int, setup func() (body func(r *sched.Rank) error, outcome func() string)) map[string]int {
	x, ends := sched.NewExplorer(), map[string]int{}
	defer x.Close()
	for x.Next() {
		body, outcome := setup()
		s := sched.New(n, sched.Options{Explorer: x})
		s.Run(body)
		if x.Counts(s) {
			assert.NoError(t, s.Cause())
			ends[outcome()]++
		}
	}
	assert.NoError(t, x.Err())
	return ends
}

// If operations on shared objects were not tried in every order that matters, a lost update
// would not be found; if in more orders, explorations would not end.
func TestExploreSharedObjects(t *testing.T) {
	t.Run("two read, change and write", func(t *testing.T) {
		ends := all(t, 2, func() (func(r *sched.Rank) error, func() string) {
			count := 0
			return func(r *sched.Rank) error {
				if err := r.Hold(text("read"), sched.Held{Object: 1}); err != nil {
					return err
				}
				c := count
				if err := r.Hold(text("write"), sched.Held{Object: 1, Write: true}); err != nil {
					return err
				}
				count = c + 1
				return nil
			}, func() string { return fmt.Sprint(count) }
		})
		// Of the 6 interleavings, those that differ only in the order of the two reads are
		// the same.
		assert.Equal(t, map[string]int{"1": 2, "2": 2}, ends)
	})
	t.Run("different bytes", func(t *testing.T) {
		ends := all(t, 3, func() (func(r *sched.Rank) error, func() string) {
			return func(r *sched.Rank) error {
				lo := int64(10 * r.ID())
				return r.Hold(text("write"), sched.Held{Object: 1, Lo: lo, Hi: lo + 10, Write: true})
			}, func() string { return "" }
		})
		assert.Equal(t, map[string]int{"": 1}, ends)
	})
	t.Run("more decisions than a word has bits", func(t *testing.T) {
		const reads = 150
		ends := all(t, 2, func() (func(r *sched.Rank) error, func() string) {
			before, written := 0, false
			return func(r *sched.Rank) error {
				if r.ID() == 1 {
					err := r.Hold(text("write"), sched.Held{Object: 1, Write: true})
					written = true
					return err
				}
				for range reads {
					if err := r.Hold(text("read"), sched.Held{Object: 1}); err != nil {
						return err
					}
					if !written {
						before++
					}
				}
				return nil
			}, func() string { return fmt.Sprint(before) }
		})
		want := map[string]int{}
		for i := range reads + 1 {
			want[fmt.Sprint(i)] = 1
		}
		assert.Equal(t, want, ends)
	})
	t.Run("three writers", func(t *testing.T) {
		ends := all(t, 3, func() (func(r *sched.Rank) error, func() string) {
			order := ""
			return func(r *sched.Rank) error {
				err := r.Hold(text("write"), sched.Held{Object: 7, Write: true})
				order += fmt.Sprint(r.ID())
				return err
			}, func() string { return order }
		})
		assert.Equal(t, map[string]int{"012": 1, "021": 1, "102": 1, "120": 1, "201": 1, "210": 1}, ends)
	})
	t.Run("a run that ends early, and a rank that does more the second time", func(t *testing.T) {
		x, runs := sched.NewExplorer(), 0
		defer x.Close()
		for x.Next() {
			runs++
			s := sched.New(2, sched.Options{Explorer: x})
			s.Run(func(r *sched.Rank) error {
				if r.ID() == 1 {
					if runs == 1 {
						return nil
					}
					return r.Step(text("step"))
				}
				if _, err := choose(r, 2, "choice"); err != nil {
					return err
				}
				s.Abort(errors.New("enough"))
				return nil
			})
		}
		var wrong *sched.UncontrolledError
		if assert.ErrorAs(t, x.Err(), &wrong) {
			assert.Equal(t, 1, wrong.Rank)
			assert.ErrorContains(t, wrong, "with the ranks in opposite orders rank 1 first did nothing more, then made another call")
		}
		assert.Equal(t, 2, runs)
	})
	t.Run("choices of ranks multiply", func(t *testing.T) {
		ends := all(t, 2, func() (func(r *sched.Rank) error, func() string) {
			var got [2]int
			return func(r *sched.Rank) (err error) {
				got[r.ID()], err = choose(r, 2+r.ID(), "choice")
				return err
			}, func() string { return fmt.Sprint(got) }
		})
		assert.Len(t, ends, 6)
	})
}

// choose returns a number below n, which the explorer chooses.
func choose(r *sched.Rank, n int, what string) (int, error) {
	pick, err := r.Ask(sched.Ways{Stringer: text(what), Count: func() int { return n }}, nil)
	return int(pick), err
}
