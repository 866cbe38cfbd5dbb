package comm

import "github.com/commworld/commworld/internal/sched"

// The handles of a rank belong to one thread of control. Collectives and what
// makes communicators are watched: while a rank is in one, no other goroutine
// can use the rank's communicators, which would tear records apart that other
// ranks are reading. Nor can one while the rank waits, in whatever call: looking
// at that is one load, and a rank in messages waits most of its time. Two
// goroutines that are both in messages and do not wait are told only on demand,
// see lodger: an atomic flag would cost a message a twentieth of its time. A handle that another rank
// uses is told where its own rank waits, and wherever ranks run by turns, in a
// seeded or exploring run: only there does anybody know which rank it is that
// calls.

var createGroup = &routine{name: "CreateGroup"}

// occupy says that c's rank is in r from now on, until vacate; no second
// goroutine may be in another.
func (c *Comm) occupy(r *routine) *fault {
	if err := c.proc.thread.Mine(); err != nil {
		return &fault{ErrComm, "COMM-01", err}
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
	return p.inside.Load() != nil || p.thread.Parked() || p.lodger != nil || sched.Stores.Any()
}

// A lodger is the goroutine that called last as a rank, in a world that looks for
// two at one time: while it is in its call no other may come. There is no mark
// that a call is over, which would have to stand at hundreds of returns; when
// another goroutine comes, the stack of the last one tells where that is.
type lodger struct {
	mu        sched.Mutex
	goroutine string
}

// enter makes the calling goroutine the lodger, or says why not.
func (l *lodger) enter(rank int) error {
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

// occupied says where the rank is, and nothing if it has come out meanwhile or is
// the caller's.
func (c *Comm) occupied() *fault {
	if sched.Stores.Here() {
		return broken(ErrOther, "REP-USR-10", "called from a method of a store, which must not call this package: files are locked meanwhile, so ranks wait for it")
	}
	if err := c.proc.thread.Mine(); err != nil {
		return &fault{ErrComm, "COMM-01", err}
	}
	if c.proc.thread.Parked() {
		if err := c.proc.thread.Shared(); err != nil {
			return &fault{ErrOther, "COMM-01", err}
		}
	}
	if r := c.proc.inside.Load(); r != nil {
		return broken(ErrOther, "COMM-01", "rank %d of the world is in %s just now, by another goroutine; a rank is one thread of control, so its goroutines must take turns",
			c.proc.thread.ID(), r.name)
	}
	if c.proc.lodger != nil {
		if err := c.proc.lodger.enter(c.proc.thread.ID()); err != nil {
			return &fault{ErrOther, "COMM-01", err}
		}
	}
	return nil
}

// alone reports a call on q while the rank is in another, by another goroutine.
func (q *Request) alone(op string) error {
	if !q.comm.proc.taken() {
		return nil
	}
	return q.refuse(op)
}

func (q *Request) refuse(op string) error {
	if f := q.comm.occupied(); f != nil {
		return q.comm.errorOf(op, f) // handlers are not for two goroutines either
	}
	return nil
}
