package comm

import (
	"fmt"
	"runtime"

	"github.com/commworld/commworld/internal/sched"
)

// A verdict is the result of a meeting, from the last rank to come: the work that is left,
// or an error. nil means that everything is done.
type verdict struct {
	job   *job // all ranks do it together; the other fields are set when it is done
	fault *fault
	rank  int // seat of the rank that made the fault, or allRanks
}

const allRanks = -1

// errorOf returns the error that a rank gets from a common fault.
func (v *verdict) errorOf(k *call) error {
	if v == nil || v.fault == nil {
		return nil
	}
	if v.rank == allRanks || v.rank == k.comm.seat() {
		return v.fault
	}
	return &fault{Class: v.fault.Class, Rule: v.fault.Rule, Err: fmt.Errorf("failed on %s: %w", k.comm.rankName(v.rank), v.fault.Err)}
}

// collective makes the ranks meet. The last one to come checks everything and, if little
// data is to be moved, moves it for all: that costs one meeting. Otherwise all ranks that
// wait share the work.
func (e *local) collective(k *call) error {
	m := k.enter()
	thread := k.comm.proc.thread
	k.clock = thread.Publish(true)
	joined, err := k.comm.calls().MeetWith(thread, k.comm.seat(), k, k, agreeAll)
	if err == nil {
		k.learn()
	}
	if err != nil || joined != nil {
		err = k.follow(joined, err)
	}
	return k.exit(m, err)
}

// follow does the work that the verdict of a meeting leaves, or ends a meeting that has not
// taken place.
func (k *call) follow(joined any, err error) error {
	c := k.comm
	if err != nil {
		c.hub().drain()
		return err
	}
	v, _ := joined.(*verdict)
	if v == nil {
		return nil
	}
	if v.job != nil {
		for !v.job.advance(k) {
			c.proc.thread.YieldProcessor()
			if err := c.proc.thread.Park(k); err != nil && v.job.cancel() {
				c.hub().drain()
				return err
			}
		}
	}
	return v.errorOf(k)
}

// launch joins the meeting and returns. The last rank to come checks and moves as in
// collective.
func (e *local) launch(k *call) (err error) {
	c := k.comm
	k.arrival, err = k.meeting().Arrive(c.proc.thread, c.seat(), k, agreeAll)
	return err
}

// meeting returns the meeting of the ranks of k.
func (k *call) meeting() *sched.Meeting[*call] {
	if k.session != nil {
		return k.session
	}
	return k.comm.calls()
}

// advance does a share of the work that is left, and reports whether all of it is done.
func (e *local) advance(k *call) bool {
	if k.served {
		return true
	}
	if !k.arrival.Complete() {
		return false
	}
	k.fate, _ = k.arrival.Joined().(*verdict)
	if k.fate != nil && k.fate.job != nil && !k.fate.job.advance(k) {
		return false
	}
	k.arrival.Leave()
	return true
}

// expect does not register the waiting rank with the meeting: a meeting wakes all its
// members.
func (e *local) expect(k *call) bool {
	if k.served {
		return false
	}
	if !k.arrival.Complete() {
		return true
	}
	v, _ := k.arrival.Joined().(*verdict)
	return v != nil && v.job != nil && v.job.expect(k)
}

func (e *local) abandonCall(k *call) {
	if !k.arrival.Withdraw() {
		if v, _ := k.arrival.Joined().(*verdict); v != nil && v.job != nil {
			v.job.cancel()
		}
	}
	k.comm.hub().drain()
}

// agreeAll is the join of a meeting. It checks the calls, and moves the data if there is
// little. It returns a *verdict or nil.
func agreeAll(ks []*call) any {
	beforeMove(ks)
	joined := agreeAndMove(ks)
	if v, _ := joined.(*verdict); v == nil || v.job == nil {
		afterMove(ks)
	}
	return joined
}

func agreeAndMove(ks []*call) any {
	first := ks[0]
	if v := agree(first, ks); v != nil {
		return v
	}
	if first.form == lasting && first.session == nil {
		session := sched.NewOrderly[*call](len(ks))
		for _, k := range ks {
			k.session = session
		}
		return nil
	}
	if first.arrivals != nil {
		return first.arrivals.verdict()
	}
	joinClocks(ks)
	if first.comm.core.inter != nil {
		return agreeAllAcross(ks)
	}
	if ts := turns(first, flow{ks, ks, 0}); ts != nil {
		return relay(ks, ts)
	}
	switch {
	case first.share == nil:
		return nil
	case first.volume(ks) > enough(len(ks)):
		return share(ks)
	}
	n := len(ks)
	if first.divides {
		n = 1
	}
	core := first.comm.core
	if f := core.enter(); f != nil {
		return &verdict{fault: f, rank: allRanks}
	}
	defer core.leave()
	for i := range n {
		if f := first.share(ks, i, n); f != nil {
			return &verdict{fault: f, rank: i}
		}
	}
	return nil
}

// enough returns the number of bytes from which sharing the work saves time: waking a rank
// costs as much as moving a few kilobytes.
func enough(ranks int) int64 { return int64(16<<10 + ranks*(4<<10)) }

// enter records that a rank touches buffers of other ranks from now on, leave that it no
// longer does. In an aborted world no rank may enter. drain waits for those inside:
// afterwards no other rank touches the rank's buffers.
func (c *core) enter() *fault {
	c.sharing.Add(1)
	if cause := c.univ.sched.Cause(); cause != nil {
		c.leave()
		return &fault{Class: ErrOther, Err: cause}
	}
	return nil
}

func (c *core) leave() { c.sharing.Add(-1) }

func (c *core) drain() {
	for c.sharing.Load() > 0 {
		runtime.Gosched()
	}
}
