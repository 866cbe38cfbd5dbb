package machine

import (
	"iter"
	"math"
	"slices"

	"github.com/commworld/commworld/iofile/strategy"
)

// A members has the ranks of a group.
type members struct {
	n     int
	ranks []int       // nil: all ranks
	index map[int]int // in ranks
	wide  bool        // on more than one node
}

// members returns the ranks of a group. Error: ErrArg if a rank of the group does not
// exist or is in it twice.
func (s *sim) members(g *Group) (*members, error) {
	if x := s.groups[g]; x != nil {
		return x, nil
	}
	x := &members{n: s.p.Ranks}
	if g == nil {
		x.wide = s.p.Ranks > s.m.RanksPerNode
	} else {
		x.n, x.ranks, x.index = len(g.Ranks), slices.Clone(g.Ranks), make(map[int]int, len(g.Ranks))
		for i, rank := range x.ranks {
			if _, twice := x.index[rank]; twice || rank < 0 || rank >= s.p.Ranks {
				return nil, fault("a group has rank %d, which is twice in it or is none of the %d ranks", rank, s.p.Ranks)
			}
			x.index[rank] = i
			x.wide = x.wide || s.node(rank) != s.node(x.ranks[0])
		}
	}
	s.groups[g] = x
	return x, nil
}

// rank returns the i-th rank of the group.
func (g *members) rank(i int) int {
	if g.ranks == nil {
		return i
	}
	return g.ranks[i]
}

// seat returns the place of rank in the group, and whether it is a member.
func (g *members) seat(rank int) (int, bool) {
	if g.ranks == nil {
		return rank, rank < g.n
	}
	i, ok := g.index[rank]
	return i, ok
}

// all returns the ranks in order.
func (g *members) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range g.n {
			if !yield(g.rank(i)) {
				return
			}
		}
	}
}

// link returns the link that connects the members.
func (s *sim) link(g *members) *Link {
	if g.wide {
		return &s.m.Network
	}
	return &s.m.Node
}

// steps returns the number of consecutive messages by which one rank can inform n ranks.
func steps(n int) float64 { return math.Ceil(math.Log2(float64(max(n, 1)))) }

// tree returns the time in which the members exchange a fact: the logarithm of their number,
// in messages.
func (s *sim) tree(g *members) float64 {
	l := s.link(g)
	return steps(g.n) * (l.Latency + 2*l.Overhead)
}

// A roomKey identifies a collective call: its group, and its number. Calls without a
// number are matched by their order in the group.
type roomKey struct {
	group  *Group
	number int64
}

// A room is a collective call to which ranks have come.
type room struct {
	call    Call // of the first rank
	first   int  // the first rank
	group   *members
	entered int
	left    int
	at      float64 // when the last rank came
	path    *stride // critical path of that rank
	waiting []int32 // ranks that wait in it
	rooted  bool    // the root has come
	rootAt  float64 // when the root came
	root    *stride // the critical path to the root's arrival
	most    int64   // largest number of bytes of one rank
	sum     int64   // bytes of all ranks
	brought []strategy.Part
}

// enter lets rank come to a collective call.
func (s *sim) enter(rank int, c *Call) (*room, error) {
	key := roomKey{c.Group, c.Number}
	r := s.rooms[key]
	if r == nil {
		g, err := s.members(c.Group)
		if err != nil {
			return nil, err
		}
		r = &room{call: *c, first: rank, group: g}
		if c.Op == Write || c.Op == Read {
			r.brought = make([]strategy.Part, g.n)
		}
		s.rooms[key] = r
	}
	seat, ok := r.group.seat(rank)
	if !ok {
		return nil, fault("rank %d makes %s of a group in which it is not", rank, c.label())
	}
	if m := &r.call; !m.like(c) {
		return nil, fault("ranks are in different calls of all ranks: rank %d in %s of %q, rank %d in %s of %q",
			r.first, m.label(), m.File, rank, c.label(), c.File)
	}
	if r.brought != nil {
		r.brought[seat] = c.Part
	}
	r.entered++
	if now := s.now[rank]; r.entered == 1 || now >= r.at {
		r.at, r.path = now, s.stride(rank, c.label())
	}
	r.most, r.sum = max(r.most, c.Bytes), r.sum+c.Bytes
	if rank == c.Root {
		r.rooted, r.rootAt, r.root = true, s.now[rank], s.stride(rank, c.label())
	}
	return r, nil
}

// like reports whether c and o are the same collective call.
func (c *Call) like(o *Call) bool {
	same := c.Op == o.Op || c.Op >= Collective && o.Op >= Collective
	return same && c.File == o.File && c.Pointer == o.Pointer && c.Kind == o.Kind && c.Root == o.Root
}

// arrive makes rank wait for all ranks in a call on a file, or in a barrier.
func (s *sim) arrive(rank int, c *Call) error {
	r, err := s.enter(rank, c)
	if err != nil {
		return err
	}
	s.blocked[rank] = &r.call
	if r.entered == r.group.n {
		delete(s.rooms, roomKey{c.Group, c.Number})
		s.meet(r)
	}
	return nil
}

