package comm_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// A neighbor is the source of a block: rank Rank sends it as its block Block. Rank is -1 at
// an open border.
type neighbor struct{ Rank, Block int }

// A terrain is a topology with the facts that the standard requires: the number of this
// rank's outgoing neighbours, and the sources of its ingoing blocks.
type terrain struct {
	*comm.Comm
	out int
	in  []neighbor
}

// gridOf makes a grid; each dimension has a neighbour before and one after.
func gridOf(c *comm.Comm, dims []comm.CartDim) (terrain, error) {
	g, err := c.CartCreate(dims, false)
	if err != nil || g == nil {
		return terrain{}, err
	}
	w := terrain{Comm: g, out: 2 * len(dims)}
	for i := range dims {
		before, after, err := g.CartShift(i, 1)
		if err != nil {
			return terrain{}, err
		}
		w.in = append(w.in, neighbor{max(before, -1), 2*i + 1}, neighbor{max(after, -1), 2 * i})
	}
	return w, nil
}

// An arc is a directed edge of a random graph.
type arc struct{ From, To int }

// webOf makes a distributed graph: every rank lists its edges in the order in
// which they were drawn, and the m-th edge of a pair is the m-th on both sides.
func webOf(c *comm.Comm, arcs []arc) (terrain, error) {
	var n comm.Neighborhood
	w := terrain{}
	sent := map[int]int{}
	for _, a := range arcs {
		if a.To == c.Rank() {
			n.Sources = append(n.Sources, comm.Neighbor{Rank: a.From})
			w.in = append(w.in, neighbor{a.From, sent[a.From]})
		}
		sent[a.From]++
		if a.From == c.Rank() {
			n.Destinations = append(n.Destinations, comm.Neighbor{Rank: a.To})
			w.out++
		}
	}
	var err error
	w.Comm, err = c.DistGraphCreateAdjacent(n, nil, false)
	return w, err
}

// exchange calls one routine in one form and compares with the definition.
func (w terrain) exchange(routine string, form, n int) error {
	t := w.trial(routine, n)
	if err := t.perform(form); err != nil {
		return fmt.Errorf("%s, form %d: %w", routine, form, err)
	}
	if err := t.check(); err != nil {
		return fmt.Errorf("%s, form %d, rank %d: %w", routine, form, w.Rank(), err)
	}
	return nil
}

