package comm

import "fmt"

// A topology says which ranks of a communicator are neighbours. Topologies are
// immutable, so handles share them, and a duplicate has its original's.
type topology interface {
	kind() Topology

	// around returns the neighbours of a rank.
	around(rank int) neighborhood
}

// neighborhood has the neighbours of one rank, in the order of their blocks in the buffers
// of a neighbourhood collective. A rank that is a neighbour several times has as many ties.
// (COLL-04)
type neighborhood struct{ in, out []tie }

// A tie leads to or from a neighbour, which is ProcNull at an open border. Data that a rank
// sends along an outgoing tie arrive by an ingoing tie of the peer: the one that leads back
// to the rank and has the same label. If several ties match, the first is paired with the
// first, and so on. In a ring of one or two ranks only the label distinguishes left from
// right.
type tie struct{ peer, label int }

// neighborhood returns the calling rank's neighbours. c is alive.
func (c *Comm) neighborhood() (neighborhood, *fault) {
	t := c.more().topo
	if t == nil {
		return neighborhood{}, c.lacks("any topology")
	}
	return t.around(c.rank), nil
}

// A Topology is a kind of process topology; its values are those of the ABI of
// MPI-5.0.
type Topology int

// The kinds of topologies.
const (
	NoTopology Topology = Undefined
	Cart       Topology = 211
	Graph      Topology = 212
	DistGraph  Topology = 213
)

// String returns the standard's name.
func (t Topology) String() string {
	switch t {
	case NoTopology:
		return "MPI_UNDEFINED"
	case Cart:
		return "MPI_CART"
	case Graph:
		return "MPI_GRAPH"
	case DistGraph:
		return "MPI_DIST_GRAPH"
	}
	return fmt.Sprintf("Topology(%d)", int(t))
}

// TopoTest returns the kind of topology that the communicator has. Local.
// Errors: ErrComm. (TOPO-01)
//
// MPI_Topo_test
func (c *Comm) TopoTest() (Topology, error) {
	if err := c.alive("TopoTest"); err != nil {
		return NoTopology, err
	}
	if t := c.more().topo; t != nil {
		return t.kind(), nil
	}
	return NoTopology, nil
}

// lacks returns the fault of a call whose topology c does not have.
func (c *Comm) lacks(what string) *fault {
	has := NoTopology
	if t := c.more().topo; t != nil {
		has = t.kind()
	}
	return broken(ErrTopology, "TOPO-01", "%s does not have %s: its topology is %v", c.label(), what, has)
}

// topologyOf returns the topology of c, which has to be of kind T.
func topologyOf[T topology](c *Comm, op, what string) (t T, err error) {
	if err := c.alive(op); err != nil {
		return t, err
	}
	t, ok := c.more().topo.(T)
	if !ok {
		return t, c.fail(op, c.lacks(what))
	}
	return t, nil
}

// member checks that rank is one of c's ranks.
func (c *Comm) member(op string, rank int) error {
	if n := c.core.members.n; rank < 0 || rank >= n {
		return c.fail(op, broken(ErrRank, "TOPO-01", "rank %s is none of the %d ranks of %s", special(rank), n, c.label()))
	}
	return nil
}
