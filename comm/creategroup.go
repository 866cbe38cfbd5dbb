package comm

import (
	"fmt"

	"github.com/commworld/commworld/internal/sched"
)

// A gathering is where the ranks of a group meet that have no communicator of
// their own yet: each finds it by the communicator that it starts from, a tag
// and the group.
type gathering struct {
	context uint32
	tag     int
	group   members
	meeting *sched.Rendezvous
	absent  int
}

// gatherings are those that some ranks have yet to come to.
type gatherings struct {
	mu   sched.Mutex
	open []*gathering
}

// enter finds the gathering of a group, or opens it. Once all have entered it is
// no longer found, so that the same group may gather again.
func (gs *gatherings) enter(context uint32, tag int, group members) *sched.Rendezvous {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	at := -1
	for i, g := range gs.open {
		if g.context == context && g.tag == tag && g.group.compare(group) == Ident {
			at = i
			break
		}
	}
	if at < 0 {
		at = len(gs.open)
		gs.open = append(gs.open, &gathering{context, tag, group, sched.NewRendezvous(group.n), group.n})
	}
	g := gs.open[at]
	if g.absent--; g.absent == 0 {
		last := len(gs.open) - 1
		gs.open[at], gs.open[last] = gs.open[last], nil
		gs.open = gs.open[:last]
	}
	return g.meeting
}

// A joining is what a rank waits in until its group has gathered.
type joining struct {
	comm *Comm
	tag  int
	n    int
}

func (j *joining) String() string {
	return fmt.Sprintf("CreateGroup of %d ranks tag %d on %s", j.n, j.tag, j.comm.Name())
}

// An assembly is what a group that has gathered leaves with.
type assembly struct {
	core  *core
	known sched.Clock // what any of them knew
}

// CreateGroup makes a communicator of the ranks of g. Unlike [Comm.Create] it
// is collective over the ranks of g alone, all of which give the same group and
// tag; other ranks may call it too and get nil at once. Calls of different
// groups at one time are told apart by group and tag, so that threads of a rank
// are the only reason for tags to differ. A rank that gives another group or
// tag than its fellows waits for those that would give its own, and the
// deadlock report says so. The new communicator has c's error handler. Errors:
// ErrComm, ErrGroup, ErrTag. (COMM-01)
//
// MPI_Comm_create_group
func (c *Comm) CreateGroup(g *Group, tag int) (*Comm, error) {
	const op = "CreateGroup"
	if err := c.alive(op); err != nil {
		return nil, err
	}
	if f := c.checkGroup(g); f != nil {
		return nil, c.fail(op, f)
	}
	if tag < 0 || tag > MaxTag {
		return nil, c.fail(op, broken(ErrTag, "COMM-01", "tag %s is not between 0 and %d", special(tag), MaxTag))
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
	meeting := u.gatherings.enter(c.core.context, tag, g.members)
	join := func(all []any) any {
		known := sched.JoinAll(len(all), func(i int) sched.Clock { return all[i].(sched.Clock) })
		return &assembly{u.newCore(g.members, name), known}
	}
	before := c.proc.thread.Now()
	v, err := meeting.MeetWith(c.proc.thread, me, &joining{c, tag, g.n}, before, join)
	if err != nil {
		return nil, c.fail(op, err)
	}
	made := v.(*assembly)
	c.proc.thread.Adopt(before, made.known)
	return c.heir(made.core, me, false), nil
}
