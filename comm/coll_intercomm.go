package comm

import (
	"slices"

	"github.com/commworld/commworld/internal/sched"
)

// This file moves data between the two groups of an intercommunicator: data of the ranks of
// one group go to the other, and none stay within a group. The last rank to come moves
// everything. (COMM-02)

// across is how a routine works on an intercommunicator.
type across uint8

const (
	notAcross  across = iota
	meetAcross        // the ranks only meet
	pairAcross        // blocks go between pairs of ranks
	foldAcross        // it is a reduction
	dupAcross         // it makes a duplicate
)

// calls returns the meeting of the collectives of c, and seat the caller's place in it.
func (c *Comm) calls() *sched.Meeting[*call] {
	if in := c.core.inter; in != nil {
		return in.calls
	}
	return c.core.meeting
}

func (c *Comm) seat() int {
	if in := c.core.inter; in != nil && in.side == 1 {
		return in.far.n + c.rank
	}
	return c.rank
}

// farSeats returns the seats of the peers of k's rank in a collective: those of the other
// group, if there are two.
func (c *Comm) farSeats() (first, end int) {
	in := c.core.inter
	if in == nil {
		return 0, c.core.members.n
	}
	if in.side == 0 {
		first = c.core.members.n
	}
	return first, first + in.far.n
}

// rankName returns, for the caller, the name of the rank in a seat.
func (c *Comm) rankName(seat int) string {
	in := c.core.inter
	if in == nil {
		return sched.RankList([]int{seat})
	}
	side := 0
	if n := in.sides[0].members.n; seat >= n {
		seat, side = seat-n, 1
	}
	if side != in.side {
		return sched.RankList([]int{seat}) + " of the other group"
	}
	return sched.RankList([]int{seat})
}

// hub returns the core that all meeting ranks share.
func (c *Comm) hub() *core {
	if in := c.core.inter; in != nil {
		return in.sides[0]
	}
	return c.core
}

// seats returns how many ranks meet; k is a hub.
func (k *core) seats() int {
	if k.inter != nil {
		return k.members.n + k.inter.far.n
	}
	return k.members.n
}

// rankAt returns the rank in the world of the rank in a seat; k is a hub. called returns
// the number that reports use: the rank in the communicator, or in the world if there are
// two groups.
func (k *core) rankAt(seat int) int {
	if n := k.members.n; seat >= n {
		return k.inter.far.world(seat - n)
	}
	return k.members.world(seat)
}

func (k *core) called(seat int) int {
	if k.inter != nil {
		return k.rankAt(seat)
	}
	return seat
}

// A flow is one direction of data in a call between groups.
type flow struct {
	from, to []*call
	root     int // its rank in its group, if there is one
}

// flows returns the directions in which a call moves data. A call with a root has one
// direction only.
func flows(ks []*call) []flow {
	n := ks[0].comm.hub().members.n
	there, back := flow{ks[:n], ks[n:], 0}, flow{ks[n:], ks[:n], 0}
	if !ks[0].rooted {
		return []flow{there, back}
	}
	for _, f := range []flow{there, back} {
		group := f.from
		if ks[0].edge == toRoot {
			group = f.to
		}
		if f.root = slices.IndexFunc(group, func(k *call) bool { return k.root == Root }); f.root >= 0 {
			return []flow{f}
		}
	}
	return nil
}

// pairs calls do for every block that f moves, from rank s to rank d.
func (f flow) pairs(do func(s, d int) *fault) *fault {
	edge, rooted := f.from[0].edge, f.from[0].rooted
	for d := range f.to {
		for s := range f.from {
			if rooted && (edge == fromRoot && s != f.root || edge == toRoot && d != f.root) {
				continue
			}
			if wrong := do(s, d); wrong != nil {
				return wrong
			}
		}
	}
	return nil
}

func agreeAcross(ks []*call) *fault {
	if ks[0].rooted {
		if f := oneRootAcross(ks); f != nil {
			return f
		}
	}
	for _, f := range flows(ks) {
		var wrong *fault
		switch ks[0].across {
		case pairAcross:
			wrong = f.pairs(func(s, d int) *fault { return fitAcross(f.from[s].out(d), f.to[d].in(s), s, d) })
		case foldAcross:
			wrong = f.agreeFold()
		}
		if wrong != nil {
			return wrong
		}
	}
	if ks[0].across == dupAcross {
		dupBoth(ks)
	}
	return nil
}

// dupBoth makes a duplicate for the ranks of both groups.
func dupBoth(ks []*call) {
	hub := ks[0].comm.hub()
	sides := hub.univ.newInter(hub.inter.sides[0].members, hub.inter.sides[1].members, "dup of "+hub.name)
	for _, k := range ks {
		k.made.core, k.made.rank = sides[k.comm.core.inter.side], k.comm.rank
	}
}

