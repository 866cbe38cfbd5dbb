package comm

import (
	"fmt"
	"strconv"

	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
)

// A routine is one of the collectives, in all three forms.
type routine struct {
	name   string
	bare   bool // it has no arguments
	inner  bool // part of another call; the program does not count it
	rooted bool // it has a root, the same on all ranks
	edge   edge // which ranks it orders before which

	// agree checks what only all ranks together can check; no data have moved yet. nil:
	// nothing to check.
	agree func(ks []*call) *fault

	// volume returns roughly how many bytes will be moved. nil: none.
	volume func(ks []*call) int64

	// share does part i of parts of the work. It may read any rank's input, and writes only
	// output that no other part writes. nil: nothing to do.
	share func(ks []*call, i, parts int) *fault

	// divides says that the work can be cut into any number of parts. Otherwise there is one
	// part for each rank: part i is the work of rank i.
	divides bool

	result result // which rank gets which result of a reduction
	across across // how it works between two groups
}

// A form is how a rank goes through a collective. Ranks in different forms of
// one routine are in different calls. (COLL-02)
type form uint8

const (
	waiting form = iota // Bcast: it returns when the rank's part is done
	started             // IBcast: it returns at once, and a request completes it
	lasting             // BcastInit: it prepares a request that starts the call again and again
)

// A call is what one rank brings to a collective. The other ranks read it, and
// the buffers in it, until the call is complete on all of them.
type call struct {
	// The fields that the last rank reads come first: the calls of many ranks do not fit
	// into the nearest cache, and a barrier should touch one cache line of each.
	*routine
	form         form
	standsIn     bool // it starts what the program waits for, see commport.Port.StandIn
	skipSelf     bool // the rank's own block is already in place
	inPlace      bool // it sends from where it receives, so the input must be copied first
	givesInPlace bool // the program gave InPlace for a buffer
	over         bool // the call of a request has ended
	partial      bool // clocks of some ranks were left out: seen covers only part of what all ranks knew

	err   *fault // first error in this rank's arguments
	made  *communicator
	clock sched.Clock // of this rank when it came

	comm  *Comm
	round int
	nth   int         // number among the collectives that the program called; 0: part of another call
	seen  sched.Clock // clock of the rank when it leaves, if it differs from clock

	op   *Op
	root int

	send, recv   data
	sends, recvs parts // how the buffers are cut into blocks by rank

	neighbors neighborhood // neighbours, of a neighbourhood collective
	stop      error        // why the call cannot be made at all

	line  *sched.Line // line of the program, noted if the call does not wait there
	place sched.Place // the same as a place, looked up only if ranks disagree

	// For a call that does not wait.
	arrival sched.Arrival[*call]
	session *sched.Meeting[*call] // where a persistent call meets
	starts  int                   // number of starts of a persistent call
	native  engine.Request        // of a call that an engine carries out
	fate    *verdict
	watch   *watch // of its buffers, nil unless buffers are checked

	// For a call that the rank may leave before all have come; see coll_early.go.
	arrivals *earlyMeeting
	served   bool // the rank has received everything and may leave
}

// parts describe how a buffer is cut into a block for each rank or neighbour: one block for
// all, equal blocks, blocks given by counts, or a buffer for each.
type parts struct {
	how            cut
	n              int  // number of blocks
	forNeighbors   bool // the blocks are for n neighbours
	home           bool // the blocks are for ranks of the caller's own group, also on an intercommunicator
	mine           bool // every peer uses the block of the buffer's own rank
	counts, displs []int64
	packed         bool  // displs were not given: the blocks follow each other
	first          int64 // displacement of the first block, from which displs count; 0 if none is negative
	each           []data
}

type cut uint8

const (
	uncut cut = iota
	evenly
	byCounts
	apart
)

// title returns the name of the call that the program made.
func (k *call) title() string {
	if k.made != nil && k.made.call != "" {
		return k.made.call
	}
	return k.routine.title(k.called())
}

// called returns the form in which the program makes the call.
func (k *call) called() form {
	if k.standsIn {
		return waiting
	}
	return k.form
}

func (r *routine) title(f form) string {
	switch f {
	case started:
		return "I" + r.name
	case lasting:
		return r.name + "Init"
	}
	return r.name
}

