package sched_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/sched"
)

// If seeds always switched at every step, bugs that need one rank far ahead of another would
// stay hidden; if they never did, bugs that need several switches in a row.
func TestSeedsSwitchAndContinue(t *testing.T) {
	const steps = 60
	ahead, turnByTurn := 0, 0
	for seed := range uint64(100) {
		var order []int
		err := run(sched.New(2, sched.Options{Seeded: true, Seed: seed}), func(r *sched.Rank) error {
			for range steps {
				if err := r.Step(text("step")); err != nil {
					return err
				}
				order = append(order, r.ID())
			}
			return nil
		})
		require.NoError(t, err)
		switches := 0
		for i := range order[1:] {
			if order[i] != order[i+1] {
				switches++
			}
		}
		switch {
		case switches == 1:
			ahead++
		case switches > steps/2:
			turnByTurn++
		}
	}
	assert.Greater(t, ahead, 20)
	assert.Greater(t, turnByTurn, 5)
}

// A goroutine that is not a rank, and so never has the turn, must be able to wake a rank, or a
// rank would not notice operations that such a goroutine completes.
func TestWakeFromOutside(t *testing.T) {
	eachMode(t, "while another rank runs", func(t *testing.T, o sched.Options) {
		s := sched.New(2, o)
		var come, over atomic.Bool
		err := run(s, func(r *sched.Rank) error {
			if r.ID() == 0 {
				go func() {
					come.Store(true)
					s.WakeFromOutside(r)
					s.WakeFromOutside(r)
				}()
				for !come.Load() {
					if err := r.Park(text("Wait")); err != nil {
						return err
					}
				}
				over.Store(true)
				return nil
			}
			for !over.Load() {
				r.YieldTurn()
				if err := r.Step(text("Test")); err != nil {
					return err
				}
			}
			return nil
		})
		assert.NoError(t, err)
	})
}

// The reason of a rank's wait is read for the error of a goroutine that uses the rank. If
// that were not safe while others wake the rank, making the error would be a data race.
func TestReadReasonDuringWake(t *testing.T) {
	eachMode(t, "CheckWait", func(t *testing.T, o sched.Options) {
		s := sched.New(2, o)
		var over atomic.Bool
		asked := make(chan struct{})
		go func() {
			defer close(asked)
			for !over.Load() {
				var e *sched.TwoWaitsError
				if err := s.CheckWait(0); err != nil && assert.ErrorAs(t, err, &e) {
					assert.Equal(t, "Recv", e.Why)
				}
				runtime.Gosched()
			}
		}()
		var left, turn atomic.Int32
		left.Store(2000)
		err := run(s, func(r *sched.Rank) error {
			defer s.Rank(1 - r.ID()).Wake()
			for left.Load() > 0 {
				for turn.Load() != int32(r.ID()) && left.Load() > 0 {
					if err := r.Park(text("Recv")); err != nil {
						return err
					}
				}
				left.Add(-1)
				turn.Store(1 - int32(r.ID()))
				s.Rank(1 - r.ID()).Wake()
			}
			return nil
		})
		assert.NoError(t, err)
		over.Store(true)
		<-asked
	})
}

// If the goroutine that runs a world took part in coroutine switches, the runtime would end
// programs whose main goroutine is locked to its thread, as in graphics programs.
func TestRunOnLockedThread(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	eachMode(t, "turns", func(t *testing.T, o sched.Options) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		v := sched.NewRendezvous(3)
		assert.NoError(t, run(sched.New(3, o), func(r *sched.Rank) error {
			_, err := v.Meet(r, r.ID(), text("Barrier"), nil)
			return err
		}))
	})
	x := sched.NewExplorer()
	runs := 0
	for x.Next() {
		var picks []int
		assert.NoError(t, run(sched.New(2, sched.Options{Explorer: x}), func(r *sched.Rank) error {
			pick, err := choose(r, 2, "pick")
			picks = append(picks, pick)
			return err
		}))
		runs++
	}
	x.Close()
	assert.NoError(t, x.Err())
	assert.Greater(t, runs, 2)
}
