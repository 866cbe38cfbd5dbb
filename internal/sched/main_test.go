package sched_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/testkit/thorough"
)

func init() { thorough.Fewer() }

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// text is a reason to wait.
type text string

func (t text) String() string { return string(t) }

// modes are the ways to run a world.
var modes = map[string]sched.Options{
	"free":       {},
	"seeded":     {Seeded: true, Seed: 1},
	"roundrobin": {Schedule: sched.RoundRobin()},
	"pct":        {Schedule: sched.PCT(3, 1)},
}

// eachMode runs a subtest under every way to run a world.
func eachMode(t *testing.T, name string, test func(t *testing.T, o sched.Options)) {
	for mode, o := range modes {
		t.Run(name+" "+mode, func(t *testing.T) { test(t, o) })
	}
}

// run starts every rank of s, waits for all and returns why s was aborted.
func run(s *sched.Sched, body func(r *sched.Rank) error) error {
	s.Run(body)
	return s.Cause()
}

// first is the join of a meeting whose result is what its first member brings.
func first(all []any) any { return all[0] }
