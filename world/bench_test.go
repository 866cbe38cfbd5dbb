package world_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
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

// BenchmarkExploreFile runs small programs that share a file under all their schedules. One
// operation is one exploration; the executions include the repetition of the first one.
func BenchmarkExploreFile(b *testing.B) {
	for _, p := range []struct {
		name  string
		ranks int
		body  func(c *comm.Comm, f *iofile.File, buf types.Buffer) error
	}{
		{"atomic", 2, func(c *comm.Comm, f *iofile.File, buf types.Buffer) error {
			if err := f.SetAtomicity(true); err != nil {
				return err
			}
			return writeAndRead(c, f, buf)
		}},
		{"sync", 2, func(c *comm.Comm, f *iofile.File, buf types.Buffer) error {
			if c.Rank() == 0 {
				if _, err := f.WriteAt(buf, 0); err != nil {
					return err
				}
			}
			if err := errors.Join(f.Sync(), c.Barrier(), f.Sync()); err != nil || c.Rank() == 0 {
				return err
			}
			_, err := f.ReadAt(buf, 0)
			return err
		}},
		{"race", 3, writeAndRead},
	} {
		b.Run(p.name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				x, err := world.Explore(b.Context(), p.ranks, func() (func(context.Context, *comm.Comm) error, func() any) {
					fsys := iofile.NewMem()
					return func(_ context.Context, c *comm.Comm) error {
						f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
						if err != nil {
							return err
						}
						return errors.Join(p.body(c, f, types.Of(make([]byte, 8))), f.Close())
					}, nil
				})
				if err != nil {
					b.Fatal(err)
				}
				n += x.Schedules + x.Redundant + 1
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "executions/s")
		})
	}
}

// writeAndRead lets rank 0 write what the others read.
func writeAndRead(c *comm.Comm, f *iofile.File, buf types.Buffer) error {
	if c.Rank() == 0 {
		_, err := f.WriteAt(buf, 0)
		return err
	}
	_, err := f.ReadAt(buf, 0)
	return err
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
