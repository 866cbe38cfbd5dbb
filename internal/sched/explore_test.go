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

// A cell is the footprint of a write of a whole object, if it is true, else of a read.
type cell bool

func (c cell) Meets(o sched.Footprint) bool         { return bool(c || o.(cell)) }
func (cell) Open() bool                             { return false }
func (c cell) Join(sched.Footprint) sched.Footprint { return c }
func (c cell) Overwrites(o sched.Footprint) bool    { return bool(c && o.(cell)) }

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
	t.Run("three writers of the same bytes, of which one stays", func(t *testing.T) {
		value := func(reads bool) map[string]int {
			return all(t, 4, func() (func(r *sched.Rank) error, func() string) {
				x, seen := 0, 0
				return func(r *sched.Rank) error {
					switch {
					case r.ID() > 0:
						err := r.Hold(text("write"), sched.Held{Object: 7, Write: true, Foot: cell(true)})
						x = r.ID()
						return err
					case reads:
						err := r.Hold(text("read"), sched.Held{Object: 7, Foot: cell(false)})
						seen = x
						return err
					}
					return nil
				}, func() string { return fmt.Sprint(seen, x) }
			})
		}
		assert.Equal(t, map[string]int{"0 1": 1, "0 2": 1, "0 3": 1}, value(false))
		ends, runs := value(true), 0
		for seen := range 4 {
			for x := 1; x < 4; x++ {
				assert.NotZero(t, ends[fmt.Sprint(seen, x)])
				runs += ends[fmt.Sprint(seen, x)]
			}
		}
		assert.Len(t, ends, 12)
		assert.Less(t, runs, 24, "orders of the four operations")
	})
	t.Run("a write between two of one rank, which does more afterwards", func(t *testing.T) {
		// Rank 0's second operation has to be tried before rank 1's first one, with rank 2's write
		// of the first object last: a run in which it is left out says so.
		ends := all(t, 3, func() (func(r *sched.Rank) error, func() string) {
			var x [2]int
			return func(r *sched.Rank) error {
				for i := range x {
					if err := r.Hold(text("write"), sched.Held{Object: 7 + uint64(i), Write: true, Foot: cell(true)}); err != nil {
						return err
					}
					x[i] = r.ID()
				}
				return nil
			}, func() string { return fmt.Sprint(x) }
		})
		assert.Len(t, ends, 9)
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
