package sched_test

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/sched"
)

// here returns the line that calls it.
func here() string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", path.Base(file), line)
}

// explosive is a reason whose text cannot be had.
type explosive struct{}

func (explosive) String() string { panic("no text") }

// If the report named a wrong call or line, a student would look for the
// mistake in the wrong place.
func TestDeadlockReport(t *testing.T) {
	eachMode(t, "text", func(t *testing.T, o sched.Options) {
		var recv, barrier string
		v := sched.NewRendezvous(5)
		s := sched.New(5, o)
		err := run(s, func(r *sched.Rank) (err error) {
			switch r.ID() {
			case 1:
			case 3:
				recv, err = here(), r.Park(text("Recv from 1 tag 7"))
			case 4:
				barrier = here()[:len("end_test.go:")]
				_, err = v.MeetWith(r, 4, text("Barrier"), nil, first)
			default:
				err = r.Park(nil)
			}
			return err
		})
		lines := strings.Split(err.Error(), "\n")
		assert.Len(t, lines, 5)
		assert.Equal(t, "deadlock: no rank can continue", lines[0])
		assert.Regexp(t, `^  ranks 0, 2: wait in a call at end_test.go:\d+$`, lines[1])
		assert.Equal(t, "  rank 1: has ended", lines[2])
		assert.Equal(t, "  rank 3: waits in Recv from 1 tag 7 at "+recv, lines[3])
		assert.Regexp(t, `^  rank 4: waits in Barrier at `+barrier+`\d+$`, lines[4])
		assert.Empty(t, s.Failures(), "every rank only handed on the deadlock")
	})
	eachMode(t, "last rank ends", func(t *testing.T, o sched.Options) {
		err := run(sched.New(2, o), func(r *sched.Rank) error {
			if r.ID() == 0 {
				return r.Park(text("Recv from 1 tag 0"))
			}
			for range 1000 { // the other one parks first, most of the time
				runtime.Gosched()
			}
			return nil
		})
		assert.Regexp(t, `rank 0: waits in Recv from 1 tag 0 at end_test.go:\d+\n  rank 1: has ended$`, err.Error())
	})
	eachMode(t, "reason without a text", func(t *testing.T, o sched.Options) {
		err := run(sched.New(2, o), func(r *sched.Rank) error { return r.Park(explosive{}) })
		assert.ErrorContains(t, err, "PANIC=String method: no text")
	})
	eachMode(t, "many ranks stay short", func(t *testing.T, o sched.Options) {
		err := run(sched.New(500, o), func(r *sched.Rank) error {
			if r.ID()%2 == 0 {
				return r.Park(text("Barrier"))
			}
			return r.Park(text(fmt.Sprintf("Recv from %d tag 0", r.ID()-1)))
		})
		var dead *sched.DeadlockError
		assert.True(t, errors.As(err, &dead))
		assert.Len(t, dead.Ranks, 500)
		assert.Less(t, strings.Count(err.Error(), "\n"), 40)
		assert.Contains(t, err.Error(), "ranks 0, 2, 4, 6, ")
		assert.Contains(t, err.Error(), "and 219 more")
	})
}

// A wake-up that comes before the wait must not be lost, and any number of them count as
// one, or a rank would wait for an event that has already happened.
func TestWakeBeforeWait(t *testing.T) {
	eachMode(t, "counts once", func(t *testing.T, o sched.Options) {
		err := run(sched.New(1, o), func(r *sched.Rank) error {
			r.Wake()
			r.Wake()
			assert.NoError(t, r.Park(text("first")))
			return r.Park(text("second"))
		})
		assert.ErrorContains(t, err, "rank 0: waits in second at")
	})
}

// After a deadlock the ranks must end, even if they make further calls.
func TestNoWaitAfterDeadlock(t *testing.T) {
	eachMode(t, "deadlock", func(t *testing.T, o sched.Options) {
		s := sched.New(3, o)
		err := run(s, func(r *sched.Rank) error {
			first := r.Park(text("Recv"))
			for range 3 {
				assert.Equal(t, first, r.Park(text("Close")))
				assert.Equal(t, first, r.Step(text("Write")))
			}
			return nil
		})
		var dead *sched.DeadlockError
		assert.True(t, errors.As(err, &dead))
		assert.Empty(t, s.Failures())
	})
}

// If an abort from outside missed a rank that is just going to sleep, a
// cancelled world would hang. No rank knows which of abort and deadlock comes
// first here; one of them must win, for all ranks.
func TestAbortDuringWait(t *testing.T) {
	eachMode(t, "at once", func(t *testing.T, o sched.Options) {
		enough := errors.New("enough")
		for i := range 4000 {
			var calls atomic.Int32
			o.OnAbort = func(error) { calls.Add(1) }
			s := sched.New(3, o)
			if i%2 == 0 {
				s.Rude()
			}
			gone := make(chan struct{})
			go func() { s.Abort(enough); close(gone) }()
			err := run(s, func(r *sched.Rank) error {
				for range 2 {
					s.Rank((r.ID() + 1) % 3).Wake()
					if err := r.Park(text("ring")); err != nil {
						return err
					}
				}
				return r.Park(text("for ever"))
			})
			<-gone
			var dead *sched.DeadlockError
			if !errors.Is(err, enough) && !errors.As(err, &dead) || calls.Load() != 1 || len(s.Failures()) > 0 {
				t.Fatal(err, calls.Load(), s.Failures())
			}
		}
	})
}

