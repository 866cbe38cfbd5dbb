package comm

import "github.com/commworld/commworld/internal/sched"

// An edge says which ranks' entries into a collective happen before which
// ranks' exits, as far as the standard promises it. That this module lets all
// ranks meet in most of them is no promise. (CONS-D09)
type edge uint8

const (
	together  edge = iota // all before all
	fromRoot              // root before the others
	toRoot                // the others before root
	upward                // lower ranks before higher ones
	unordered             // nobody before anybody
	alongTies             // neighbours before those that hear of them
)

// joinClocks tells each of the calls that have met what its rank knows when it
// leaves. It writes into the calls and not into the ranks, which may be
// anywhere if they do not wait for it.
func joinClocks(ks []*call, how edge) {
	all := func(n int) sched.Clock { return sched.JoinAll(n, func(i int) sched.Clock { return ks[i].clock }) }
	if how != together && ks[0].comm.proc.thread.Exploring() {
		defer func(joint sched.Clock) { // what they do have to wait for
			for _, k := range ks {
				k.seen = k.seen.After(joint)
			}
		}(all(len(ks)))
	}
	switch how {
	case together:
		if quiet(ks) {
			return
		}
		joint := all(len(ks))
		for _, k := range ks {
			k.seen = joint
		}
	case fromRoot:
		root := ks[ks[0].root].clock
		for _, k := range ks {
			k.seen = root
		}
	case toRoot:
		ks[ks[0].root].seen = all(len(ks))
	case alongTies:
		for _, k := range ks {
			for _, t := range k.near.in {
				if t.peer != ProcNull {
					k.seen = k.seen.Join(ks[t.peer].clock)
				}
			}
		}
	case upward:
		soFar := ks[0].clock
		for _, k := range ks[1:] {
			k.seen = soFar
			soFar = soFar.Join(k.clock)
		}
	}
}

// quiet reports whether no rank can tell another any news: none has had an event,
// and all know the same.
func quiet(ks []*call) bool {
	for _, k := range ks {
		if !k.clock.Quiet(ks[0].clock) {
			return false
		}
	}
	return true
}

// learn makes what happened before the end of k known to its rank.
func (k *call) learn() {
	if k.seen == (sched.Clock{}) {
		return // the ranks were in different calls, or there are no news
	}
	if k.edge == together && k.comm.core.inter == nil {
		k.comm.proc.thread.Adopt(k.clock, k.seen)
	} else {
		k.comm.proc.thread.Join(k.seen)
	}
	k.seen = sched.Clock{}
}
