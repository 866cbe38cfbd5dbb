package comm_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// knowledge runs call on n ranks, each of which has done one thing before, and
// says who knows afterwards what whom did: a line for each rank.
func knowledge(t *testing.T, n int, call func(c *comm.Comm) error, opts ...world.Option) []string {
	lines := make([]string, n)
	err := world.Run(t.Context(), n, func(_ context.Context, c *comm.Comm) error {
		c.Sched().Tick()
		if err := call(c); err != nil {
			return err
		}
		now := c.Sched().Now()
		for r := range n {
			mark := "."
			if now.Covers(r, 1) {
				mark = "x"
			}
			lines[c.Rank()] += mark
		}
		return nil
	}, opts...)
	assert.NoError(t, err)
	return lines
}

// If a call promised more order than the standard does, a race would pass; if
// it promised less, a right program would be accused.
func TestEdges(t *testing.T) {
	all := []string{"xxx", "xxx", "xxx"}
	down := []string{"x..", "xx.", "x.x"}
	up := []string{"xxx", ".x.", "..x"}
	chain := []string{"x..", "xx.", "xxx"}
	none := []string{"x..", ".x.", "..x"}
	nothing := func() types.Buffer { return types.Of([]int32{}) }
	one := func() types.Buffer { return types.Of(make([]int32, 1)) }
	three := func() types.Buffer { return types.Of(make([]int32, 3)) }
	big := func() types.Buffer { return types.Of(make([]int32, 1<<16)) }
	relay := func(send func(c *comm.Comm, dst int) error, buf func() types.Buffer) func(c *comm.Comm) error {
		return func(c *comm.Comm) error {
			if c.Rank() > 0 {
				if _, err := c.Recv(buf(), c.Rank()-1, 0); err != nil {
					return err
				}
			}
			if c.Rank() == c.Size()-1 {
				return nil
			}
			return send(c, c.Rank()+1)
		}
	}
	// found has rank 0 send a message and rank 1 probe, which has to know of the
	// send before it receives.
	found := func(probe func(c *comm.Comm) (*comm.Message, error)) func(c *comm.Comm) error {
		return func(c *comm.Comm) error {
			switch c.Rank() {
			case 0:
				return c.Send(one(), 1, 0)
			case 1:
				msg, err := probe(c)
				if err != nil {
					return err
				}
				known := c.Sched().Now().Covers(0, 1)
				if msg != nil {
					_, err = msg.MRecv(one())
				} else {
					_, err = c.Recv(one(), 0, 0)
				}
				assert.Equal(t, c.Sched().Now().Covers(0, 1), known, "receiving orders nothing more")
				return err
			}
			return nil
		}
	}
	for _, row := range []struct {
		name string
		want []string
		call func(c *comm.Comm) error
	}{
		{"Barrier", all, func(c *comm.Comm) error { return c.Barrier() }},
		{"AllReduce", all, func(c *comm.Comm) error { return c.AllReduce(one(), one(), comm.Sum) }},
		{"AllGather", all, func(c *comm.Comm) error { return c.AllGather(one(), three()) }},
		{"AllGather of much", all, func(c *comm.Comm) error {
			return c.AllGather(types.Of(make([]int32, 1<<14)), types.Of(make([]int32, 3<<14)))
		}},
		{"AllToAll", all, func(c *comm.Comm) error { return c.AllToAll(three(), three()) }},
		{"Dup", none, func(c *comm.Comm) error { _, err := c.Dup(); return err }},
		{"Create", none, func(c *comm.Comm) error {
			g, err := c.Group()
			if err == nil {
				_, err = c.Create(g)
			}
			return err
		}},
		{"CartCreate", none, func(c *comm.Comm) error { _, err := c.CartCreate([]comm.CartDim{{Size: 3}}, false); return err }},
		{"Bcast of nothing", none, func(c *comm.Comm) error { return c.Bcast(nothing(), 0) }},
		{"Gather of nothing", none, func(c *comm.Comm) error { return c.Gather(nothing(), nothing(), 0) }},
		{"Reduce of nothing", none, func(c *comm.Comm) error { return c.Reduce(nothing(), nothing(), comm.Sum, 0) }},
		{"Scan of nothing", none, func(c *comm.Comm) error { return c.Scan(nothing(), nothing(), comm.Sum) }},
		{"AllReduce of nothing", none, func(c *comm.Comm) error { return c.AllReduce(nothing(), nothing(), comm.Sum) }},
		{"AllGather of nothing", none, func(c *comm.Comm) error { return c.AllGather(nothing(), nothing()) }},
		{"AllToAll of nothing", none, func(c *comm.Comm) error { return c.AllToAll(nothing(), nothing()) }},
		{"AllGatherV, nothing from rank 0", []string{"xxx", ".xx", ".xx"}, func(c *comm.Comm) error {
			send := one()
			if c.Rank() == 0 {
				send = nothing()
			}
			return c.AllGatherV(send, types.Of(make([]int32, 2)), []int64{0, 1, 1}, []int64{0, 0, 1})
		}},
		{"GatherV, nothing from rank 1", []string{"x.x", ".x.", "..x"}, func(c *comm.Comm) error {
			send := one()
			if c.Rank() == 1 {
				send = nothing()
			}
			return c.GatherV(send, types.Of(make([]int32, 2)), []int64{1, 0, 1}, []int64{0, 0, 1}, 0)
		}},
		{"ReduceScatter, nothing for rank 1", []string{"xxx", ".x.", "xxx"}, func(c *comm.Comm) error {
			recv := one()
			if c.Rank() == 1 {
				recv = nothing()
			}
			return c.ReduceScatter(types.Of(make([]int32, 2)), recv, []int64{1, 0, 1}, comm.Sum)
		}},
		{"Split", all, func(c *comm.Comm) error { _, err := c.Split(0, 0); return err }},
		{"Bcast", down, func(c *comm.Comm) error { return c.Bcast(one(), 0) }},
		{"Scatter", down, func(c *comm.Comm) error { return c.Scatter(three(), one(), 0) }},
		{"Reduce", up, func(c *comm.Comm) error { return c.Reduce(one(), one(), comm.Sum, 0) }},
		{"Gather", up, func(c *comm.Comm) error { return c.Gather(one(), three(), 0) }},
		{"Gather to another", []string{"x..", "xxx", "..x"}, func(c *comm.Comm) error { return c.Gather(one(), three(), 1) }},
		{"Scan", chain, func(c *comm.Comm) error { return c.Scan(one(), one(), comm.Sum) }},
		{"ExScan", chain, func(c *comm.Comm) error { return c.ExScan(one(), one(), comm.Sum) }},
		{"Send", chain, relay(func(c *comm.Comm, dst int) error { return c.Send(one(), dst, 0) }, one)},
		{"Send of much", chain, relay(func(c *comm.Comm, dst int) error { return c.Send(big(), dst, 0) }, big)},
		{"ISend", chain, relay(func(c *comm.Comm, dst int) error {
			q, err := c.ISend(one(), dst, 0)
			if err == nil {
				_, err = q.Wait()
			}
			return err
		}, one)},
		{"SendRecv", []string{"x.x", "xx.", ".xx"}, func(c *comm.Comm) error {
			_, err := c.SendRecv(one(), (c.Rank()+1)%3, 0, one(), (c.Rank()+2)%3, 0)
			return err
		}},
		{"IRecv, Wait", []string{"x..", "xx.", "..x"}, func(c *comm.Comm) error {
			switch c.Rank() {
			case 0:
				return c.Send(one(), 1, 0)
			case 1:
				q, err := c.IRecv(one(), comm.AnySource, 0)
				if err == nil {
					_, err = q.Wait()
				}
				return err
			}
			return nil
		}},
		{"Probe", []string{"x..", "xx.", "..x"}, found(func(c *comm.Comm) (*comm.Message, error) { _, err := c.Probe(0, 0); return nil, err })},
		{"Probe of anything", []string{"x..", "xx.", "..x"}, found(func(c *comm.Comm) (*comm.Message, error) {
			_, err := c.Probe(comm.AnySource, comm.AnyTag)
			return nil, err
		})},
		{"MProbe", []string{"x..", "xx.", "..x"}, found(func(c *comm.Comm) (*comm.Message, error) {
			msg, _, err := c.MProbe(0, 0)
			return msg, err
		})},
		{"IProbe", []string{"x..", "xx.", "..x"}, found(func(c *comm.Comm) (_ *comm.Message, err error) {
			for ok := false; !ok && err == nil; {
				_, ok, err = c.IProbe(0, 0)
			}
			return nil, err
		})},
		{"IMProbe", []string{"x..", "xx.", "..x"}, found(func(c *comm.Comm) (msg *comm.Message, err error) {
			for ok := false; !ok && err == nil; {
				msg, _, ok, err = c.IMProbe(0, 0)
			}
			return msg, err
		})},
		{"IProbe without a message", []string{"x..", ".x.", "..x"}, func(c *comm.Comm) error {
			_, _, err := c.IProbe(comm.AnySource, 1)
			return err
		}},
		{"IRecv, Test", []string{"x..", "xx.", "..x"}, func(c *comm.Comm) error {
			switch c.Rank() {
			case 0:
				return c.Send(one(), 1, 0)
			case 1:
				q, err := c.IRecv(one(), 0, 0)
				for ok := false; !ok && err == nil; {
					_, ok, err = q.Test()
				}
				return err
			}
			return nil
		}},
	} {
		t.Run("CONS-D09 "+row.name, func(t *testing.T) {
			for seed := range uint64(20) {
				assert.Equal(t, row.want, knowledge(t, 3, row.call, world.Seed(seed)), "seed %d", seed)
			}
			if row.name == "Dup" || row.name == "Create" || row.name == "CartCreate" {
				assert.Equal(t, all, knowledge(t, 3, row.call, world.Seed(0), world.LibraryOrder()))
			}
			off := []string{"...", "...", "..."}
			assert.Equal(t, off, knowledge(t, 3, row.call, world.Unchecked()))
		})
	}
}
