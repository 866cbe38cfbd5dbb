package comm_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// clocksAfter runs call on n ranks, each of which has had one event before. It returns, for
// each rank, a line with the ranks whose event its clock covers afterwards.
func clocksAfter(t *testing.T, n int, call func(c *comm.Comm) error, opts ...world.Option) []string {
	return clocksAfterOn(t, n, func(c *comm.Comm) (*comm.Comm, error) { return c, nil }, call, opts...)
}

// clocksAfterOn does the same as clocksAfter, for a call on the communicator that prepare
// makes first.
func clocksAfterOn(t *testing.T, n int, prepare func(c *comm.Comm) (*comm.Comm, error), call func(c *comm.Comm) error, opts ...world.Option) []string {
	lines := make([]string, n)
	err := world.Run(t.Context(), n, func(_ context.Context, c *comm.Comm) error {
		on, err := prepare(c)
		if err != nil {
			return err
		}
		port.Thread(c).Tick()
		if err := call(on); err != nil {
			return err
		}
		now := port.Thread(c).Publish(false)
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
func TestCollectiveOrder(t *testing.T) {
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
	// onRing makes a call where each rank is the neighbour of the two others.
	onRing := func(call func(c *comm.Comm) error) func(c *comm.Comm) error {
		return func(c *comm.Comm) error {
			d, err := c.CartCreate([]comm.CartDim{{Size: 3, Periodic: true}}, false)
			if err != nil {
				return err
			}
			return call(d)
		}
	}
	// found lets rank 0 send a message and rank 1 probe for it: the clock of rank 1 must
	// cover the send even before it receives.
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
				known := port.Thread(c).Publish(false).Covers(0, 1)
				if msg != nil {
					_, err = msg.MRecv(one())
				} else {
					_, err = c.Recv(one(), 0, 0)
				}
				assert.Equal(t, port.Thread(c).Publish(false).Covers(0, 1), known, "receiving orders nothing more")
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
		{"CartSub", none, onRing(func(c *comm.Comm) error { _, err := c.CartSub([]bool{true}); return err })},
		{"IDup", none, completed(func(c *comm.Comm) (*comm.Request, error) { _, q, err := c.IDup(); return q, err })},
		{"CreateGroup", none, func(c *comm.Comm) error {
			g, err := c.Group()
			if err == nil {
				_, err = c.CreateGroup(g, 0)
			}
			return err
		}},
		{"BcastInit", none, func(c *comm.Comm) error {
			q, err := c.BcastInit(one(), 0)
			return errors.Join(err, q.Free())
		}},
		{"BcastInit, Start", down, func(c *comm.Comm) error {
			q, err := c.BcastInit(one(), 0)
			return errors.Join(restart(q, err), q.Free())
		}},
		{"NeighborAllGather", all, onRing(func(c *comm.Comm) error { return c.NeighborAllGather(one(), types.Of(make([]int32, 2))) })},
		{"NeighborAllGather of nothing", none, onRing(func(c *comm.Comm) error { return c.NeighborAllGather(nothing(), nothing()) })},
		{"NeighborAllGatherV, nothing from rank 0", []string{"xxx", ".xx", ".xx"}, onRing(func(c *comm.Comm) error {
			send, counts := one(), []int64{1, 1}
			if c.Rank() == 0 {
				send = nothing()
			}
			for i, from := range []int{(c.Rank() + 2) % 3, (c.Rank() + 1) % 3} {
				if from == 0 {
					counts[i] = 0
				}
			}
			return c.NeighborAllGatherV(send, types.Of(make([]int32, counts[0]+counts[1])), counts, nil)
		})},
		{"NeighborAllToAllV to the right", []string{"x.x", "xx.", ".xx"}, onRing(func(c *comm.Comm) error {
			return c.NeighborAllToAllV(one(), []int64{0, 1}, nil, one(), []int64{1, 0}, nil)
		})},
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
			_, err := c.SendRecv(one(), comm.To{Rank: (c.Rank() + 1) % 3}, one(), comm.From{Rank: (c.Rank() + 2) % 3})
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
				assert.Equal(t, row.want, clocksAfter(t, 3, row.call, world.Seed(seed)), "seed %d", seed)
			}
			switch row.name {
			case "Dup", "IDup", "Create", "CreateGroup", "CartCreate", "CartSub":
				assert.Equal(t, all, clocksAfter(t, 3, row.call, world.Seed(0), world.LibraryOrder()))
			}
			off := []string{"...", "...", "..."}
			assert.Equal(t, off, clocksAfter(t, 3, row.call, world.Unchecked()))
		})
	}
}

