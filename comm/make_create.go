package comm

import (
	"cmp"
	"fmt"
	"slices"
)

// The collectives that make communicators. The last rank to come makes the part that the
// handles share; each rank then makes its own handle.
var (
	dup    = &routine{name: "Dup", edge: unordered, across: dupAcross, agree: agreeDup}
	dupFor = &routine{name: "Dup", inner: true, edge: unordered, agree: agreeDupFor}
	split  = &routine{name: "Split", agree: agreeSplit}
	create = &routine{name: "Create", edge: unordered, agree: agreeCreate}
)

// A communicator holds the arguments and the results of a call that makes one.
type communicator struct {
	color, key int
	group      *Group
	call       string // name of the user's call, if not the routine's; see DupFor
	topo       topology
	reorder    bool       // the arguments
	remain     []bool     // of CartSub
	edges      []DistEdge // of DistGraphCreate
	attrs      []attribute
	kind       SplitKind
	outer      outer     // zero: the call is part of no other
	sides      *[2]*core // of IntercommCreate
	fault      *fault    // first error in the arguments

	core *core // nil: this rank is in none of the new communicators
	rank int
}

// An outer is one rank's part of the outer call for which a duplicate is made: the place for
// the new handle, and the function that joins all parts; see DupFor.
type outer struct {
	into *Comm
	part any
	join func(parts []any)
}

// Dup makes a communicator of the same ranks with a context of its own, so that a library's
// messages never meet its caller's. The duplicate has the topology of c, and the attributes
// that copy functions give it. Collective. Errors: ErrComm, ErrNotSame, ErrOther if a copy
// function fails. (COMM-01, TOPO-01)
//
// MPI_Comm_dup
func (c *Comm) Dup() (*Comm, error) { return c.dup("") }

// dup makes a duplicate for a call of that name, Dup by default.
func (c *Comm) dup(call string) (*Comm, error) {
	m := c.copied(call)
	return c.make(dup, &m)
}

// copied returns the attributes that a duplicate of c begins with. Errors of attribute
// functions are reported to all ranks.
func (c *Comm) copied(call string) communicator {
	m := communicator{call: call, topo: c.more().topo}
	if len(c.more().attrs) > 0 && c.alive(dup.name) == nil {
		m.attrs, m.fault = c.copyAttrs()
	}
	return m
}

// dupFor implements Dup of [commport.Port].
func (c *Comm) dupFor(d *Comm, call string, part any, join func(parts []any)) error {
	defer c.quietly()()
	m := communicator{call: call, outer: outer{d, part, join}}
	if d == nil || !d.null() {
		m.fault = broken(ErrArg, "COMM-01", "a duplicate is made in a zero Comm only")
	}
	_, err := c.make(dupFor, &m)
	return err
}

// Split makes one communicator for every color; the ranks that give it are its
// members, ordered by key and, where keys are equal, as they are now. A rank
// that gives [Undefined] gets nil. Collective. Errors: ErrComm, ErrNotSame,
// ErrArg for another negative color. (COMM-01)
//
// MPI_Comm_split
func (c *Comm) Split(color, key int) (*Comm, error) {
	return c.make(split, &communicator{color: color, key: key})
}

// Create makes a communicator of the ranks of g. Ranks outside g get nil.
// Collective over all ranks of c; they may give different groups, if these have
// no rank in common, and each rank its own. Errors: ErrComm, ErrGroup,
// ErrNotSame. (COMM-01)
//
// MPI_Comm_create
func (c *Comm) Create(g *Group) (*Comm, error) {
	return c.make(create, &communicator{group: g})
}

// make creates a communicator by routine r with the given arguments.
func (c *Comm) make(r *routine, given *communicator) (*Comm, error) {
	if err := c.alive(given.title(r)); err != nil {
		return nil, err
	}
	m := c.proc.creation(given)
	d, err := c.makes(r, m)
	c.proc.recycle(m)
	return d, err
}

// creation returns a copy of m that other ranks may read. A rank makes one such call at a
// time, so the copy is reused.
func (p *process) creation(m *communicator) *communicator {
	f := p.spareMaking.Swap(nil) // two goroutines of a rank may come here before one of them is refused
	if f == nil {
		f = new(communicator)
	}
	*f = *m
	return f
}

// recycle takes m back when the call is over, unless other ranks may still read it because
// the world ends. Programs open files again and again, so without reuse these structs would
// take a twentieth of the memory of a rank in a large world.
func (p *process) recycle(m *communicator) {
	if m.outer.into != nil && p.univ.sched.Cause() == nil {
		*m = communicator{}
		p.spareMaking.Store(m)
	}
}

func (c *Comm) makes(r *routine, m *communicator) (*Comm, error) {
	if r == split && m.color < 0 && m.color != Undefined {
		m.fault = broken(ErrArg, "COMM-01", "color %d is negative; Undefined is the color of a rank that wants no communicator", m.color)
	}
	if r == create {
		m.fault = c.checkGroup(m.group)
	}
	if c.core.native != nil {
		return c.makeNative(r, m)
	}
	if c.core.inter != nil {
		return c.makeCrossing(r, *m)
	}
	if err := c.agreeAndMake(r, m); err != nil || m.core == nil {
		return nil, err
	}
	return c.inherit(m), nil
}

