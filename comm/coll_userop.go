package comm

import (
	"slices"

	flt "github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/types"
)

// A function of a user operation runs in the middle of its reduction and holds the buffers
// of all ranks, so if it waited for a rank, it would wait for itself. Universe.folding
// records the goroutines that are in such a function. A goroutine enters once for each
// reduction, or for its part of one.

// apply calls the function of a user operation; the caller has entered folding.
func (o *Op) apply(in, inout types.Buffer) (f *fault) {
	defer func() {
		if v := recover(); v != nil {
			f = broken(ErrOp, "COLL-03", "the function of operation %s panicked: %v", o.name, v)
		}
	}()
	return flt.Of(o.user(in, inout), ErrOp, "COLL-03")
}

// A turn is one rank's part of a reduction that the ranks do one after the other, each in
// its own goroutine.
type turn struct {
	k  *call
	do func() *fault
}

// turns returns the turns of a call, none if one rank may run all functions. A call needs
// turns if it does not wait and each rank made its own operation: the rank of a function may
// be anywhere in its program when the last rank comes. In other calls the other ranks are
// parked, or are in a call because ranks run by turns.
func turns(first *call, folds ...flow) (all []turn) {
	if !first.divides || !slices.ContainsFunc(folds[0].from, func(k *call) bool { return k.form != waiting }) || first.comm.proc.univ.sched.Controlled() {
		return nil
	}
	own := false
	for _, f := range folds {
		op := f.from[0].op
		if !op.byUser() || f.from[0].send.count == 0 {
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

// relay makes a job of turns. It has one part, which the last turn ends.
func relay(ks []*call, turns []turn) *verdict {
	j := newJob(ks, 1)
	j.turns, j.job, j.rank = turns, j, allRanks
	return &j.verdict
}

// due reports whether k has the next turn of a relay.
func (j *job) due(k *call) bool {
	i := int(j.next.Load())
	return i < len(j.turns) && j.turns[i].k == k && j.left.Load() > 0
}

// pass does k's turns if they are due, and wakes the rank that has the next turn.
func (j *job) pass(k *call) {
	for j.due(k) {
		if j.core.enter() != nil {
			return
		}
		j.turn(int(j.next.Load()))
		j.core.leave()
	}
}

// turn does turn i. If a function of the program ends its goroutine, the call fails.
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

// Due and Do implement [sched.Task].
func (r *runner) Due() bool {
	j := r.relay()
	return j != nil && j.due((*call)(r))
}

func (r *runner) Do() { r.relay().pass((*call)(r)) }

// enlist adds k to the tasks of its rank, if it may have turns; delist removes it.
func (k *call) enlist() {
	if k.mayRelay() {
		k.comm.proc.thread.AddTask((*runner)(k))
	}
}

func (k *call) mayRelay() bool {
	return k.op != nil && k.op.byUser() && k.comm.core.native == nil && !k.comm.proc.univ.sched.Controlled()
}

func (k *call) delist() {
	if k.mayRelay() {
		k.comm.proc.thread.RemoveTask((*runner)(k))
	}
}
