package comm

import (
	"fmt"
	"strings"

	"github.com/commworld/commworld/internal/sched"
)

// A gathering is a meeting of the ranks of a group that has no communicator yet. The
// communicator that they start from, a tag and the group identify it.
type gathering struct {
	context uint32
	tag     int
	group   members
	meeting *sched.Rendezvous
	absent  int
	here    []int32 // ranks of the world that wait in it
}

// gatherings are the incomplete ones: some ranks have not yet come.
type gatherings struct {
	mu   sched.Mutex
	open []*gathering
}

// enter returns the gathering of a group for a rank of the world, and opens it if
// necessary. Once all have entered it is removed, so that the same group may gather again.
// The fault is that of [gathering.awaits], which is not called for the rank Undefined.
func (gs *gatherings) enter(context uint32, tag int, group members, rank int) (*sched.Rendezvous, *fault) {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	at := -1
	for i, g := range gs.open {
		switch {
		case g.context != context:
		case g.tag == tag && g.group.compare(group) == Ident:
			at = i
		case rank != Undefined && g.group.find(rank) != Undefined:
			if f := g.awaits(rank, tag, group); f != nil {
				return nil, f
			}
		}
	}
	if at < 0 {
		at = len(gs.open)
		gs.open = append(gs.open, &gathering{context: context, tag: tag, group: group, meeting: sched.NewRendezvous(group.n), absent: group.n})
	}
	g := gs.open[at]
	g.here = append(g.here, int32(rank))
	if g.absent--; g.absent == 0 {
		last := len(gs.open) - 1
		gs.open[at], gs.open[last] = gs.open[last], nil
		gs.open = gs.open[:last]
	}
	return g.meeting, nil
}

// awaits returns a fault if a rank of group waits in g for rank, which is about to wait for
// it. A rank that waits for ranks outside of group is correct: rank may come to its group
// later. Cycles of more than two ranks are left to the deadlock report.
func (g *gathering) awaits(rank, tag int, group members) *fault {
	for _, r := range g.here {
		if group.find(int(r)) == Undefined {
			continue
		}
		mine, theirs := groupList(group), groupList(g.group)
		if tag != g.tag {
			mine, theirs = fmt.Sprintf("%s with tag %d", mine, tag), fmt.Sprintf("%s with tag %d", theirs, g.tag)
		}
		return broken(ErrGroup, "COMM-01", "ranks wait for each other in different groups (by their ranks in the world): rank %d gives %s, but rank %d waits with %s; all ranks of a group give the same group and tag",
			rank, mine, r, theirs)
	}
	return nil
}

// groupList returns the first ranks of a group as text, in their order.
func groupList(m members) string {
	const most = 8
	var b strings.Builder
	b.WriteByte('[')
	for i := range min(m.n, most) {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprint(&b, m.world(i))
	}
	if m.n > most {
		fmt.Fprintf(&b, " and %d more", m.n-most)
	}
	return b.String() + "]"
}

// A joining is the wait of a rank until its group has gathered.
type joining struct {
	comm  *Comm
	tag   int
	group members
	at    *sched.Rendezvous
	me    int // rank in the group
}

func (j *joining) String() string {
	return fmt.Sprintf("CreateGroup of %d ranks tag %d on %s", j.group.n, j.tag, j.comm.label())
}

// Explain adds to a deadlock report which ranks of the world are missing.
func (j *joining) Explain(w *sched.Waiting) {
	w.Needs, w.For = "all ranks of the group", j.at.Absent(j.me, j.group.world)
}

// An assembly is the result that all ranks of a gathered group get.
type assembly struct {
	core  *core
	known sched.Clock // clock that the leaving ranks join
}

// CreateGroup makes a communicator of the ranks of g. Unlike [Comm.Create] it is collective
// over the ranks of g alone, all of which give the same group and tag; other ranks may call
// it too and get nil at once. Calls of different groups at one time are distinguished by
// group and tag, so that threads of a rank are the only reason for tags to differ. If two
// ranks would wait for each other with different groups or tags, the later one gets an error
// at once. A rank that waits already gets its error only when the world ends: the two calls
// may be meant for two communicators, and the program can still make the other one. The new
// communicator has c's error handler. Errors: ErrComm, ErrGroup, ErrTag. (COMM-01)
//
// MPI_Comm_create_group
func (c *Comm) CreateGroup(g *Group, tag int) (*Comm, error) {
	const op = "CreateGroup"
	if err := c.alive(op); err != nil {
		return nil, err
	}
	if f := c.oneGroup(op); f != nil {
		return nil, c.fail(op, f)
	}
	if f := c.checkGroup(g); f != nil {
		return nil, c.fail(op, f)
	}
	if tag < 0 || tag > MaxTag {
		return nil, c.fail(op, broken(ErrTag, "COMM-01", "tag %s is not between 0 and %d", specialTag(tag), MaxTag))
	}
	me := g.all().find(c.proc.number())
	if me == Undefined {
		return nil, nil
	}
	if c.core.native != nil {
		return c.groupNative(op, g, tag)
	}
	if f := c.occupy(createGroup); f != nil {
		return nil, c.errorOf(op, f)
	}
	defer c.vacate()
	u, name := c.proc.univ, "group of "+c.core.name
	meeting, f := u.gatherings.enter(c.core.context, tag, g.members, c.proc.number())
	if f != nil {
		return nil, c.fail(op, f)
	}
	join := func(all []any) any {
		known := sched.JoinAll(len(all), func(i int) sched.Clock { return all[i].(sched.Clock) })
		if !u.libraryOrder { // the call orders nothing, although the ranks did wait (CONS-D09)
			known = sched.Clock{}.After(known)
		}
		return &assembly{u.newCore(g.members, name), known}
	}
	v, err := meeting.MeetWith(c.proc.thread, me, &joining{c, tag, g.members, meeting, me}, c.proc.thread.Publish(false), join)
	if err != nil {
		return nil, c.fail(op, err)
	}
	made := v.(*assembly)
	c.proc.thread.Join(made.known)
	return c.newHandle(made.core, me), nil
}
