package sched_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/internal/sched"
)

// A task is what a rank of a random program does.
type task []string

// do runs the task and records the result of each step. Earlier choices decide whether and
// how the last step ends the rank.
func (k task) do(r *sched.Rank, shared *string, saw *string) error {
	last := 0
	for _, what := range k {
		var err error
		switch what {
		case "choose 2", "choose 3":
			last, err = choose(r, int(what[7]-'0'), what)
		case "read", "read other":
			err = r.Hold(text(what), sched.Held{Object: uint64(len(what))})
		case "write", "write other":
			err = r.Hold(text(what), sched.Held{Object: uint64(len(what)) - 1, Write: true})
			*shared += fmt.Sprint(r.ID())
		case "part":
			err = r.Hold(text(what), sched.Held{Object: 4, Lo: int64(r.ID()), Hi: int64(r.ID()) + 2, Write: true})
		case "wait":
			err = r.Park(text(what))
		case "wake":
			r.Sched().Rank(0).Wake()
		case "panic":
			if last == 1 {
				panic("a rank panics")
			}
		case "leave":
			if last == 1 {
				runtime.Goexit()
			}
		case "fail":
			if last == 1 {
				return errors.New("a rank fails")
			}
		}
		if err != nil {
			return err
		}
		*saw += fmt.Sprint(what, last, *shared, ";")
	}
	return nil
}

// If a run found data of an earlier run in reused memory, explorations would report results
// that no program has. So an exploration that reuses memory must report exactly the same
// runs as one that does not, however the runs end.
func TestReusedMemoryEqualsNew(t *testing.T) {
	steps := rapid.SampledFrom([]string{
		"choose 2", "choose 2", "choose 3", "read", "read other", "write", "write other", "part", "part", "wait", "wake", "panic", "leave", "fail",
	})
	rapid.Check(t, func(t *rapid.T) {
		tasks := rapid.SliceOfN(rapid.SliceOfN(steps, 0, 5), 1, 3).Draw(t, "tasks")
		explore := func(forget bool) (runs []string) {
			x := sched.NewExplorer()
			defer x.Close()
			for len(runs) < 300 && x.Next() {
				if forget {
					x.Forget()
				}
				s := sched.New(len(tasks), sched.Options{Explorer: x})
				shared, saw := "", make([]string, len(tasks))
				s.Run(func(r *sched.Rank) error { return task(tasks[r.ID()]).do(r, &shared, &saw[r.ID()]) })
				end := fmt.Sprintf("%s counts %t, %q: %T", s.Token(), x.Counts(s), saw, s.Cause())
				var stuck *sched.DeadlockError
				if errors.As(s.Cause(), &stuck) {
					end += stuck.Error()
				}
				for _, f := range s.Failures() {
					end += fmt.Sprintf(" rank %d %T", f.Rank, f.Err)
				}
				runs = append(runs, end)
			}
			return append(runs, fmt.Sprint(x.Runs, x.Redundant, x.Err()))
		}
		assert.Equal(t, explore(true), explore(false))
	})
}
