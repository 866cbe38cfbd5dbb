package sched_test

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/internal/sched"
)

// If a meeting mixed up rounds, a broadcast would pass on the buffer of the
// one before.
func TestMeetRoundsAreSeparate(t *testing.T) {
	for _, n := range []int{1, 2, 3, 16} {
		eachMode(t, fmt.Sprintf("%d ranks", n), func(t *testing.T, o sched.Options) {
			v := sched.NewRendezvous(n)
			err := run(sched.New(n, o), func(r *sched.Rank) error {
				for round := range 200 {
					vals, err := v.Meet(r, r.ID(), text("Barrier"), [2]int{round, r.ID()})
					if err != nil {
						return err
					}
					for i, val := range vals {
						if val != [2]int{round, i} {
							return fmt.Errorf("round %d, slot %d holds %v", round, i, val)
						}
					}
				}
				return nil
			})
			assert.NoError(t, err)
		})
	}
}

// The same without pauses, and with spurious wake-ups.
func TestMeetStress(t *testing.T) {
	rounds := 200_000
	if testing.Short() || raceEnabled {
		rounds = 10_000
	}
	for n := 2; n <= 4; n++ {
		v, s := sched.NewRendezvous(n), sched.New(n, sched.Options{}).Rude()
		err := run(s, func(r *sched.Rank) error {
			next := s.Rank((r.ID() + 1) % n)
			for round := range rounds {
				next.Wake()
				vals, err := v.Meet(r, r.ID(), text("Barrier"), round)
				if err != nil {
					return err
				}
				if vals[next.ID()] != round {
					return fmt.Errorf("round %d met %v", round, vals)
				}
			}
			return nil
		})
		assert.NoError(t, err)
	}
}

