package comm_test

import (
	"errors"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// deadlocks runs body on n ranks, free, seeded and exploring, and gives the report of each.
func deadlocks(t *testing.T, n int, body func(c *comm.Comm) error, check func(t *testing.T, d *sched.DeadlockError)) {
	t.Helper()
	x := sched.NewExplorer()
	defer x.Close()
	require.True(t, x.Next())
	for _, way := range []struct {
		name string
		s    setting
	}{{"free", setting{}}, {"seeded", seeded(3)}, {"exploring", setting{sched: sched.Options{Explorer: x}}}} {
		t.Run(way.name, func(t *testing.T) {
			var d *sched.DeadlockError
			require.ErrorAs(t, errors.Join(start(n, way.s, body)...), &d)
			check(t, d)
		})
	}
}

// says checks a report against a pattern, in which FILE is this file.
func says(pattern string) func(t *testing.T, d *sched.DeadlockError) {
	here := regexp.MustCompile("FILE").ReplaceAllString(pattern, `deadlock_test.go:\d+(?: < \w+.go:\d+)*`)
	return func(t *testing.T, d *sched.DeadlockError) {
		t.Helper()
		assert.Regexp(t, here, d.Error())
	}
}

// Without the message that is there, a student compares tags and ranks of all sends and
// receives of the program by eye.
func TestDeadlockNamesTheMessageThatNoReceiveMatches(t *testing.T) {
	recv := func(c *comm.Comm, src, tag int) error { return second(c.Recv(ints(0), src, tag)) }
	for _, p := range []struct {
		name string
		n    int
		body func(c *comm.Comm) error
		want string
	}{
		{"P2P-04 another tag", 2, func(c *comm.Comm) error {
			if c.Rank() == 0 {
				return c.Send(ints(1), 1, 5)
			}
			return recv(c, 0, 7)
		}, `\n  rank 1: waits in Recv from 0 tag 7 on COMM_WORLD at FILE\n    a message from rank 0 with tag 5 on COMM_WORLD \(sent at FILE\) has arrived and no receive matches it$`},
		{"P2P-04 another source", 3, func(c *comm.Comm) error {
			switch c.Rank() {
			case 0:
				return c.Send(ints(1), 1, 7)
			case 1:
				return recv(c, 2, 7)
			}
			return nil
		}, `rank 1: waits in Recv from 2 tag 7 on COMM_WORLD at FILE\n    a message from rank 0 with tag 7 on COMM_WORLD \(sent at FILE\) has arrived and no receive matches it$`},
		{"P2P-04 another communicator", 2, func(c *comm.Comm) error {
			d, err := c.Dup()
			if err != nil {
				return err
			}
			if c.Rank() == 0 {
				return d.Send(ints(1), 1, 7)
			}
			return recv(c, 0, 7)
		}, `\n    a message from rank 0 with tag 7 on dup of COMM_WORLD \(sent at FILE\) has arrived and no receive matches it$`},
		{"P2P-04 another communicator of one name", 2, func(c *comm.Comm) error {
			d, err := c.Dup()
			e, err2 := c.Dup()
			if err = errors.Join(err, err2); err != nil {
				return err
			}
			if c.Rank() == 0 {
				return d.Send(ints(1), 1, 7)
			}
			return recv(e, 0, 7)
		}, `\n    a message from rank 0 with tag 7 on another communicator called dup of COMM_WORLD \(sent at FILE\) has arrived and no receive matches it$`},
		{"P2P-01 a send that waits", 2, func(c *comm.Comm) error {
			if c.Rank() == 0 {
				return c.SSend(ints(1), 1, 1)
			}
			return recv(c, 0, 2)
		}, `rank 1: waits in Recv from 0 tag 2 on COMM_WORLD at FILE\n    a message from rank 0 with tag 1 on COMM_WORLD \(sent at FILE\) has arrived and no receive matches it\n  rank 0 waits for rank 1, 1 for 0$`},
		{"P2P-02 a request", 2, func(c *comm.Comm) error {
			if c.Rank() == 0 {
				return second(waited(c.ISend(ints(1), 1, 5)))
			}
			return second(waited(c.IRecv(ints(0), 0, 7)))
		}, `rank 1: waits in Wait for IRecv from 0 tag 7 on COMM_WORLD at FILE\n    a message from rank 0 with tag 5 on COMM_WORLD \(sent at FILE\) has arrived and no receive matches it$`},
		{"P2P-02 several requests", 2, func(c *comm.Comm) error {
			if c.Rank() == 0 {
				return c.Send(ints(1), 1, 5)
			}
			q, err := c.IRecv(ints(0), 0, 7)
			r, err2 := c.IRecv(ints(0), 0, 8)
			_, err3 := comm.WaitAll(q, r)
			return errors.Join(err, err2, err3)
		}, `WaitAll for 2 of 2 requests: .* at FILE\n    a message from rank 0 with tag 5 on COMM_WORLD \(sent at FILE\) has arrived and no receive matches it$`},
		{"P2P-02 any of several requests", 2, func(c *comm.Comm) error {
			if c.Rank() == 0 {
				return c.Send(ints(1), 1, 5)
			}
			q, err := c.IRecv(ints(0), 0, 7)
			_, _, err2 := comm.WaitAny(q)
			return errors.Join(err, err2)
		}, `WaitAny for any of 1 of 1 requests: .* at FILE\n    a message from rank 0 with tag 5 on COMM_WORLD \(sent at FILE\) has arrived and no receive matches it$`},
		{"P2P-05 a probe", 2, func(c *comm.Comm) error {
			if c.Rank() == 0 {
				return c.Send(ints(1), 1, 5)
			}
			return second(c.Probe(comm.AnySource, 7))
		}, `Probe from any source tag 7 on COMM_WORLD at FILE\n    a message from rank 0 with tag 5 on COMM_WORLD \(sent at FILE\) has arrived and no receive matches it$`},
		{"P2P-03 an exchange", 2, func(c *comm.Comm) error {
			return second(c.SendRecv(ints(1), comm.To{Rank: 1 - c.Rank()}, ints(0), comm.From{Rank: 1 - c.Rank(), Tag: 1}))
		}, `rank 0: waits in SendRecv from 1 tag 1 on COMM_WORLD at FILE\n    a message from rank 1 with tag 0 on COMM_WORLD \(sent at FILE\) has arrived and no receive matches it\n`},
		{"P2P-03 an exchange of one buffer", 2, func(c *comm.Comm) error {
			return second(c.SendRecvReplace(ints(1), comm.To{Rank: 1 - c.Rank()}, comm.From{Rank: 1 - c.Rank(), Tag: 1}))
		}, `rank 0: waits in SendRecvReplace to 1 tag 0, from 1 tag 1 on COMM_WORLD at FILE\n    a message from rank 1 with tag 0 on COMM_WORLD \(sent at FILE\) has arrived and no receive matches it\n`},
		{"P2P-04 many messages", 2, func(c *comm.Comm) error {
			for k := range 12 {
				if c.Rank() == 0 && k%6 != 5 {
					if err := c.Send(ints(1), 1, k%6); err != nil {
						return err
					}
				}
			}
			if c.Rank() == 0 {
				return nil
			}
			return recv(c, 0, 5)
		}, `Recv from 0 tag 5 on COMM_WORLD at FILE` +
			`(\n    2 messages from rank 0 with tag \d on COMM_WORLD \(the first sent at FILE\) have arrived and no receive matches them){3}` +
			`\n    and 4 more messages$`},
		{"P2P-04 a row of messages of which some were received together", 2, func(c *comm.Comm) error {
			const sent, received = 40, 5
			if c.Rank() == 0 {
				for range sent {
					if err := c.Send(ints(1), 1, 5); err != nil {
						return err
					}
				}
				return c.Send(ints(1), 1, 6)
			}
			if err := recv(c, 0, 6); err != nil {
				return err
			}
			for range received {
				if err := recv(c, 0, 5); err != nil {
					return err
				}
			}
			return recv(c, 0, 7)
		}, `\n    35 messages from rank 0 with tag 5 on COMM_WORLD \(the first sent at FILE\) have arrived and no receive matches them$`},
		{"P2P-04 nearest first", 4, func(c *comm.Comm) error {
			switch c.Rank() {
			case 3:
				for _, want := range []int{2, 1, 0} { // in this order they arrive
					if err := c.Send(ints(1), want, 9); err != nil {
						return err
					}
					if err := recv(c, want, 9); err != nil {
						return err
					}
				}
				return recv(c, 0, 7)
			case 2:
				return errors.Join(recv(c, 3, 9), c.Send(ints(1), 3, 4), c.Send(ints(1), 3, 9))
			case 1:
				return errors.Join(recv(c, 3, 9), c.Send(ints(1), 3, 7), c.Send(ints(1), 3, 9))
			}
			return errors.Join(recv(c, 3, 9), c.Send(ints(1), 3, 5), c.Send(ints(1), 3, 9))
		}, `\n    a message from rank 0 with tag 5 .*\n    a message from rank 1 with tag 7 .*\n    a message from rank 2 with tag 4 .*$`},
	} {
		t.Run(p.name, func(t *testing.T) { deadlocks(t, p.n, p.body, says(p.want)) })
	}
	t.Run("P2P-04 nothing has arrived", func(t *testing.T) {
		deadlocks(t, 2, func(c *comm.Comm) error { return recv(c, 1-c.Rank(), 7) }, func(t *testing.T, d *sched.DeadlockError) {
			assert.NotContains(t, d.Error(), "arrived")
		})
	})
	t.Run("P2P-04 lines are not kept", func(t *testing.T) {
		var d *sched.DeadlockError
		errs := start(2, setting{comm: commport.LaunchOptions{Unchecked: true}}, func(c *comm.Comm) error {
			if c.Rank() == 0 {
				return c.Send(ints(1), 1, 5)
			}
			return recv(c, 0, 7)
		})
		require.ErrorAs(t, errors.Join(errs...), &d)
		says(`\n    a message from rank 0 with tag 5 on COMM_WORLD has arrived and no receive matches it$`)(t, d)
	})
	t.Run("P2P-04 what a message is", func(t *testing.T) {
		deadlocks(t, 2, func(c *comm.Comm) error {
			if c.Rank() == 0 {
				return c.Send(types.Of(make([]byte, 1000)), 1, 5)
			}
			return recv(c, 0, 7)
		}, func(t *testing.T, d *sched.DeadlockError) {
			if assert.Len(t, d.Ranks[1].Unreceived, 1) {
				m := d.Ranks[1].Unreceived[0]
				assert.Contains(t, m.Place.File, "deadlock_test.go")
				m.Place = sched.Place{}
				assert.Equal(t, sched.Unreceived{Source: 0, Tag: 5, Comm: "COMM_WORLD", Count: 1}, m)
			}
		})
	})
}

// waited waits for a request that a call has returned.
func waited(q *comm.Request, err error) (comm.Status, error) {
	if err != nil {
		return comm.Status{}, err
	}
	return q.Wait()
}

// A message that was sent to the wrong rank must be in the report of a rank that waits for it.
func TestDeadlockNamesTheMessageForAnotherRank(t *testing.T) {
	recv := func(c *comm.Comm, src, tag int) error { return second(c.Recv(ints(0), src, tag)) }
	waits := func(more string) string { // the ranks that have ended come before
		return `\n  rank 1: waits in Recv from 0 tag 7 on COMM_WORLD at FILE` + more
	}
	for _, p := range []struct {
		name string
		n    int
		body func(c *comm.Comm) error
		want string
	}{
		{"P2P-04 a rank that has ended", 3, func(c *comm.Comm) error {
			switch c.Rank() {
			case 0:
				return c.Send(ints(1), 2, 7)
			case 1:
				return recv(c, 0, 7)
			}
			return nil
		}, waits(`\n  a message from rank 0 with tag 7 on COMM_WORLD for rank 2 \(sent at FILE\) has not been received$`)},
		{"P2P-04 its own rank", 2, func(c *comm.Comm) error {
			if c.Rank() == 0 {
				return c.Send(ints(1), 0, 7)
			}
			return recv(c, 0, 7)
		}, waits(`\n  a message from rank 0 with tag 7 on COMM_WORLD for rank 0 \(sent at FILE\) has not been received$`)},
		{"P2P-04 several ranks", 5, func(c *comm.Comm) error {
			if c.Rank() == 1 {
				return recv(c, 0, 7)
			}
			var err error
			for dst := 2; dst < 5 && c.Rank() == 0; dst++ {
				err = errors.Join(err, c.Send(ints(1), dst, 7), c.Send(ints(1), dst, 7))
			}
			return err
		}, waits(`\n  6 messages from rank 0 with tag 7 on COMM_WORLD for ranks 2-4 \(the first sent at FILE\) have not been received$`)},
		{"P2P-04 a message that was received, and another", 3, func(c *comm.Comm) error {
			switch c.Rank() {
			case 0:
				return errors.Join(c.Send(ints(1), 2, 7), c.Send(ints(1), 2, 7), c.Send(ints(1), 2, 7))
			case 1:
				return recv(c, 0, 7)
			}
			return errors.Join(recv(c, 0, 7), recv(c, 0, 7))
		}, waits(`\n  a message from rank 0 with tag 7 on COMM_WORLD for rank 2 \(sent at FILE\) has not been received$`)},
		{"COMM-01 ranks of another communicator", 4, func(c *comm.Comm) error {
			d, err := c.Split(c.Rank()/2, 0)
			switch {
			case err != nil || c.Rank() < 2:
				return err
			case c.Rank() == 2:
				return d.Send(ints(1), 0, 7)
			}
			return recv(d, 0, 7)
		}, `rank 3: waits in Recv from 0 tag 7 on split 1 of COMM_WORLD at FILE\n  a message from rank 0 with tag 7 on split 1 of COMM_WORLD for rank 0 \(sent at FILE\) has not been received$`},
		{"P2P-04 another tag", 3, func(c *comm.Comm) error {
			switch c.Rank() {
			case 0:
				return c.Send(ints(1), 2, 8)
			case 1:
				return recv(c, 0, 7)
			}
			return nil
		}, waits(`$`)},
	} {
		t.Run(p.name, func(t *testing.T) { deadlocks(t, p.n, p.body, says(p.want)) })
	}
}

// A student who reads that a rank waits in Barrier must not have to find out whom it waits for.
func TestDeadlockNamesTheRanksThatACollectiveNeeds(t *testing.T) {
	quit := func(q *comm.Request, err error) error { return second(waited(q, err)) }
	for _, p := range []struct {
		name string
		n    int
		body func(c *comm.Comm) error
		want string
	}{
		{"COLL-01 a rank elsewhere", 4, func(c *comm.Comm) error {
			if c.Rank() == 2 {
				return second(c.Recv(ints(0), 0, 1))
			}
			return c.Barrier()
		}, `\n  ranks 0-1, 3: wait in Barrier \(1st collective\) on COMM_WORLD at FILE, which needs all ranks of COMM_WORLD: rank 2 is missing\n` +
			`  rank 2: waits in Recv from 0 tag 1 on COMM_WORLD at FILE\n  rank 0 waits for rank 2, 2 for 0$`},
		{"COLL-01 ranks that have ended", 3, func(c *comm.Comm) error {
			if c.Rank() > 0 {
				return nil
			}
			return c.AllReduce(ints(1), ints(0), comm.Sum)
		}, `rank 0: waits in AllReduce \(1st collective\) on COMM_WORLD at FILE, which needs all ranks of COMM_WORLD: ranks 1-2 are missing\n  ranks 1-2: have ended$`},
		{"COLL-01 after other calls", 3, func(c *comm.Comm) error {
			for range 3 {
				if err := c.Barrier(); err != nil {
					return err
				}
			}
			if c.Rank() == 1 {
				return nil
			}
			return c.Barrier()
		}, `\n  ranks 0, 2: wait in Barrier \(4th collective\) on COMM_WORLD at FILE, which needs all ranks of COMM_WORLD: rank 1 is missing\n`},
		{"COLL-02 a rank that is ahead", 3, func(c *comm.Comm) error {
			if c.Rank() == 2 {
				return nil
			}
			q, err := c.IBarrier()
			if err != nil {
				return err
			}
			if c.Rank() == 0 {
				err = c.Barrier()
			}
			return errors.Join(err, second(q.Wait()))
		}, `\n  rank 0: waits in Barrier \(2nd collective\) on COMM_WORLD at FILE, which needs all ranks of COMM_WORLD: ranks 1-2 are missing\n` +
			`  rank 1: waits in .*IBarrier \(1st collective\) on COMM_WORLD at FILE, which needs all ranks of COMM_WORLD: rank 2 is missing\n`},
		{"COLL-02 several requests", 2, func(c *comm.Comm) error {
			if c.Rank() == 1 {
				return nil
			}
			q, err := c.IBarrier()
			_, err2 := comm.WaitAll(q)
			return errors.Join(err, err2)
		}, `WaitAll for 1 of 1 requests: IBarrier \(1st collective\) on COMM_WORLD at FILE, which needs all ranks of COMM_WORLD: rank 1 is missing\n`},
		{"COLL-02 a persistent call", 2, func(c *comm.Comm) error {
			q, err := c.BarrierInit()
			if err != nil || c.Rank() == 1 {
				return err
			}
			return errors.Join(q.Start(), second(q.Wait()))
		}, `BarrierInit \(1st collective\) on COMM_WORLD at FILE, which needs all ranks of COMM_WORLD: rank 1 is missing\n`},
		{"COMM-01 part of the ranks", 4, func(c *comm.Comm) error {
			d, err := c.Split(c.Rank()/2, 0)
			if err != nil || c.Rank() != 3 {
				return err
			}
			return d.Barrier()
		}, `rank 3: waits in Barrier \(1st collective\) on split 1 of COMM_WORLD at FILE, which needs all ranks of split 1 of COMM_WORLD: rank 2 is missing$`},
		{"COMM-01 making a communicator", 3, func(c *comm.Comm) error {
			if c.Rank() == 1 {
				return nil
			}
			return second(c.Dup())
		}, `\n  ranks 0, 2: wait in Dup \(1st collective\) on COMM_WORLD at FILE, which needs all ranks of COMM_WORLD: rank 1 is missing\n`},
		{"COMM-01 a nonblocking duplicate", 2, func(c *comm.Comm) error {
			if c.Rank() == 1 {
				return nil
			}
			_, q, err := c.IDup()
			return quit(q, err)
		}, `IDup \(1st collective\) on COMM_WORLD at FILE, which needs all ranks of COMM_WORLD: rank 1 is missing\n`},
		{"COMM-01 a group", 3, func(c *comm.Comm) error {
			if c.Rank() == 2 {
				return nil
			}
			g, err := c.Group()
			if err != nil {
				return err
			}
			return second(c.CreateGroup(g, 4))
		}, `\n  ranks 0-1: wait in CreateGroup of 3 ranks tag 4 on COMM_WORLD at FILE, which needs all ranks of the group: rank 2 is missing\n`},
		{"COMM-02 two groups", 4, func(c *comm.Comm) error {
			d, err := c.Split(c.Rank()%2, 0)
			if err != nil {
				return err
			}
			x, err := d.IntercommCreate(0, c, 1-c.Rank()%2, 9)
			switch {
			case err != nil || c.Rank() == 3:
				return err
			case c.Rank() == 2:
				return second(x.Dup())
			}
			return x.Barrier()
		}, `\n  ranks 0-1: wait in Barrier \(1st collective\) on intercomm of .* at FILE, which needs all ranks of both groups of intercomm of .*: ranks 2-3 are missing\n` +
			`  rank 2: waits in Dup of both groups of .* at FILE, which needs all ranks of both groups: ranks 0-1, 3 are missing\n`},
		{"COMM-02 leaders", 2, func(c *comm.Comm) error {
			d, err := c.Split(c.Rank(), 0)
			if err != nil {
				return err
			}
			return second(d.IntercommCreate(0, c, 1-c.Rank(), c.Rank()))
		}, `\n  rank 0: waits in IntercommCreate with rank 1 of the world tag 0 .*\n  rank 1: waits .*\n  rank 0 waits for rank 1, 1 for 0$`},
	} {
		t.Run(p.name, func(t *testing.T) { deadlocks(t, p.n, p.body, says(p.want)) })
	}
	t.Run("COLL-01 a root that does not come", func(t *testing.T) {
		body := func(c *comm.Comm) error {
			switch c.Rank() {
			case 1:
				return c.Bcast(ints(0), 2)
			case 2:
				return second(c.Recv(ints(0), 0, 1))
			}
			return nil
		}
		const waits = `rank 1: waits in Bcast \(1st collective\) on COMM_WORLD at FILE, which needs `
		deadlocks(t, 3, body, func(t *testing.T, d *sched.DeadlockError) {
			if len(d.Ranks[1].For) == 1 { // ranks that explore do not wait for more than they need
				says(waits+`its root: rank 2 is missing\n`)(t, d)
			} else {
				says(waits+`all ranks of COMM_WORLD: ranks 0, 2 are missing\n`)(t, d)
			}
		})
	})
}
