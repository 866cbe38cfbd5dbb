package comm

import (
	"slices"
	"sync/atomic"

	"github.com/commworld/commworld/internal/commport"
	flt "github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/internal/sched"
)

// newRequest returns the request of w, which has been started.
func (c *Comm) newRequest(w commport.Work[Status]) *Request {
	if w == nil || c.null() {
		return nil
	}
	x := &external{comm: c, work: w}
	q := c.request(x)
	q.line = c.proc.thread.NoteLine(sched.AnyDepth)
	return q
}

// wake wakes the rank that waits for q, if one does: the work may be ready. Any rank may
// call it; for other requests it does nothing.
func (q *Request) wake() {
	if q == nil || q.record == nil {
		return
	}
	if x, ok := q.op.(*external); ok && x.awaited.CompareAndSwap(true, false) {
		x.comm.proc.thread.Sched().WakeFromOutside(x.comm.proc.thread)
	}
}

// external is the operation of a request made of commport.Work.
type external struct {
	comm     *Comm
	work     commport.Work[Status]
	awaited  atomic.Bool
	finished bool
	status   Status
	err      error
}

func (x *external) String() string { return x.work.String() }

// Explain adds what the work says itself, if it implements Explainer.
func (x *external) Explain(w *sched.Waiting) { explain(w, x.work) }

func (x *external) done() bool { return x.finished || x.work.Ready() }

// A foreseer is Work whose CanComplete reports, without side effects, whether Ready would return
// true if its rank called it. An explorer calls it while no rank runs, when Ready cannot
// do steps that must wait for the rank's turn. Since returns the clock of the event that made it
// so, if known.
type foreseer interface {
	CanComplete() bool
	Since() sched.Clock
}

// canComplete reports whether op can be completed, for a question to the explorer.
func canComplete(op operation) bool {
	if x, ok := op.(*external); ok && !x.finished {
		if w, ok := x.work.(foreseer); ok {
			return w.CanComplete()
		}
	}
	return op.done()
}

// expect checks the work again after it has announced that the rank waits: a rank that
// makes the work ready in between either sees the announcement or is seen by this check.
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

// A keeper is Work whose request the program must complete: Keep returns the reason. A
// collective operation is such work.
type keeper interface{ Keep() error }

// detach finishes x now, or as soon as it is ready and its rank completes other requests.
// Work that Status found complete is finished at once.
func (x *external) detach() error {
	if x.finished {
		return nil
	}
	if k, ok := x.work.(keeper); ok {
		if err := k.Keep(); err != nil {
			return flt.Of(err, ErrRequest, "P2P-02")
		}
	}
	x.comm.proc.alone = append(x.comm.proc.alone, x)
	x.comm.proc.finishFreed()
	return nil
}

// finishFreed finishes freed work that is ready. It is called whenever the rank completes
// requests.
func (p *process) finishFreed() {
	if len(p.alone) > 0 {
		p.alone = slices.DeleteFunc(p.alone, func(x *external) bool {
			ready := x.done()
			if ready {
				_, _ = x.outcome(nil) // no call can return the error
			}
			return ready
		})
	}
}
