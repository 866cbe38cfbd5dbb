package comm

import (
	"cmp"
	"slices"
)

// A Neighbor is one edge of a rank in a distributed graph: the rank at its other end.
type Neighbor struct {
	Rank   int
	Weight int // not negative; 0 in a graph without weights
}

// A Neighborhood is what one rank sees of a distributed graph: where edges come
// from and where they go, in the order of a neighbourhood collective's blocks.
type Neighborhood struct {
	Sources, Destinations []Neighbor
	Weighted              bool
}

// A DistEdge is an edge of a distributed graph, which any rank may name.
type DistEdge struct {
	From, To int
	Weight   int // not negative; 0 in a graph without weights
}

func (n *Neighborhood) kind() Topology { return DistGraph }

func (n *Neighborhood) around(int) neighborhood {
	return neighborhood{ties(n.Sources), ties(n.Destinations)}
}

func ties(list []Neighbor) []tie {
	ts := make([]tie, len(list))
	for i, n := range list {
		ts[i].peer = n.Rank
	}
	return ts
}

func (n *Neighborhood) clone() *Neighborhood {
	return &Neighborhood{slices.Clone(n.Sources), slices.Clone(n.Destinations), n.Weighted}
}

var (
	distAdjacent = &routine{name: "DistGraphCreateAdjacent", edge: unordered, agree: agreeAdjacent}
	distCreate   = &routine{name: "DistGraphCreate", agree: agreeDist}
)

// DistGraphCreateAdjacent makes a communicator of the same ranks, of which each
// gives its own edges. Every edge is given by both its ends, as often and with
// the same weights, and either all ranks give weights or none. info may be nil;
// reorder is as in [Comm.GraphCreate]. Collective. Errors: ErrComm, ErrRank,
// ErrArg for weights that are negative or not announced, ErrNotSame, also for
// an edge that one end lacks. (TOPO-01)
//
// MPI_Dist_graph_create_adjacent
func (c *Comm) DistGraphCreateAdjacent(n Neighborhood, info *Info, reorder bool) (*Comm, error) {
	m := communicator{topo: n.clone(), reorder: reorder}
	if !c.null() {
		m.fault = c.edges(n.Weighted, func(yield func(rank, weight int) bool) {
			for _, list := range [][]Neighbor{n.Sources, n.Destinations} {
				for _, e := range list {
					if !yield(e.Rank, e.Weight) {
						return
					}
				}
			}
		})
	}
	return c.spread(distAdjacent, m, info)
}

// DistGraphCreate makes a communicator of the same ranks that form a graph. Any rank may
// give any of its edges; an edge that is given twice is there twice. Either all ranks give
// weights or none. A rank's edges are ordered by the rank that gave them; edges from one
// rank keep the order in which it gave them. info may be nil; reorder is as in
// [Comm.GraphCreate]. Collective. Errors: ErrComm, ErrRank, ErrArg for weights that are
// negative or not announced, ErrNotSame. (TOPO-01)
//
// MPI_Dist_graph_create
func (c *Comm) DistGraphCreate(edges []DistEdge, weighted bool, info *Info, reorder bool) (*Comm, error) {
	m := communicator{topo: &Neighborhood{Weighted: weighted}, edges: slices.Clone(edges), reorder: reorder}
	if !c.null() {
		m.fault = c.edges(weighted, func(yield func(rank, weight int) bool) {
			for _, e := range edges {
				if !yield(e.From, e.Weight) || !yield(e.To, e.Weight) {
					return
				}
			}
		})
	}
	return c.spread(distCreate, m, info)
}

func (c *Comm) spread(r *routine, m communicator, info *Info) (*Comm, error) {
	d, err := c.make(r, &m)
	if err == nil {
		d.hint(info)
	}
	return d, err
}

