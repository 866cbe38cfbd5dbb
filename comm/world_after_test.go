package comm_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
)

// If a call on a communicator that was kept after the end of its world waited,
// the program would hang in a line that looks right.
func TestCallsAfterWorldEnd(t *testing.T) {
	for name, o := range map[string]sched.Options{"free": {}, "seeded": {Seeded: true}} {
		t.Run("COMM-01 every call is an error, "+name, func(t *testing.T) { afterTheWorld(t, o) })
	}
}

func afterTheWorld(t *testing.T, o sched.Options) {
	w := sched.New(2, o)
	u := port.Launch(w, commport.LaunchOptions{})
	kept, dups, reqs := make([]*comm.Comm, 2), make([]*comm.Comm, 2), make([]*comm.Request, 4)
	w.Run(func(r *sched.Rank) (err error) {
		i := r.ID()
		kept[i] = u.World(i)
		if dups[i], err = kept[i].Dup(); err != nil {
			return err
		}
		if reqs[2*i], err = kept[i].IRecv(ints(0), 1-i, 7); err != nil {
			return err
		}
		reqs[2*i+1], err = kept[i].IRecv(ints(0), 1-i, 8)
		return err
	})
	require.NoError(t, w.Cause())
	complaints := 0
	u.End(func(_ int, err error) {
		complaints++
		assert.ErrorContains(t, err, "the request was never completed")
	})
	assert.Equal(t, len(reqs), complaints)
	require.NotContains(t, dups, (*comm.Comm)(nil))
	for _, c := range []*comm.Comm{kept[0], kept[1], dups[0], dups[1], kept[0].Self(), u.World(1)} {
		for call, err := range map[string]error{
			"Barrier":   c.Barrier(),
			"Bcast":     c.Bcast(ints(1), 0),
			"Gather":    c.Gather(ints(1), ints(0, 0), 0),
			"Scatter":   c.Scatter(ints(0, 0), ints(1), 0),
			"AllGather": c.AllGather(ints(1), ints(0, 0)),
			"AllToAll":  c.AllToAll(ints(0, 0), ints(0, 0)),
			"AllReduce": c.AllReduce(ints(1), ints(0), comm.Sum),
			"Scan":      c.Scan(ints(1), ints(0), comm.Sum),
			"Dup":       second(c.Dup()),
			"Open":      port.Dup(c, new(comm.Comm), "Open", nil, nil),
			"Split":     second(c.Split(0, 0)),
			"Group":     second(c.Group()),
			"Compare":   second(c.Compare(c)),
			"Send":      c.Send(ints(1), 0, 0),
			"ISend":     second(c.ISend(ints(1), 0, 0)),
			"Recv":      second(c.Recv(ints(1), comm.AnySource, 0)),
			"IRecv":     second(c.IRecv(ints(1), 0, 0)),
			"SendRecv":  second(c.SendRecv(ints(1), comm.To{Rank: 0}, ints(1), comm.From{Rank: 0})),
			"Probe":     second(c.Probe(0, 0)),
			"Free":      c.Free(),
		} {
			refused(t, err, comm.ErrComm, "COMM-01")
			assert.ErrorContains(t, err, "the world of the communicator has ended", call)
		}
		_, _, err := c.IProbe(0, 0)
		refused(t, err, comm.ErrComm, "COMM-01")
	}
	for i, q := range reqs { // receives that no rank will serve
		var err error
		if i%2 == 0 {
			_, err = q.Wait()
		} else {
			_, _, err = q.Test()
		}
		refused(t, err, comm.ErrComm, "COMM-01")
		assert.ErrorContains(t, err, "has ended")
	}
}
