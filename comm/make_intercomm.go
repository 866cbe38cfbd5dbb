package comm

import (
	"fmt"

	"github.com/commworld/commworld/internal/sched"
)

// An inter is the additional part of an intercommunicator: the other group, and the meetings
// of both. Each group has its own core; the two share a context, which cannot confuse their
// messages, because no rank is in both.
type inter struct {
	far     members
	side    int // side of this group
	sides   *[2]*core
	meeting *sched.Rendezvous     // the ranks of side 0, then those of side 1
	calls   *sched.Meeting[*call] // the meeting for collectives that move data
}

// newInter makes the cores of an intercommunicator.
func (u *universe) newInter(a, b members, name string) *[2]*core {
	sides := &[2]*core{u.newCore(a, name), u.newCore(b, name)}
	sides[1].context = sides[0].context
	meeting := sched.NewRendezvous(a.n + b.n)
	calls := sched.NewOrderly[*call](a.n + b.n)
	sides[0].inter = &inter{b, 0, sides, meeting, calls}
	sides[1].inter = &inter{a, 1, sides, meeting, calls}
	return sides
}

// peers returns the ranks to which ranks of k send messages.
func (k *core) peers() *members {
	if k.inter != nil {
		return &k.inter.far
	}
	return &k.members
}

// TestInter reports whether c is an intercommunicator. Local. Errors: ErrComm.
// (COMM-02)
//
// MPI_Comm_test_inter
func (c *Comm) TestInter() (bool, error) {
	if err := c.alive("TestInter"); err != nil {
		return false, err
	}
	return c.core.inter != nil, nil
}

// RemoteSize returns the number of ranks of the other group. Local. Errors:
// ErrComm, also for a communicator of one group. (COMM-02)
//
// MPI_Comm_remote_size
func (c *Comm) RemoteSize() (int, error) {
	if err := c.twoGroups("RemoteSize"); err != nil {
		return 0, err
	}
	return c.core.inter.far.n, nil
}

// RemoteGroup returns the other group. Local. Errors: as RemoteSize. (COMM-02)
//
// MPI_Comm_remote_group
func (c *Comm) RemoteGroup() (*Group, error) {
	if err := c.twoGroups("RemoteGroup"); err != nil {
		return nil, err
	}
	return &Group{c.core.inter.far, c.proc.number(), c.proc.univ}, nil
}

// twoGroups returns an error if the communicator has only one group.
func (c *Comm) twoGroups(op string) error {
	err := c.alive(op)
	if err == nil && c.core.inter == nil {
		err = c.fail(op, broken(ErrComm, "COMM-02", "%s has one group; %s needs an intercommunicator", c.label(), op))
	}
	return err
}

// oneGroup returns the fault of a collective that does not accept an intercommunicator.
func (c *Comm) oneGroup(op string) *fault {
	if c.core.inter == nil {
		return nil
	}
	return broken(ErrComm, "COMM-02", "%s has two groups; %s takes a communicator of one", c.label(), op)
}

// A crossing is one rank's part in a meeting of both groups.
type crossing struct {
	*communicator
	comm  *Comm
	name  string
	high  bool
	edge  edge
	clock sched.Clock
	place sched.Place
}

// String returns the text of a deadlock report for a rank that waits in x.
func (x *crossing) String() string {
	return fmt.Sprintf("%s of both groups of %s", x.name, x.comm.label())
}

// Explain adds to a deadlock report which ranks of the world are missing.
func (x *crossing) Explain(w *sched.Waiting) {
	c := x.comm
	w.Needs, w.For = "all ranks of both groups", c.core.inter.meeting.Absent(c.seat(), c.hub().rankAt)
}

// A crossed is the result that all ranks get from a meeting of both groups.
type crossed struct {
	fault *fault
	by    *crossing      // the call with the wrong arguments; nil: no call in particular
	known [2]sched.Clock // clocks that the ranks of each side join
}

// cross makes both groups meet; join is called once, with the ranks of each side.
func (c *Comm) cross(x *crossing, join func(sides [2][]*crossing) *fault) error {
	if f := c.occupy(&routine{name: x.name}); f != nil {
		return c.errorOf(x.name, f)
	}
	in := c.core.inter
	x.comm, x.clock, x.place = c, c.proc.thread.Publish(false), c.proc.thread.Place()
	n := in.sides[0].members.n
	v, err := in.meeting.MeetWith(c.proc.thread, c.rank+in.side*n, x, x, func(all []any) any {
		xs := make([]*crossing, len(all))
		for i, v := range all {
			xs[i] = v.(*crossing)
		}
		out, sides := new(crossed), [2][]*crossing{xs[:n], xs[n:]}
		if out.by, out.fault = agreeCrossing(xs); out.fault == nil {
			out.known = learnedAcross(xs, sides)
			out.fault = join(sides)
		}
		return out
	})
	c.vacate()
	if err != nil {
		return c.fail(x.name, err)
	}
	out := v.(*crossed)
	c.proc.thread.Join(out.known[in.side])
	switch f := out.fault; {
	case f == nil:
		return nil
	case out.by == nil || out.by == x:
		return c.fail(x.name, f)
	default:
		far := ""
		if out.by.comm.core != c.core {
			far = " of the other group"
		}
		return c.fail(x.name, &fault{Class: f.Class, Rule: f.Rule, Err: fmt.Errorf("failed on rank %d%s: %w", out.by.comm.rank, far, f.Err)})
	}
}