// completed makes a waiting call from a nonblocking one.
func completed(call func(c *comm.Comm) (*comm.Request, error)) func(c *comm.Comm) error {
	return func(c *comm.Comm) error {
		q, err := call(c)
		if err == nil {
			_, err = q.Wait()
		}
		return err
	}
}

// Between two groups data go from one to the other, so nothing orders the ranks of one
// group; calls that make communicators need the arguments of the other group.
func TestIntercommCollectiveOrder(t *testing.T) {
	all := []string{"xxxx", "xxxx", "xxxx", "xxxx"}
	none := []string{"x...", ".x..", "..x.", "...x"}
	other := []string{"x.xx", ".xxx", "xxx.", "xx.x"}
	first := []string{"x...", "xx..", "x.x.", "x..x"} // rank 0 before all
	nothing := func() types.Buffer { return types.Of([]int32{}) }
	one := func() types.Buffer { return types.Of(make([]int32, 1)) }
	two := func() types.Buffer { return types.Of(make([]int32, 2)) }
	// root returns the root argument of a rank if the first rank of the first group is the
	// root.
	root := func(c *comm.Comm) int {
		switch port.Thread(c).ID() {
		case 0:
			return comm.Root
		case 1:
			return comm.ProcNull
		}
		return 0
	}
	// part makes the communicator of a rank's group, the first of which has n ranks.
	part := func(n int) func(c *comm.Comm) (*comm.Comm, error) {
		return func(c *comm.Comm) (*comm.Comm, error) { return c.Split(min(c.Rank()/n, 1), 0) }
	}
	// link links the groups; the rank with that number leads the second one.
	link := func(c, d *comm.Comm, second int) (*comm.Comm, error) {
		if c.Rank() < d.Size() && c.Rank() == d.Rank() {
			return d.IntercommCreate(0, c, d.Size()+second, 7)
		}
		return d.IntercommCreate(second, c, 0, 7)
	}
	linked := func(n int) func(c *comm.Comm) (*comm.Comm, error) {
		return func(c *comm.Comm) (*comm.Comm, error) {
			d, err := part(n)(c)
			if err != nil {
				return nil, err
			}
			return link(c, d, 0)
		}
	}
	whole := func(c *comm.Comm) error {
		g, err := c.Group()
		if err == nil {
			_, err = c.Create(g)
		}
		return err
	}
	merge := func(c *comm.Comm) error { _, err := c.IntercommMerge(false); return err }
	for _, row := range []struct {
		name    string
		want    []string
		library bool // a library orders all
		n       int  // ranks of the first group
		call    func(c *comm.Comm) error
	}{
		{"Barrier", other, false, 2, (*comm.Comm).Barrier},
		{"IBarrier", other, false, 2, completed((*comm.Comm).IBarrier)},
		{"Dup", none, true, 2, func(c *comm.Comm) error { _, err := c.Dup(); return err }},
		{"IDup", none, true, 2, completed(func(c *comm.Comm) (*comm.Request, error) { _, q, err := c.IDup(); return q, err })},
		{"Split", all, false, 2, func(c *comm.Comm) error { _, err := c.Split(0, 0); return err }},
		{"Create", none, true, 2, whole},
		{"Create, one rank in a group", first, true, 1, whole},
		{"IntercommMerge", none, true, 2, merge},
		{"IntercommMerge, one rank in a group", first, true, 1, merge},
		{"Bcast", []string{"x...", ".x..", "x.x.", "x..x"}, false, 2, func(c *comm.Comm) error { return c.Bcast(one(), root(c)) }},
		{"Bcast of nothing", none, false, 2, func(c *comm.Comm) error { return c.Bcast(nothing(), root(c)) }},
		{"ScatterV, nothing for rank 3", []string{"x...", ".x..", "x.x.", "...x"}, false, 2, func(c *comm.Comm) error {
			recv := one()
			if port.Thread(c).ID() == 3 {
				recv = nothing()
			}
			return c.ScatterV(one(), []int64{1, 0}, nil, recv, root(c))
		}},
		{"Gather", []string{"x.xx", ".x..", "..x.", "...x"}, false, 2, func(c *comm.Comm) error { return c.Gather(one(), two(), root(c)) }},
		{"GatherV, nothing from rank 2", []string{"x..x", ".x..", "..x.", "...x"}, false, 2, func(c *comm.Comm) error {
			send := one()
			if port.Thread(c).ID() == 2 {
				send = nothing()
			}
			return c.GatherV(send, one(), []int64{0, 1}, nil, root(c))
		}},
		{"Reduce", []string{"x.xx", ".x..", "..x.", "...x"}, false, 2, func(c *comm.Comm) error { return c.Reduce(one(), one(), comm.Sum, root(c)) }},
		{"Reduce of nothing", none, false, 2, func(c *comm.Comm) error { return c.Reduce(nothing(), nothing(), comm.Sum, root(c)) }},
		{"AllReduce", other, false, 2, func(c *comm.Comm) error { return c.AllReduce(one(), one(), comm.Sum) }},
		{"AllReduce of nothing", none, false, 2, func(c *comm.Comm) error { return c.AllReduce(nothing(), nothing(), comm.Sum) }},
		{"ReduceScatter, nothing for ranks 1 and 3", []string{"x.xx", ".x..", "xxx.", "...x"}, false, 2, func(c *comm.Comm) error {
			recv := one()
			if c.Rank() == 1 {
				recv = nothing()
			}
			return c.ReduceScatter(one(), recv, []int64{1, 0}, comm.Sum)
		}},
		{"AllGather", other, false, 2, func(c *comm.Comm) error { return c.AllGather(one(), two()) }},
		{"AllGather, nothing from the first group", []string{"x.xx", ".xxx", "..x.", "...x"}, false, 2, func(c *comm.Comm) error {
			if port.Thread(c).ID() < 2 {
				return c.AllGather(nothing(), two())
			}
			return c.AllGather(one(), nothing())
		}},
		{"AllToAll", other, false, 2, func(c *comm.Comm) error { return c.AllToAll(two(), two()) }},
		{"AllToAllV with a rank of the same number", []string{"x.x.", ".x.x", "x.x.", ".x.x"}, false, 2, func(c *comm.Comm) error {
			counts := make([]int64, 2)
			counts[c.Rank()] = 1
			return c.AllToAllV(one(), counts, nil, one(), counts, nil)
		}},
	} {
		t.Run("CONS-D09 "+row.name, func(t *testing.T) {
			for seed := range uint64(20) {
				assert.Equal(t, row.want, clocksAfterOn(t, 4, linked(row.n), row.call, world.Seed(seed)), "seed %d", seed)
			}
			want := row.want
			if row.library {
				want = all
			}
			assert.Equal(t, want, clocksAfterOn(t, 4, linked(row.n), row.call, world.Seed(0), world.LibraryOrder()))
		})
	}
	t.Run("CONS-D09 IntercommCreate", func(t *testing.T) {
		// The leaders, ranks 0 and 3, give the arguments that all need.
		want := []string{"x..x", "xx.x", "x.xx", "x..x"}
		for seed := range uint64(20) {
			var c [4]*comm.Comm
			prepare := func(w *comm.Comm) (*comm.Comm, error) { c[w.Rank()] = w; return part(2)(w) }
			call := func(d *comm.Comm) error { _, err := link(c[port.Thread(d).ID()], d, 1); return err }
			assert.Equal(t, want, clocksAfterOn(t, 4, prepare, call, world.Seed(seed)), "seed %d", seed)
			assert.Equal(t, all, clocksAfterOn(t, 4, prepare, call, world.Seed(seed), world.LibraryOrder()))
		}
	})
}

