package sched_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/sched"
)

// text is a reason to wait.
type text string

func (t text) String() string { return string(t) }

// modes are the ways to run a world.
var modes = map[string]sched.Options{"free": {}, "seeded": {Seeded: true, Seed: 1}}

// run starts every rank of s and returns what went wrong.
func run(s *sched.Sched, body func(r *sched.Rank) error) error {
	var wg sync.WaitGroup
	for i := range s.Len() {
		wg.Go(func() { _ = s.Rank(i).Main(func() error { return body(s.Rank(i)) }) })
	}
	wg.Wait()
	return s.Cause()
}

// If a meeting mixed up rounds, a broadcast would hand over the buffer of the
// one before.
func TestMeet(t *testing.T) {
	for mode, o := range modes {
		for _, n := range []int{1, 2, 3, 16} {
			t.Run(fmt.Sprintf("%s %d ranks", mode, n), func(t *testing.T) {
				v := sched.NewRendezvous(n)
				err := run(sched.New(n, o), func(r *sched.Rank) error {
					for round := range 200 {
						vals, err := v.Meet(r, r.ID(), text("Barrier"), [2]int{round, r.ID()})
						if err != nil {
							return err
						}
						for i, val := range vals {
							assert.Equal(t, [2]int{round, i}, val)
						}
					}
					return nil
				})
				assert.NoError(t, err)
			})
		}
	}
}
