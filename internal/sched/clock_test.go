package sched_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/internal/sched"
)

// plain is a vector clock by the definition: a time for every rank.
type plain map[int]uint64

func (p plain) join(o plain) plain {
	all := maps.Clone(p)
	for r, t := range o {
		all[r] = max(all[r], t)
	}
	return all
}

// agrees returns the first difference between c and p, for all times near those of p.
func (p plain) agrees(c sched.Clock, ranks int) error {
	for r := range ranks {
		if t := p[r]; !c.Covers(r, t) || c.Covers(r, t+1) {
			return fmt.Errorf("rank %d: the clock does not say %d", r, t)
		}
	}
	return nil
}

// If clocks forgot or invented anything, the race detector would accuse right
// programs and pass wrong ones. Snapshots taken at any time must stay as they
// were, although they share memory with what came later.
func TestClocksMatchTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 3, 5, 40, 200}).Draw(t, "ranks")
		s := sched.New(n, sched.Options{})
		type snapshot struct {
			sched.Clock
			plain
		}
		want := make([]plain, n)
		for i := range want {
			want[i] = plain{}
		}
		var kept []snapshot
		rank := rapid.IntRange(0, n-1)
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			i := rank.Draw(t, "rank")
			switch rapid.SampledFrom([]string{"tick", "keep", "keep", "join", "join", "mix", "meet", "all"}).Draw(t, "step") {
			case "tick":
				want[i] = want[i].join(plain{i: want[i][i] + 1})
				if got := s.Rank(i).Tick(); got != want[i][i] {
					t.Fatalf("rank %d ticks to %d", i, got)
				}
			case "keep":
				kept = append(kept, snapshot{s.Rank(i).Publish(false), want[i]})
			case "join":
				if len(kept) > 0 {
					k := rapid.SampledFrom(kept).Draw(t, "snapshot")
					s.Rank(i).Join(k.Clock)
					want[i] = want[i].join(k.plain)
				}
			case "mix":
				if len(kept) > 0 {
					k, l := rapid.SampledFrom(kept).Draw(t, "one"), rapid.SampledFrom(kept).Draw(t, "other")
					kept = append(kept, snapshot{k.Clock.Join(l.Clock), k.plain.join(l.plain)})
				}
			case "meet", "all":
				members := rapid.SliceOfN(rank, 1, n).Draw(t, "members") // a rank may occur twice: with its present and with an earlier clock
				clocks := make([]sched.Clock, len(members))
				all := plain{}
				for j, m := range members {
					clocks[j] = s.Rank(m).Publish(false)
					all = all.join(want[m])
				}
				if len(kept) > 0 && rapid.Bool().Draw(t, "with a snapshot") {
					k := rapid.SampledFrom(kept).Draw(t, "snapshot")
					clocks, all = append(clocks, k.Clock), all.join(k.plain)
				}
				joint := sched.JoinAll(len(clocks), func(j int) sched.Clock { return clocks[j] })
				kept = append(kept, snapshot{joint, all})
				for j, m := range members {
					s.Rank(m).Adopt(clocks[j], joint)
					want[m] = all
				}
			}
			for r := range want {
				if err := want[r].agrees(s.Rank(r).Publish(false), n); err != nil {
					t.Fatalf("clock of rank %d: %v", r, err)
				}
			}
		}
		for i, k := range kept {
			if err := k.agrees(k.Clock, n); err != nil {
				t.Fatalf("snapshot %d: %v", i, err)
			}
		}
	})
}

// If clocks cost memory where nothing happens, a million ranks would pay.
func TestIdleClocksCostNothing(t *testing.T) {
	for name, o := range map[string]sched.Options{"nothing happened": {}, "off": {NoClocks: true}} {
		t.Run(name, func(t *testing.T) {
			s := sched.New(1000, o)
			if o.NoClocks {
				assert.Zero(t, s.Rank(3).Tick())
			}
			n := testing.AllocsPerRun(10, func() {
				all := sched.JoinAll(s.Len(), func(i int) sched.Clock { return s.Rank(i).Publish(false) })
				for i := range s.Len() {
					s.Rank(i).Adopt(s.Rank(i).Publish(false), all)
					s.Rank(i).Join(s.Rank(999 - i).Publish(false))
				}
			})
			assert.Zero(t, n)
			assert.False(t, s.Rank(0).Publish(false).Covers(3, 1))
		})
	}
}

// BenchmarkClocks joins the clocks of all ranks of a world, each of which has had an event
// since it last met the others.
func BenchmarkClocks(b *testing.B) {
	for _, n := range []int{16, 1024, 1 << 17} {
		b.Run(fmt.Sprintf("meet n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			s := sched.New(n, sched.Options{})
			for b.Loop() {
				for i := range n {
					s.Rank(i).Tick()
				}
				all := sched.JoinAll(n, func(i int) sched.Clock { return s.Rank(i).Publish(false) })
				for i := range n {
					s.Rank(i).Adopt(s.Rank(i).Publish(false), all)
				}
			}
		})
	}
	b.Run("message", func(b *testing.B) {
		b.ReportAllocs()
		s := sched.New(2, sched.Options{})
		s.Rank(0).Tick()
		for b.Loop() {
			s.Rank(1).Join(s.Rank(0).Publish(false))
			s.Rank(0).Join(s.Rank(1).Publish(false))
		}
	})
}
