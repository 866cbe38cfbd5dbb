package sched_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/sched"
)

// If a coroutine carried any state from one run into the next, an exploration would report
// results that no program has. Every run must begin alike, also if a rank panicked, left or
// failed in the run before.
func TestKeptCoroutines(t *testing.T) {
	x := sched.NewExplorer()
	defer x.Close()
	ends := map[string]int{}
	for x.Next() {
		s := sched.New(3, sched.Options{Explorer: x})
		began := make([]int, 3)
		s.Run(func(r *sched.Rank) error {
			began[r.ID()]++
			pick, err := choose(r, 4, "an end")
			if err != nil || r.ID() > 0 {
				return err
			}
			switch pick {
			case 1:
				panic("a rank panics")
			case 2:
				runtime.Goexit()
			case 3:
				return errors.New("a rank fails")
			}
			return nil
		})
		assert.Equal(t, []int{1, 1, 1}, began, "every rank runs once in every run")
		if x.Counts(s) {
			end := "all end"
			if len(s.Failures()) > 0 {
				end = fmt.Sprintf("%T", s.Failures()[0].Err)
			}
			ends[end]++
		}
	}
	assert.NoError(t, x.Err())
	assert.Len(t, ends, 4, "%v", ends)
}