// learnedAcross returns the clocks that the ranks of each side join when they leave.
// (CONS-D09)
func learnedAcross(xs []*crossing, sides [2][]*crossing) (known [2]sched.Clock) {
	all := sched.JoinAll(len(xs), func(i int) sched.Clock { return xs[i].clock })
	for s := range known {
		known[s] = known[s].After(all) // the ranks did wait for each other here, although the standard does not promise it
		switch other := sides[1-s]; {
		case xs[0].edge == together || xs[0].comm.proc.univ.libraryOrder:
			known[s] = all
		case xs[0].edge == perGroup && len(other) == 1:
			known[s] = known[s].Join(other[0].clock)
		}
	}
	return known
}

// agreeCrossing returns a fault if ranks are in different calls, otherwise that of the
// first call with bad arguments.
func agreeCrossing(xs []*crossing) (by *crossing, f *fault) {
	for _, x := range xs {
		if x.name != xs[0].name {
			return nil, broken(ErrNotSame, "GEN-06", "on %s one rank called %s at %v and another %s at %v; all ranks of both groups make the same calls in the same order",
				x.comm.core.name, xs[0].name, xs[0].place, x.name, x.place)
		}
	}
	for _, x := range xs {
		if x.fault != nil {
			return x, x.fault
		}
	}
	return nil, nil
}

// makeCrossing is Comm.make for an intercommunicator.
func (c *Comm) makeCrossing(r *routine, m communicator) (*Comm, error) {
	var join func(sides [2][]*crossing) *fault
	how := r.edge
	switch {
	case m.outer.into != nil:
		m.fault = c.oneGroup(m.title(r))
	case r == dup:
		join = joinDup
	case r == split:
		join = joinSplit
	case r == create:
		join, how = joinCreate, perGroup
	default:
		m.fault = c.oneGroup(r.name)
	}
	if join == nil {
		// Every rank that makes this call is wrong, and each finds that without a meeting.
		return nil, c.fail(m.title(r), m.fault)
	}
	if err := c.cross(&crossing{communicator: &m, name: m.title(r), edge: how}, join); err != nil || m.core == nil {
		return nil, err
	}
	return c.inherit(&m), nil
}

func joinDup(sides [2][]*crossing) *fault {
	a, b := sides[0][0].comm.core, sides[1][0].comm.core
	enroll(sides, a.univ.newInter(a.members, b.members, "dup of "+a.name))
	return nil
}

// enroll gives the ranks of each side its core.
func enroll(sides [2][]*crossing, cores *[2]*core) {
	for s, xs := range sides {
		for i, x := range xs {
			x.core, x.rank = cores[s], i
		}
	}
}

// joinSplit links the ranks with equal colors. A color that only one group has makes no
// communicator.
func joinSplit(sides [2][]*crossing) *fault {
	var parts [2][][]*crossing
	for s, xs := range sides {
		parts[s] = byColor(xs, func(x *crossing) *communicator { return x.communicator })
	}
	old := sides[0][0].comm.core
	for _, near := range parts[0] {
		for _, far := range parts[1] {
			if color := near[0].color; color == far[0].color {
				name := fmt.Sprintf("split %d of %s", color, old.name)
				enroll([2][]*crossing{near, far}, old.univ.newInter(ranksOf(near), ranksOf(far), name))
			}
		}
	}
	return nil
}

func ranksOf(xs []*crossing) members {
	list := make([]int32, len(xs))
	for i, x := range xs {
		list[i] = int32(x.comm.proc.number())
	}
	return membersOf(list)
}

// joinCreate links the groups that the two sides gave.
func joinCreate(sides [2][]*crossing) *fault {
	var picked [2][]*crossing
	for s, xs := range sides {
		g := xs[0].group.all()
		at := xs[0].comm.core.members.finder()
		for i, x := range xs {
			if x.group.all().compare(g) != Ident {
				return broken(ErrNotSame, "COMM-02", "rank 0 and rank %d of one group gave different groups", i)
			}
		}
		for i := range g.n {
			picked[s] = append(picked[s], xs[at(g.world(i))])
		}
	}
	if len(picked[0]) == 0 || len(picked[1]) == 0 {
		return nil
	}
	old := sides[0][0].comm.core
	enroll(picked, old.univ.newInter(ranksOf(picked[0]), ranksOf(picked[1]), "create of "+old.name))
	return nil
}

// IntercommMerge makes a communicator of the ranks of both groups. The group that gives high
// comes after the other; if both give the same value, the group whose leader has the lower
// rank in the world comes first. All ranks of a group give the same value. Collective over
// both groups. Errors: ErrComm, ErrNotSame. (COMM-02)
//
// MPI_Intercomm_merge
func (c *Comm) IntercommMerge(high bool) (*Comm, error) {
	const op = "IntercommMerge"
	if err := c.twoGroups(op); err != nil {
		return nil, err
	}
	if c.core.native != nil {
		return c.mergeNative(op, high)
	}
	m := communicator{}
	if err := c.cross(&crossing{communicator: &m, name: op, high: high, edge: perGroup}, joinMerge); err != nil {
		return nil, err
	}
	return c.inherit(&m), nil
}

func joinMerge(sides [2][]*crossing) *fault {
	for _, xs := range sides {
		for i, x := range xs {
			if x.high != xs[0].high {
				return broken(ErrNotSame, "COMM-02", "rank 0 of a group gave high %t, rank %d %t", xs[0].high, i, x.high)
			}
		}
	}
	first, second := sides[0], sides[1]
	if first[0].high && !second[0].high {
		first, second = second, first
	}
	xs := append(append([]*crossing(nil), first...), second...)
	old := xs[0].comm.core
	shared := old.univ.newCore(ranksOf(xs), "merge of "+old.name)
	for i, x := range xs {
		x.core, x.rank = shared, i
	}
	return nil
}
