//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
)

var topologyCalls = map[string]handler{
	"Topo_test": func(k *call) error {
		kind, err := k.onComm().TopoTest()
		if err == nil {
			putInt(k.out(), int(kind))
		}
		return err
	},
	"Dims_create": func(k *call) error {
		n, ndims, a := k.int(), k.word(), k.word()
		k.next--
		dims, err := comm.DimsCreate(n, k.ints(ndims))
		if err != nil {
			return k.local(err)
		}
		putInts(a, ndims, dims)
		return nil
	},
	"Cart_create": func(k *call) error {
		c := k.onComm()
		dims, reorder, out := k.cartDims(), k.bool(), k.out()
		made, err := c.CartCreate(dims, reorder)
		return k.newComm(out, made, err)
	},
	"Cart_map": func(k *call) error {
		c := k.onComm()
		rank, err := c.CartMap(k.cartDims())
		if err == nil {
			putInt(k.out(), rank)
		}
		return err
	},
	"Cart_sub": func(k *call) error {
		c := k.onComm()
		n, err := c.CartDim()
		if err != nil {
			return err
		}
		var remain []bool
		for _, x := range k.ints(int64(n)) {
			remain = append(remain, x != 0)
		}
		out := k.out()
		made, err := c.CartSub(remain)
		return k.newComm(out, made, err)
	},
	"Cartdim_get": func(k *call) error {
		n, err := k.onComm().CartDim()
		if err == nil {
			putInt(k.out(), n)
		}
		return err
	},
	"Cart_get": func(k *call) error {
		dims, coords, err := k.onComm().Cart()
		if err != nil {
			return err
		}
		most, sizes, periods, at := k.word(), k.word(), k.word(), k.word()
		for i := range min(most, int64(len(dims))) {
			putInt(sizes+4*i, dims[i].Size)
			putBool(periods+4*i, dims[i].Periodic)
			putInt(at+4*i, coords[i])
		}
		return nil
	},
	"Cart_rank": func(k *call) error {
		c := k.onComm()
		n, err := c.CartDim()
		if err != nil {
			return err
		}
		rank, err := c.CartRank(k.ints(int64(n)))
		if err == nil {
			putInt(k.out(), rank)
		}
		return err
	},
	"Cart_coords": func(k *call) error {
		c := k.onComm()
		coords, err := c.CartCoords(k.int())
		if err == nil {
			most := k.word()
			putInts(k.word(), most, coords)
		}
		return err
	},
	"Cart_shift": func(k *call) error {
		c := k.onComm()
		src, dst, err := c.CartShift(k.int(), k.int())
		if err == nil {
			putInt(k.out(), src)
			putInt(k.out(), dst)
		}
		return err
	},
	"Graph_create": func(k *call) error {
		c := k.onComm()
		graph, reorder, out := k.graph(), k.bool(), k.out()
		made, err := c.GraphCreate(graph, reorder)
		return k.newComm(out, made, err)
	},
	"Graph_map": func(k *call) error {
		c := k.onComm()
		rank, err := c.GraphMap(k.graph())
		if err == nil {
			putInt(k.out(), rank)
		}
		return err
	},
	"Graphdims_get": func(k *call) error {
		nodes, edges, err := k.onComm().GraphDims()
		if err == nil {
			putInt(k.out(), nodes)
			putInt(k.out(), edges)
		}
		return err
	},
	"Graph_get": func(k *call) error {
		graph, err := k.onComm().Graph()
		if err != nil {
			return err
		}
		var ends, all []int
		for _, list := range graph {
			all = append(all, list...)
			ends = append(ends, len(all))
		}
		nodes, edges := k.word(), k.word()
		putInts(k.word(), nodes, ends)
		putInts(k.word(), edges, all)
		return nil
	},
	"Graph_neighbors_count": func(k *call) error {
		c := k.onComm()
		n, err := c.GraphNeighborsCount(k.int())
		if err == nil {
			putInt(k.out(), n)
		}
		return err
	},
	"Graph_neighbors": func(k *call) error {
		c := k.onComm()
		list, err := c.GraphNeighbors(k.int())
		if err == nil {
			most := k.word()
			putInts(k.word(), most, list)
		}
		return err
	},
	"Dist_graph_create_adjacent": func(k *call) error {
		c := k.onComm()
		var n comm.Neighborhood
		var in, out bool
		n.Sources, in = k.edges()
		n.Destinations, out = k.edges()
		n.Weighted = in || out
		info, reorder, made := k.infoOrFail(), k.bool(), k.out()
		made1, err := c.DistGraphCreateAdjacent(n, info, reorder)
		return k.newComm(made, made1, err)
	},
	"Dist_graph_create": func(k *call) error {
		c := k.onComm()
		edges, weighted := k.distEdges()
		info, reorder, out := k.infoOrFail(), k.bool(), k.out()
		made, err := c.DistGraphCreate(edges, weighted, info, reorder)
		return k.newComm(out, made, err)
	},
	"Dist_graph_neighbors_count": func(k *call) error {
		in, out, weighted, err := k.onComm().DistGraphNeighborsCount()
		if err == nil {
			putInt(k.out(), in)
			putInt(k.out(), out)
			putBool(k.out(), weighted)
		}
		return err
	},
	"Dist_graph_neighbors": func(k *call) error {
		n, err := k.onComm().DistGraphNeighbors()
		if err == nil {
			k.putEdges(n.Sources, n.Weighted)
			k.putEdges(n.Destinations, n.Weighted)
		}
		return err
	},
}

