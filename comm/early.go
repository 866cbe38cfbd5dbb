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
// then hear of it when their program ends. Elsewhere, in collectives without a root,
// and where a persistent request or a communicator is made, all ranks meet.

// A company is the ranks that have come to such a collective.
type company struct {
	ks    []*call // by seat; nil: not yet
	came  int
	fault *fault // of moving the data
	rank  int    // whose: a seat
}

// A visit names a company: the meeting that ends it, and which of its rounds that is.
type visit struct {
	at    *sched.Meeting[*call]
	round int
}

// early reports whether ranks may leave k before all have come to it.
func (k *call) early() bool {
	if k.routine == nil || k.share == nil || k.form == lasting && k.session == nil {
		return false
	}
	return k.edge == fromRoot || k.edge == toRoot || k.edge == upward
}

// again returns the call of the next start of a lasting call, which is k itself if
// no rank can still be reading the last one.
func (k *call) again() *call {
	k.starts++
	if !k.comm.proc.thread.Exploring() || !k.early() {
		return k
	}
	next := *k
	return &next
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
	hub, p := c.hub(), c.proc
	if hub.companies == nil {
		hub.companies = map[visit]*company{}
	}
	v := visit{k.meeting(), k.round}
	if k.session != nil {
		v.round = k.starts
	}
	g := hub.companies[v]
	if g == nil {
		g = &company{ks: make([]*call, hub.seats())}
		hub.companies[v] = g
	}
	k.company, k.served = g, false
	g.ks[c.seat()] = k
	if g.came++; g.came == len(g.ks) {
		delete(hub.companies, v)
	}
	for _, o := range g.ks {
		if o != nil && !o.served && o.serve() && o != k {
			o.comm.proc.thread.Touch()
			o.comm.proc.thread.Wake()
		}
	}
	k.arrival, err = v.at.Arrive(p.thread, c.seat(), k, settle)
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
	var from []*call
	for _, s := range k.sources() {
		o := k.company.ks[s]
		if o == nil || o.err != nil || o.routine != k.routine || o.form != k.form || o.rootSeat() != k.rootSeat() {
			return false
		}
		from = append(from, o)
	}
	f, ok := k.fetch(from)
	if f != nil {
		k.company.fault, k.company.rank = f, k.comm.seat()
	}
	if !ok {
		return false
	}
	for _, o := range from {
		if o != k {
			k.seen = k.seen.Join(o.clock)
		}
	}
	k.served = true
	return true
}

// rootSeat is the seat of the root that k's rank gave, -1 if it gave none.
func (k *call) rootSeat() int {
	switch first, _ := k.comm.farSeats(); {
	case k.comm.core.inter == nil:
		return k.root
	case k.root == Root:
		return k.comm.seat()
	case k.root == ProcNull:
		return -1
	default:
		return first + k.root
	}
}

// sources are the seats of the ranks of which k's rank receives anything, in order.
func (k *call) sources() (from []int) {
	atRoot, others := k.roles()
	if k.edge == fromRoot && !others || k.edge == toRoot && !atRoot || k.op != nil && k.brings().size() == 0 {
		return nil
	}
	first, end := k.comm.farSeats()
	lo, hi := first, end
	switch k.edge {
	case fromRoot:
		lo = k.rootSeat()
		hi = lo + 1
	case upward:
		hi = k.comm.rank + 1
	}
	for s := lo; s < hi; s++ {
		if k.op != nil || !(s == k.comm.seat() && k.skipSelf) && k.takes(s-first) {
			from = append(from, s)
		}
	}
	return from
}

// brings is data of as many items as each rank brings to a reduction of which k's
// rank gets a result. A root between two groups brings none itself.
func (k *call) brings() *data {
	if k.comm.core.inter != nil {
		return &k.recv
	}
	return &k.send
}

// fetch moves what those ranks send to k's. It does nothing, and is not ok, if
// they do not fit together.
func (k *call) fetch(from []*call) (f *fault, ok bool) {
	switch {
	case len(from) == 0:
		return nil, true
	case k.op != nil && k.comm.core.inter != nil:
		return k.foldAcross(flow{from: from, to: []*call{k}})
	case k.op != nil:
		return k.fold(from)
	}
	for _, o := range from {
		if match(k.in(o.comm.rank), o.out(k.comm.rank), exactly) != nil {
			return nil, false
		}
	}
	for _, o := range from {
		if f := move(k.in(o.comm.rank), o.out(k.comm.rank)); f != nil {
			return f, false
		}
	}
	return nil, true
}

// foldAcross reduces what the other group brings for k, the root.
func (k *call) foldAcross(f flow) (wrong *fault, ok bool) {
	if f.agreeFold() != nil {
		return nil, false
	}
	wrong = reduceInto(f.from, f.to, 0, 1)
	return wrong, wrong == nil
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
				return late, k.comm.failOf(k.line, k.title(), err)
			}
		}
		p.early = p.early[1:]
		if wrong := k.follow(k.arrival.Leave(), nil); wrong != nil {
			late = append(late, LateError{k.line.Place(), k.comm.failOf(k.line, k.title(), wrong)})
		}
	}
	return late, nil
}