// edges checks ends and weights of edges.
func (c *Comm) edges(weighted bool, ends func(yield func(rank, weight int) bool)) (f *fault) {
	for rank, weight := range ends {
		switch {
		case rank < 0 || rank >= c.core.members.n:
			return broken(ErrRank, "TOPO-01", "an edge ends at rank %s, which is none of the %d ranks of %s",
				special(rank), c.core.members.n, c.label())
		case weight < 0:
			return broken(ErrArg, "TOPO-01", "an edge at rank %d has weight %d; weights are not negative", rank, weight)
		case weight > 0 && !weighted:
			return broken(ErrArg, "TOPO-01", "an edge at rank %d has weight %d in a graph without weights", rank, weight)
		}
	}
	return nil
}

// alikeDist checks the arguments that must be the same on all ranks.
func alikeDist(ks []*call) *fault {
	zero := ks[0].made
	for i, k := range ks {
		switch m := k.made; {
		case m.topo.(*Neighborhood).Weighted != zero.topo.(*Neighborhood).Weighted:
			return broken(ErrNotSame, "TOPO-01", "one of rank 0 and rank %d gave weights, the other did not", i)
		case m.reorder != zero.reorder:
			return broken(ErrNotSame, "TOPO-01", "rank 0 gave reorder %t, rank %d %t", zero.reorder, i, m.reorder)
		}
	}
	return nil
}

func agreeAdjacent(ks []*call) *fault {
	if f := alikeDist(ks); f != nil {
		return f
	}
	var in, out []DistEdge
	for i, k := range ks {
		n := k.made.topo.(*Neighborhood)
		for _, e := range n.Sources {
			in = append(in, DistEdge{e.Rank, i, e.Weight})
		}
		for _, e := range n.Destinations {
			out = append(out, DistEdge{i, e.Rank, e.Weight})
		}
	}
	slices.SortFunc(in, compareEdges)
	slices.SortFunc(out, compareEdges)
	for i := range max(len(in), len(out)) {
		switch {
		case i == len(out) || i < len(in) && compareEdges(in[i], out[i]) < 0:
			return oneSided(in[i], in[i].To, in[i].From)
		case i == len(in) || compareEdges(in[i], out[i]) > 0:
			return oneSided(out[i], out[i].From, out[i].To)
		}
	}
	sameRanks(ks, "dist graph")
	return nil
}

func oneSided(e DistEdge, gave, lacks int) *fault {
	return broken(ErrNotSame, "TOPO-01", "rank %d gave an edge from %d to %d of weight %d, rank %d did not",
		gave, e.From, e.To, e.Weight, lacks)
}

func compareEdges(a, b DistEdge) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Weight, b.Weight))
}

func agreeDist(ks []*call) *fault {
	if f := alikeDist(ks); f != nil {
		return f
	}
	at := func(rank int) *Neighborhood { return ks[rank].made.topo.(*Neighborhood) }
	for _, k := range ks {
		for _, e := range k.made.edges {
			from, to := at(e.From), at(e.To)
			from.Destinations = append(from.Destinations, Neighbor{e.To, e.Weight})
			to.Sources = append(to.Sources, Neighbor{e.From, e.Weight})
		}
	}
	sameRanks(ks, "dist graph")
	return nil
}

// DistGraphNeighbors returns the edges of the calling rank. Local. Errors:
// ErrComm, ErrTopology. (TOPO-01)
//
// MPI_Dist_graph_neighbors
func (c *Comm) DistGraphNeighbors() (Neighborhood, error) {
	n, err := topologyOf[*Neighborhood](c, "DistGraphNeighbors", "a distributed graph")
	if err != nil {
		return Neighborhood{}, err
	}
	return *n.clone(), nil
}

// DistGraphNeighborsCount returns how many edges come to the calling rank and
// leave it, and whether they have weights. Local. Errors: ErrComm, ErrTopology.
// (TOPO-01)
//
// MPI_Dist_graph_neighbors_count
func (c *Comm) DistGraphNeighborsCount() (in, out int, weighted bool, err error) {
	n, err := topologyOf[*Neighborhood](c, "DistGraphNeighborsCount", "a distributed graph")
	if err != nil {
		return 0, 0, false, err
	}
	return len(n.Sources), len(n.Destinations), n.Weighted, nil
}
