package comm

import (
	"slices"

	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
)

// In an exploring world, a rank leaves a rooted collective or a scan as soon as its own part
// is done, as the standard allows: the root of a Bcast before any other rank has come, a
// receiving rank once its senders have come. So each rank leaves a copy of the data it
// sends, and each arriving rank moves data for the ranks whose senders have now all come.
// The last rank to come checks all calls, as in every collective; ranks that have left by
// then get the error when their program ends. In other worlds, in collectives without a
// root, and in calls that make a persistent request or a communicator, all ranks meet.

// earlyMeeting holds the ranks that have come to such a collective.
type earlyMeeting struct {
	ks    []*call // by seat; nil: not yet come
	came  int
	fault *fault // found while data moved
	rank  int    // seat of the rank with the fault
}

// A visit identifies an earlyMeeting by the meeting that ends it and the round of that
// meeting.
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

// nextStart returns the call for the next start of a persistent call. It is k itself if no
// rank can still be reading the last one.
func (k *call) nextStart() *call {
	k.starts++
	if !k.comm.proc.thread.Exploring() || !k.early() {
		return k
	}
	next := *k
	return &next
}

func (e *explorer) collective(k *call) error {
	if !k.early() {
		return e.local.collective(k)
	}
	m := k.enter()
	thread := k.comm.proc.thread
	err := thread.Step(k)
	if err == nil {
		k.line = thread.NoteLine(sched.AnyDepth)
		k.clock, k.seen = thread.Publish(true), sched.Clock{}
		err = k.arriveEarly()
	}
	if err == nil {
		err = k.await()
	}
	return k.exit(m, err)
}

func (e *explorer) launch(k *call) error {
	if !k.early() {
		return e.local.launch(k)
	}
	return k.arriveEarly()
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

// arriveEarly joins the meeting of k, with a copy of the data that the rank sends.
func (k *call) arriveEarly() (err error) {
	c := k.comm
	if k.err == nil && !k.inPlace && k.send.typ != nil {
		var own data
		own.packedAs(&k.send, make([]byte, k.send.size()))
		k.send.pack(own.flat)
		k.send = own
	}
	hub, p := c.hub(), c.proc
	if hub.earlyMeetings == nil {
		hub.earlyMeetings = map[visit]*earlyMeeting{}
	}
	v := visit{k.meeting(), k.round}
	if k.session != nil {
		v.round = k.starts
	}
	g := hub.earlyMeetings[v]
	if g == nil {
		g = &earlyMeeting{ks: make([]*call, hub.seats())}
		hub.earlyMeetings[v] = g
	}
	k.arrivals, k.served = g, false
	g.ks[c.seat()] = k
	if g.came++; g.came == len(g.ks) {
		delete(hub.earlyMeetings, v)
	}
	for _, o := range g.ks {
		if o != nil && !o.served && o.serve() && o != k {
			o.comm.proc.thread.NoteProgress()
			o.comm.proc.thread.Wake()
		}
	}
	k.arrival, err = v.at.Arrive(p.thread, c.seat(), k, agreeAll)
	p.early = slices.DeleteFunc(p.early, (*call).closed)
	if err == nil {
		p.early = append(p.early, k)
	}
	return err
}

// closed leaves a meeting that is complete without an error, and reports whether it did.
func (k *call) closed() bool {
	if !k.arrival.Complete() || k.arrival.Joined() != nil {
		return false
	}
	k.arrival.Leave()
	return true
}

// verdict returns the result of a meeting whose calls are correct.
func (g *earlyMeeting) verdict() any {
	if g.fault == nil {
		return nil
	}
	return &verdict{fault: g.fault, rank: g.rank}
}

// serve moves to k's rank all data that it receives, if all senders have come, and reports
// whether it did. The rank may leave then.
func (k *call) serve() bool {
	if k.err != nil || k.arrivals.fault != nil {
		return false
	}
	var from []*call
	for _, s := range k.sources() {
		o := k.arrivals.ks[s]
		if o == nil || o.err != nil || o.routine != k.routine || o.called() != k.called() || o.rootSeat() != k.rootSeat() {
			return false
		}
		from = append(from, o)
	}
	f, ok := k.fetch(from)
	if f != nil {
		k.arrivals.fault, k.arrivals.rank = f, k.comm.seat()
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

// rootSeat returns the seat of the root that k's rank gave, -1 if it gave none.
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

// sources returns the seats of the ranks from which k's rank receives data, in order.
func (k *call) sources() (from []int) {
	atRoot, others := k.roles()
	if k.edge == fromRoot && !others || k.edge == toRoot && !atRoot || k.op != nil && k.inputShape().size() == 0 {
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

// inputShape returns data with as many items as each rank brings to a reduction of which
// k's rank gets a result. Between two groups the root itself brings none.
func (k *call) inputShape() *data {
	if k.comm.core.inter != nil {
		return &k.recv
	}
	return &k.send
}

// fetch moves the data of the given ranks to k's rank. If they do not fit together it does
// nothing and ok is false.
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

// foldAcross reduces the input of the other group for k, the root.
func (k *call) foldAcross(f flow) (wrong *fault, ok bool) {
	if f.agreeFold() != nil {
		return nil, false
	}
	wrong = reduceInto(f.from, f.to, 0, 1)
	return wrong, wrong == nil
}

// fold reduces the input of ks, one of which is k, for k alone, as a Reduce with root k
// does.
func (k *call) fold(ks []*call) (f *fault, ok bool) {
	if agreeReduce(ks) != nil {
		return nil, false
	}
	all := make([]*call, len(ks))
	for i, o := range ks {
		one := *o
		one.routine, one.root = reduceAtRoot, k.comm.rank
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

// conclude ends the part of a rank whose program has returned. In an exploring world it
// waits for the collectives that the rank left early, and returns their errors. stop is the
// cause of an abort.
func (c *Comm) conclude() (late []commport.LateError, stop error) {
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
			late = append(late, commport.LateError{At: k.line.Place(), Err: k.comm.failOf(k.line, k.title(), wrong)})
		}
	}
	return late, nil
}