// If one rank's end went unnoticed, the others would wait for it for ever.
func TestFailingRank(t *testing.T) {
	boom := errors.New("boom")
	fail := func(o sched.Options, how func() error) (*sched.RankError, error) {
		s := sched.New(4, o)
		err := run(s, func(r *sched.Rank) error {
			if r.ID() == 2 {
				for range 50 { // the others park first, most of the time
					runtime.Gosched()
				}
				return how()
			}
			if err := r.Park(text("Recv from 2 tag 0")); err != nil {
				return fmt.Errorf("Recv: %w", err)
			}
			return nil
		})
		if f := s.Failures(); len(f) == 1 && f[0].Rank == 2 && err == error(f[0]) {
			return f[0], err
		}
		return nil, fmt.Errorf("%v, failures %v", err, s.Failures())
	}
	eachMode(t, "returns an error", func(t *testing.T, o sched.Options) {
		e, err := fail(o, func() error { return boom })
		assert.NotNil(t, e)
		assert.EqualError(t, err, "rank 2: boom")
		assert.ErrorIs(t, err, boom)
	})
	t.Run("returns an error, in any order", func(t *testing.T) {
		for seed := range uint64(50) {
			e, err := fail(sched.Options{Seeded: true, Seed: seed}, func() error { return boom })
			assert.NotNil(t, e, "%d: %v", seed, err)
		}
	})
	eachMode(t, "panics", func(t *testing.T, o sched.Options) {
		var at string
		_, err := fail(o, func() error { at = here(); panic(boom) })
		assert.Regexp(t, `^rank 2: panic: boom at `+at+` < end_test\.go:\d+$`, err.Error())
		assert.ErrorIs(t, err, boom)
		var p *sched.PanicError
		assert.True(t, errors.As(err, &p))
		assert.Contains(t, string(p.Stack), "TestFailingRank")
	})
	eachMode(t, "panics inside Go", func(t *testing.T, o sched.Options) {
		var at string
		_, err := fail(o, func() error { at = here(); return errors.New(strings.Repeat("x", -len(at))) })
		assert.ErrorContains(t, err, "rank 2: panic: strings: negative Repeat count at "+at+" < end_test.go:")
	})
	eachMode(t, "breaks a rule of Go", func(t *testing.T, o sched.Options) {
		var at string
		var none []int
		_, err := fail(o, func() error { at = here(); none[len(at)]++; return nil })
		assert.ErrorContains(t, err, "out of range [")
		assert.ErrorContains(t, err, at)
		var rt runtime.Error
		assert.True(t, errors.As(err, &rt))
	})
	eachMode(t, "panics with nil", func(t *testing.T, o sched.Options) {
		_, err := fail(o, func() error { panic(nil) }) //nolint:govet // on purpose
		assert.ErrorContains(t, err, "panic called with nil argument")
	})
	eachMode(t, "leaves", func(t *testing.T, o sched.Options) {
		var at string
		e, err := fail(o, func() error { at = here(); runtime.Goexit(); return nil })
		assert.ErrorContains(t, err, "rank 2: left without returning at "+at)
		var left *sched.GoexitError
		assert.True(t, errors.As(e, &left))
		assert.Equal(t, at, left.Place.Base())
	})
}

// If the list of errors also had those that ranks only passed on, it would be long and of
// little use.
func TestFailures(t *testing.T) {
	eachMode(t, "each rank's own", func(t *testing.T, o sched.Options) {
		s := sched.New(6, o)
		_ = run(s, func(r *sched.Rank) error {
			if r.ID()%2 == 1 {
				return fs.ErrClosed
			}
			return r.Park(text("Barrier"))
		})
		var got []int
		for _, f := range s.Failures() {
			got = append(got, f.Rank)
		}
		assert.Equal(t, []int{1, 3, 5}, got)
	})
}

