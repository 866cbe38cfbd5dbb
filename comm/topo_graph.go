package comm

import (
	"fmt"
	"slices"
)

// An adjacency is a graph topology: for every rank its neighbours. A rank may
// be its own neighbour, or a neighbour several times.
type adjacency [][]int

func (a adjacency) kind() Topology { return Graph }

// around returns the neighbours: edges lead both ways. If the graph is not symmetric some
// edges have no counterpart, and a neighbourhood collective reports that.
func (a adjacency) around(rank int) neighborhood {
	ties := make([]tie, len(a[rank]))
	for i, peer := range a[rank] {
		ties[i].peer = peer
	}
	return neighborhood{ties, ties}
}

func (a adjacency) equal(b adjacency) bool {
	return slices.EqualFunc(a, b, func(x, y []int) bool { return slices.Equal(x, y) })
}

func (a adjacency) clone() adjacency {
	b := make(adjacency, len(a))
	for i, list := range a {
		b[i] = slices.Clone(list)
	}
	return b
}

var graphCreate = &routine{name: "GraphCreate", edge: unordered, agree: agreeGraph}

// GraphCreate makes a communicator whose ranks form a graph: neighbors[r] are
// the neighbours of rank r in their order. There are as many ranks as lists;
// the others get nil, and with no lists at all every rank does. All ranks give
// the same graph. With reorder the ranks may be numbered anew; here all are
// equally near, so they never are. Collective. Errors: ErrComm, ErrArg for more
// lists than ranks, ErrRank for a neighbour that the graph lacks, ErrNotSame.
// (TOPO-01)
//
// MPI_Graph_create
func (c *Comm) GraphCreate(neighbors [][]int, reorder bool) (*Comm, error) {
	m := communicator{topo: adjacency(neighbors).clone(), reorder: reorder}
	if !c.null() {
		m.fault = c.drawable(neighbors)
	}
	return c.make(graphCreate, &m)
}

// drawable checks a graph of c's ranks.
func (c *Comm) drawable(a adjacency) *fault {
	if n := c.core.members.n; len(a) > n {
		return broken(ErrArg, "TOPO-01", "a graph of %d nodes; %s has %d ranks", len(a), c.label(), n)
	}
	for r, list := range a {
		for _, peer := range list {
			if peer < 0 || peer >= len(a) {
				return broken(ErrRank, "TOPO-01", "rank %d has neighbour %s in a graph of %d nodes", r, special(peer), len(a))
			}
		}
	}
	return nil
}

func agreeGraph(ks []*call) *fault {
	a := ks[0].made.topo.(adjacency)
	for i, k := range ks {
		if !a.equal(k.made.topo.(adjacency)) || k.made.reorder != ks[0].made.reorder {
			return broken(ErrNotSame, "TOPO-01", "the graphs of rank 0 and rank %d differ", i)
		}
		k.made.topo = a
	}
	if len(a) > 0 {
		makeCore(ks[:len(a)], fmt.Sprintf("graph of %s", ks[0].comm.core.name))
	}
	return nil
}

// Graph returns the neighbours of all ranks. Local. Errors: ErrComm,
// ErrTopology. (TOPO-01)
//
// MPI_Graph_get
func (c *Comm) Graph() ([][]int, error) {
	a, err := topologyOf[adjacency](c, "Graph", "a graph")
	return a.clone(), err
}

// GraphDims returns how many nodes and how many edges the graph has. An edge
// is counted for each rank that names it. Local. Errors: ErrComm, ErrTopology.
// (TOPO-01)
//
// MPI_Graphdims_get
func (c *Comm) GraphDims() (nodes, edges int, err error) {
	a, err := topologyOf[adjacency](c, "GraphDims", "a graph")
	for _, list := range a {
		edges += len(list)
	}
	return len(a), edges, err
}

// GraphNeighbors returns the neighbours of a rank in their order. Local.
// Errors: ErrComm, ErrTopology, ErrRank. (TOPO-01)
//
// MPI_Graph_neighbors
func (c *Comm) GraphNeighbors(rank int) ([]int, error) {
	list, err := c.adjacent("GraphNeighbors", rank)
	return slices.Clone(list), err
}

// GraphNeighborsCount returns how many neighbours a rank has. Local. Errors: as
// GraphNeighbors. (TOPO-01)
//
// MPI_Graph_neighbors_count
func (c *Comm) GraphNeighborsCount(rank int) (int, error) {
	list, err := c.adjacent("GraphNeighborsCount", rank)
	return len(list), err
}

func (c *Comm) adjacent(op string, rank int) ([]int, error) {
	a, err := topologyOf[adjacency](c, op, "a graph")
	if err == nil {
		err = c.member(op, rank)
	}
	if err != nil {
		return nil, err
	}
	return a[rank], nil
}

// GraphMap returns the rank that [Comm.GraphCreate] with reorder would give the
// calling rank, Undefined for none. Local. Errors: ErrComm, ErrArg, ErrRank.
// (TOPO-01)
//
// MPI_Graph_map
func (c *Comm) GraphMap(neighbors [][]int) (int, error) {
	const op = "GraphMap"
	if err := c.alive(op); err != nil {
		return Undefined, err
	}
	if f := c.drawable(neighbors); f != nil {
		return Undefined, c.fail(op, f)
	}
	return c.mapped(len(neighbors)), nil
}
