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
