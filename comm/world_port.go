package comm

import (
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/reps"
)

// Internal returns functions for the other packages of this module. A program cannot call it,
// because it cannot make a key.
func Internal(commport.Key) *commport.Port[*Comm, *Request, Status] { return &port }

var port = commport.Port[*Comm, *Request, Status]{
	Launch: func(s *sched.Sched, o commport.LaunchOptions) commport.Universe[*Comm] { return launch(s, o) },
	Thread: (*Comm).thread, Rendezvous: (*Comm).rendezvous, InWorld: (*Comm).inWorld, ArchOf: (*Comm).archOf, Log: (*Comm).rankLog,
	Engine: (*Comm).engineComm, EngineWorld: (*Comm).engineWorld, Bare: (*Comm).bare,
	Faults: (*Comm).faultPlan, Reps: (*Comm).registry, Keep: (*Comm).keep, Kept: (*Comm).kept,
	AtEnd: (*Comm).atEnd, Handles: (*Comm).checksHandles, Overlook: (*Comm).overlook, Guards: (*Comm).guards, Watches: (*Comm).watches, Guard: (*Comm).guard, Dup: (*Comm).dupFor,
	NewRequest: (*Comm).newRequest, Wake: (*Request).wake, Conclude: (*Comm).conclude, AwaitAny: awaitAny, Probing: (*Comm).probing, StandIn: (*Comm).standIn, MatchSizes: (*Comm).matchSizes,
}

// The following methods implement [commport.Port].

func (c *Comm) thread() *sched.Rank {
	if c.null() {
		return nil
	}
	return c.proc.thread
}

func (c *Comm) matchSizes() { c.proc.univ.matchSizes.Store(true) }

func (c *Comm) standIn(on bool) { c.proc.standsIn = on }

func (c *Comm) rendezvous() *sched.Rendezvous {
	if c.null() {
		return nil
	}
	if v := c.core.guest.Load(); v != nil {
		return v
	}
	c.core.guest.CompareAndSwap(nil, sched.NewRendezvous(c.core.members.n))
	return c.core.guest.Load()
}

func (c *Comm) inWorld(rank int) int {
	if rank < 0 || rank >= c.Size() {
		return errclass.NoRank
	}
	return c.core.members.world(rank)
}

func (c *Comm) archOf(rank int) *reps.Arch {
	if r := c.inWorld(rank); r >= 0 && r < len(c.proc.univ.procs) {
		return c.proc.univ.procs[r].arch
	}
	return reps.LP64LE
}

func (c *Comm) rankLog() *trace.Log {
	if c.null() {
		return nil
	}
	return c.proc.log
}

func (c *Comm) engineComm() engine.Comm {
	if c.null() {
		return nil
	}
	return c.core.native
}

func (c *Comm) engineWorld() engine.World {
	if c.null() || c.proc.univ.far == nil {
		return nil
	}
	return c.proc.univ.far.world
}

func (c *Comm) bare() bool { return !c.null() && c.proc.univ.bare }

func (c *Comm) keep(key, value any) {
	if c.null() {
		return
	}
	p := c.proc
	if value == nil {
		delete(p.kept, key)
		return
	}
	if p.kept == nil {
		p.kept = make(map[any]any)
	}
	p.kept[key] = value
}

func (c *Comm) kept(key any) any {
	if c.null() {
		return nil
	}
	return c.proc.kept[key]
}

func (c *Comm) faultPlan() *faults.Plan {
	if c.null() {
		return nil
	}
	return c.proc.univ.faults
}

func (c *Comm) registry() *reps.Registry {
	if c.null() {
		return reps.NewRegistry(reps.LP64LE)
	}
	if c.proc.reps == nil {
		c.proc.reps = reps.NewRegistry(c.proc.arch)
	}
	return c.proc.reps
}