// putInts stores as many of xs as fit.
func putInts(address, most int64, xs []int) {
	for i, x := range xs {
		if int64(i) >= most {
			break
		}
		putInt(address+4*int64(i), x)
	}
}

func (k *call) cartDims() []comm.CartDim {
	n := k.word()
	if n < 0 {
		k.fail(errclass.Dims, "%d dimensions", n)
	}
	sizes, periods := k.ints(n), k.ints(n)
	dims := make([]comm.CartDim, n)
	for i := range dims {
		dims[i] = comm.CartDim{Size: sizes[i], Periodic: periods[i] != 0}
	}
	return dims
}

// graph reads the neighbours of all ranks, in one list, and the end of each rank's part.
func (k *call) graph() [][]int {
	ends := k.ints(k.word())
	if len(ends) == 0 {
		k.skip()
		return nil
	}
	all := k.ints(int64(ends[len(ends)-1]))
	lists := make([][]int, len(ends))
	from := 0
	for i, end := range ends {
		if end < from || end > len(all) {
			k.fail(errclass.Arg, "index %d of the graph is %d, after %d", i, end, from)
		}
		lists[i] = all[from:end]
		from = end
	}
	return lists
}

// weights reads an array of weights; false if there is none.
func (k *call) weights(n int64) ([]int, bool) {
	switch a := k.word(); a {
	case unweighted:
		return make([]int, n), false
	case weightsEmpty:
		return make([]int, n), true
	}
	k.next--
	return k.ints(n), true
}

// edges reads a number of edges, their other ends, and their weights.
func (k *call) edges() ([]comm.Neighbor, bool) {
	n := k.word()
	ranks := k.ints(n)
	weights, weighted := k.weights(n)
	all := make([]comm.Neighbor, n)
	for i := range all {
		all[i] = comm.Neighbor{Rank: ranks[i], Weight: weights[i]}
	}
	return all, weighted
}

func (k *call) putEdges(edges []comm.Neighbor, weighted bool) {
	most, ranks, weights := k.word(), k.word(), k.word()
	for i, e := range edges {
		if int64(i) >= most {
			return
		}
		putInt(ranks+4*int64(i), e.Rank)
		if weighted && weights > weightsEmpty {
			putInt(weights+4*int64(i), e.Weight)
		}
	}
}

func (k *call) distEdges() (all []comm.DistEdge, weighted bool) {
	n := k.word()
	sources, degrees := k.ints(n), k.ints(n)
	total := 0
	for _, d := range degrees {
		if d < 0 {
			k.fail(errclass.Arg, "a degree is %d", d)
		}
		total += d
	}
	ends := k.ints(int64(total))
	weights, weighted := k.weights(int64(total))
	i := 0
	for s, d := range degrees {
		for range d {
			all = append(all, comm.DistEdge{From: sources[s], To: ends[i], Weight: weights[i]})
			i++
		}
	}
	return all, weighted
}
