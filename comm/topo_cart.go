package comm

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A CartDim is one dimension of a Cartesian grid.
type CartDim struct {
	Size     int
	Periodic bool // its two ends are neighbours
}

// CartDims returns dimensions of the given sizes, all periodic or none.
func CartDims(periodic bool, sizes ...int) []CartDim {
	dims := make([]CartDim, len(sizes))
	for i, n := range sizes {
		dims[i] = CartDim{n, periodic}
	}
	return dims
}

// A grid is a Cartesian topology. Ranks are numbered row by row: the last
// coordinate runs fastest.
type grid []CartDim

func (g grid) kind() Topology { return Cart }

// ranks returns how many ranks the grid has, or a fault if the grid is wrong.
func (g grid) ranks() (n int, f *fault) {
	n = 1
	for i, d := range g {
		if d.Size < 1 {
			return 0, broken(ErrDims, "TOPO-01", "dimension %d has size %d; at least 1 is needed", i, d.Size)
		}
		if n > math.MaxInt32/d.Size {
			return 0, broken(ErrDims, "TOPO-01", "a grid of %v has more ranks than any communicator", g)
		}
		n *= d.Size
	}
	return n, nil
}

// String returns the sizes as text, such as 2x3.
func (g grid) String() string {
	sizes := make([]string, len(g))
	for i, d := range g {
		sizes[i] = strconv.Itoa(d.Size)
	}
	return strings.Join(sizes, "x")
}

func (g grid) coords(rank int) []int {
	at := make([]int, len(g))
	for i := len(g) - 1; i >= 0; i-- {
		at[i] = rank % g[i].Size
		rank /= g[i].Size
	}
	return at
}

// rank returns the rank at the given coordinates, ProcNull for none.
func (g grid) rank(at []int) int {
	r := 0
	for i, d := range g {
		x := at[i]
		if x < 0 || x >= d.Size {
			if !d.Periodic {
				return ProcNull
			}
			x = wrap(x, d.Size)
		}
		r = r*d.Size + x
	}
	return r
}

// wrap returns x modulo n, not negative.
func wrap(x, n int) int { return (x%n + n) % n }

// shifted returns the rank disp places from rank in a direction, ProcNull for none.
func (g grid) shifted(rank, direction, disp int) int {
	at := g.coords(rank)
	d, x := g[direction], at[direction]
	switch {
	case d.Periodic:
		disp %= d.Size
	case disp >= d.Size, disp <= -d.Size:
		return ProcNull
	}
	at[direction] = x + disp
	return g.rank(at)
}

// around lists, for each dimension, the neighbour before and the neighbour after. Data sent
// forward in a dimension arrive from the neighbour before.
func (g grid) around(rank int) neighborhood {
	s := neighborhood{make([]tie, 0, 2*len(g)), make([]tie, 0, 2*len(g))}
	for i := range g {
		back, forth := 2*i, 2*i+1 // labels of data that go back, and forth
		before, after := g.shifted(rank, i, -1), g.shifted(rank, i, 1)
		s.in = append(s.in, tie{before, forth}, tie{after, back})
		s.out = append(s.out, tie{before, back}, tie{after, forth})
	}
	return s
}

var (
	cartCreate = &routine{name: "CartCreate", edge: unordered, agree: agreeCart}
	cartSub    = &routine{name: "CartSub", edge: unordered, agree: agreeCartSub}
)

// CartCreate makes a communicator whose ranks form a Cartesian grid, numbered
// row by row: the last coordinate runs fastest. Ranks beyond the grid get nil.
// All ranks give the same dimensions; none at all make a grid of one rank.
// With reorder the ranks may be numbered anew; here all are equally near, so
// they never are. Collective. Errors: ErrComm, ErrDims for sizes below 1 or a
// grid of more ranks than there are, ErrNotSame. (TOPO-01)
//
// MPI_Cart_create
func (c *Comm) CartCreate(dims []CartDim, reorder bool) (*Comm, error) {
	m := communicator{topo: grid(slices.Clone(dims)), reorder: reorder}
	if !c.null() {
		_, m.fault = c.gridRanks(dims)
	}
	return c.make(cartCreate, &m)
}

// gridRanks returns how many ranks a grid of c's ranks has.
func (c *Comm) gridRanks(dims []CartDim) (int, *fault) {
	n, f := grid(dims).ranks()
	if f == nil && n > c.core.members.n {
		f = broken(ErrDims, "TOPO-01", "a grid of %v needs %d ranks; %s has %d", grid(dims), n, c.label(), c.core.members.n)
	}
	return n, f
}

func agreeCart(ks []*call) *fault {
	g := ks[0].made.topo.(grid)
	for i, k := range ks {
		if o := k.made.topo.(grid); !slices.Equal(g, o) || k.made.reorder != ks[0].made.reorder {
			return broken(ErrNotSame, "TOPO-01", "grids differ: rank 0 gave %+v, rank %d gave %+v", []CartDim(g), i, []CartDim(o))
		}
		k.made.topo = g
	}
	n, _ := g.ranks()
	makeCore(ks[:n], fmt.Sprintf("cart %v of %s", g, ks[0].comm.core.name))
	return nil
}

