package world_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Two goroutines that send or receive at once as one rank corrupt its state in some runs.
// Check(Threads) reports them in every run.
func TestCheckThreads(t *testing.T) {
	t.Run("COMM-01 goroutines in messages at one time are reported, and nothing breaks", func(t *testing.T) {
		if raceEnabled {
			t.Skip("gap COMM-01: goroutines that nothing orders are a data race, which -race reports first")
		}
		reported := 0
		for range 200 {
			err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
				var both sync.WaitGroup
				var failed [2]error
				for tag := range failed {
					both.Go(func() {
						for k := 0; k < 50 && failed[tag] == nil; k++ {
							if c.Rank() == 0 {
								failed[tag] = c.Send(num(k), 1, tag)
							} else {
								_, failed[tag] = c.Recv(num(0), 0, tag)
							}
						}
					})
				}
				both.Wait()
				return errors.Join(failed[:]...)
			}, world.Check(world.Threads))
			if errors.Is(err, sched.ErrTwoWaits) {
				reported++
				assert.Regexp(t, `rank [01] of the world (waits in (Send|Recv) .*|is in a call) at threads_test.go:\d+, while another goroutine makes this call at threads_test.go:\d+`, err.Error())
			}
		}
		assert.Positive(t, reported)
	})
	t.Run("COMM-01 goroutines that take turns may make buffers meanwhile", func(t *testing.T) {
		for range 20 {
			var turn [2]sync.Mutex
			assert.NoError(t, world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
				var both sync.WaitGroup
				var failed [2]error
				for i := range failed {
					both.Go(func() {
						for k := 0; k < 50 && failed[i] == nil; k++ {
							turn[c.Rank()].Lock()
							failed[i] = c.Send(types.Of([]int32{1}), comm.ProcNull, 0)
							turn[c.Rank()].Unlock()
							for range 100 {
								_ = types.Contiguous(3, types.Vector(2, 1, 2, types.Int))
							}
						}
					})
				}
				both.Wait()
				return errors.Join(failed[:]...)
			}, world.Check(world.Threads)))
		}
	})
}
