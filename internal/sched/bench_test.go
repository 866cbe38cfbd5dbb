package sched_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/commworld/commworld/internal/sched"
)

// BenchmarkHandOff passes the run back and forth between two ranks: two
// hand-offs an iteration, and nothing allocated.
func BenchmarkHandOff(b *testing.B) {
	for mode, o := range modes {
		b.Run(mode, func(b *testing.B) {
			b.ReportAllocs()
			s := sched.New(2, o)
			var ball atomic.Int32 // whose turn it is; 2 ends the game
			await := func(r *sched.Rank) bool {
				for ball.Load() != int32(r.ID()) {
					if ball.Load() == 2 || r.Park(text("ball")) != nil {
						return false
					}
				}
				return true
			}
			err := run(s, func(r *sched.Rank) error {
				other := s.Rank(1 - r.ID())
				if r.ID() == 1 {
					for await(r) {
						ball.Store(0)
						other.Wake()
					}
					return nil
				}
				for b.Loop() {
					ball.Store(1)
					other.Wake()
					await(r)
				}
				ball.Store(2)
				other.Wake()
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkMeet is one meeting of n ranks an iteration.
func BenchmarkMeet(b *testing.B) {
	for mode, o := range modes {
		for _, n := range []int{2, 4, 16, 64, 256, 1024} {
			b.Run(fmt.Sprintf("%s/n=%d", mode, n), func(b *testing.B) {
				b.ReportAllocs()
				v := sched.NewRendezvous(n)
				err := run(sched.New(n, o), func(r *sched.Rank) error {
					for more := true; more; {
						if r.ID() == 0 {
							more = b.Loop()
						}
						all, err := v.MeetWith(r, r.ID(), text("Barrier"), more, first)
						if err != nil {
							return err
						}
						more = all.(bool)
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// BenchmarkWorld starts, meets once and ends, and prints the memory of a rank
// that waits.
func BenchmarkWorld(b *testing.B) {
	for _, n := range []int{1, 1_000, 100_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			var perRank float64
			for b.Loop() {
				var before, during runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				s := sched.New(n, sched.Options{})
				v := sched.NewRendezvous(n)
				s.Run(func(r *sched.Rank) error {
					_, err := v.MeetWith(r, r.ID(), text("Barrier"), nil, first)
					if r.ID() == 0 {
						runtime.ReadMemStats(&during)
					}
					return err
				})
				perRank = float64(during.HeapInuse+during.StackInuse-before.HeapInuse-before.StackInuse) / float64(n)
			}
			b.ReportMetric(perRank, "B/rank")
		})
	}
}

// BenchmarkNote is what a call pays for having its line in reports.
func BenchmarkNote(b *testing.B) {
	b.ReportAllocs()
	r := sched.New(1, sched.Options{}).Rank(0)
	for b.Loop() {
		r.NoteLine(sched.AnyDepth)
	}
}
