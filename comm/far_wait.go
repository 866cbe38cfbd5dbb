package comm

import (
	"runtime"
	"time"

	"github.com/commworld/commworld/internal/engine"
)

// A lingerer is an operation that waits by itself until it is complete.
type lingerer interface{ linger() }

func (t *transfer) linger() {
	if r, ok := t.native.(engine.Request); ok {
		t.ended(r.Wait())
	}
}

func (x *exchange) linger() {
	x.in.linger()
	x.out.linger()
}

func (x *external) linger() {
	if w, ok := x.work.(interface{ Linger() }); ok {
		w.Linger()
	}
}

// linger waits for an operation in the engine. An error is the cause of an abort.
func (p *process) linger(op operation) error {
	if p.log != nil {
		defer p.log.Await(time.Now())
	}
	if w, ok := op.(lingerer); ok {
		w.linger()
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