func fitAcross(src, dst region, s, d int) *fault {
	f := match(dst, src, exactly)
	if f == nil {
		return nil
	}
	return broken(f.Class, "COLL-01", "what rank %d of one group sends is not what rank %d of the other receives: %w", s, d, f.Err)
}

// oneRootAcross returns a fault if the roots are wrong: one rank must give Root, the others
// of its group ProcNull, and those of the other group its rank.
func oneRootAcross(ks []*call) *fault {
	root := slices.IndexFunc(ks, func(k *call) bool { return k.root == Root })
	if root < 0 {
		return broken(ErrRoot, "COMM-02", "no rank gave Root; on an intercommunicator the root does, and the others of its group give ProcNull")
	}
	home := ks[root].comm
	for i, k := range ks {
		want := home.rank
		switch {
		case i == root:
			continue
		case k.comm.core == home.core:
			want = ProcNull
		}
		if k.root != want {
			return broken(ErrNotSame, "GEN-05", "rank %d of the world gave Root, so rank %d has to give %s, not %s",
				home.hub().rankAt(root), home.hub().rankAt(i), special(want), special(k.root))
		}
	}
	return nil
}

// agreeFold compares the operations and data of the ranks that take part.
func (f flow) agreeFold() *fault {
	first := f.from[0]
	for i, k := range f.from {
		if !k.op.like(first.op) {
			return differingOps(first, k)
		}
		if wrong := sameData(&first.send, &k.send, i); wrong != nil {
			return wrong
		}
	}
	for d, k := range f.to {
		if k.rooted && d != f.root {
			continue
		}
		if !k.op.like(first.op) {
			return differingOps(first, k)
		}
		result := first.send.whole()
		if k.result == resultScattered {
			if wrong := f.agreeCut(d); wrong != nil {
				return wrong
			}
			result = k.sends.of(&first.send, k.comm, d)
		}
		if wrong := fitAcross(result, k.recv.whole(), 0, d); wrong != nil {
			return wrong
		}
	}
	return nil
}

// agreeCut compares the blocks of rank d, which gets part of a scattered result, with those
// of rank 0 of its group, and their sum with the number of items.
func (f flow) agreeCut(d int) *fault {
	k, here, there := f.to[d], f.to[d].send.count, f.from[0].send.count
	if here != there {
		return broken(ErrNotSame, "COLL-03", "rank %d of the world brings %d items, rank %d of the other group %d; both groups combine as many",
			k.comm.proc.thread.ID(), here, f.from[0].comm.proc.thread.ID(), there)
	}
	return sameBlocks(&f.to[0].sends, &k.sends, d)
}

func differingOps(a, b *call) *fault {
	return broken(ErrNotSame, "COLL-03", "operations differ: rank %d of the world gave %v, rank %d %v%s",
		a.comm.proc.number(), a.op, b.comm.proc.number(), b.op, namesakes(a.op, b.op))
}

// agreeAllAcross checks a call between groups and moves its data. It returns a *verdict or
// nil.
func agreeAllAcross(ks []*call) any {
	fs := flows(ks)
	if ts := turns(ks[0], fs...); ts != nil {
		return relay(ks, ts)
	}
	hub := ks[0].comm.hub()
	if f := hub.enter(); f != nil {
		return &verdict{fault: f, rank: allRanks}
	}
	defer hub.leave()
	for _, f := range fs {
		var wrong *fault
		switch ks[0].across {
		case pairAcross:
			wrong = f.pairs(func(s, d int) *fault { return move(f.to[d].in(s), f.from[s].out(d)) })
		case foldAcross:
			wrong = reduceInto(f.from, f.to, 0, 1)
		}
		if wrong != nil {
			return &verdict{fault: wrong, rank: allRanks}
		}
	}
	return nil
}

// joinClocks orders the sends of one group before the receives of the other. A barrier
// orders each rank of one group before all of the other.
func (f flow) joinClocks() {
	from, to := f.from, f.to
	switch {
	case from[0].edge == unordered:
		return
	case from[0].rooted && from[0].edge == fromRoot:
		from = from[f.root : f.root+1]
	case from[0].rooted:
		to = to[f.root : f.root+1]
	}
	all := sched.JoinAll(len(from), func(i int) sched.Clock { return from[i].clock })
	for _, k := range to {
		lacks := func(o *call) bool {
			if k.across == foldAcross {
				return k.recv.size() == 0
			}
			return k.across == pairAcross && !k.takes(o.comm.rank)
		}
		if !slices.ContainsFunc(from, lacks) {
			k.seen = k.seen.Join(all)
			continue
		}
		for _, o := range from {
			if !lacks(o) {
				k.seen = k.seen.Join(o.clock)
			}
		}
	}
}
