package comm

import "github.com/commworld/commworld/internal/sched"

// An edge says which ranks' entries into a collective happen before which ranks' exits,
// according to the standard. Most collectives here let all ranks meet, but the standard
// promises less. (CONS-D09)
type edge uint8

const (
	together  edge = iota // all ranks before all
	fromRoot              // the root before the others
	toRoot                // the others before the root
	upward                // lower ranks before higher ones
	unordered             // no rank before any other
	perGroup              // a group of one rank before the other group; in a larger group all ranks give the same data, so no single rank must come first
	alongTies             // neighbours before the ranks that receive from them
)

// joinClocks gives each of the calls that have met the clock of its rank after the call. It
// writes into the calls and not into the ranks, because ranks that do not wait are
// elsewhere.
func joinClocks(ks []*call) {
	first := ks[0]
	how, inter := first.edge, first.comm.core.inter != nil
	if first.made != nil && first.routine != dupFor && first.comm.proc.univ.libraryOrder {
		how, inter = together, false
	}
	if first.comm.proc.thread.Exploring() && (how != together || inter || empty(ks) || first.share != nil) {
		defer func(joint sched.Clock) { // the order in which they wait here
			for _, k := range ks {
				k.seen = k.seen.After(joint)
			}
		}(joinAll(ks))
	}
	switch {
	case inter:
		for _, f := range flows(ks) {
			f.joinClocks()
		}
	case !empty(ks):
		how.joinClocks(ks)
	}
}

// joinAll returns the joint clock of all calls.
func joinAll(ks []*call) sched.Clock {
	return sched.JoinAll(len(ks), func(i int) sched.Clock { return ks[i].clock })
}

// joinClocks joins the clocks of the calls of one group.
func (e edge) joinClocks(ks []*call) {
	switch first := ks[0]; e {
	case together:
		joinTogether(ks)
	case fromRoot:
		for d, k := range ks {
			if d == first.root || k.made != nil || k.takes(first.root) {
				k.seen = ks[first.root].clock
			}
		}
	case toRoot:
		if root := ks[first.root]; root.result == resultAtRoot && root.op != nil {
			root.seen = joinAll(ks)
		} else {
			root.joinSenders(ks)
		}
	case alongTies:
		for _, k := range ks {
			k.joinNeighbors(ks)
		}
	case upward:
		soFar := first.clock
		for _, k := range ks[1:] {
			k.seen = soFar
			soFar = soFar.Join(k.clock)
		}
	}
}

func joinTogether(ks []*call) {
	if allIdle(ks) || partly(ks) {
		return
	}
	joint := joinAll(ks)
	for _, k := range ks {
		k.seen = joint
	}
}

// joinSenders joins the clocks of the other calls that send data to k.
func (k *call) joinSenders(ks []*call) {
	for s, from := range ks {
		if from != k && k.takes(s) {
			k.seen = k.seen.Join(from.clock)
		}
	}
}

// joinNeighbors joins the clocks of the neighbours that send data to k.
func (k *call) joinNeighbors(ks []*call) {
	for i, t := range k.neighbors.in {
		if t.peer != ProcNull && k.takes(i) {
			k.seen = k.seen.Join(ks[t.peer].clock)
		}
	}
}

// takes reports whether k receives data from a peer, or along an ingoing tie.
func (k *call) takes(peer int) bool {
	g := k.in(peer)
	return g.size() > 0
}

// empty reports whether this is a reduction of no items: then a rank's result depends on no
// other rank.
func empty(ks []*call) bool { return ks[0].op != nil && ks[0].send.size() == 0 }

// partly handles a collective in which some rank sends nothing to another: it orders only
// the actual sends before their receives. It reports whether the call is such a collective.
func partly(ks []*call) bool {
	first := ks[0]
	switch {
	case first.share == nil || first.op != nil && first.result != resultScattered:
		return false // no data, or data from all to all
	case first.op != nil:
		joint := joinAll(ks)
		for d, k := range ks {
			block := first.out(d)
			if k.partial = block.size() == 0; !k.partial {
				k.seen = joint
			}
		}
		return true
	case first.recvs.how == evenly:
		return first.recv.size() == 0
	}
	if !lacking(ks) {
		return false
	}
	for _, k := range ks {
		k.partial = true
		k.joinSenders(ks)
	}
	return true
}

// lacking reports whether some rank receives nothing from another.
func lacking(ks []*call) bool {
	for d, k := range ks {
		for s := range ks {
			if s != d && !k.takes(s) {
				return true
			}
		}
	}
	return false
}

// allIdle reports whether the clocks need no join: no rank has had an event, and all clocks
// are equal.
func allIdle(ks []*call) bool {
	for _, k := range ks {
		if !k.clock.Quiet(ks[0].clock) {
			return false
		}
	}
	return true
}

// learn joins what happened before the end of k into its rank's clock.
func (k *call) learn() {
	if k.seen == (sched.Clock{}) {
		return // the ranks were in different calls, or no clock changes
	}
	if k.edge == together && !k.partial && k.comm.core.inter == nil {
		k.comm.proc.thread.Adopt(k.clock, k.seen)
	} else {
		k.comm.proc.thread.Join(k.seen)
	}
	k.seen, k.partial = sched.Clock{}, false
}
