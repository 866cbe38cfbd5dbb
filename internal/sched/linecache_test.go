package sched_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/sched"
)

// send notes its own line, because functions of a test do not belong to the library.
//
//go:noinline
func send(r *sched.Rank) *sched.Line {
	l := r.NoteLine(2)
	return l
}

//go:noinline
func wrapped(r *sched.Rank, depth int) *sched.Line {
	if depth > 0 {
		l := wrapped(r, depth-1)
		return l
	}
	l := send(r)
	return l
}

// A cached line must be the one that a walk up the stack finds, for any caller and any
// number of ranks.
func TestNoteFromCache(t *testing.T) {
	for _, n := range []int{1, 4} {
		s := sched.New(n, sched.Options{})
		s.Run(func(r *sched.Rank) error {
			var was [2]*sched.Line
			for i := range 3 {
				_, _, here, _ := runtime.Caller(0)
				for k, l := range []*sched.Line{r.NoteLine(1), r.NoteLine(1), r.NoteLine(sched.AnyDepth), send(r)} {
					at := here + 1
					if k == 3 {
						at = 16
					}
					assert.Equal(t, at, l.Place().Line)
					if k < len(was) {
						if i > 0 && n == 1 && sched.QuickLines { // two ranks at once may each look it up
							assert.Same(t, was[k], l)
						}
						was[k] = l
					}
				}
				for depth := range 9 {
					direct, led := wrapped(r, 0).Place(), wrapped(r, depth).Place()
					assert.Equal(t, direct.Base(), led.Base())
					assert.Equal(t, direct.Caller.Base(), led.Caller.Base())
					if depth > 0 { // a helper function does not hide its caller
						assert.Equal(t, "linecache_test.go:23", led.Caller.Caller.Base())
					} else {
						assert.Equal(t, direct.Caller.Caller.Line, led.Caller.Caller.Line)
					}
				}
				r.SetPlace(&sched.Place{File: "x", Line: 7})
				assert.Equal(t, 7, send(r).Place().Line)
				r.SetPlace(nil)
			}
			return nil
		})
		assert.Empty(t, s.Failures())
	}
}

// In a full set a new line must replace another one: otherwise a program with many lines
// would stay slow. The replaced line must not be reported for the new one.
func TestNoteFromFullCache(t *testing.T) {
	if !sched.QuickLines {
		t.Skip("gap P2P-02: nothing is remembered on this machine")
	}
	defer sched.Drop()
	sched.New(1, sched.Options{}).Run(func(r *sched.Rank) error {
		var was [4]*sched.Line
		full := 0
		for i := range was {
			if i%2 == 0 { // the second time this drops the line
				sched.Crowd()
				full = sched.Crowded()
			}
			was[i] = r.NoteLine(1)
			assert.Equal(t, full-1, sched.Crowded(), "one other made room")
			assert.Equal(t, was[0].Place(), was[i].Place())
		}
		assert.Same(t, was[0], was[1], "it is remembered")
		assert.NotSame(t, was[1], was[2], "it was dropped")
		assert.Same(t, was[2], was[3])
		return nil
	})
}