// A hop is a collective of a random program: what each rank sends to each, in items.
type hop struct {
	kind  string
	root  int
	items [][]int64 // by sender and receiver
}

func drawHops(dice *rand.Rand, n int) []hop {
	hops := make([]hop, 1+dice.IntN(5))
	for i := range hops {
		h := hop{[]string{"AllToAllV", "GatherV", "ScatterV", "AllGatherV", "AllReduce", "Scan", "Barrier", "Dup"}[dice.IntN(8)], dice.IntN(n), make([][]int64, n)}
		same := dice.Int64N(2)
		for s := range n {
			h.items[s] = make([]int64, n)
		}
		for s := range n {
			mine := dice.Int64N(2)
			for d := range n {
				switch h.kind {
				case "AllToAllV":
					h.items[s][d] = dice.Int64N(2)
				case "GatherV":
					h.items[s][h.root] = mine
				case "ScatterV":
					h.items[h.root][s] = mine
				case "AllGatherV":
					h.items[s][d] = mine
				case "AllReduce":
					h.items[s][d] = same
				case "Scan":
					if s <= d {
						h.items[s][d] = same
					}
				case "Barrier":
					h.items[s][d] = 1
				}
			}
		}
		hops[i] = h
	}
	return hops
}

func (h hop) call(c *comm.Comm) error {
	me, n := c.Rank(), c.Size()
	mem := func(n int64) types.Buffer { return types.Of(make([]int32, n)) }
	column := make([]int64, n)
	for s := range column {
		column[s] = h.items[s][me]
	}
	sum := func(all []int64) (n int64) {
		for _, x := range all {
			n += x
		}
		return n
	}
	row := h.items[me]
	switch h.kind {
	case "AllToAllV":
		return c.AllToAllV(mem(sum(row)), row, nil, mem(sum(column)), column, nil)
	case "GatherV":
		return c.GatherV(mem(row[h.root]), mem(sum(column)), column, nil, h.root)
	case "ScatterV":
		return c.ScatterV(mem(sum(row)), row, nil, mem(h.items[h.root][me]), h.root)
	case "AllGatherV":
		return c.AllGatherV(mem(row[0]), mem(sum(column)), column, nil)
	case "AllReduce":
		return c.AllReduce(mem(row[0]), mem(row[0]), comm.Sum)
	case "Scan":
		return c.Scan(mem(row[me]), mem(row[me]), comm.Sum)
	case "Dup":
		_, err := c.Dup()
		return err
	}
	return c.Barrier()
}