// meet lets all ranks of a room continue.
func (s *sim) meet(r *room) {
	c, g := &r.call, r.group
	for rank := range g.all() {
		s.until(rank, c, r.at, InPeers)
	}
	s.walk(g, r.path)
	at := r.at + s.tree(g)
	for rank := range g.all() {
		s.until(rank, c, at, InNetwork)
	}
	switch c.Op {
	case Open: // one rank creates the file, then each opens it
		s.open(c)
		made := s.metadata(at)
		for rank := range g.all() {
			s.until(rank, c, s.metadata(made), InMetadata)
		}
	case Sync, Close:
		for rank := range g.all() {
			s.until(rank, c, s.flush(rank, at), InServer)
		}
		if c.Op == Close {
			s.metadata(at)
		}
	case Write, Read:
		if c.Pointer == Ordered { // one rank moves the pointer, and all add up the lengths of the ranks before them
			at = s.pointer(c, at) + s.tree(g)
			for rank := range g.all() {
				s.until(rank, c, at, InLock)
			}
		}
		s.access(r, at)
		return
	}
	for rank := range g.all() {
		s.resume(rank, s.now[rank])
	}
}

// until charges rank's time up to t to one part.
func (s *sim) until(rank int, c *Call, t float64, into int) {
	var spent Parts
	spent[into] = t - s.now[rank]
	s.spend(rank, c.label(), t, &spent)
}

// access carries out the access of the ranks of a room, which begins at t.
func (s *sim) access(r *room, t float64) {
	c, g := &r.call, r.group
	for i := range r.brought {
		s.bring(c, &r.brought[i])
	}
	o, err := strategy.NewOutline(s.strategyOf(c), c.Op == Write, r.brought)
	if err != nil {
		s.wrong = err
		return
	}
	if o != nil && o.Rounds > 0 {
		s.exchange(c, g, o, t)
		for rank := range g.all() {
			s.resume(rank, s.now[rank])
		}
		return
	}
	for i := range g.n {
		own, rank := *c, g.rank(i)
		own.Part = r.brought[i]
		s.blocked[rank] = nil
		if s.own(rank, &own) {
			s.resume(rank, s.now[rank])
		}
	}
}

// collective carries out a collective call without a file, and reports whether the rank
// can continue.
func (s *sim) collective(rank int, c *Call) (goes bool, err error) {
	key := roomKey{c.Group, c.Number}
	r := s.rooms[key]
	if c.Op != Finish {
		if r, err = s.enter(rank, c); err != nil {
			return false, err
		}
		if c.Op == Start {
			s.pay(rank, c, s.link(r.group).Overhead)
		}
		if rank == r.call.Root || r.entered == r.group.n { // else nothing changes for the waiting ranks
			s.serve(r)
		}
		if c.Op == Start {
			return true, nil
		}
	}
	if r == nil {
		return false, fault("rank %d waits for %s %d, which it has not started", rank, c.label(), c.Number)
	}
	if !r.serves(rank) {
		own := *c
		s.blocked[rank] = &own
		r.waiting = append(r.waiting, int32(rank))
		return false, nil
	}
	s.leave(rank, c, r)
	return true, nil
}

// pay charges time for messages to rank.
func (s *sim) pay(rank int, c *Call, time float64) {
	s.until(rank, c, s.now[rank]+time, InNetwork)
}

// serves reports whether every rank that rank waits for has come.
func (r *room) serves(rank int) bool {
	switch r.call.Kind {
	case Broadcast, Scatter:
		return r.rooted
	case Gather, Reduce:
		return rank != r.call.Root || r.entered == r.group.n
	}
	return r.entered == r.group.n
}

// serve lets all ranks continue that can do so after another rank has come.
func (s *sim) serve(r *room) {
	rest := r.waiting[:0]
	for _, w := range r.waiting {
		rank := int(w)
		if !r.serves(rank) {
			rest = append(rest, w)
			continue
		}
		c := s.blocked[rank]
		s.leave(rank, c, r)
		s.resume(rank, s.now[rank])
	}
	r.waiting = rest
}

// leave lets rank leave a collective call.
func (s *sim) leave(rank int, c *Call, r *room) {
	if r.left++; r.left == r.group.n {
		delete(s.rooms, roomKey{c.Group, c.Number})
	}
	l, deep := s.link(r.group), steps(r.group.n)
	one := l.Overhead + float64(r.most)/l.Bandwidth // the rank's own part of one message
	from, path, time := r.at, r.path, deep*(l.Latency+2*l.Overhead)
	switch r.call.Kind {
	case Broadcast:
		if rank == r.call.Root {
			s.pay(rank, c, deep*one)
			return
		}
		from, path, time = r.rootAt, r.root, time+deep*float64(r.most)/l.Bandwidth
	case Scatter:
		if rank == r.call.Root {
			s.pay(rank, c, deep*l.Overhead+float64(r.sum)/l.Bandwidth)
			return
		}
		from, path, time = r.rootAt, r.root, time+float64(r.most)/l.Bandwidth
	case Gather, Reduce:
		if rank != r.call.Root {
			s.pay(rank, c, one)
			return
		}
		if r.call.Kind == Gather {
			time += float64(r.sum) / l.Bandwidth
		} else {
			time += deep * float64(r.most) / l.Bandwidth
		}
	case Allgather:
		time += float64(r.sum) / l.Bandwidth
	case Alltoall:
		time += float64(r.most) / l.Bandwidth
	case Allreduce:
		time += deep * float64(r.most) / l.Bandwidth
	}
	s.wakeAt(rank, c, from, from+time, path)
}

// wakeAt lets rank continue at t, or when it begins to wait if that is later. The reason
// is the work of another rank up to time from.
func (s *sim) wakeAt(rank int, c *Call, from, t float64, path *stride) {
	if t <= s.now[rank] {
		s.pay(rank, c, 0)
		return
	}
	if from > s.now[rank] {
		s.until(rank, c, from, InPeers)
	}
	s.since[rank], s.paths[rank] = Parts{}, path
	if late := s.now[rank] - from; late > 0 { // the rank's own work since then is not on the path
		s.since[rank][InNetwork] = late
	}
	s.until(rank, c, t, InNetwork)
}
