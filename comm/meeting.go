package comm

import (
	"fmt"
	"runtime"

	"github.com/commworld/commworld/internal/sched"
)

// A verdict is what the last rank to come to a meeting finds: what is left to
// do, or what is wrong. None at all means that everything has been done.
type verdict struct {
	job   *job // all ranks go on together; what follows is set when they are done
	fault *fault
	rank  int // whose fault it is, or everybody's
}

const everybody = -1

// tell gives a rank its error of a common fault.
func (v *verdict) tell(k *call) error {
	if v == nil || v.fault == nil {
		return nil
	}
	if v.rank == everybody || v.rank == k.comm.seat() {
		return v.fault
	}
	return &fault{v.fault.class, v.fault.rule, fmt.Errorf("failed on %s: %w", k.comm.sitter(v.rank), v.fault.err)}
}

// collective lets the ranks meet. The last one to come checks everything and,
// if little data is to be moved, moves it for all: that costs one meeting.
// Otherwise all ranks that wait share the work.
func (e *local) collective(k *call) error {
	if e.explores && k.early() {
		return e.alone(k)
	}
	m := k.enter()
	thread := k.comm.proc.thread
	k.clock = thread.Now()
	joined, err := k.comm.calls().MeetWith(thread, k.comm.seat(), k, k, settle)
	if err == nil {
		k.learn()
	}
	if err != nil || joined != nil {
		err = k.follow(joined, err)
	}
	return k.exit(m, err)
}

// follow does what the verdict of a meeting leaves to do, or ends a meeting that
// has not taken place.
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
			if err := c.proc.thread.Park(k); err != nil && v.job.cancel() {
				c.hub().drain()
				return err
			}
		}
	}
	return v.tell(k)
}

// launch comes to the meeting and goes on. The last one to come does as in
// collective.
func (e *local) launch(k *call) (err error) {
	if e.explores && k.early() {
		return e.bring(k)
	}
	c := k.comm
	k.arrival, err = k.meeting().Arrive(c.proc.thread, c.seat(), k, settle)
	return err
}

// meeting is where the ranks of k meet.
func (k *call) meeting() *sched.Meeting[*call] {
	if k.session != nil {
		return k.session
	}
	return k.comm.calls()
}

// advance takes a share of the work that is left, and reports whether all of it
// is done.
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

// expect needs to say nothing to a meeting, which wakes all its members.
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

func (e *local) forsake(k *call) {
	if !k.arrival.Withdraw() {
		if v, _ := k.arrival.Joined().(*verdict); v != nil && v.job != nil {
			v.job.cancel()
		}
	}
	k.comm.hub().drain()
}

// settle is run by the last rank of a meeting. It returns a *verdict or nil.
func settle(ks []*call) any {
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
	if first.company != nil {
		return first.company.verdict()
	}
	joinClocks(ks)
	if first.comm.core.inter != nil {
		return settleAcross(ks)
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
		return &verdict{fault: f, rank: everybody}
	}
	defer core.leave()
	for i := range n {
		if f := first.share(ks, i, n); f != nil {
			return &verdict{fault: f, rank: i}
		}
	}
	return nil
}

// enough is the volume in bytes from which on it pays to share the work: waking
// a rank costs as much as moving a few kilobytes.
func enough(ranks int) int64 { return int64(16<<10 + ranks*(4<<10)) }

// enter says that a rank touches buffers of others from now on, leave that it
// has done so. In an aborted world nobody enters any more, and drain waits for
// those inside: afterwards a rank's buffers are its own again.
func (c *core) enter() *fault {
	c.sharing.Add(1)
	if cause := c.univ.sched.Cause(); cause != nil {
		c.leave()
		return &fault{class: ErrOther, err: cause}
	}
	return nil
}

func (c *core) leave() { c.sharing.Add(-1) }

func (c *core) drain() {
	for c.sharing.Load() > 0 {
		runtime.Gosched()
	}
}