// Cart returns the dimensions of the grid and the calling rank's place in
// it. Local. Errors: ErrComm, ErrTopology. (TOPO-01)
//
// MPI_Cart_get
func (c *Comm) Cart() (dims []CartDim, coords []int, err error) {
	g, err := topologyOf[grid](c, "Cart", "a grid")
	if err != nil {
		return nil, nil, err
	}
	return slices.Clone(g), g.coords(c.rank), nil
}

// CartDim returns how many dimensions the grid has. Local. Errors: ErrComm,
// ErrTopology. (TOPO-01)
//
// MPI_Cartdim_get
func (c *Comm) CartDim() (int, error) {
	g, err := topologyOf[grid](c, "CartDim", "a grid")
	return len(g), err
}

// CartRank returns the rank at a place, which in a periodic dimension may lie
// outside the grid. Local. Errors: ErrComm, ErrTopology, ErrDims for
// coordinates too few or too many, ErrArg for one beyond an open border.
// (TOPO-01)
//
// MPI_Cart_rank
func (c *Comm) CartRank(coords []int) (int, error) {
	const op = "CartRank"
	g, err := topologyOf[grid](c, op, "a grid")
	if err != nil {
		return ProcNull, err
	}
	if len(coords) != len(g) {
		return ProcNull, c.fail(op, broken(ErrDims, "TOPO-01", "%d coordinates in a grid of %d dimensions", len(coords), len(g)))
	}
	for i, x := range coords {
		if !g[i].Periodic && (x < 0 || x >= g[i].Size) {
			return ProcNull, c.fail(op, broken(ErrArg, "TOPO-01",
				"coordinate %d of dimension %d, which is not periodic and goes from 0 to %d", x, i, g[i].Size-1))
		}
	}
	return g.rank(coords), nil
}

// CartCoords returns the place of a rank in the grid. Local. Errors: ErrComm,
// ErrTopology, ErrRank. (TOPO-01)
//
// MPI_Cart_coords
func (c *Comm) CartCoords(rank int) ([]int, error) {
	const op = "CartCoords"
	g, err := topologyOf[grid](c, op, "a grid")
	if err == nil {
		err = c.member(op, rank)
	}
	if err != nil {
		return nil, err
	}
	return g.coords(rank), nil
}

// CartShift returns, for a shift of data by disp places along a dimension, the rank from
// which the calling rank receives and the rank to which it sends: ProcNull beyond an open
// border. Local. Errors: ErrComm, ErrTopology, ErrDims for a direction that the grid lacks.
// (TOPO-01)
//
// MPI_Cart_shift
func (c *Comm) CartShift(direction, disp int) (src, dst int, err error) {
	const op = "CartShift"
	g, err := topologyOf[grid](c, op, "a grid")
	if err != nil {
		return ProcNull, ProcNull, err
	}
	if direction < 0 || direction >= len(g) {
		return ProcNull, ProcNull, c.fail(op, broken(ErrDims, "TOPO-01", "direction %d in a grid of %d dimensions", direction, len(g)))
	}
	disp = max(disp, -math.MaxInt) // so that it can be negated
	return g.shifted(c.rank, direction, -disp), g.shifted(c.rank, direction, disp), nil
}

// CartSub cuts the grid into grids of fewer dimensions: those that remain. A
// rank's new communicator has the ranks that share its other coordinates.
// Without any that remain it has one rank and no dimensions. Collective.
// Errors: ErrComm, ErrTopology, ErrDims if remain has not one value for each
// dimension, ErrNotSame. (TOPO-01)
//
// MPI_Cart_sub
func (c *Comm) CartSub(remain []bool) (*Comm, error) {
	m := communicator{remain: slices.Clone(remain)}
	g, ok := c.more().topo.(grid)
	switch {
	case !ok:
		m.fault = c.lacks("a grid")
	case len(remain) != len(g):
		m.fault = broken(ErrDims, "TOPO-01", "%d dimensions to remain or not, in a grid of %d", len(remain), len(g))
	default:
		kept := grid{}
		for i, x := range g.coords(c.rank) {
			if remain[i] {
				kept = append(kept, g[i])
				m.key = m.key*g[i].Size + x
			} else {
				m.color = m.color*g[i].Size + x
			}
		}
		m.topo = kept
	}
	return c.make(cartSub, &m)
}

func agreeCartSub(ks []*call) *fault {
	for i, k := range ks {
		if !slices.Equal(k.made.remain, ks[0].made.remain) {
			return broken(ErrNotSame, "TOPO-01", "ranks disagree on the remaining dimensions: %v on rank 0, %v on rank %d", ks[0].made.remain, k.made.remain, i)
		}
	}
	return agreeSplit(ks)
}

// CartMap returns the rank that [Comm.CartCreate] with reorder would give the
// calling rank, Undefined for none. Local. Errors: ErrComm, ErrDims. (TOPO-01)
//
// MPI_Cart_map
func (c *Comm) CartMap(dims []CartDim) (int, error) {
	const op = "CartMap"
	if err := c.alive(op); err != nil {
		return Undefined, err
	}
	n, f := c.gridRanks(dims)
	if f != nil {
		return Undefined, c.fail(op, f)
	}
	return c.mapped(n), nil
}

// mapped returns c's rank in a topology of n ranks.
func (c *Comm) mapped(n int) int {
	if c.rank >= n {
		return Undefined
	}
	return c.rank
}
