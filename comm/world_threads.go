package comm

import "github.com/commworld/commworld/internal/sched"

// The handles of a rank belong to one thread of control. While a rank is in a collective or
// in a call that makes a communicator, calls of another goroutine on its communicators are
// refused: they would corrupt records that other ranks are reading. They are also refused
// while the rank waits, in any call: that check costs one load, and a rank that exchanges
// messages waits most of the time. Two goroutines that send or receive at once without
// blocking are detected only under world.Threads (see owner): an atomic flag would cost a
// message a twentieth of its time. A rank that uses another rank's handle is refused while
// that other rank waits, and always where ranks run by turns, in a seeded or exploring run:
// only there is the calling rank known.

var createGroup = &routine{name: "CreateGroup"}

// occupy records that c's rank is in r until vacate is called; it returns a fault if a
// second goroutine is in another routine.
func (c *Comm) occupy(r *routine) *fault {
	if err := c.proc.thread.CheckTurn(nil); err != nil {
		return &fault{Class: ErrComm, Rule: "COMM-01", Err: err}
	}
	for !c.proc.inside.CompareAndSwap(nil, r) {
		if f := c.occupied(); f != nil {
			return f
		}
	}
	return nil
}

func (c *Comm) vacate() { c.proc.inside.Store(nil) }

// taken reports whether the rank is in a call that no other goroutine may disturb.
func (p *process) taken() bool {
	return p.inside.Load() != nil || p.thread.Waits() || p.owner != nil || sched.Stores.Any()
}

// An owner is the goroutine that last called as a rank, in a world that checks threads:
// while it is in its call, no other goroutine may call. The end of a call is not recorded,
// because there are hundreds of returns; when another goroutine calls, the stack of the
// owner shows whether it is still in its call.
type owner struct {
	mu        sched.Mutex
	goroutine string
}

// enter makes the calling goroutine the owner, or returns an error.
func (l *owner) enter(rank int) error {
	me := sched.Goroutine()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.goroutine == me {
		return nil
	}
	if l.goroutine != "" {
		if at, in := sched.Inside(l.goroutine); in {
			return &sched.TwoWaitsError{Rank: rank, Place: at, Other: sched.Caller()}
		}
	}
	l.goroutine = me
	return nil
}

// occupied returns a fault with the line that the rank is at; nil if the call has ended
// meanwhile, or is the caller's own.
func (c *Comm) occupied() *fault {
	if sched.Stores.Here() {
		return broken(ErrOther, "REP-USR-10", "called from a method of a store, which must not call this package: files are locked meanwhile, so ranks wait for it")
	}
	if err := c.proc.thread.CheckTurn(nil); err != nil {
		return &fault{Class: ErrComm, Rule: "COMM-01", Err: err}
	}
	if err := c.proc.thread.Sched().CheckWait(c.proc.thread.ID()); err != nil {
		return &fault{Class: ErrOther, Rule: "COMM-01", Err: err}
	}
	if r := c.proc.inside.Load(); r != nil {
		return broken(ErrOther, "COMM-01", "rank %d of the world is in %s just now, by another goroutine; a rank is one thread of control, so its goroutines must take turns",
			c.proc.thread.ID(), r.name)
	}
	if c.proc.owner != nil {
		if err := c.proc.owner.enter(c.proc.thread.ID()); err != nil {
			return &fault{Class: ErrOther, Rule: "COMM-01", Err: err}
		}
	}
	return nil
}

// alone returns an error for a call on q by one goroutine while the rank is in another call
// by another one.
func (q *Request) alone(op string) error {
	if !q.comm.proc.taken() {
		return nil
	}
	return q.refuse(op)
}

func (q *Request) refuse(op string) error {
	if f := q.comm.occupied(); f != nil {
		return q.comm.errorOf(op, f) // a handler must not run in two goroutines either
	}
	return nil
}
