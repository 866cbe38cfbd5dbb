package comm_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
)

// places lists the places of a grid in the order of ranks, by nested loops.
func places(dims []comm.CartDim) [][]int {
	all := [][]int{{}}
	for _, d := range dims {
		var next [][]int
		for _, at := range all {
			for x := range d.Size {
				next = append(next, append(slices.Clone(at), x))
			}
		}
		all = next
	}
	return all
}

// walk goes step by step from a place; no rank is beyond an open border.
func walk(dims []comm.CartDim, all [][]int, at []int, direction, disp int) int {
	at = slices.Clone(at)
	for range max(disp, -disp) {
		if disp > 0 {
			at[direction]++
		} else {
			at[direction]--
		}
		n := dims[direction].Size
		if at[direction] < 0 || at[direction] >= n {
			if !dims[direction].Periodic {
				return comm.ProcNull
			}
			at[direction] = (at[direction] + n) % n
		}
	}
	return slices.IndexFunc(all, func(p []int) bool { return slices.Equal(p, at) })
}

// A stencil program sends its borders to the ranks that the grid names, and a file's blocks
// are laid out by coordinates: one wrong neighbour makes all of it wrong.
func TestCart(t *testing.T) {
	t.Run("TOPO-01 grids against nested loops", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			dims := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) comm.CartDim {
				return comm.CartDim{Size: rapid.IntRange(1, 3).Draw(t, "size"), Periodic: rapid.Bool().Draw(t, "periodic")}
			}), 0, 3).Draw(t, "dims")
			remain := rapid.SliceOfN(rapid.Bool(), len(dims), len(dims)).Draw(t, "remain")
			disp := rapid.IntRange(-4, 4).Draw(t, "disp")
			all := places(dims)
			n := len(all) + rapid.IntRange(0, 2).Draw(t, "more ranks")
			err := errors.Join(start(n, setting{}, func(c *comm.Comm) error {
				mapped, err := c.CartMap(dims)
				g, e := c.CartCreate(dims, true)
				if err = errors.Join(err, e); err != nil {
					return err
				}
				if c.Rank() >= len(all) {
					return errors.Join(equal(true, g == nil), equal(comm.Undefined, mapped))
				}
				me := all[g.Rank()]
				kind, err := g.TopoTest()
				gotDims, coords, e := g.Cart()
				k, e2 := g.CartDim()
				err = errors.Join(err, e, e2, equal(comm.Cart, kind), equal(len(dims), k), equal(c.Rank(), g.Rank()), equal(c.Rank(), mapped),
					equal(len(all), g.Size()), equal(true, slices.Equal(dims, gotDims)), equal(true, slices.Equal(me, coords)))
				for r, at := range all {
					got, e := g.CartRank(at)
					back, e2 := g.CartCoords(r)
					err = errors.Join(err, e, e2, equal(r, got), equal(true, slices.Equal(at, back)))
				}
				for d := range dims {
					src, dst, e := g.CartShift(d, disp)
					err = errors.Join(err, e, equal(walk(dims, all, me, d, -disp), src), equal(walk(dims, all, me, d, disp), dst))
				}
				return errors.Join(err, subgrid(g, dims, all, remain), g.Free())
			})...)
			if err != nil {
				t.Fatal(err)
			}
		})
	})
	t.Run("TOPO-01 wrapping, far shifts, duplicates", func(t *testing.T) {
		ranks(t, 6, func(c *comm.Comm) error {
			g, err := c.CartCreate([]comm.CartDim{{Size: 2, Periodic: true}, {Size: 3}}, false)
			if err != nil {
				return err
			}
			r, err := g.CartRank([]int{-3, 2})
			d, e := g.Dup()
			if err = errors.Join(err, e); err != nil {
				return err
			}
			err = equal(5, r)
			for _, far := range []int{1<<31 - 1, -1 << 31} {
				src, dst, e := d.CartShift(1, far)
				err = errors.Join(err, e, equal(comm.ProcNull, src), equal(comm.ProcNull, dst))
				_, dst, e = d.CartShift(0, far)
				err = errors.Join(err, e, equal((d.Rank()+3*(far&1))%6, dst))
			}
			s, e := d.Split(0, 0)
			if err = errors.Join(err, e); err != nil {
				return err
			}
			kind, e := s.TopoTest()
			refused(t, third(s.CartShift(0, 1)), comm.ErrTopology, "TOPO-01")
			return errors.Join(err, e, equal(comm.NoTopology, kind), equal("", g.Name()))
		})
	})
	t.Run("TOPO-01 errors of grids", func(t *testing.T) {
		ranks(t, 4, func(c *comm.Comm) error {
			for _, dims := range [][]comm.CartDim{{{Size: 0}}, {{Size: 2}, {Size: -1}}, {{Size: 5}}, {{Size: 1 << 30}, {Size: 1 << 30}, {Size: 16}}} {
				refused(t, second(c.CartCreate(dims, false)), comm.ErrDims, "TOPO-01")
				refused(t, second(c.CartMap(dims)), comm.ErrDims, "TOPO-01")
			}
			refused(t, second(c.CartCreate(comm.CartDims(c.Rank() == 2, 2, 2), false)), comm.ErrNotSame, "TOPO-01")
			refused(t, second(c.CartSub(nil)), comm.ErrTopology, "TOPO-01")
			g, err := c.CartCreate(comm.CartDims(false, 2, 2), false)
			if err != nil {
				return err
			}
			refused(t, second(g.CartRank([]int{0})), comm.ErrDims, "TOPO-01")
			refused(t, second(g.CartRank([]int{0, 2})), comm.ErrArg, "TOPO-01")
			refused(t, second(g.CartCoords(4)), comm.ErrRank, "TOPO-01")
			refused(t, third(g.CartShift(2, 1)), comm.ErrDims, "TOPO-01")
			refused(t, second(g.CartSub([]bool{true})), comm.ErrDims, "TOPO-01")
			refused(t, second(g.CartSub([]bool{true, g.Rank() == 1})), comm.ErrNotSame, "TOPO-01")
			refused(t, second(g.Graph()), comm.ErrTopology, "TOPO-01")
			return g.Free()
		})
	})
}