// If the members of one group could disturb those of another, two
// communicators would leak into each other.
func TestMeetInManyGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "ranks")
		groups := rapid.IntRange(1, 3).Draw(t, "groups")
		color := rapid.SliceOfN(rapid.IntRange(0, groups-1), n, n).Draw(t, "group of each rank")
		rounds := rapid.IntRange(1, 20).Draw(t, "rounds")
		o := sched.Options{Seeded: rapid.Bool().Draw(t, "seeded"), Seed: rapid.Uint64().Draw(t, "seed")}

		slot, size := make([]int, n), make([]int, groups)
		for i, c := range color {
			slot[i] = size[c]
			size[c]++
		}
		points := make([]*sched.Rendezvous, groups)
		for c := range points {
			points[c] = sched.NewRendezvous(size[c])
		}
		all := sched.NewRendezvous(n)
		err := run(sched.New(n, o), func(r *sched.Rank) error {
			c := color[r.ID()]
			for k := range rounds {
				vals, err := points[c].Meet(r, slot[r.ID()], text("Split"), r.ID()+k)
				if err != nil {
					return err
				}
				if len(vals) != size[c] || vals[slot[r.ID()]] != r.ID()+k {
					return fmt.Errorf("group %d met as %v", c, vals)
				}
				if _, err := all.Meet(r, r.ID(), text("Barrier"), nil); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// If a wrong slot hung or overwrote another's value, a bug in a communicator
// would look like a bug of the program.
func TestMeetMisuse(t *testing.T) {
	eachMode(t, "slot taken twice", func(t *testing.T, o sched.Options) {
		v := sched.NewRendezvous(3)
		err := run(sched.New(3, o), func(r *sched.Rank) error {
			_, err := v.Meet(r, min(r.ID(), 1), text("Barrier"), nil) // 2 comes as 1
			return err
		})
		var slot *sched.SlotError
		assert.True(t, errors.As(err, &slot), "%v", err)
	})
	eachMode(t, "slot outside", func(t *testing.T, o sched.Options) {
		v := sched.NewRendezvous(2)
		err := run(sched.New(2, o), func(r *sched.Rank) error {
			_, err := v.Meet(r, 2*r.ID(), text("Barrier"), nil)
			return err
		})
		assert.EqualError(t, err, "rank 1: internal: slot 2 in a meeting of 2")
	})
	eachMode(t, "again after an abort", func(t *testing.T, o sched.Options) {
		v, boom := sched.NewRendezvous(2), errors.New("boom")
		err := run(sched.New(2, o), func(r *sched.Rank) error {
			if r.ID() == 1 {
				return boom
			}
			_, first := v.Meet(r, 0, text("Barrier"), nil)
			_, second := v.Meet(r, 0, text("Barrier"), nil)
			assert.ErrorIs(t, first, boom)
			assert.ErrorIs(t, second, boom)
			return second
		})
		assert.EqualError(t, err, "rank 1: boom")
	})
}

// If an abort undid a complete meeting for members that wake late, some ranks would get the
// error of the collective and others, by chance, that of the abort.
func TestCompleteMeetSurvivesAbort(t *testing.T) {
	eachMode(t, "abort after the last came", func(t *testing.T, o sched.Options) {
		for seed := range uint64(200) {
			o.Seed = seed
			v, boom := sched.NewRendezvous(3), errors.New("boom")
			err := run(sched.New(3, o), func(r *sched.Rank) error {
				_, err := v.MeetWith(r, r.ID(), text("Open"), nil, func([]any) any { return nil })
				assert.NoError(t, err, "rank %d, seed %d", r.ID(), seed)
				return boom
			})
			assert.ErrorIs(t, err, boom)
		}
	})
}

// If a member returned the cause of an abort while the last member completed the round, a
// collective would succeed on some ranks and fail on others.
func TestAbortNeverSplitsRound(t *testing.T) {
	worlds := 20_000
	if testing.Short() || raceEnabled {
		worlds = 2_000
	}
	eachMode(t, "abort beside the last to come", func(t *testing.T, o sched.Options) {
		boom := errors.New("boom")
		for i := range worlds {
			const n = 3
			var met, left atomic.Int32
			o.Seed = uint64(i)
			v, s := sched.NewRendezvous(n), sched.New(n, o)
			gone := make(chan struct{})
			go func() { s.Abort(boom); close(gone) }()
			_ = run(s, func(r *sched.Rank) error {
				for range i % 50 * r.ID() {
					runtime.Gosched()
				}
				_, err := v.Meet(r, r.ID(), text("Barrier"), nil)
				if err == nil {
					met.Add(1)
				} else {
					left.Add(1)
				}
				return err
			})
			<-gone
			if met.Load() != 0 && left.Load() != 0 {
				t.Fatalf("world %d: %d met, %d left", i, met.Load(), left.Load())
			}
		}
	})
	t.Run("abort while the last joins", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			boom := errors.New("boom")
			v, s := sched.NewRendezvous(3), sched.New(3, sched.Options{})
			err := run(s, func(r *sched.Rank) error {
				time.Sleep(time.Duration(r.ID()) * time.Second)
				_, err := v.MeetWith(r, r.ID(), text("Open"), nil, func([]any) any {
					s.Abort(boom)
					return nil
				})
				assert.NoError(t, err, "rank %d", r.ID())
				return nil
			})
			assert.Equal(t, boom, err)
		})
	})
	eachMode(t, "a join that panics", func(t *testing.T, o sched.Options) {
		v := sched.NewRendezvous(3)
		s := sched.New(3, o)
		err := run(s, func(r *sched.Rank) error {
			_, err := v.MeetWith(r, r.ID(), text("AllReduce"), nil, func([]any) any { panic("no sum") })
			assert.Error(t, err)
			return err
		})
		assert.ErrorContains(t, err, "panic: no sum")
		assert.Len(t, s.Failures(), 1)
	})
	eachMode(t, "a member that cannot wait has not come", func(t *testing.T, o sched.Options) {
		v, ended := sched.NewRendezvous(2), sched.New(2, o)
		assert.NoError(t, run(ended, func(*sched.Rank) error { return nil }))
		err := run(sched.New(2, o), func(r *sched.Rank) error {
			if r.ID() == 1 {
				_, err := v.Meet(ended.Rank(1), 1, text("Barrier"), "stale")
				assert.Contains(t, []error{nil, sched.ErrEnded}, err)
				if err == nil {
					return nil // the other was there already
				}
			}
			vals, err := v.Meet(r, r.ID(), text("Barrier"), "fresh")
			if err == nil && r.ID() == 1 {
				assert.Equal(t, []any{"fresh", "fresh"}, vals)
			}
			return err
		})
		assert.NoError(t, err)
	})
}