// If an error of a rank's own were taken for an echo because it came together
// with one, as errors.Join in a defer makes it, it would never be reported.
func TestEchoes(t *testing.T) {
	cause, full := errors.New("cause"), errors.New("disk full")
	handed := fmt.Errorf("Barrier: %w", cause)
	classed := &errclass.Error{Pkg: "comm", Op: "Barrier", Class: errclass.Other, Err: cause}
	for _, v := range []struct {
		name string
		err  error
		echo bool
	}{
		{"nothing", nil, false},
		{"the cause", cause, true},
		{"wrapped", handed, true},
		{"with a class", classed, true},
		{"joined echoes", errors.Join(handed, classed, nil), true},
		{"own", full, false},
		{"own with a class alone", &errclass.Error{Class: errclass.NoSpace}, false},
		{"own with a class", &errclass.Error{Class: errclass.NoSpace, Err: full}, false},
		{"own beside an echo", errors.Join(full, handed), false},
		{"own beside an echo, deep", fmt.Errorf("close: %w", errors.Join(classed, fmt.Errorf("b: %w", full))), false},
		{"own beside an echo, in one sentence", fmt.Errorf("%w, then %w", full, cause), false},
	} {
		t.Run(v.name, func(t *testing.T) { assert.Equal(t, v.echo, sched.Echoes(v.err, errors.ErrUnsupported, cause)) })
	}
	eachMode(t, "of a rank", func(t *testing.T, o sched.Options) {
		s := sched.New(3, o)
		_ = run(s, func(r *sched.Rank) error {
			switch r.ID() {
			case 0:
				return cause
			case 1:
				return errors.Join(full, r.Park(text("Barrier")))
			}
			return r.Park(text("Barrier"))
		})
		if fs := s.Failures(); assert.Len(t, fs, 2) {
			assert.ErrorIs(t, fs[1], full)
		}
	})
}

// If two goroutines of one rank waited at once, one of them might take the
// other's wake-up. That is refused, before anything is harmed.
func TestConcurrentWaitsOfOneRank(t *testing.T) {
	t.Run("free", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := sched.New(2, sched.Options{})
			err := run(s, func(r *sched.Rank) error {
				if r.ID() == 1 {
					time.Sleep(2 * time.Second)
					s.Rank(0).Wake()
					return nil
				}
				go func() {
					time.Sleep(time.Second)
					err := r.Park(text("Recv"))
					assert.ErrorIs(t, err, sched.ErrTwoWaits)
					var e *sched.TwoWaitsError
					if assert.ErrorAs(t, err, &e) {
						assert.Equal(t, "Barrier", e.Why)
						assert.Equal(t, "end_test.go", path.Base(e.Place.File))
						assert.Equal(t, "end_test.go", path.Base(e.Other.File))
						assert.NotEqual(t, e.Place.Line, e.Other.Line)
					}
				}()
				return r.Park(text("Barrier"))
			})
			assert.NoError(t, err)
		})
	})
	t.Run("seeded", func(t *testing.T) {
		s := sched.New(2, modes["seeded"])
		err := run(s, func(r *sched.Rank) error {
			if r.ID() == 1 {
				return s.Rank(0).Park(text("as another"))
			}
			return nil
		})
		assert.ErrorIs(t, err, sched.ErrTwoWaits)
	})
}

// If a rank that has ended could begin a wait, a handle kept after the end
// would hang the program, or keep a processor busy for ever.
func TestWaitAfterTheEnd(t *testing.T) {
	eachMode(t, "of the world", func(t *testing.T, o sched.Options) {
		s := sched.New(2, o)
		assert.NoError(t, run(s, func(*sched.Rank) error { return nil }))
		assert.Equal(t, sched.ErrEnded, s.Rank(1).Park(text("Barrier")))
		_, err := sched.NewRendezvous(2).Meet(s.Rank(0), 0, text("Barrier"), nil)
		assert.Equal(t, sched.ErrEnded, err)
	})
	t.Run("while a goroutine of the rank begins to wait", func(t *testing.T) {
		if raceEnabled {
			t.Skip("such a program has a race of its own")
		}
		for range 5_000 {
			s, gone := sched.New(1, sched.Options{}), make(chan struct{})
			assert.NoError(t, run(s, func(r *sched.Rank) error {
				r.Wake() // so that the wait may also succeed, but never makes a deadlock
				go func() {
					defer close(gone)
					if err := r.Park(text("Recv")); err != nil {
						assert.Equal(t, sched.ErrEnded, err)
					}
				}()
				runtime.Gosched()
				return nil
			}))
			<-gone
		}
	})
}

// If package testing/synctest did not recognize the waits of ranks, no test could run a
// parallel program under virtual time.
func TestWaitsInSynctestBubble(t *testing.T) {
	eachMode(t, "an hour passes", func(t *testing.T, o sched.Options) {
		synctest.Test(t, func(t *testing.T) {
			v, start := sched.NewRendezvous(8), time.Now()
			err := run(sched.New(8, o), func(r *sched.Rank) error {
				if r.ID() == 5 {
					time.Sleep(time.Hour)
				}
				_, err := v.Meet(r, r.ID(), text("Barrier"), nil)
				return err
			})
			assert.NoError(t, err)
			assert.Equal(t, time.Hour, time.Since(start))
		})
	})
}

// If waiting cost garbage, a million ranks would spend their time collecting it.
func TestWaitAllocatesNothing(t *testing.T) {
	eachMode(t, "meet", func(t *testing.T, o sched.Options) {
		v := sched.NewRendezvous(4)
		var perRun float64
		err := run(sched.New(4, o), func(r *sched.Rank) error {
			var err error
			meet := func() {
				if _, e := v.MeetWith(r, r.ID(), text("Barrier"), r, first); e != nil {
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
