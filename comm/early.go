package comm

import (
	"slices"

	"github.com/commworld/commworld/internal/sched"
)

// In a world that explores, a rank leaves a collective with a root, or a scan, as
// soon as its own part is done, as the standard lets it: the root of a Bcast
// before anybody else has come, a rank that receives when those that send to it
// have. So each brings a copy of what it sends, and each rank that comes serves
// those who then have all that they wait for. What is wrong is left to the last
// one to come, who looks at all calls, as everywhere; ranks that have left by
// then hear of it when their program ends. Elsewhere, and in calls of persistent
// requests, between groups, and in collectives without a root, all ranks meet.

// A company is the ranks that have come to such a collective.
type company struct {
	ks    []*call // by rank; nil: not yet
	came  int
	fault *fault // of moving the data
	rank  int    // whose
}

// early reports whether ranks may leave k before all have come to it.
func (k *call) early() bool {
	if k.comm.core.inter != nil || k.form == lasting || k.routine == nil || k.share == nil {
		return false
	}
	return k.edge == fromRoot || k.edge == toRoot || k.edge == upward
}

// alone is collective for a call that the rank may leave early.
func (e *local) alone(k *call) error {
	m := k.enter()
	thread := k.comm.proc.thread
	err := thread.Step(k)
	if err == nil {
		k.line = thread.Note()
		k.clock, k.seen = thread.Now(), sched.Clock{}
		err = e.bring(k)
	}
	if err == nil {
		err = k.await()
	}
	return k.exit(m, err)
}

// await waits until the rank can leave k.
func (k *call) await() error {
	for !k.served && !k.arrival.Complete() {
		if err := k.comm.proc.thread.Park(k); err != nil && !k.served && k.arrival.Withdraw() {
			return err
		}
	}
	if k.served {
		k.learn()
		return nil
	}
	return k.follow(k.arrival.Leave(), nil)
}

// bring comes to the meeting of k, with a copy of what the rank sends.
func (e *local) bring(k *call) (err error) {
	c := k.comm
	if k.err == nil && !k.inPlace && k.send.typ != nil {
		var own data
		own.packedAs(&k.send, make([]byte, k.send.size()))
		k.send.pack(own.flat)
		k.send = own
	}
	core, p := c.core, c.proc
	if core.companies == nil {
		core.companies = map[int]*company{}
	}
	g := core.companies[k.round]
	if g == nil {
		g = &company{ks: make([]*call, core.members.n)}
		core.companies[k.round] = g
	}
	k.company, k.served = g, false
	g.ks[c.rank] = k
	if g.came++; g.came == len(g.ks) {
		delete(core.companies, k.round)
	}
	for _, o := range g.ks {
		if o != nil && !o.served && o.serve() && o != k {
			o.comm.proc.thread.Touch()
			o.comm.proc.thread.Wake()
		}
	}
	k.arrival, err = c.calls().Arrive(p.thread, c.seat(), k, settle)
	p.early = slices.DeleteFunc(p.early, (*call).closed)
	if err == nil {
		p.early = append(p.early, k)
	}
	return err
}

// closed leaves a meeting that is complete and about which there is nothing to say.
func (k *call) closed() bool {
	if !k.arrival.Complete() || k.arrival.Joined() != nil {
		return false
	}
	k.arrival.Leave()
	return true
}

// verdict is the result of a meeting of calls that are right.
func (g *company) verdict() any {
	if g.fault == nil {
		return nil
	}
	return &verdict{fault: g.fault, rank: g.rank}
}

// serve gives k's rank all that it receives, if everything has come, and reports
// whether it did: the rank may leave then.
func (k *call) serve() bool {
	if k.err != nil || k.company.fault != nil {
		return false
	}
	from := k.sources()
	for _, s := range from {
		o := k.company.ks[s]
		if o == nil || o.err != nil || o.routine != k.routine || o.form != k.form || o.root != k.root {
			return false
		}
	}
	f, ok := k.fetch(from)
	if f != nil {
		k.company.fault, k.company.rank = f, k.comm.rank
	}
	if !ok {
		return false
	}
	for _, s := range from {
		if s != k.comm.rank {
			k.seen = k.seen.Join(k.company.ks[s].clock)
		}
	}
	k.served = true
	return true
}

// sources are the ranks of which k's rank receives anything, in their order.
func (k *call) sources() (from []int) {
	me, n := k.comm.rank, len(k.company.ks)
	lo, hi := 0, n
	switch {
	case k.edge == fromRoot:
		lo, hi = k.root, k.root+1
	case k.edge == toRoot && me != k.root, k.op != nil && k.send.size() == 0:
		return nil
	case k.edge == upward:
		hi = me + 1
	}
	for s := lo; s < hi; s++ {
		if k.op != nil || !(s == me && k.skipSelf) && k.takes(s) {
			from = append(from, s)
		}
	}
	return from
}

// fetch moves what those ranks send to k's. It does nothing, and is not ok, if
// they do not fit together.
func (k *call) fetch(from []int) (f *fault, ok bool) {
	ks, me := k.company.ks, k.comm.rank
	switch {
	case len(from) == 0:
		return nil, true
	case k.op != nil:
		f, ok = k.fold(ks[:from[len(from)-1]+1])
		return f, ok
	}
	for _, s := range from {
		if matchPair(ks, s, me) != nil {
			return nil, false
		}
	}
	for _, s := range from {
		if f := movePair(ks, s, me); f != nil {
			return f, false
		}
	}
	return nil, true
}

// fold reduces what ks bring, of which k is one, for k alone: as a Reduce of which
// it is the root.
func (k *call) fold(ks []*call) (f *fault, ok bool) {
	if agreeReduce(ks) != nil {
		return nil, false
	}
	all := make([]*call, len(ks))
	for i, o := range ks {
		one := *o
		one.routine, one.root = reduce, k.comm.rank
		all[i] = &one
	}
	ks = all
	if k.result == resultBefore {
		if ks = all[:len(all)-1]; len(ks) == 0 {
			return nil, true
		}
	}
	f = reduceInto(ks, all, 0, 1)
	return f, f == nil
}

// A LateError is what is wrong with a collective that a rank had left by then.
type LateError struct {
	At  sched.Place // of the call
	Err error
}

// Conclude ends the part of a rank whose program has returned: in a world that
// tries its schedules it waits for the collectives that the rank has left early, and
// returns what is wrong with them. stop is the cause of an abort. For packages
// above this one; package world calls it.
func (c *Comm) Conclude() (late []LateError, stop error) {
	if c.null() || !c.proc.thread.Exploring() {
		return nil, nil
	}
	p := c.proc
	for len(p.early) > 0 {
		k := p.early[0]
		for !k.arrival.Complete() {
			if err := p.thread.Park(k); err != nil && k.arrival.Withdraw() {
				return late, k.comm.fail(k.title(), err)
			}
		}
		p.early = p.early[1:]
		if wrong := k.follow(k.arrival.Leave(), nil); wrong != nil {
			late = append(late, LateError{k.line.Place(), k.comm.fail(k.title(), wrong)})
		}
	}
	return late, nil
}