// subgrid cuts g and compares with picking the ranks that share my other
// coordinates.
func subgrid(g *comm.Comm, dims []comm.CartDim, all [][]int, remain []bool) error {
	s, err := g.CartSub(remain)
	if err != nil {
		return err
	}
	me := all[g.Rank()]
	var kept []comm.CartDim
	for i, d := range dims {
		if remain[i] {
			kept = append(kept, d)
		}
	}
	var mine []int
	for r, at := range all {
		share := true
		for i := range dims {
			share = share && (remain[i] || at[i] == me[i])
		}
		if share {
			mine = append(mine, r)
		}
	}
	gotDims, _, err := s.Cart()
	group, e := s.Group()
	parent, e2 := g.Group()
	if err = errors.Join(err, e, e2); err != nil {
		return err
	}
	want, err := parent.Incl(mine)
	return errors.Join(err, equal(comm.Ident, want.Compare(group)), equal(true, slices.Equal(kept, gotDims)))
}

// Graphs define which ranks exchange data if the topology is not a grid.
func TestGraph(t *testing.T) {
	t.Run("TOPO-01 graphs", func(t *testing.T) {
		graph := [][]int{{1, 3}, {0}, {3}, {0, 2, 2, 3}}
		ranks(t, 5, func(c *comm.Comm) error {
			mapped, err := c.GraphMap(graph)
			g, e := c.GraphCreate(graph, false)
			if err = errors.Join(err, e); err != nil {
				return err
			}
			if c.Rank() == 4 {
				return errors.Join(equal(true, g == nil), equal(comm.Undefined, mapped))
			}
			kind, err := g.TopoTest()
			got, e := g.Graph()
			nodes, edges, e2 := g.GraphDims()
			err = errors.Join(err, e, e2, equal(comm.Graph, kind), equal(graph, got), equal(4, nodes), equal(8, edges), equal(c.Rank(), mapped))
			for r := range graph {
				list, e := g.GraphNeighbors(r)
				n, e2 := g.GraphNeighborsCount(r)
				err = errors.Join(err, e, e2, equal(graph[r], list), equal(len(list), n))
			}
			refused(t, second(g.GraphNeighbors(4)), comm.ErrRank, "TOPO-01")
			refused(t, third(g.CartShift(0, 1)), comm.ErrTopology, "TOPO-01")
			return errors.Join(err, g.Free())
		})
	})
	t.Run("TOPO-01 errors of graphs", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			none, err := c.GraphCreate(nil, false)
			refused(t, second(c.GraphCreate([][]int{{}, {}, {}}, false)), comm.ErrArg, "TOPO-01")
			refused(t, second(c.GraphCreate([][]int{{1}, {2}}, false)), comm.ErrRank, "TOPO-01")
			refused(t, second(c.GraphMap([][]int{{-1}})), comm.ErrRank, "TOPO-01")
			refused(t, second(c.GraphCreate([][]int{{1}, make([]int, c.Rank())}, false)), comm.ErrNotSame, "TOPO-01")
			return errors.Join(err, equal(true, none == nil))
		})
	})
	t.Run("TOPO-01 distributed graphs, by anybody and by the ends", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(1, 6).Draw(t, "ranks")
			weighted := rapid.Bool().Draw(t, "weighted")
			given := make([][]comm.DistEdge, n)
			for r := range given {
				given[r] = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) comm.DistEdge {
					e := comm.DistEdge{From: rapid.IntRange(0, n-1).Draw(t, "from"), To: rapid.IntRange(0, n-1).Draw(t, "to")}
					if weighted {
						e.Weight = rapid.IntRange(0, 2).Draw(t, "weight")
					}
					return e
				}), 0, 5).Draw(t, fmt.Sprint("edges of ", r))
			}
			want := make([]comm.Neighborhood, n)
			for i := range want {
				want[i].Weighted = weighted
			}
			for _, e := range slices.Concat(given...) {
				from, to := &want[e.From], &want[e.To]
				from.Destinations = append(from.Destinations, comm.Neighbor{Rank: e.To, Weight: e.Weight})
				to.Sources = append(to.Sources, comm.Neighbor{Rank: e.From, Weight: e.Weight})
			}
			err := errors.Join(start(n, setting{}, func(c *comm.Comm) error {
				me := c.Rank()
				g, err := c.DistGraphCreate(given[me], weighted, nil, false)
				a, e := c.DistGraphCreateAdjacent(want[me], nil, true)
				if err = errors.Join(err, e); err != nil {
					return err
				}
				for _, d := range []*comm.Comm{g, a} {
					kind, e := d.TopoTest()
					got, e2 := d.DistGraphNeighbors()
					in, out, w, e3 := d.DistGraphNeighborsCount()
					err = errors.Join(err, e, e2, e3, equal(comm.DistGraph, kind), equal(want[me], got),
						equal(len(got.Sources), in), equal(len(got.Destinations), out), equal(weighted, w), equal(n, d.Size()), d.Free())
				}
				return err
			})...)
			if err != nil {
				t.Fatal(err)
			}
		})
	})
	t.Run("TOPO-01 errors of distributed graphs", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			adjacent := func(n comm.Neighborhood) error { return second(c.DistGraphCreateAdjacent(n, nil, false)) }
			to := func(rank, weight int) []comm.Neighbor { return []comm.Neighbor{{Rank: rank, Weight: weight}} }
			refused(t, adjacent(comm.Neighborhood{Sources: to(2, 0)}), comm.ErrRank, "TOPO-01")
			refused(t, adjacent(comm.Neighborhood{Destinations: to(0, -1), Weighted: true}), comm.ErrArg, "TOPO-01")
			refused(t, adjacent(comm.Neighborhood{Destinations: to(0, 1)}), comm.ErrArg, "TOPO-01")
			refused(t, adjacent(comm.Neighborhood{Weighted: c.Rank() == 0}), comm.ErrNotSame, "TOPO-01")
			refused(t, adjacent(comm.Neighborhood{Sources: to(1-c.Rank(), 0)}), comm.ErrNotSame, "TOPO-01")
			refused(t, adjacent(comm.Neighborhood{Destinations: to(1-c.Rank(), 0)}), comm.ErrNotSame, "TOPO-01")
			refused(t, second(c.DistGraphCreate([]comm.DistEdge{{From: 0, To: 2}}, false, nil, false)), comm.ErrRank, "TOPO-01")
			refused(t, second(c.DistGraphCreate([]comm.DistEdge{{From: 0, To: 1, Weight: -1}}, true, nil, false)), comm.ErrArg, "TOPO-01")
			refused(t, second(c.DistGraphCreate(nil, c.Rank() == 0, nil, false)), comm.ErrNotSame, "TOPO-01")
			refused(t, second(c.DistGraphNeighbors()), comm.ErrTopology, "TOPO-01")
			return nil
		})
	})
}

func third[A, B any](_ A, _ B, err error) error { return err }
