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
func TestPollsOfEndedRanksEnd(t *testing.T) {
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
		}, `rank 0: waits in .*IProbe from 1 tag 7 on COMM_WORLD at FILE`},
		{"P2P-02 Test of a receive", 2, func(c *comm.Comm) error {
			q, err := c.IRecv(ints(0), 1, 7)
			return errors.Join(err, until(func() (bool, error) { _, ok, err := q.Test(); return ok, err }))
		}, `rank 0: waits in .*IRecv from 1 tag 7 on COMM_WORLD at FILE`},
		{"P2P-02 Test of a send", 2, func(c *comm.Comm) error {
			q, err := c.ISSend(ints(0), 1, 7)
			return errors.Join(err, until(func() (bool, error) { _, ok, err := q.Test(); return ok, err }))
		}, `rank 0: waits in .*ISSend to 1 tag 7 on COMM_WORLD at FILE`},
		{"P2P-02 TestAny, and another rank waits", 3, func(c *comm.Comm) error {
			if c.Rank() == 2 {
				return second(c.Recv(ints(0), 0, 1))
			}
			q, err := c.IRecv(ints(0), 1, 7)
			r, err2 := c.IRecv(ints(0), 1, 8)
			return errors.Join(err, err2, until(func() (bool, error) { _, _, ok, err := comm.TestAny(q, r); return ok, err }))
		}, `rank 0: waits in .*TestAny for any of 2 of 2 requests`},
		{"P2P-02 TestAll of which one can be completed", 3, func(c *comm.Comm) error {
			if c.Rank() == 2 {
				return errors.Join(c.Send(ints(0), 0, 1), second(c.Recv(ints(0), 0, 1)))
			}
			q, err := c.IRecv(ints(0), 2, 1)
			r, err2 := c.IRecv(ints(0), 1, 8)
			return errors.Join(err, err2, until(func() (bool, error) { _, ok, err := comm.TestAll(q, r); return ok, err }))
		}, `rank 0: waits in .*TestAll for 1 of 2 requests`},
	} {
		t.Run(p.name, func(t *testing.T) {
			pattern := strings.ReplaceAll(p.want, "FILE", `polls_test.go:\d+`)
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
func TestPollsThatCanEndGoOn(t *testing.T) {
	const many = 10 * comm.MostPolls
	for _, s := range []setting{{}, seeded(3)} {
		for _, err := range start(2, s, func(c *comm.Comm) error {
			if c.Rank() == 1 {
				return second(c.Recv(ints(0), 0, 1))
			}
			for range many { // rank 1 waits, and sends when it is told to
				if _, ok, err := c.IProbe(1, 7); ok || err != nil {
					return errors.Join(err, errors.New("found a message"))
				}
			}
			for range many { // the rank can send it itself
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
