package world_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/world"
)

// BenchmarkRun starts a world, passes one barrier and ends. It prints the
// memory of a rank that waits: its stack and its part of all tables.
func BenchmarkRun(b *testing.B) {
	for _, n := range []int{1, 2, 16, 128, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				if err := world.Run(b.Context(), n, func(_ context.Context, c *comm.Comm) error { return c.Barrier() }); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			b.ReportMetric(memory(b, n), "B/rank")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/rank")
		})
	}
}

// memory returns the bytes of heap and stack that a rank adds, measured by rank
// 0 while all others are in a barrier or on the way to it.
func memory(b *testing.B, n int) float64 {
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	err := world.Run(b.Context(), n, func(_ context.Context, c *comm.Comm) error {
		if err := c.Barrier(); err != nil {
			return err
		}
		if c.Rank() == 0 {
			runtime.ReadMemStats(&during)
		}
		return c.Barrier()
	})
	if err != nil {
		b.Fatal(err)
	}
	return float64(during.HeapInuse+during.StackInuse-before.HeapInuse-before.StackInuse) / float64(n)
}
