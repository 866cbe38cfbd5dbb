package world_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// An action is the next step of all ranks, or of two, in a drawn program.
type action struct {
	what     int
	from, to int
	bytes    int
	seconds  float64
}

func drawActions(t *rapid.T, ranks int) (list []action) {
	for range rapid.IntRange(1, 12).Draw(t, "actions") {
		list = append(list, action{
			what: rapid.IntRange(0, 9).Draw(t, "what"), bytes: rapid.IntRange(0, 3000).Draw(t, "bytes"),
			from: rapid.IntRange(0, ranks-1).Draw(t, "from"), to: rapid.IntRange(0, ranks-1).Draw(t, "to"),
			seconds: float64(rapid.IntRange(0, 1000).Draw(t, "us")) * 1e-6,
		})
	}
	return list
}

// drawn is a program of actions. Ranks write bytes of their own, so nothing depends on who
// comes first.
func drawn(list []action, fsys *iofile.FS, saw func(rank int, seconds float64)) func(context.Context, *comm.Comm) error {
	return func(_ context.Context, c *comm.Comm) error {
		me, n := c.Rank(), c.Size()
		r := &runner{}
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
		r.do(err)
		for i, d := range list {
			mem := types.Of(make([]byte, d.bytes))
			place := iofile.Offset((i*n + me) * 3000)
			switch d.what {
			case 0:
				r.do(machine.Compute(c, d.seconds*float64(me+1)))
			case 1:
				if me == d.from && d.from != d.to {
					r.do(c.Send(mem, d.to, i))
				}
				if me == d.to && d.from != d.to {
					_, err := c.Recv(mem, d.from, i)
					r.do(err)
				}
			case 2:
				r.do(c.Bcast(mem, d.from))
			case 3:
				r.do(c.Gather(mem, types.Of(make([]byte, n*d.bytes)), d.from))
			case 4:
				q, err := c.IBarrier()
				r.do(err)
				r.do(machine.Compute(c, d.seconds))
				_, err = q.Wait()
				r.do(err)
			case 5, 6:
				_, err := f.WriteAtAll(mem, place)
				r.do(err)
			case 7:
				_, err := f.WriteAt(mem, place)
				r.do(err)
			case 8:
				_, err := f.ReadAtAll(mem, place)
				r.do(err)
			case 9:
				if me == d.from {
					saw(me, c.WTime())
				}
				r.do(f.Sync())
			}
		}
		r.do(f.Close())
		saw(me, c.WTime())
		return r.err
	}
}

// TestOnConserves: in a run on a machine the servers get the requests of the strategy; the
// parts of each rank's time add up to all of it, and no rank's clock goes back; no time is
// below that of moving the bytes; and the report depends neither on the schedule nor on
// when ranks read their clocks.
func TestOnConserves(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(rt, "ranks")
		m := machine.Lustre(rapid.IntRange(1, 4).Draw(rt, "servers"), 1<<rapid.IntRange(9, 16).Draw(rt, "stripe"))
		m.StripeCount, m.RanksPerNode = 0, rapid.IntRange(1, 4).Draw(rt, "node")
		m.Cache = rapid.SampledFrom([]int64{0, 0, 5000}).Draw(rt, "cache")
		s := rapid.SampledFrom([]strategy.Strategy{
			strategy.Direct{}, strategy.ROMIO, strategy.TwoPhase{Nodes: 2, Buffer: 2000, Read: strategy.Enable, Write: strategy.Enable},
		}).Draw(rt, "strategy")
		list := drawActions(rt, n)
		run := func(schedule world.Option) *world.Report {
			last := make([]float64, n)
			fsys := iofile.NewMem()
			require.NoError(rt, fsys.Import("f", bytes.NewReader(make([]byte, len(list)*n*3000)))) // a read beyond the end of file would race with a write behind it
			rep, err := world.RunReport(context.Background(), n, drawn(list, fsys, func(rank int, seconds float64) {
				require.GreaterOrEqual(rt, seconds, last[rank])
				last[rank] = seconds
			}), world.On(m), world.Strategy(s), schedule)
			require.NoError(rt, err)
			for rank := range n {
				require.InDelta(rt, rep.Model.Ends[rank], last[rank], 1e-12)
			}
			return rep
		}
		rep := run(world.Replay("roundrobin"))
		r := rep.Model
		near, served := 1e-9*(1+r.Seconds), int64(0)
		for i := range r.Servers {
			served += r.Servers[i].Bytes
			require.GreaterOrEqual(rt, r.Seconds+near, float64(r.Servers[i].Bytes)/max(m.Server.Read, m.Server.Write))
		}
		require.Equal(rt, r.Bytes(), served)
		asked, counts := rep.Files[0].Requests, world.Requests(r.Counts)
		asked.Sent, counts.Sent = 0, 0
		require.Equal(rt, asked, counts)
		for rank := range r.Parts {
			require.InDelta(rt, r.Ends[rank], r.Parts[rank].Sum(), near, "rank %d", rank)
		}
		again := run(world.Seed(rapid.Uint64().Draw(rt, "seed")))
		require.Equal(rt, r.String(), again.Model.String())
	})
}
