package sched_test

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/internal/sched"
)

// joinSum keeps the slice that it is given, to see whether a caller writes to it.
func joinSum(vals []int) any {
	sum := 0
	for _, v := range vals {
		sum += v
	}
	return &joined{sum, vals}
}

type joined struct {
	sum  int
	vals []int
}

// check returns the difference between j and the values that n members brought to a round.
func (j *joined) check(n, round int) error {
	want := 0
	for i := range n {
		want += 100*round + i
		if j.vals[i] != 100*round+i {
			return fmt.Errorf("round %d holds %v", round, j.vals)
		}
	}
	if j.sum != want {
		return fmt.Errorf("round %d: %d, want %d", round, j.sum, want)
	}
	return nil
}

// If rounds that overlap were mixed up, a nonblocking collective would take the
// data of another. Each member takes its own way through the rounds: at some it
// waits, at others it comes and leaves later, in any order.
func TestOverlappingRounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "members")
		rounds := rapid.IntRange(1, 20).Draw(t, "rounds")
		waits := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 3), rounds, rounds), n, n).Draw(t, "ways")
		o := sched.Options{Seeded: rapid.Bool().Draw(t, "seeded"), Seed: rapid.Uint64().Draw(t, "seed")}
		s, v := sched.New(n, o), sched.NewMeeting[int](n)
		if rapid.Bool().Draw(t, "rude") {
			s.Rude()
		}
		err := run(s, func(r *sched.Rank) error {
			me := r.ID()
			open := map[int]*sched.Arrival[int]{}
			leave := func(k int) error {
				got, err := open[k].Await(r, text("IBarrier"))
				delete(open, k)
				if err != nil {
					return err
				}
				return got.(*joined).check(n, k)
			}
			for k, how := range waits[me] {
				if how == 0 {
					got, err := v.MeetWith(r, me, text("Barrier"), 100*k+me, joinSum)
					if err == nil {
						err = got.(*joined).check(n, k)
					}
					if err != nil {
						return err
					}
					continue
				}
				a, err := v.Arrive(r, me, 100*k+me, joinSum)
				if err != nil {
					return err
				}
				open[k] = &a
				if how == 2 {
					for j := range open { // any one
						if err := leave(j); err != nil {
							return err
						}
						break
					}
				}
			}
			for k := range open {
				if err := leave(k); err != nil {
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

// The same in haste.
func TestArrivalStress(t *testing.T) {
	rounds := 100_000
	if testing.Short() || raceEnabled {
		rounds = 10_000
	}
	for n := 2; n <= 4; n++ {
		v := sched.NewMeeting[int](n)
		err := run(sched.New(n, sched.Options{}).Rude(), func(r *sched.Rank) error {
			me := r.ID()
			for k := 0; k < rounds; k += 2 {
				a, err := v.Arrive(r, me, 100*k+me, joinSum)
				if err != nil {
					return err
				}
				for range k % 7 * me {
					runtime.Gosched()
				}
				if k%3 == me%3 { // some look at the first before they come to the second
					if _, err := a.Await(r, text("first")); err != nil {
						return err
					}
				}
				got, err := v.MeetWith(r, me, text("second"), 100*(k+1)+me, joinSum)
				if err == nil {
					err = got.(*joined).check(n, k+1)
				}
				if err != nil {
					return err
				}
				if !a.Complete() {
					return fmt.Errorf("round %d is complete, the one before is not", k+1)
				}
				if first, _ := a.Leave().(*joined); first != nil {
					if err := first.check(n, k); err != nil {
						return err
					}
				}
			}
			return nil
		})
		assert.NoError(t, err)
	}
}

// If an abort split a round, or held up a rank that had come without waiting,
// the end of a world would look different on every rank, or never come.
func TestAbortArrivals(t *testing.T) {
	worlds := 10_000
	if testing.Short() || raceEnabled {
		worlds = 1_000
	}
	eachMode(t, "beside several rounds", func(t *testing.T, o sched.Options) {
		boom := errors.New("boom")
		const n, rounds = 3, 3
		for i := range worlds {
			var met [rounds]atomic.Int32
			o.Seed = uint64(i)
			v, s := sched.NewMeeting[int](n), sched.New(n, o)
			gone := make(chan struct{})
			go func() { s.Abort(boom); close(gone) }()
			_ = run(s, func(r *sched.Rank) error {
				for range i % 50 * r.ID() {
					runtime.Gosched()
				}
				var all [rounds]sched.Arrival[int]
				var err error
				came := 0
				for k := range all {
					if all[k], err = v.Arrive(r, r.ID(), 100*k+r.ID(), joinSum); err != nil {
						break
					}
					came++
				}
				for k := range came {
					if _, err := all[k].Await(r, text("IBarrier")); err == nil {
						met[k].Add(1)
					}
				}
				return nil
			})
			<-gone
			for k := range met {
				if m := met[k].Load(); m != 0 && m != n {
					t.Fatalf("world %d: %d of %d met in round %d", i, m, n, k)
				}
			}
		}
	})
	eachMode(t, "as a rank that has ended", func(t *testing.T, o sched.Options) {
		s := sched.New(1, o)
		assert.NoError(t, run(s, func(*sched.Rank) error { return nil }))
		_, err := sched.NewRendezvous(1).Arrive(s.Rank(0), 0, nil, nil)
		assert.Equal(t, sched.ErrEnded, err)
	})
	eachMode(t, "in a place that is not one's own", func(t *testing.T, o sched.Options) {
		err := run(sched.New(1, o), func(r *sched.Rank) error {
			_, err := sched.NewRendezvous(1).Arrive(r, 1, nil, nil)
			return err
		})
		assert.EqualError(t, err, "rank 0: internal: slot 1 in a meeting of 1")
	})
	eachMode(t, "of no round", func(t *testing.T, o sched.Options) {
		err := run(sched.New(1, o), func(r *sched.Rank) error {
			var a sched.Arrival[int]
			assert.True(t, a.Complete())
			assert.False(t, a.Withdraw())
			got, err := a.Await(r, text("nothing"))
			assert.Nil(t, got)
			return err
		})
		assert.NoError(t, err)
	})
}

// If coming without waiting left tables behind, a loop of nonblocking barriers
// would produce garbage for every member in every round.
func TestArrivalsReuseTables(t *testing.T) {
	eachMode(t, "arrive and await", func(t *testing.T, o sched.Options) {
		v := sched.NewMeeting[int](4)
		var perRun float64
		err := run(sched.New(4, o), func(r *sched.Rank) error {
			var err error
			meet := func() {
				a, e := v.Arrive(r, r.ID(), 1, nil)
				if e == nil {
					_, e = a.Await(r, text("IBarrier"))
				}
				if e != nil {
					err = e
				}
			}
			meet()
			if r.ID() == 0 {
				perRun = testing.AllocsPerRun(200, meet)
				return err
			}
			for range 201 {
				meet()
			}
			return err
		})
		assert.NoError(t, err)
		assert.Zero(t, perRun)
	})
}
