package comm

// This file moves data between neighbours whose calls have met.

var (
	neighborAllGather  = nearby("NeighborAllGather")
	neighborAllGatherV = nearby("NeighborAllGatherV")
	neighborAllToAll   = nearby("NeighborAllToAll")
	neighborAllToAllV  = nearby("NeighborAllToAllV")
	neighborAllToAllW  = nearby("NeighborAllToAllW")
)

func nearby(name string) *routine {
	return &routine{name: name, edge: alongTies, agree: agreeNearby, volume: volumeNearby, share: shareNearby}
}

// ways has, for every rank and each of its ingoing ties, the index of the peer's outgoing
// tie that leads to it. It is the same for all neighbourhood collectives of a communicator,
// so the first one makes it.
type ways [][]int32

// A strand is all ties from one rank to another that have one label.
type strand struct{ from, to, label int }

// waysBetween pairs the ties of all ranks; see tie.
func waysBetween(ks []*call) (ways, *fault) {
	open := map[strand][]int32{}
	for s, k := range ks {
		for j, t := range k.neighbors.out {
			if t.peer != ProcNull {
				at := strand{s, t.peer, t.label}
				open[at] = append(open[at], int32(j))
			}
		}
	}
	w := make(ways, len(ks))
	for d, k := range ks {
		w[d] = make([]int32, len(k.neighbors.in))
		for i, t := range k.neighbors.in {
			if t.peer == ProcNull {
				continue
			}
			at := strand{t.peer, d, t.label}
			if len(open[at]) == 0 {
				return nil, halfEdge(t.peer, d)
			}
			w[d][i], open[at] = open[at][0], open[at][1:]
		}
	}
	for s, k := range ks { // in this order, so that all runs report the same error
		for _, t := range k.neighbors.out {
			if len(open[strand{s, t.peer, t.label}]) > 0 {
				return nil, halfEdge(s, t.peer)
			}
		}
	}
	return w, nil
}

func halfEdge(from, to int) *fault {
	return broken(ErrTopology, "COLL-04",
		"the edge from rank %d to rank %d is there at one of its ends only; a neighbourhood collective needs both", from, to)
}

// agreeNearby compares the data sent along each tie with the data expected.
func agreeNearby(ks []*call) *fault {
	core := ks[0].comm.core
	if core.ways.Load() == nil {
		w, f := waysBetween(ks)
		if f != nil {
			return f
		}
		core.ways.Store(&w)
	}
	return alongAll(ks, func(dst, src region, s, d int) *fault {
		f := match(dst, src, exactly)
		if f == nil {
			return nil
		}
		return broken(f.Class, "COLL-04", "what rank %d sends is not what its neighbour, rank %d, receives: %w", s, d, f.Err)
	})
}

func alongAll(ks []*call, do func(dst, src region, s, d int) *fault) *fault {
	for d := range ks {
		if f := alongTiesTo(ks, d, do); f != nil {
			return f
		}
	}
	return nil
}

// alongTiesTo calls do with both ends of every message that rank d receives.
func alongTiesTo(ks []*call, d int, do func(dst, src region, s, d int) *fault) *fault {
	way := (*ks[d].comm.core.ways.Load())[d]
	for i, t := range ks[d].neighbors.in {
		if t.peer == ProcNull {
			continue
		}
		if f := do(ks[d].in(i), ks[t.peer].out(int(way[i])), t.peer, d); f != nil {
			return f
		}
	}
	return nil
}

func volumeNearby(ks []*call) int64 {
	n := int64(0)
	for _, k := range ks {
		n += k.recv.size()
		for i := range k.recvs.each {
			n += k.recvs.each[i].size()
		}
	}
	return n
}

func shareNearby(ks []*call, i, _ int) *fault {
	return alongTiesTo(ks, i, func(dst, src region, _, _ int) *fault { return move(dst, src) })
}
