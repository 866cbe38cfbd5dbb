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
		{"Dup", all, func(c *comm.Comm) error { _, err := c.Dup(); return err }},
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
			off := []string{"...", "...", "..."}
			assert.Equal(t, off, knowledge(t, 3, row.call, world.Unchecked()))
		})
	}
}
