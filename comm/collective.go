package comm

import (
	"fmt"
	"strconv"

	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
)

// A routine is one of the collectives, in all its forms.
type routine struct {
	name   string
	bare   bool // it has no arguments
	inner  bool // a part of another call: the program does not count it
	rooted bool // root matters, and is the same on all ranks
	edge   edge // who happens before whom

	// agree checks across ranks what each could not check alone; nothing has
	// been moved yet. nil: nothing to check.
	agree func(ks []*call) *fault

	// volume is how many bytes will be moved, about. nil: none.
	volume func(ks []*call) int64

	// share does part i of parts of the work: it reads any rank's input and
	// writes any rank's output that no other part does. nil: nothing to do.
	share func(ks []*call, i, parts int) *fault

	// divides: any number of parts will do. Otherwise part i is what rank i
	// does, and there are as many parts as ranks.
	divides bool

	result result // of a reduction
	across across // what it does between two groups
}

// A form is how a rank goes through a collective. Ranks in different forms of
// one routine are in different calls. (COLL-02)
type form uint8

const (
	waiting form = iota // Bcast
	started             // IBcast: it returns at once, its request completes
	lasting             // BcastInit: it prepares what its request starts again and again
)

// A call is what one rank brings to a collective. The other ranks read it, and
// the buffers in it, until the call is complete on all of them.
type call struct {
	// What the last rank to come looks at comes first: those of many ranks do not
	// fit into the nearest cache, and a barrier shall touch one line of each.
	*routine
	form     form
	skipSelf bool // what this rank sends itself is where it shall be
	inPlace  bool // what it sends is where it receives, and has to be put aside
	standing bool // InPlace stood for a buffer
	over     bool // of a call that does not wait
	partial  bool // seen does not cover what all ranks knew as they came

	err   *fault // what is wrong with this rank's arguments
	made  *communicator
	clock sched.Clock // of this rank as it came

	comm  *Comm
	round int
	nth   int         // of the collectives that the program called; 0: a part of another call
	seen  sched.Clock // what the rank knows when it leaves, if that is more than as it came

	op   *Op
	root int

	send, recv   data
	sends, recvs parts // how they are cut up by rank

	near surroundings // of a neighbourhood collective
	stop error        // why there is no call at all

	line  *sched.Line // of the program, noted if the call does not wait there
	place sched.Place // the same, asked for only if ranks disagree

	// Of a call that does not wait.
	arrival sched.Arrival[*call]
	session *sched.Meeting[*call] // where a lasting call meets
	starts  int                   // of a lasting call
	native  engine.Request        // of a call that an engine carries out
	fate    *verdict

	// Of a call that the rank may leave before all have come; see early.go.
	company *company
	served  bool // the rank may leave
}

// parts say how a buffer is cut up into a block for each rank, or for each
// neighbour: it is one block for all, or equal blocks, or blocks given by counts, or a buffer for each.
type parts struct {
	how            cut
	n              int  // blocks
	near           bool // for neighbours, n of them
	home           bool // for the ranks of the caller's own group, between groups too
	mine           bool // whoever asks, the block of the buffer's own rank
	counts, displs []int64
	packed         bool  // displs were not given: the blocks lie one behind the other
	first          int64 // displacement of the first block, as given, from which displs count; 0 if none is negative
	each           []data
}

type cut uint8

const (
	uncut cut = iota
	evenly
	byCounts
	apart
)

