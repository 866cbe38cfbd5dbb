package sched_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/sched"
)

// note notes the line of r. It is inlined, so that the line is not in a function of its
// own.
func note(r *sched.Rank) (noted, here int) {
	_, _, here, _ = runtime.Caller(0)
	return r.NoteLine(sched.AnyDepth).Place().Line, here + 1
}

//go:noinline
func deeper(r *sched.Rank, n int, f func(r *sched.Rank) (noted, here int)) (noted, here int) {
	if n > 0 {
		return deeper(r, n-1, f)
	}
	return f(r)
}

// If a cached line belonged to another place, an exploration would report calls that were
// never made.
func TestNoteCachesLines(t *testing.T) {
	x := sched.NewExplorer()
	defer x.Close()
	lines, runs := map[int]bool{}, 0
	for ; x.Next(); runs++ {
		sched.New(2, sched.Options{Explorer: x}).Run(func(r *sched.Rank) error {
			check := func(noted, here int) {
				assert.Equal(t, here, noted)
				lines[noted] = true
			}
			for range 2 {
				check(note(r))
				check(deeper(r, 0, note))
				check(deeper(r, 20, func(r *sched.Rank) (noted, here int) {
					_, _, here, _ = runtime.Caller(0)
					return r.NoteLine(sched.AnyDepth).Place().Line, here + 1
				}))
				check(deeper(r, 20, func(r *sched.Rank) (noted, here int) {
					_, _, here, _ = runtime.Caller(0)
					return r.NoteLine(sched.AnyDepth).Place().Line, here + 1
				}))
			}
			_, err := choose(r, 3, "a number")
			r.SetPlace(&sched.Place{Line: -1})
			assert.Equal(t, -1, r.NoteLine(sched.AnyDepth).Place().Line)
			r.SetPlace(&sched.Place{Line: -2})
			assert.Equal(t, -2, r.NoteLine(sched.AnyDepth).Place().Line)
			return err
		})
	}
	assert.NoError(t, x.Err())
	assert.Len(t, lines, 3)
	assert.Greater(t, runs, 3)
}

// Frames reported in an exploration are those that Go reports.
func TestFrames(t *testing.T) {
	x := sched.NewExplorer()
	defer x.Close()
	check := func(r *sched.Rank) {
		for range 3 {
			for skip := range 4 {
				var want, got [4]uintptr
				runtime.Callers(skip+1, want[:])
				sched.Frames(skip+1, got[:])
				var lines [2][]int
				for i, pcs := range [][]uintptr{want[:], got[:]} {
					for frames := runtime.CallersFrames(pcs); ; {
						f, more := frames.Next()
						lines[i] = append(lines[i], f.Line)
						if !more {
							break
						}
					}
				}
				if skip == 0 { // these are two lines of one function
					lines[1][0]--
				}
				assert.Equal(t, lines[0], lines[1])
			}
		}
	}
	for x.Next() {
		sched.New(2, sched.Options{Explorer: x}).Run(func(r *sched.Rank) error {
			check(r)
			return nil
		})
	}
	sched.New(1, sched.Options{}).Run(func(r *sched.Rank) error {
		check(r)
		return nil
	})
}