// agreeAndMake carries out a call that makes a communicator.
func (c *Comm) agreeAndMake(r *routine, m *communicator) error {
	k := c.begin(r)
	k.made = m
	if r == interAnnounce {
		k.root = m.color
	}
	k.wrong(m.fault)
	return k.run()
}

// title returns the name of the call that the program made.
func (m *communicator) title(r *routine) string { return cmp.Or(m.call, r.name) }

// inherit returns the calling rank's handle on the communicator made from c.
func (c *Comm) inherit(m *communicator) *Comm {
	if d := m.outer.into; d != nil { // part of an outer call, which stores the handle
		*d = Comm{core: m.core, proc: c.proc, rank: m.rank}
		return d
	}
	d := c.newHandle(m.core, m.rank)
	if m.topo != nil || m.attrs != nil {
		x := d.extras()
		x.topo, x.attrs = m.topo, m.attrs
	}
	return d
}

// newHandle returns the calling rank's handle, numbered rank, on a communicator made from
// c.
func (c *Comm) newHandle(k *core, rank int) *Comm {
	d := c.proc.handle(k, rank)
	if h := c.more().handler; h != nil {
		d.extras().handler = h
	}
	d.track()
	return d
}

func agreeDup(ks []*call) *fault {
	sameRanks(ks, "dup")
	return nil
}

func agreeDupFor(ks []*call) *fault {
	sameRanks(ks, "dup")
	if join := ks[0].made.outer.join; join != nil {
		parts := make([]any, len(ks))
		for i, k := range ks {
			parts[i] = k.made.outer.part
		}
		join(parts)
	}
	return nil
}

// sameRanks makes a communicator of all ranks in the same order.
func sameRanks(ks []*call, how string) {
	old := ks[0].comm.core
	shared := old.univ.newCore(old.members, how+" of "+old.name)
	for i, k := range ks {
		k.made.core, k.made.rank = shared, i
	}
}

// agreeSplit assigns contexts in the order of colors, so that a seeded run assigns the same
// ones every time.
func agreeSplit(ks []*call) *fault {
	for _, part := range byColor(ks, func(k *call) *communicator { return k.made }) {
		makeCore(part, fmt.Sprintf("split %d of %s", part[0].made.color, part[0].comm.core.name))
	}
	return nil
}

// byColor groups the elements by color, in the order of colors, and sorts each group by
// key.
func byColor[T any](all []T, of func(T) *communicator) (parts [][]T) {
	sorted := make([]T, 0, len(all))
	for _, x := range all {
		if of(x).color != Undefined {
			sorted = append(sorted, x)
		}
	}
	slices.SortStableFunc(sorted, func(a, b T) int {
		return cmp.Or(cmp.Compare(of(a).color, of(b).color), cmp.Compare(of(a).key, of(b).key))
	})
	for len(sorted) > 0 {
		color := of(sorted[0]).color
		n := slices.IndexFunc(sorted, func(x T) bool { return of(x).color != color })
		if n < 0 {
			n = len(sorted)
		}
		parts, sorted = append(parts, sorted[:n:n]), sorted[n:]
	}
	return parts
}

// makeCore makes the communicator of the ranks that made these calls.
func makeCore(ks []*call, name string) {
	list := make([]int32, len(ks))
	for i, k := range ks {
		list[i] = int32(k.comm.proc.number())
	}
	shared := ks[0].comm.core.univ.newCore(membersOf(list), name)
	for i, k := range ks {
		k.made.core, k.made.rank = shared, i
	}
}

func (c *Comm) checkGroup(g *Group) *fault {
	if g.Size() > 0 && g.univ != c.proc.univ {
		return broken(ErrGroup, "COMM-01", "the group has ranks of another world than %s", c.core.name)
	}
	find := c.core.members.finder()
	for i := range g.Size() {
		if w := g.world(i); find(w) == Undefined {
			return broken(ErrGroup, "COMM-01", "the group has rank %d of the world, which is not in %s", w, c.core.name)
		}
	}
	return nil
}

// agreeCreate makes one communicator for every group; all members of a group must have
// given it.
func agreeCreate(ks []*call) *fault {
	at := ks[0].comm.core.members.finder()
	for i, k := range ks {
		g := k.made.group
		if g.all().find(k.comm.proc.number()) == Undefined || k.made.core != nil {
			continue
		}
		ms := make([]*call, g.n)
		for j := range ms {
			peer := at(g.world(j))
			if ks[peer].made.group.all().compare(g.members) != Ident {
				return broken(ErrNotSame, "COMM-01", "rank %d is in the group of rank %d, but gave another", peer, i)
			}
			ms[j] = ks[peer]
		}
		makeCore(ms, fmt.Sprintf("create of %s", ks[0].comm.core.name))
	}
	return nil
}
