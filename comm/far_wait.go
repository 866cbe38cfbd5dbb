package comm

import (
	"runtime"
	"time"

	"github.com/commworld/commworld/internal/engine"
)

// An engineWaiter is an operation that can wait in its engine until it is complete.
type engineWaiter interface{ waitInEngine() }

func (t *transfer) waitInEngine() {
	if r, ok := t.native.(engine.Request); ok {
		t.ended(r.Wait())
	}
}

func (x *exchange) waitInEngine() {
	x.in.waitInEngine()
	x.out.waitInEngine()
}

func (x *external) waitInEngine() {
	if w, ok := x.work.(interface{ WaitInEngine() }); ok {
		w.WaitInEngine()
	}
}

func (e *far) wait(q *Request) error { return q.comm.proc.awaitEngine(q.op) }

func (e *far) waitAll(s *several, p *process) error {
	for _, q := range s.reqs {
		if q.pending() && !q.op.done() {
			if err := p.awaitEngine(q.op); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *far) waitAny(s *several, p *process, _ answers) error {
	if s.log != nil {
		defer s.log.Await(time.Now())
	}
	for s.ready() == 0 {
		if err := p.pause(); err != nil {
			return err
		}
	}
	return nil
}

func (e *far) look(q *Request) (may bool, err error) {
	return true, q.comm.proc.pollOnce(q.op.done(), q.op)
}

func (e *far) lookAtPart(x *partitioned, i int) (may bool, err error) {
	return true, x.comm.proc.pollOnce(x.arrived(i), x)
}

func (e *far) lookAtAny(s *several, p *process, _ answers, ready bool) error {
	return p.pollOnce(ready, s)
}

// awaitEngine waits for an operation in the engine. An error is the cause of an abort.
func (p *process) awaitEngine(op operation) error {
	if p.log != nil {
		defer p.log.Await(time.Now())
	}
	if w, ok := op.(engineWaiter); ok {
		w.waitInEngine()
	}
	for !op.done() {
		if err := p.pause(); err != nil {
			return err
		}
	}
	return nil
}

// pause lets other goroutines run between two polls, because no rank would wake this one.
func (p *process) pause() error {
	runtime.Gosched()
	return p.univ.sched.Cause()
}
