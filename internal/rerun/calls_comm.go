package rerun

import (
	"slices"

	"github.com/commworld/commworld/comm"
)

var commCalls = map[string]handler{
	"Comm_create": func(a *args) error {
		c := a.comm()
		g, err := a.group(c)
		if err != nil {
			return err
		}
		return a.newComm(c.Create(g))
	},
	"Comm_create_group": func(a *args) error {
		c := a.comm()
		g, err := a.group(c)
		if err != nil {
			return err
		}
		return a.newComm(c.CreateGroup(g, a.int()))
	},
	"Comm_dup":           func(a *args) error { return a.newComm(a.comm().Dup()) },
	"Comm_dup_with_info": func(a *args) error { return a.newComm(a.comm().DupWithInfo(a.info())) },
	"Comm_idup": func(a *args) error {
		made, q, err := a.comm().IDup()
		_ = a.newComm(made, err)
		return a.started(q, err)
	},
	"Comm_idup_with_info": func(a *args) error {
		made, q, err := a.comm().IDupWithInfo(a.info())
		_ = a.newComm(made, err)
		return a.started(q, err)
	},
	"Comm_free":       free,
	"Comm_disconnect": free,
	"Comm_split": func(a *args) error {
		c, color := a.comm(), a.field("u")
		if color == undefined {
			color = comm.Undefined
		}
		return a.newComm(c.Split(int(color), a.int()))
	},
	// Which ranks share a node is not known here, but which have come together.
	"Comm_split_type": func(a *args) error {
		c := a.comm()
		a.n()
		key := a.int()
		a.info()
		color := comm.Undefined
		if last := len(a.call.Args) - 1; a.call.Returned {
			if members := value(a.k.reader.List(a.call.Args[last-1])); len(members) > 0 {
				color = int(slices.Min(members))
			}
		}
		return a.newComm(c.Split(color, key))
	},
	"Intercomm_create": func(a *args) error {
		c, leader := a.comm(), a.int()
		peer := a.k.comms.get(a.field("c"))
		remote, tag := a.rank(), a.int()
		return a.newComm(c.IntercommCreate(leader, peer, remote, tag))
	},
	"Intercomm_merge": func(a *args) error {
		c := a.comm()
		return a.newComm(c.IntercommMerge(a.n() != 0))
	},
	"Cart_create": func(a *args) error {
		c := a.comm()
		a.n()
		sizes, periods := a.ints(), a.ints()
		dims := make([]comm.CartDim, min(len(sizes), len(periods)))
		for i := range dims {
			dims[i] = comm.CartDim{Size: sizes[i], Periodic: periods[i] != 0}
		}
		a.n() // libraries here keep the order
		return a.newComm(c.CartCreate(dims, false))
	},
	"Cart_sub": func(a *args) error {
		c := a.comm()
		var remain []bool
		for _, x := range a.list() {
			remain = append(remain, x != 0)
		}
		return a.newComm(c.CartSub(remain))
	},
	"Graph_create": func(a *args) error {
		c := a.comm()
		a.n()
		ends, edges := a.ints(), a.ints()
		var graph [][]int
		from := 0
		for _, end := range ends {
			if end < from || end > len(edges) {
				break // the library has accepted no such graph
			}
			graph = append(graph, edges[from:end])
			from = end
		}
		a.n()
		return a.newComm(c.GraphCreate(graph, false))
	},
	"Dist_graph_create": func(a *args) error {
		c := a.comm()
		a.n()
		sources, degrees, to := a.ints(), a.ints(), a.ints()
		var edges []comm.DistEdge
		for i, from := range sources {
			for range degrees[i] {
				if len(to) > 0 {
					edges = append(edges, comm.DistEdge{From: from, To: to[0]})
					to = to[1:]
				}
			}
		}
		info := a.info()
		a.n()
		return a.newComm(c.DistGraphCreate(edges, false, info, false))
	},
	"Dist_graph_create_adjacent": func(a *args) error {
		c := a.comm()
		neighbors := func() (all []comm.Neighbor) {
			a.n()
			for _, r := range a.ints() {
				all = append(all, comm.Neighbor{Rank: r})
			}
			return all
		}
		n := comm.Neighborhood{Sources: neighbors(), Destinations: neighbors()}
		info := a.info()
		a.n()
		return a.newComm(c.DistGraphCreateAdjacent(n, info, false))
	},
}

func free(a *args) error {
	id := a.call.Args[0]
	err := a.comm().Free()
	if err == nil {
		a.k.comms.set(id, nil)
	}
	return err
}
