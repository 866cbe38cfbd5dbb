package comm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/sched"
)

// If this fails, a program whose rank looks in a loop for a message of a rank that has ended
// runs for ever and does not say why.
func TestPollingEndedRankIsDeadlock(t *testing.T) {
	until := func(look func() (bool, error)) error {
		for {
			if ok, err := look(); ok || err != nil {
				return err
			}
		}
	}
	for _, p := range []struct {
		name string
		n    int
		body func(c *comm.Comm) error
		want string
	}{
		{"P2P-05 IProbe", 2, func(c *comm.Comm) error {
			return until(func() (bool, error) { _, ok, err := c.IProbe(1, 7); return ok, err })
		}, `rank 0: waits in (a loop that calls )?IProbe from 1 tag 7 on COMM_WORLD at FILE`},
		{"P2P-02 Test of a receive", 2, func(c *comm.Comm) error {
			q, err := c.IRecv(ints(0), 1, 7)
			return errors.Join(err, until(func() (bool, error) { _, ok, err := q.Test(); return ok, err }))
		}, `rank 0: waits in (a loop that tests )?IRecv from 1 tag 7 on COMM_WORLD at FILE`},
		{"P2P-02 Test of a send", 2, func(c *comm.Comm) error {
			q, err := c.ISSend(ints(0), 1, 7)
			return errors.Join(err, until(func() (bool, error) { _, ok, err := q.Test(); return ok, err }))
		}, `rank 0: waits in (a loop that tests )?ISSend to 1 tag 7 on COMM_WORLD at FILE`},
		{"P2P-02 TestAny, and another rank waits", 3, func(c *comm.Comm) error {
			if c.Rank() == 2 {
				return second(c.Recv(ints(0), 0, 1))
			}
			q, err := c.IRecv(ints(0), 1, 7)
			r, err2 := c.IRecv(ints(0), 1, 8)
			return errors.Join(err, err2, until(func() (bool, error) { _, _, ok, err := comm.TestAny(q, r); return ok, err }))
		}, `rank 0: waits in (a loop that calls )?TestAny for any of 2 of 2 requests`},
		{"P2P-02 TestAll of which one can be completed", 3, func(c *comm.Comm) error {
			if c.Rank() == 2 {
				return errors.Join(c.Send(ints(0), 0, 1), second(c.Recv(ints(0), 0, 1)))
			}
			q, err := c.IRecv(ints(0), 2, 1)
			r, err2 := c.IRecv(ints(0), 1, 8)
			return errors.Join(err, err2, until(func() (bool, error) { _, ok, err := comm.TestAll(q, r); return ok, err }))
		}, `rank 0: waits in (a loop that calls )?TestAll for 1 of 2 requests`},
		{"P2P-05 IProbe of any source, and all others have ended", 2, func(c *comm.Comm) error {
			return until(func() (bool, error) { _, ok, err := c.IProbe(comm.AnySource, 7); return ok, err })
		}, `rank 0: waits in (a loop that calls )?IProbe from any source tag 7 on COMM_WORLD at FILE`},
		{"P2P-05 IMProbe of any source", 2, func(c *comm.Comm) error {
			return until(func() (bool, error) { _, _, ok, err := c.IMProbe(comm.AnySource, comm.AnyTag); return ok, err })
		}, `rank 0: waits in (a loop that calls )?IMProbe from any source tag any on COMM_WORLD at FILE`},
		{"P2P-02 Test of a receive of any source", 2, func(c *comm.Comm) error {
			q, err := c.IRecv(ints(0), comm.AnySource, 7)
			return errors.Join(err, until(func() (bool, error) { _, ok, err := q.Test(); return ok, err }))
		}, `rank 0: waits in (a loop that tests )?IRecv from any source tag 7 on COMM_WORLD at FILE`},
		{"P2P-02 TestSome of receives of any source", 2, func(c *comm.Comm) error {
			q, err := c.IRecv(ints(0), comm.AnySource, 7)
			r, err2 := c.IRecv(ints(0), comm.AnySource, 8)
			return errors.Join(err, err2, until(func() (bool, error) { done, _, err := comm.TestSome(q, r); return len(done) > 0, err }))
		}, `rank 0: waits in (a loop that calls )?TestSome for any of 2 of 2 requests`},
		{"P2P-03 Test of ISendRecv, of which the send is done", 2, func(c *comm.Comm) error {
			q, err := c.ISendRecv(ints(0), comm.To{Rank: 0, Tag: 1}, ints(0), comm.From{Rank: 1, Tag: 7})
			return errors.Join(err, until(func() (bool, error) { _, ok, err := q.Test(); return ok, err }))
		}, `rank 0: waits in (a loop that tests )?ISendRecv to 0 tag 1, from 1 tag 7 on COMM_WORLD at FILE`},
		{"P2P-06 Test of a persistent receive", 2, func(c *comm.Comm) error {
			q, err := c.RecvInit(ints(0), comm.AnySource, 7)
			return errors.Join(err, q.Start(), until(func() (bool, error) { _, ok, err := q.Test(); return ok, err }))
		}, `rank 0: waits in (a loop that tests )?RecvInit from any source tag 7 on COMM_WORLD at FILE`},
		{"P2P-07 Test of a partitioned send", 2, func(c *comm.Comm) error {
			q, err := c.PSendInit(ints(0, 0), 2, 1, 7)
			return errors.Join(err, q.Start(), q.PReadyRange(0, 1), until(func() (bool, error) { _, ok, err := q.Test(); return ok, err }))
		}, `rank 0: waits in (a loop that tests )?PSendInit to 1 tag 7 on COMM_WORLD, 2 partitions at FILE`},
		{"P2P-07 PArrived", 2, func(c *comm.Comm) error {
			q, err := c.PRecvInit(ints(0, 0), 2, 1, 7)
			return errors.Join(err, q.Start(), until(func() (bool, error) { return q.PArrived(1) }))
		}, `rank 0: waits in (a loop that tests )?PRecvInit from 1 tag 7 on COMM_WORLD, 2 partitions at FILE`},
		{"COLL-01 Test of IBarrier", 2, func(c *comm.Comm) error {
			q, err := c.IBarrier()
			return errors.Join(err, until(func() (bool, error) { _, ok, err := q.Test(); return ok, err }))
		}, `rank 0: waits in (a loop that tests )?IBarrier \(1st collective\) on COMM_WORLD at FILE`},
	} {
		t.Run(p.name, func(t *testing.T) {
			pattern := strings.ReplaceAll(p.want, "FILE", `req_polling_test.go:\d+`)
			deadlocks(t, p.n, func(c *comm.Comm) error {
				if c.Rank() == 1 {
					return nil
				}
				return p.body(c)
			}, func(t *testing.T, d *sched.DeadlockError) {
				assert.Regexp(t, pattern, d.Error())
				assert.True(t, d.Ranks[1].Ended)
			})
		})
	}
}

// If this fails, a loop of looks that can still end is called a deadlock.
func TestPollingIsNoDeadlock(t *testing.T) {
	const many = 10 * comm.MostPolls
	for _, s := range []setting{{}, seeded(3)} {
		for _, err := range start(2, s, func(c *comm.Comm) error {
			if c.Rank() == 1 {
				return second(c.Recv(ints(0), 0, 1))
			}
			for range many { // rank 1 waits, and sends when it is asked to
				if _, ok, err := c.IProbe(1, 7); ok || err != nil {
					return errors.Join(err, errors.New("found a message"))
				}
			}
			for range many { // it sends to itself meanwhile
				_, ok, err := c.IProbe(0, 7)
				if err = errors.Join(err, c.Send(ints(0), 0, 8), second(c.Recv(ints(0), 0, 8))); ok || err != nil {
					return errors.Join(err, errors.New("found a message"))
				}
			}
			for range many { // rank 1 has not ended
				if _, ok, err := c.IProbe(comm.AnySource, 7); ok || err != nil {
					return errors.Join(err, errors.New("found a message"))
				}
			}
			return c.Send(ints(0), 1, 1)
		}) {
			assert.NoError(t, err)
		}
	}
}