// String returns the text of a deadlock report for a rank that waits in k.
func (k *call) String() string { // an exploration calls this often
	switch {
	case k.nth > 0:
		return k.title() + " (" + ordinal(k.nth) + " collective) on " + k.comm.core.name
	case k.made != nil:
		if outer, ok := k.made.outer.part.(fmt.Stringer); ok {
			return outer.String()
		}
	}
	return k.title() + " on " + k.comm.core.name
}

// Explain adds to a deadlock report which ranks of the world are missing.
func (k *call) Explain(w *sched.Waiting) {
	c, at := k.comm, k.comm.calls()
	if k.session != nil {
		at = k.session
	}
	w.Needs = "all ranks of " + c.core.name
	if c.core.inter != nil {
		w.Needs = "all ranks of both groups of " + c.core.name
	}
	switch {
	case k.arrivals != nil && !k.served: // only these ranks hold it up
		switch {
		case k.edge == upward:
			w.Needs = "all lower ranks of " + c.core.name
		case k.edge == fromRoot && k.made != nil:
			w.Needs = "its leader"
		case k.edge == fromRoot:
			w.Needs = "its root"
		}
		for _, s := range k.sources() {
			if k.arrivals.ks[s] == nil {
				w.For = append(w.For, c.hub().rankAt(s))
			}
		}
	case k.form == waiting && k.arrivals == nil:
		w.For = at.Absent(c.seat(), c.hub().rankAt)
	default:
		w.For = at.AbsentFrom(&k.arrival, c.hub().rankAt)
	}
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// out returns the region that k's rank sends to a peer.
func (k *call) out(peer int) region { return k.sends.of(&k.send, k.comm, peer) }

// in returns the region into which k's rank receives from a peer.
func (k *call) in(peer int) region { return k.recvs.of(&k.recv, k.comm, peer) }

func (p *parts) of(d *data, c *Comm, peer int) region {
	if p.mine {
		peer = c.rank
	}
	switch p.how {
	case evenly:
		n := d.count / int64(p.n)
		return region{d, n * int64(peer), n}
	case byCounts:
		return region{d, p.displs[peer], p.counts[peer]}
	case apart:
		return p.each[peer].whole()
	}
	return d.whole()
}

// open returns a new call of a routine on c. The caller adds the arguments, and run, issue
// or prepare carries it out. If the communicator is not alive, the call has an error and
// all of these do nothing.
func (c *Comm) open(r *routine, f form) *call {
	if err := c.alive(r.title(f)); err != nil {
		return &call{stop: err}
	}
	return c.record(r, f)
}

// begin is open for a waiting call, on a communicator that is known to be alive.
func (c *Comm) begin(r *routine) *call { return c.record(r, waiting) }

// record returns a call and counts it. A rank makes one waiting call at a time, so that
// call is reused.
func (c *Comm) record(r *routine, f form) *call {
	if f != started {
		if wrong := c.occupy(r); wrong != nil {
			return &call{stop: c.errorOf(r.title(f), wrong)}
		}
	}
	var k *call
	if f == waiting {
		k = c.call
	}
	if k == nil {
		k = new(call)
		if f == waiting {
			c.call = k
		}
	}
	k.routine, k.form, k.comm = r, f, c
	k.standsIn = f == started && c.proc.standsIn
	if f != started {
		k.count()
	}
	if r.across == notAcross {
		k.wrong(c.oneGroup(k.title()))
	}
	return k
}

// count gives k its number among the collectives of its communicator.
func (k *call) count() {
	k.comm.round++
	k.round = k.comm.round
	if k.nth = 0; !k.inner {
		k.comm.nth++
		k.nth = k.comm.nth
	}
}

// run carries out a collective call and waits for it. An error in the arguments does not
// stop the call: all ranks must get it.
func (k *call) run() error {
	if k.stop != nil {
		return k.stop
	}
	return k.comm.proc.engine.collective(k)
}

// enter and exit run before and after an engine carries out a call that waits. They do not
// enclose it: a waiting rank should have little on its stack, see [sched.Meeting].
func (k *call) enter() (m trace.Mark) {
	k.begins()
	if !k.bare {
		k.distinct()
		if k.form == waiting {
			k.separate()
			k.putAside()
		}
	}
	if k.comm.proc.log != nil {
		m = k.entered()
	}
	return m
}

func (k *call) exit(m trace.Mark, err error) error {
	c := k.comm
	if c.proc.log != nil {
		k.left(err)
		k.logEnd(m, err)
	}
	name := ""
	if err != nil {
		name = k.title()
	}
	switch {
	case k.form != waiting:
	case k.arrivals != nil || c.proc.univ.sched.Cause() != nil:
		c.call = nil // another rank may still be reading the call
	case !k.bare || err != nil:
		*k = call{}
	}
	c.vacate()
	if err != nil {
		return c.fail(name, err)
	}
	return nil
}

// issue starts a collective call and returns its request.
func (k *call) issue() (*Request, error) {
	if k.stop != nil {
		return nil, k.stop
	}
	k.distinct()
	return k.launch(k)
}

// launch starts a call that does not wait, for the first time, and returns the request of
// op, which is k or contains k.
func (k *call) launch(op operation) (*Request, error) {
	c := k.comm
	if f := c.occupy(k.routine); f != nil {
		return nil, c.errorOf(k.title(), f)
	}
	k.count()
	err := k.depart()
	if err != nil {
		c.vacate()
		return nil, c.fail(k.title(), err)
	}
	q := c.request(op)
	q.line = k.line
	c.vacate()
	return q, nil
}

// begins records the start of the call in the rank's marks, if the rank keeps any.
func (k *call) begins() {
	if t := k.comm.proc.thread; k.routine != nil && k.comm.core.inter == nil {
		t.MarkCall(k.title(), k.comm.core, k.round, k.comm.core.members.n)
	} else {
		t.MarkCall("", nil, 0, 0)
	}
}

// depart joins the meeting of a call that does not wait.
func (k *call) depart() error {
	p := k.comm.proc
	k.begins()
	if err := p.thread.Step(k); err != nil {
		return err
	}
	k.line = p.thread.NoteLine(sched.AnyDepth)
	if p.log != nil {
		m := k.entered()
		defer func() { k.logEnd(m, nil) }()
	}
	k.clock, k.seen = p.thread.Publish(true), sched.Clock{}
	k.separate()
	k.putAside()
	k.watchBuffers()
	err := p.engine.launch(k)
	if err == nil {
		k.enlist()
	} else {
		k.unwatch()
	}
	return err
}

// prepare meets the other ranks to agree on a call that is started later, any number of
// times, and returns its inactive request. (COLL-02)
func (k *call) prepare() (*Request, error) {
	if err := k.run(); err != nil {
		return nil, err
	}
	return k.comm.persistent(k, k), nil
}

// start starts a persistent call once more. The ranks of one request have a meeting of
// their own, so they may start several requests in any order.
func (k *call) start() (operation, error) {
	if f := k.comm.occupy(k.routine); f != nil {
		return nil, f
	}
	defer k.comm.vacate()
	k = k.nextStart()
	k.over, k.fate = false, nil
	return k, k.depart()
}

// done, expect, outcome, abandon and detach implement operation.
func (k *call) done() bool {
	if !k.over && k.comm.proc.engine.advance(k) {
		k.over = true
		k.delist()
	}
	return k.over
}

func (k *call) expect() bool { return !k.over && k.comm.proc.engine.expect(k) }

func (k *call) outcome(line *sched.Line) (Status, error) {
	k.learn()
	k.unwatch()
	if err := k.fate.errorOf(k); err != nil {
		return Status{}, k.comm.failOf(line, k.title(), err)
	}
	if f := k.watch.broken(k); f != nil {
		return Status{}, k.comm.failOf(line, k.title(), f)
	}
	return emptyStatus(AnySource), nil
}

func (k *call) abandon() {
	k.comm.proc.engine.abandonCall(k)
	k.unwatch()
	k.over = true
	k.delist()
}

// detach releases a call that Request.Status has reported as complete.
func (k *call) detach() error {
	if k.over {
		return nil
	}
	return broken(ErrRequest, "COLL-02", "%v is under way; a collective is completed by Wait or Test before its request is freed", k)
}