// The clocks of random programs of collectives agree with the definition: a set of events
// that travels with each item.
func TestCollectiveOrderAgainstSets(t *testing.T) {
	t.Run("CONS-D09 random collectives", func(t *testing.T) {
		for seed := range uint64(300) {
			dice := rand.New(rand.NewPCG(seed, 9))
			n := 2 + dice.IntN(3)
			hops := drawHops(dice, n)
			want, got := make([][]uint64, n), make([][]uint64, n) // the last event of each rank that a rank knows
			for r := range want {
				want[r], got[r] = make([]uint64, n), make([]uint64, n)
			}
			for _, h := range hops {
				before := make([][]uint64, n)
				for r := range n {
					want[r][r]++
					before[r] = slices.Clone(want[r])
				}
				for s := range n {
					for d := range n {
						for r := 0; r < n && h.items[s][d] > 0; r++ {
							want[d][r] = max(want[d][r], before[s][r])
						}
					}
				}
			}
			err := world.Run(t.Context(), n, func(_ context.Context, c *comm.Comm) error {
				for _, h := range hops {
					port.Thread(c).Tick()
					if err := h.call(c); err != nil {
						return err
					}
				}
				now := port.Thread(c).Publish(false)
				for r := range n {
					for now.Covers(r, got[c.Rank()][r]+1) {
						got[c.Rank()][r]++
					}
				}
				return nil
			}, world.Seed(seed))
			assert.NoError(t, err, "seed %d", seed)
			assert.Equal(t, want, got, "seed %d: %v", seed, hops)
		}
	})
}
