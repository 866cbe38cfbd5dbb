package comm

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/commworld/commworld/internal/sched"
)

// Work is a nonblocking operation of a package above this one, such as an
// access to a file; see [Comm.NewRequest]. Its rank calls the methods, one at a
// time, and holds no lock when it does; none of them may wait.
type Work interface {
	// String names the operation for reports: `IWriteAt 0 of "a.dat"`.
	fmt.Stringer

	// Ready makes what progress the rank can make, and reports whether Finish
	// can be called. Work that its own rank can do at any time is always ready.
	// Work that becomes ready because of another rank has that rank call
	// [Request.Wake] afterwards. Work that does more than look may have a method
	// Near() bool, which only looks; worlds that explore ask it at any time.
	Ready() bool

	// Finish does what is left of the operation and returns what it did. It is
	// called once, when Ready has said true.
	Finish() (Status, error)

	// Abandon is called in place of Finish if the operation cannot complete:
	// the world was ended early, or ended before it was ready. Afterwards
	// nobody touches the operation's memory.
	Abandon()
}

// NewRequest returns the request of w, which has been started. It is completed
// like any other, also together with others. Of no work, or on no communicator,
// it is nil, which is inactive. For packages above this one.
func (c *Comm) NewRequest(w Work) *Request {
	if w == nil || c.null() {
		return nil
	}
	x := &external{comm: c, work: w}
	q := c.request(x)
	q.line = c.proc.thread.Note()
	return q
}

// Wake tells the rank that waits for q, if it does, that the Work may be ready.
// Any rank may call it, and nothing happens to other requests.
func (q *Request) Wake() {
	if q == nil || q.record == nil {
		return
	}
	if x, ok := q.op.(*external); ok && x.awaited.CompareAndSwap(true, false) {
		x.comm.proc.thread.Call()
	}
}

// external is the operation of Work.
type external struct {
	comm     *Comm
	work     Work
	awaited  atomic.Bool
	finished bool
	status   Status
	err      error
}

func (x *external) String() string { return x.work.String() }

// Explain is what the work says itself, if it does.
func (x *external) Explain(w *sched.Waiting) { explain(w, x.work) }

func (x *external) done() bool { return x.finished || x.work.Ready() }

// A foreseer is Work that tells without doing anything whether Ready, called by
// its rank, would say true. A world that explores asks while no rank runs, when
// Ready cannot go on with what has to wait for its turn.
type foreseer interface{ Near() bool }

// near is whether op can be completed, for a question to the explorer.
func near(op operation) bool {
	if x, ok := op.(*external); ok && !x.finished {
		if w, ok := x.work.(foreseer); ok {
			return w.Near()
		}
	}
	return op.done()
}

// expect looks again after saying so: whoever makes the work ready between the
// two sees that it is awaited, or is seen here.
func (x *external) expect() bool {
	x.awaited.Store(true)
	return !x.done()
}

func (x *external) outcome(*sched.Line) (Status, error) {
	if !x.finished {
		x.finished = true
		x.status, x.err = x.work.Finish()
	}
	return x.status, x.err
}

func (x *external) abandon() {
	if !x.finished {
		x.finished = true
		x.work.Abandon()
	}
}

// A keeper is Work whose request the program must complete: Keep says why. A
// collective operation is such work.
type keeper interface{ Keep() error }

// detach finishes x now, or as soon as it is ready and its rank comes by. Nothing
// is left of work that Status found complete.
func (x *external) detach() error {
	if x.finished {
		return nil
	}
	if k, ok := x.work.(keeper); ok {
		if err := k.Keep(); err != nil {
			return faultOf(err, ErrRequest, "P2P-02")
		}
	}
	x.comm.proc.alone = append(x.comm.proc.alone, x)
	x.comm.proc.settle()
	return nil
}

// settle finishes what the program has given up and is ready. Ranks come by
// here whenever they complete requests.
func (p *process) settle() {
	if len(p.alone) > 0 {
		p.alone = slices.DeleteFunc(p.alone, func(x *external) bool {
			ready := x.done()
			if ready {
				_, _ = x.outcome(nil) // there is nobody to tell
			}
			return ready
		})
	}
}
