package comm_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
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
			assert.Regexp(t, `rank 0 of the world (is|waits) in Bcast.* another goroutine`, wrong.Error())
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

// Programs with goroutines often begin with a receiver in the background. Its rank's state
// used to be corrupted sometimes, without an error.
func TestSecondGoroutineWhileARankWaits(t *testing.T) {
	type rank struct {
		c          *comm.Comm
		open, late *comm.Request // late is completed by rank 1
	}
	receive := func(r *rank, wait func(q *comm.Request) error) error {
		q, err := r.c.IRecv(ints(0), 1, 1)
		if err != nil {
			return err
		}
		return wait(q)
	}
	send := func(r *rank) error { return r.c.Send(ints(0), 0, 1) }
	done := func(r *rank) error { return r.late.GRequestComplete() }
	waits := []struct {
		name          string
		wait, release func(r *rank) error // of rank 0, of rank 1
	}{
		{"Recv", func(r *rank) error { return second(r.c.Recv(ints(0), 1, 1)) }, send},
		{"SSend", func(r *rank) error { return r.c.SSend(ints(0), 1, 1) }, func(r *rank) error { return second(r.c.Recv(ints(0), 0, 1)) }},
		{"Probe", func(r *rank) error {
			return errors.Join(second(r.c.Probe(1, 1)), second(r.c.Recv(ints(0), 1, 1)))
		}, send},
		{"IRecv", func(r *rank) error { return receive(r, func(q *comm.Request) error { return second(q.Wait()) }) }, send},
		{"WaitAll", func(r *rank) error {
			return receive(r, func(q *comm.Request) error { return second(comm.WaitAll(q)) })
		}, send},
		{"WaitAny", func(r *rank) error { _, _, err := comm.WaitAny(r.late, r.open); return err }, done},
		{"GRequest", func(r *rank) error { return second(r.late.Wait()) }, done},
		{"Barrier", func(r *rank) error { return r.c.Barrier() }, func(r *rank) error { return r.c.Barrier() }},
		{"Dup", func(r *rank) error { return second(r.c.Dup()) }, func(r *rank) error { return second(r.c.Dup()) }},
	}
	calls := map[string]func(r *rank) error{
		"Send":   func(r *rank) error { return r.c.Send(ints(1), 1, 5) },
		"Recv":   func(r *rank) error { return second(r.c.Recv(ints(1), 1, 5)) },
		"ISend":  func(r *rank) error { return second(r.c.ISend(ints(1), 1, 5)) },
		"IProbe": func(r *rank) error { _, _, err := r.c.IProbe(1, 5); return err },
		"SendRecv": func(r *rank) error {
			return second(r.c.SendRecv(ints(1), comm.To{Rank: 1, Tag: 5}, ints(1), comm.From{Rank: 1, Tag: 5}))
		},
		"SendInit":       func(r *rank) error { return second(r.c.SendInit(ints(1), 1, 5)) },
		"IBarrier":       func(r *rank) error { return second(r.c.IBarrier()) },
		"Split":          func(r *rank) error { return second(r.c.Split(0, 0)) },
		"Free":           func(r *rank) error { return r.c.Free() },
		"Wait":           func(r *rank) error { return second(r.late.Wait()) },
		"Test":           func(r *rank) error { _, _, err := r.late.Test(); return err },
		"Status":         func(r *rank) error { _, _, err := r.open.Status(); return err },
		"Request.Free":   func(r *rank) error { return r.open.Free() },
		"Request.Cancel": func(r *rank) error { return r.late.Cancel() },
		"WaitAll":        func(r *rank) error { return second(comm.WaitAll(r.open, r.late)) },
		"WaitAny":        func(r *rank) error { _, _, err := comm.WaitAny(r.open); return err },
		"WaitSome":       func(r *rank) error { _, _, err := comm.WaitSome(r.late); return err },
		"TestAll":        func(r *rank) error { _, _, err := comm.TestAll(r.open, r.late); return err },
		"TestAny":        func(r *rank) error { _, _, _, err := comm.TestAny(r.late); return err },
		"TestSome":       func(r *rank) error { _, _, err := comm.TestSome(r.open); return err },
		"StatusAll":      func(r *rank) error { _, _, err := comm.StatusAll(r.open, r.late); return err },
		"StatusAny":      func(r *rank) error { _, _, _, err := comm.StatusAny(r.late); return err },
		"StatusSome":     func(r *rank) error { _, _, err := comm.StatusSome(r.open); return err },
	}
	for _, w := range waits {
		t.Run("COMM-01 in "+w.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				refusals := 0
				var r rank
				errs := start(2, setting{}, func(c *comm.Comm) (err error) {
					if c.Rank() == 1 {
						time.Sleep(time.Second)
						synctest.Wait() // what the others did came before
						return w.release(&rank{c: c, late: r.late})
					}
					r.c = c
					if r.late, err = c.GRequestStart(comm.GRequest{}); err != nil {
						return err
					}
					if r.open, err = c.GRequestStart(comm.GRequest{}); err != nil {
						return err
					}
					go func() {
						synctest.Wait() // until the rank waits
						for title, call := range calls {
							err := call(&r)
							refused(t, err, comm.ErrOther, "COMM-01")
							assert.Regexp(t, `rank 0 of the world waits in .*`+w.name+`.* at world_threads_test.go:\d+.*, while another goroutine makes this call at world_threads_test.go:\d+`, err.Error(), title)
							assert.ErrorIs(t, err, sched.ErrTwoWaits)
							refusals++
						}
					}()
					if err := w.wait(&r); err != nil {
						return err
					}
					_ = r.late.GRequestComplete() // unless rank 1 has
					return errors.Join(r.open.GRequestComplete(), second(comm.WaitAll(r.open, r.late)))
				})
				assert.NoError(t, errors.Join(errs...)) // all is as it was
				assert.Equal(t, len(calls), refusals)
			})
		})
	}
	t.Run("COMM-01 another rank's request, while its rank waits", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var req *comm.Request
			errs := start(2, setting{}, func(c *comm.Comm) (err error) {
				if c.Rank() == 1 {
					synctest.Wait()
					_, err := req.Wait()
					refused(t, err, comm.ErrOther, "COMM-01")
					_, err = comm.WaitAll(req)
					refused(t, err, comm.ErrOther, "COMM-01")
					return c.Send(ints(1), 0, 1)
				}
				if req, err = c.IRecv(ints(0), 1, 1); err != nil {
					return err
				}
				return second(req.Wait())
			})
			assert.NoError(t, errors.Join(errs...))
		})
	})
}

