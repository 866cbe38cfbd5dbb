package comm

import (
	"fmt"

	"github.com/commworld/commworld/internal/sched"
)

// An intercommunicator is made in three steps: the ranks of a group agree on the arguments,
// the two leaders meet, and each leader informs its group.
var (
	interAsk      = &routine{name: "IntercommCreate", edge: unordered, agree: agreeAsk}
	interAnnounce = &routine{name: "IntercommCreate", inner: true, edge: fromRoot, agree: agreeAnnounce}
)

// IntercommCreate makes an intercommunicator of the calling group, c, and that
// of the other side. No rank can be in both: it would have to make two calls at
// once, and the deadlock report says so. localLeader is a rank of
// c; on it alone, peer is a communicator that the leaders of both groups share
// and remoteLeader the other leader's rank in it. tag distinguishes several calls
// by the same leaders. Collective over both groups; localLeader and tag are the
// same within each. The new communicator has c's error handler. Errors:
// ErrComm, ErrRank, ErrTag, ErrNotSame. (COMM-02)
//
// MPI_Intercomm_create
func (c *Comm) IntercommCreate(localLeader int, peer *Comm, remoteLeader, tag int) (*Comm, error) {
	if err := c.alive(interAsk.name); err != nil {
		return nil, err
	}
	ask := communicator{color: localLeader, key: tag}
	ask.fault = c.oneGroup(interAsk.name)
	if ask.fault == nil {
		ask.fault = c.checkLeaders(localLeader, peer, remoteLeader, tag)
	}
	if c.core.native != nil {
		return c.intercommNative(&ask, peer, remoteLeader)
	}
	if err := c.agreeAndMake(interAsk, &ask); err != nil {
		return nil, err
	}
	report := communicator{color: localLeader}
	if c.rank == localLeader {
		sides, err := c.meetLeaders(peer, remoteLeader, tag)
		if err != nil {
			return nil, c.fail(interAsk.name, err)
		}
		report.sides = sides
	}
	if err := c.agreeAndMake(interAnnounce, &report); err != nil {
		return nil, err
	}
	return c.inherit(&report), nil
}

func (c *Comm) checkLeaders(local int, peer *Comm, remote, tag int) *fault {
	switch n := c.core.members.n; {
	case local < 0 || local >= n:
		return broken(ErrRank, "COMM-02", "the leader %s is none of the %d ranks of %s", special(local), n, c.label())
	case tag < 0 || tag > MaxTag:
		return broken(ErrTag, "COMM-02", "tag %s is not between 0 and %d", specialTag(tag), MaxTag)
	case local != c.rank:
		return nil // the rest matters on the leader alone
	case peer.null() || peer.freed || peer.proc != c.proc:
		return broken(ErrComm, "COMM-02", "the communicator of the two leaders is nil, freed, or another rank's")
	}
	n := peer.core.peers().n
	if remote < 0 || remote >= n {
		return broken(ErrRank, "COMM-02", "the other leader %s is none of the %d ranks of %s", special(remote), n, peer.label())
	}
	if peer.core.peers().world(remote) == c.proc.number() {
		return broken(ErrRank, "COMM-02", "the other leader is this rank itself")
	}
	return nil
}

func agreeAsk(ks []*call) *fault {
	zero := ks[0].made
	for i, k := range ks {
		if m := k.made; m.color != zero.color || m.key != zero.key {
			return broken(ErrNotSame, "COMM-02", "rank 0 gave leader %d and tag %d, rank %d gave %d and %d",
				zero.color, zero.key, i, m.color, m.key)
		}
	}
	return nil
}

// agreeAnnounce gives all ranks the result that the leader brings.
func agreeAnnounce(ks []*call) *fault {
	sides := ks[ks[0].made.color].made.sides
	mine := sides[0]
	if mine.members.compare(ks[0].comm.core.members) != Ident {
		mine = sides[1]
	}
	for i, k := range ks {
		k.made.core, k.made.rank = mine, i
	}
	return nil
}

// A handshake is the part of a leader in its meeting with the other leader, and its reason
// to wait.
type handshake struct {
	comm  *Comm
	clock sched.Clock
	with  int // rank in the world
	tag   int
}

func (h *handshake) String() string {
	return fmt.Sprintf("IntercommCreate with rank %d of the world tag %d as leader of %s", h.with, h.tag, h.comm.label())
}

// Explain adds to a deadlock report which rank the leader waits for.
func (h *handshake) Explain(w *sched.Waiting) { w.For = []int{h.with} }

// A bond is the result that both leaders get.
type bond struct {
	sides *[2]*core
	clock sched.Clock
}

// meetLeaders makes the leaders meet. The leader with the lower rank in the world is side
// 0.
func (c *Comm) meetLeaders(peer *Comm, remote, tag int) (*[2]*core, error) {
	u, thread := c.proc.univ, c.proc.thread
	me, with := thread.ID(), peer.core.peers().world(remote)
	slot := 0
	if with < me {
		slot = 1
	}
	pair := membersOf([]int32{int32(min(me, with)), int32(max(me, with))})
	meeting, _ := u.handshakes.enter(peer.core.context, tag, pair, Undefined)
	h := &handshake{c, thread.Publish(false), with, tag}
	v, err := meeting.MeetWith(thread, slot, h, h, func(all []any) any {
		a, b := all[0].(*handshake), all[1].(*handshake)
		m, o := a.comm.core.members, b.comm.core.members
		name := fmt.Sprintf("intercomm of %s and %s", a.comm.core.name, b.comm.core.name)
		return &bond{u.newInter(m, o, name), a.clock.Join(b.clock)}
	})
	if err != nil {
		return nil, err
	}
	out := v.(*bond)
	thread.Join(out.clock)
	return out.sides, nil
}