// trial is one routine on fresh data.
func (w terrain) trial(routine string, n int) trial {
	me, blockSize := w.Rank(), func(r, block int) int { return (r + block) % 3 * n }
	if routine == "NeighborAllGather" || routine == "NeighborAllToAll" {
		blockSize = func(int, int) int { return n }
	}
	gathers := routine == "NeighborAllGather" || routine == "NeighborAllGatherV"
	content := func(r, block int) []int32 {
		if gathers {
			block = 0
		}
		return vals(r, 100*block, blockSize(r, block))
	}
	var send, recv, want []int32
	var sends, recvs []types.Buffer
	var sendCounts, recvCounts []int64
	for j := range w.out {
		b := content(me, j)
		send, sends, sendCounts = append(send, b...), append(sends, types.Of(b)), append(sendCounts, int64(len(b)))
	}
	if gathers {
		send = content(me, 0)
	}
	var ends []int
	for _, p := range w.in {
		b := blankVals(n)
		if p.Rank >= 0 {
			b = content(p.Rank, p.Block)
		}
		want, recvCounts = append(want, b...), append(recvCounts, int64(len(b)))
		ends = append(ends, len(want))
	}
	recv = blankVals(len(want))
	from := 0
	for _, end := range ends {
		recvs, from = append(recvs, types.Of(recv[from:end])), end
	}
	out, in := types.Of(send), types.Of(recv)
	var t trial
	switch routine {
	case "NeighborAllGather":
		t = trial{
			wait:    func() error { return w.NeighborAllGather(out, in) },
			issue:   func() (*comm.Request, error) { return w.INeighborAllGather(out, in) },
			prepare: func() (*comm.Request, error) { return w.NeighborAllGatherInit(out, in) },
		}
	case "NeighborAllGatherV":
		t = trial{
			wait:    func() error { return w.NeighborAllGatherV(out, in, recvCounts, nil) },
			issue:   func() (*comm.Request, error) { return w.INeighborAllGatherV(out, in, recvCounts, nil) },
			prepare: func() (*comm.Request, error) { return w.NeighborAllGatherVInit(out, in, recvCounts, nil) },
		}
	case "NeighborAllToAll":
		t = trial{
			wait:    func() error { return w.NeighborAllToAll(out, in) },
			issue:   func() (*comm.Request, error) { return w.INeighborAllToAll(out, in) },
			prepare: func() (*comm.Request, error) { return w.NeighborAllToAllInit(out, in) },
		}
	case "NeighborAllToAllV":
		t = trial{
			wait:  func() error { return w.NeighborAllToAllV(out, sendCounts, nil, in, recvCounts, nil) },
			issue: func() (*comm.Request, error) { return w.INeighborAllToAllV(out, sendCounts, nil, in, recvCounts, nil) },
			prepare: func() (*comm.Request, error) {
				return w.NeighborAllToAllVInit(out, sendCounts, nil, in, recvCounts, nil)
			},
		}
	case "NeighborAllToAllW":
		t = trial{
			wait:    func() error { return w.NeighborAllToAllW(sends, recvs) },
			issue:   func() (*comm.Request, error) { return w.INeighborAllToAllW(sends, recvs) },
			prepare: func() (*comm.Request, error) { return w.NeighborAllToAllWInit(sends, recvs) },
		}
	}
	t.reset = func() { copy(recv, blankVals(len(recv))) }
	t.check = func() error { return differ(0, want, recv) }
	return t
}

// perform goes through the call: 0 waiting, 1 started, 2 started twice.
func (t trial) perform(form int) error {
	if form == 0 {
		return t.wait()
	}
	make := t.issue
	if form == 2 {
		make = t.prepare
	}
	q, err := make()
	if err != nil || form == 1 {
		_, e := q.Wait()
		return errors.Join(err, e)
	}
	for range 2 {
		if err := q.Start(); err != nil {
			return err
		}
		if _, err := q.Wait(); err != nil {
			return err
		}
	}
	return q.Free()
}

var neighborRoutines = []string{
	"NeighborAllGather", "NeighborAllGatherV", "NeighborAllToAll", "NeighborAllToAllV", "NeighborAllToAllW",
}

func (w terrain) exchangeAll(n int) error {
	for _, routine := range neighborRoutines {
		for form := range 3 {
			if err := w.exchange(routine, form, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// If a block came from the neighbour on the other side, a halo exchange would mirror the
// grid, and only in small grids where both are the same rank.
func TestNeighborCollectivesOnCart(t *testing.T) {
	for _, dims := range [][]comm.CartDim{
		{{Size: 1, Periodic: true}},
		{{Size: 2, Periodic: true}},
		{{Size: 3, Periodic: true}},
		{{Size: 4}},
		{{Size: 2, Periodic: true}, {Size: 2}},
		{{Size: 3}, {Size: 1, Periodic: true}, {Size: 2, Periodic: true}},
	} {
		t.Run(fmt.Sprintf("COLL-04 grid %v", dims), func(t *testing.T) {
			size := 1
			for _, d := range dims {
				size *= d.Size
			}
			ranks(t, size, func(c *comm.Comm) error {
				w, err := gridOf(c, dims)
				if err != nil {
					return err
				}
				return errors.Join(w.exchangeAll(0), w.exchangeAll(2), w.exchangeAll(20_000))
			})
		})
	}
}

// If edges between the same two ranks were mixed up, a multigraph would
// exchange the wrong blocks.
func TestNeighborCollectivesOnGraph(t *testing.T) {
	t.Run("COLL-04 random graphs", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(1, 6).Draw(t, "ranks")
			rank := rapid.IntRange(0, n-1)
			arcs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) arc {
				return arc{rank.Draw(t, "from"), rank.Draw(t, "to")}
			}), 0, 12).Draw(t, "arcs")
			items := rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "items")
			s := setting{}
			if rapid.Bool().Draw(t, "seeded") {
				s = seeded(rapid.Uint64().Draw(t, "seed"))
			}
			err := errors.Join(start(n, s, func(c *comm.Comm) error {
				w, err := webOf(c, arcs)
				if err != nil {
					return err
				}
				return w.exchangeAll(items)
			})...)
			if err != nil {
				t.Fatalf("%v\n%v", err, arcs)
			}
		})
	})
	t.Run("COLL-04 graphs of GraphCreate", func(t *testing.T) {
		ranks(t, 3, func(c *comm.Comm) error {
			g, err := c.GraphCreate([][]int{{1, 2}, {0}, {0}}, false)
			if err != nil {
				return err
			}
			w := terrain{g, 1, []neighbor{{0, c.Rank() - 1}}}
			if c.Rank() == 0 {
				w = terrain{g, 2, []neighbor{{1, 0}, {2, 0}}}
			}
			return w.exchangeAll(2)
		})
	})
}

