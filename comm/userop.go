package comm

import (
	"slices"

	"github.com/commworld/commworld/types"
)

// A function of a user operation runs while its reduction is half done, with the
// buffers of all ranks in its hands; whatever it waits for waits for itself.
// Universe.folding knows the goroutines that are in one: each enters once for a
// reduction, or for its part of one.

// apply calls the function of a user operation; the caller has entered folding.
func (o *Op) apply(in, inout types.Buffer) (f *fault) {
	defer func() {
		if v := recover(); v != nil {
			f = broken(ErrOp, "COLL-03", "the function of operation %s panicked: %v", o.name, v)
		}
	}()
	return faultOf(o.user(in, inout), ErrOp, "COLL-03")
}

// A turn is one rank's part of a reduction that each rank goes on with in its own
// goroutine, one after the other.
type turn struct {
	k  *call
	do func() *fault
}

// turns returns those of a call that does not wait, by operations that ranks made
// for themselves: the rank of a function may be anywhere in the program when the
// last rank comes. Of other calls there are none, and one rank does it all: it
// finds the others parked, or in a call because ranks run by turns.
func turns(first *call, folds ...flow) (all []turn) {
	if !first.divides || first.form == waiting || first.comm.proc.univ.sched.Controlled() {
		return nil
	}
	own := false
	for _, f := range folds {
		op := f.from[0].op
		if op.code != opUser || f.from[0].send.count == 0 {
			continue
		}
		own = own || slices.ContainsFunc(f.from, func(k *call) bool { return k.op != op })
		u := newUserFold(f.from, f.to)
		for i, k := range f.from {
			all = append(all, turn{k, func() *fault {
				wrong := u.add(i)
				if wrong == nil && i == len(u.ks)-1 {
					wrong = u.store()
				}
				return wrong
			}})
		}
	}
	if !own {
		return nil
	}
	return all
}

// relay makes turns a job. It is one part, which the last turn ends.
func relay(ks []*call, turns []turn) *verdict {
	j := newJob(ks, 1)
	j.turns, j.job, j.rank = turns, j, everybody
	return &j.verdict
}

// due reports whether the next turn of a relay is k's.
func (j *job) due(k *call) bool {
	i := int(j.next.Load())
	return i < len(j.turns) && j.turns[i].k == k && j.left.Load() > 0
}

// pass does k's turns if they are due, and wakes the rank whose turn is next.
func (j *job) pass(k *call) {
	for j.due(k) {
		if j.core.enter() != nil {
			return
		}
		j.turn(int(j.next.Load()))
		j.core.leave()
	}
}

// turn does turn i. A function that ends its goroutine fails the call.
func (j *job) turn(i int) {
	wrong := broken(ErrOp, "COLL-03", "the function of operation %s ended its goroutine", j.turns[i].k.op.name)
	leave := j.core.univ.folding.Enter(nil)
	defer func() {
		leave()
		j.fault = wrong
		if wrong != nil || i == len(j.turns)-1 {
			j.finish()
			return
		}
		next := j.turns[i+1].k.comm.proc.thread
		j.next.Store(int32(i + 1))
		next.Wake()
	}()
	wrong = j.turns[i].do()
}

// A runner is a call under way whose rank may have a turn to take while it waits
// for something else.
type runner call

func (r *runner) relay() *job {
	if !r.arrival.Complete() {
		return nil
	}
	if v, _ := r.arrival.Joined().(*verdict); v != nil {
		return v.job
	}
	return nil
}

// Due and Do make it a [sched.Chore].
func (r *runner) Due() bool {
	j := r.relay()
	return j != nil && j.due((*call)(r))
}

func (r *runner) Do() { r.relay().pass((*call)(r)) }

// enlist adds k to what its rank goes on with while it waits elsewhere, if it may
// have turns; delist takes it off.
func (k *call) enlist() {
	if k.mayRelay() {
		k.comm.proc.thread.Chore((*runner)(k))
	}
}

func (k *call) mayRelay() bool {
	return k.op != nil && k.op.code == opUser && k.comm.core.native == nil && !k.comm.proc.univ.sched.Controlled()
}

func (k *call) delist() {
	if k.mayRelay() {
		k.comm.proc.thread.Unchore((*runner)(k))
	}
}
