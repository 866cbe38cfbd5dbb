package comm_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// Two goroutines that make collective calls as one rank used to take each
// other's records, while other ranks were reading them: the whole program
// crashed, or hung.
func TestTwoGoroutinesOfOneRank(t *testing.T) {
	const n = 4
	t.Run("COMM-01 collectives at one time are refused, all but one", func(t *testing.T) {
		for range 50 {
			errs := start(n, setting{}, func(c *comm.Comm) error {
				var both sync.WaitGroup
				var failed [3]error
				for i := range failed {
					both.Go(func() {
						for range 20 {
							switch i {
							case 0:
								_, failed[i] = c.Split(c.Rank()%2, 0)
							case 1:
								failed[i] = c.AllReduce(ints(1), ints(0), comm.Sum)
							case 2:
								_, failed[i] = c.IBarrier()
							}
							if failed[i] != nil {
								return
							}
						}
					})
				}
				both.Wait()
				return errors.Join(failed[:]...)
			})
			assert.Error(t, errors.Join(errs...)) // and no crash, and no hang
		}
	})
	t.Run("COMM-01 the error names both calls", func(t *testing.T) {
		in, out := make(chan bool), make(chan bool)
		errs := start(2, setting{}, func(c *comm.Comm) error {
			if c.Rank() == 1 {
				<-out
				return c.Bcast(ints(1), 0)
			}
			var other sync.WaitGroup
			var wrong error
			other.Go(func() {
				<-in
				for wrong == nil { // until the first goroutine is inside
					_, _, wrong = c.IProbe(comm.AnySource, 0)
				}
				_, split := c.Split(0, 0)
				assert.ErrorContains(t, split, "Split")
				out <- true
			})
			in <- true
			err := c.Bcast(ints(1), 0)
			other.Wait()
			refused(t, wrong, comm.ErrOther, "COMM-01")
			assert.ErrorContains(t, wrong, "IProbe")
			assert.ErrorContains(t, wrong, "rank 0 of the world is in Bcast just now, by another goroutine")
			return err
		})
		assert.NoError(t, errors.Join(errs...))
	})
	t.Run("COMM-01 goroutines that take turns are fine", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			for i := range 10 {
				done := make(chan error)
				go func() {
					err := c.Bcast(ints(1), i%2)
					if err == nil {
						_, err = c.Split(0, 0)
					}
					done <- err
				}()
				if err := <-done; err != nil {
					return err
				}
			}
			return nil
		})
	})
	t.Run("WORLD-01 any goroutine may abort", func(t *testing.T) {
		inside, over := make(chan bool), make(chan bool)
		errs := start(2, setting{}, func(c *comm.Comm) error {
			if c.Rank() == 1 {
				<-over
				return nil
			}
			go func() {
				<-inside
				for {
					if _, _, err := c.IProbe(comm.AnySource, 0); err != nil {
						break // now the rank is in its barrier
					}
				}
				_ = c.Abort(3)
				close(over)
			}()
			close(inside)
			return c.Barrier()
		})
		var e *comm.AbortError
		assert.ErrorAs(t, errors.Join(errs...), &e)
	})
}

// Each rank makes its operation in MPI; who does so here must hear what is wrong.
func TestOperationsOfOneName(t *testing.T) {
	t.Run("COLL-03 made by each rank for itself", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			err := c.AllReduce(ints(1), ints(0), comm.NewOp("mine", func(_, _ types.Buffer) error { return nil }))
			refused(t, err, comm.ErrNotSame, "COLL-03")
			assert.ErrorContains(t, err, "gave mine, another of that name: NewOp makes a new one each time, so call it once")
			return nil
		})
	})
}