// A check that refused legal programs would not be used. Package world's test of the
// same name shows the mistakes that it finds.
func TestCheckThreads(t *testing.T) {
	checked := setting{comm: commport.LaunchOptions{CheckThreads: true}}
	t.Run("COMM-01 goroutines that take turns are fine, in calls of every kind", func(t *testing.T) {
		for _, s := range []setting{checked, {sched: sched.Options{Seeded: true, Seed: 1}, comm: checked.comm}} {
			errs := start(2, s, func(c *comm.Comm) error {
				other := 1 - c.Rank()
				for range 10 {
					var q *comm.Request
					var err error
					for _, call := range []func(){
						func() { q, err = c.IRecv(ints(0), other, 1) },
						func() { err = c.Send(ints(1), other, 1) },
						func() { _, err = q.Wait() },
						func() { err = c.Barrier() },
						func() { _, err = comm.WaitAll(q) },
					} {
						done := make(chan bool)
						go func() { call(); close(done) }()
						if <-done; err != nil {
							return err
						}
					}
				}
				return nil
			})
			assert.NoError(t, errors.Join(errs...))
		}
	})
	t.Run("COMM-01 a function of the program may hand a call on", func(t *testing.T) {
		errs := start(1, checked, func(c *comm.Comm) error {
			q, err := c.GRequestStart(comm.GRequest{Query: func(*comm.Status) error {
				done := make(chan error)
				go func() { done <- c.Send(ints(1), comm.ProcNull, 0) }()
				return <-done
			}})
			return errors.Join(err, q.GRequestComplete(), second(q.Wait()))
		})
		assert.NoError(t, errors.Join(errs...))
	})
}