func TestNeighborErrors(t *testing.T) {
	t.Run("COLL-04 without a topology", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			refused(t, c.NeighborAllGather(ints(1), ints(1)), comm.ErrTopology, "TOPO-01")
			q, err := c.INeighborAllGather(ints(1), ints(1))
			assert.NoError(t, err)
			_, err = q.Wait()
			refused(t, err, comm.ErrTopology, "TOPO-01")
			return nil
		})
	})
	t.Run("COLL-04 an edge with one end", func(t *testing.T) {
		ranks(t, 3, func(c *comm.Comm) error {
			g, err := c.GraphCreate([][]int{{1}, {0, 2}, {}}, false)
			if err != nil {
				return err
			}
			n := int64([]int{1, 2, 0}[c.Rank()])
			err = g.NeighborAllToAll(types.Of(make([]int32, n)), types.Of(make([]int32, n)))
			refused(t, err, comm.ErrTopology, "COLL-04")
			assert.ErrorContains(t, err, "is there at one of its ends only")
			return nil
		})
	})
	t.Run("COLL-04 blocks that do not fit", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			w, err := gridOf(c, []comm.CartDim{{Size: 2, Periodic: true}})
			if err != nil {
				return err
			}
			refused(t, w.NeighborAllToAll(ints(1, 2, 3), ints(1, 2)), comm.ErrCount, "COLL-01")
			refused(t, w.NeighborAllToAll(ints(1, 2, 3, 4), ints(1, 2)), comm.ErrTruncate, "COLL-04")
			refused(t, w.NeighborAllGather(comm.InPlace, ints(1, 2)), comm.ErrBuffer, "COLL-01")
			refused(t, w.NeighborAllGatherV(ints(1), ints(1, 2), []int64{1}, nil), comm.ErrArg, "COLL-01")
			refused(t, w.NeighborAllToAllW(nil, nil), comm.ErrArg, "COLL-01")
			return nil
		})
	})
}

// If a halo exchange were taken to order ranks that are not neighbours, a race
// between those would pass.
func TestNeighborCollectiveOrder(t *testing.T) {
	t.Run("CONS-D09 COLL-04 neighbourhood collectives", func(t *testing.T) {
		for seed := range uint64(5) {
			knows := make([]string, 3)
			errs := start(3, seeded(seed), func(c *comm.Comm) error {
				g, err := c.CartCreate([]comm.CartDim{{Size: 3}}, false)
				if err != nil {
					return err
				}
				now := port.Thread(c).Tick()
				if err := g.NeighborAllGather(ints(0), ints(0, 0)); err != nil {
					return err
				}
				for r := range 3 {
					knows[c.Rank()] += fmt.Sprint(port.Thread(c).Publish(false).Covers(r, now))[:1]
				}
				return nil
			})
			assert.NoError(t, errors.Join(errs...))
			assert.Equal(t, []string{"ttf", "ttt", "ftt"}, knows)
		}
	})
}
