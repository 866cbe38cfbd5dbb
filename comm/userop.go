package comm

import (
	"sync/atomic"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// folding knows the goroutines that run functions of user operations. Such a
// function runs while its reduction is half done, by one rank for all, with
// everybody's buffers in its hands; whatever it waits for waits for itself. It
// may have the handles of any rank, so handles cannot tell, and only goroutines
// remain to be told apart. They are asked for their number, which takes a
// microsecond, once for a reduction, and only while a user operation runs.
type folding struct {
	busy atomic.Int32
	mu   sched.Mutex
	in   map[string]int
}

func (r *folding) enter() (leave func()) {
	me := sched.Goroutine()
	r.busy.Add(1)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.in == nil {
		r.in = map[string]int{}
	}
	r.in[me]++
	return func() {
		r.busy.Add(-1)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.in[me]--; r.in[me] == 0 {
			delete(r.in, me)
		}
	}
}

// here reports whether the caller is such a function.
func (r *folding) here() bool {
	me := sched.Goroutine()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.in[me] > 0
}

// apply calls the function of a user operation; the caller has entered folding.
func (o *Op) apply(in, inout types.Buffer) (f *fault) {
	defer func() {
		if v := recover(); v != nil {
			f = broken(ErrOp, "COLL-03", "the function of operation %s panicked: %v", o.name, v)
		}
	}()
	return faultOf(o.user(in, inout), ErrOp, "COLL-03")
}