// title is what the program called.
func (k *call) title() string {
	if k.made != nil && k.made.call != "" {
		return k.made.call
	}
	return k.routine.title(k.form)
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

// String is what a deadlock report says about a rank that waits in k.
func (k *call) String() string { // an exploration asks for many
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

// Explain tells a deadlock report which ranks of the world are missing.
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
	case k.company != nil && !k.served: // only those ranks hold it up
		switch {
		case k.edge == upward:
			w.Needs = "all lower ranks of " + c.core.name
		case k.edge == fromRoot && k.made != nil:
			w.Needs = "its leader"
		case k.edge == fromRoot:
			w.Needs = "its root"
		}
		for _, s := range k.sources() {
			if k.company.ks[s] == nil {
				w.For = append(w.For, c.hub().sitting(s))
			}
		}
	case k.form == waiting && k.company == nil:
		w.For = at.Absent(c.seat(), c.hub().sitting)
	default:
		w.For = at.AbsentFrom(&k.arrival, c.hub().sitting)
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

// out is what k's rank sends to a peer.
func (k *call) out(peer int) region { return k.sends.of(&k.send, k.comm, peer) }

// in is where k's rank receives from a peer.
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

// open returns a fresh call of a routine on c, to which the arguments are
// added and which run, issue or prepare then carries out. On a communicator
// that is not alive it is a call that all of them leave alone.
func (c *Comm) open(r *routine, f form) *call {
	if err := c.alive(r.title(f)); err != nil {
		return &call{stop: err}
	}
	return c.record(r, f)
}

// begin is open for a call that waits, on a communicator that is alive.
func (c *Comm) begin(r *routine) *call { return c.record(r, waiting) }

// record counts a call. A rank makes one waiting call at a time, so its record
// is used again.
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
	if f != started {
		k.count()
	}
	if r.across == notAcross {
		k.wrong(c.oneGroup(k.title()))
	}
	return k
}

// count gives k its place among the collectives of its communicator.
func (k *call) count() {
	k.comm.round++
	k.round = k.comm.round
	if k.nth = 0; !k.inner {
		k.comm.nth++
		k.nth = k.comm.nth
	}
}

// run carries out a collective call and waits for it. Errors in arguments are
// taken along, so that all ranks hear of them.
func (k *call) run() error {
	if k.stop != nil {
		return k.stop
	}
	return k.comm.proc.engine.collective(k)
}

// enter and exit are what an engine does before and after it carries out a call
// that waits. They are not around it: a rank that waits should have little on its
// stack, see [sched.Meeting].
func (k *call) enter() (m trace.Mark) {
	k.begins()
	if !k.bare {
		k.distinct()
		if k.form == waiting {
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
		k.told(m, err)
	}
	name := ""
	if err != nil {
		name = k.title()
	}
	switch {
	case k.form != waiting:
	case k.company != nil || c.proc.univ.sched.Cause() != nil:
		c.call = nil // another rank may still be reading the record
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

// launch starts a call that does not wait, for the first time, and returns the
// request of op, which it is or is a part of.
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

// begins marks the call in the record of the rank, if there is one.
func (k *call) begins() {
	if t := k.comm.proc.thread; t.Recording() && k.routine != nil && k.comm.core.inter == nil {
		t.Begins(k.title(), k.comm.core, k.round, k.comm.core.members.n)
	}
}

// depart comes to the meeting of a call that does not wait.
func (k *call) depart() error {
	p := k.comm.proc
	k.begins()
	if err := p.thread.Step(k); err != nil {
		return err
	}
	k.line = p.thread.Note()
	if p.log != nil {
		m := k.entered()
		defer func() { k.told(m, nil) }()
	}
	k.clock, k.seen = p.thread.Now(), sched.Clock{}
	k.putAside()
	err := p.engine.launch(k)
	if err == nil {
		k.enlist()
	}
	return err
}

// prepare meets the other ranks to agree on a call that is started later, any
// number of times, and returns its request, which is inactive. (COLL-02)
func (k *call) prepare() (*Request, error) {
	if err := k.run(); err != nil {
		return nil, err
	}
	return k.comm.persistent(k, k), nil
}

// start starts a lasting call once more. The ranks of one request meet by
// themselves, so that they may start several requests in any order.
func (k *call) start() (operation, error) {
	if f := k.comm.occupy(k.routine); f != nil {
		return nil, f
	}
	defer k.comm.vacate()
	k = k.again()
	k.over, k.fate = false, nil
	return k, k.depart()
}

// done, expect, outcome, abandon and detach make a call the operation of a
// request.
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
	if err := k.fate.tell(k); err != nil {
		return Status{}, k.comm.failOf(line, k.title(), err)
	}
	return emptyStatus(AnySource), nil
}

func (k *call) abandon() {
	k.comm.proc.engine.forsake(k)
	k.over = true
	k.delist()
}

// detach releases a call that Status has reported as complete.
func (k *call) detach() error {
	if k.over {
		return nil
	}
	return broken(ErrRequest, "COLL-02", "%v is under way; a collective is completed by Wait or Test before its request is freed", k)
}
