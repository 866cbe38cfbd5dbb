package iofile_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// TestSizeAllocatesNothing: programs ask for sizes in loops.
func TestSizeAllocatesNothing(t *testing.T) {
	fsys := iofile.NewMem(iofile.WithRaceDetector(consistency.Off))
	with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
		assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = f.Size() }))
		return nil
	})
}

// TestOpenMemory: the memory of a rank for an open file limits the number of ranks,
// and with few ranks allocating it takes most of the time of an open.
func TestOpenMemory(t *testing.T) {
	const ranks, times = 16, 200
	for name, opts := range map[string][]iofile.Option{"watched": nil, "unwatched": {iofile.WithRaceDetector(consistency.Off)}} {
		t.Run(name, func(t *testing.T) {
			fsys := iofile.NewMem(opts...)
			var before, after runtime.MemStats
			assert.NoError(t, world.Run(t.Context(), ranks, func(_ context.Context, c *comm.Comm) error {
				for i := range 2 * times { // the first half allocates everything that is allocated once
					if i == times && c.Rank() == 0 {
						runtime.ReadMemStats(&before)
					}
					f, err := iofile.Open(c, fsys, "f", create)
					if err != nil {
						return err
					}
					if err := f.Close(); err != nil {
						return err
					}
				}
				if c.Rank() == 0 {
					runtime.ReadMemStats(&after)
				}
				return nil
			}))
			allocs, bytes := float64(after.Mallocs-before.Mallocs)/ranks/times, float64(after.TotalAlloc-before.TotalAlloc)/ranks/times
			t.Logf("%.1f allocations and %.0f bytes a rank", allocs, bytes)
			assert.Less(t, allocs, 7.0)
			most := 1408.0
			if raceEnabled { // Go's race detector makes some of it larger
				most = 1536
			}
			assert.Less(t, bytes, most)
		})
	}
}
