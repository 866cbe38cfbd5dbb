package comm

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/commworld/commworld/internal/sched"
)

// A routine is one of the collectives.
type routine struct {
	name   string
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
}

// A call is what one rank brings to a collective. The other ranks read it, and
// the buffers in it, until the call returns on all of them.
type call struct {
	*routine
	comm  *Comm
	round int
	root  int
	op    *Op

	send, recv   data
	sends, recvs parts // how they are cut up by rank
	skipSelf     bool  // what this rank sends itself is where it shall be

	clock sched.Clock // of this rank as it came
	seen  sched.Clock // what it knows when it leaves

	made  *communicator
	err   *fault      // what is wrong with this rank's arguments
	late  *fault      // what went wrong in this rank's share
	place sched.Place // of the call, asked for only if ranks disagree
}

// parts say how a buffer is cut up into a block for each rank: it is one block
// for all, or equal blocks, or blocks given by counts.
type parts struct {
	how            cut
	mine           bool // whoever asks, the block of the buffer's own rank
	counts, displs []int64
}

type cut uint8

const (
	uncut cut = iota
	evenly
	byCounts
)

// title is what the program called.
func (k *call) title() string {
	if k.made != nil && k.made.call != "" {
		return k.made.call
	}
	return k.name
}

// String is what a deadlock report says about a rank that waits in k.
func (k *call) String() string {
	return fmt.Sprintf("%s (%s collective) on %s", k.title(), ordinal(k.round), k.comm.core.name)
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
	return fmt.Sprint(n, suffix)
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
		n := d.count / int64(c.core.members.n)
		return region{d, n * int64(peer), n}
	case byCounts:
		return region{d, p.displs[peer], p.counts[peer]}
	}
	return d.whole()
}

// begin returns a fresh call of a routine on c. A rank makes one blocking call
// at a time, so the record is used again.
func (c *Comm) begin(r *routine) *call {
	if c.call == nil {
		c.call = new(call)
	}
	c.round++
	k := c.call
	k.routine, k.comm, k.round = r, c, c.round
	return k
}

// run carries out a collective call. Errors in arguments are taken along, so
// that all ranks hear of them.
func (k *call) run() error {
	c, name := k.comm, k.title()
	err := c.proc.engine.collective(k)
	if c.proc.univ.sched.Cause() != nil {
		c.call = nil // another rank may still be reading the record
	} else {
		*k = call{}
	}
	if err != nil {
		return c.fail(name, err)
	}
	return nil
}

// A verdict is what the last rank to come to a meeting finds: how to go on, or
// what is wrong. None at all means that everything has been done already.
type verdict struct {
	parallel bool // every rank does its share
	mixed    bool // the ranks are in different calls
	fault    *fault
	rank     int // whose fault it is, or everybody's
}

const everybody = -1

var inParallel = &verdict{parallel: true}

// collective lets the ranks meet. The last one to come checks everything and,
// if little data is to be moved, moves it for all: that costs one meeting.
// Otherwise each rank does a share of the work between two meetings.
func (e *local) collective(k *call) error {
	k.clock = k.comm.proc.thread.Now()
	v, err := k.meet(k, settle)
	if err != nil {
		return err
	}
	k.learn()
	if v == nil {
		return nil
	}
	switch {
	case v.mixed:
		k.place = k.comm.proc.thread.Place()
		if v, err = k.meet(k, compareCalls); err != nil {
			return err
		}
	case v.parallel:
		if k.late = k.enter(); k.late == nil {
			k.late = k.share(k.comm.core.calls, k.comm.rank, len(k.comm.core.calls))
			k.leave()
		}
		if v, err = k.meet(k, collectFaults); err != nil || v == nil {
			return err
		}
	}
	return v.tell(k.comm.rank)
}

func (k *call) meet(val any, join func([]any) any) (*verdict, error) {
	c := k.comm
	v, err := c.core.meeting.MeetWith(c.proc.thread, c.rank, k, val, join)
	if err != nil {
		k.drain()
		return nil, err
	}
	found, _ := v.(*verdict)
	return found, nil
}

// enter says that this rank touches buffers of others from now on, leave that
// it has done so. In an aborted world nobody enters any more, and drain waits
// for those inside: afterwards a rank's buffers are its own again.
func (k *call) enter() *fault {
	k.comm.core.sharing.Add(1)
	if cause := k.comm.proc.univ.sched.Cause(); cause != nil {
		k.leave()
		return &fault{class: ErrOther, err: cause}
	}
	return nil
}

func (k *call) leave() { k.comm.core.sharing.Add(-1) }

func (k *call) drain() {
	for k.comm.core.sharing.Load() > 0 {
		runtime.Gosched()
	}
}

// tell gives a rank its error of a common fault.
func (v *verdict) tell(rank int) error {
	if v.fault == nil {
		return nil
	}
	if v.rank == everybody || v.rank == rank {
		return v.fault
	}
	return &fault{v.fault.class, v.fault.rule, fmt.Errorf("failed on rank %d: %w", v.rank, v.fault.err)}
}

// settle is run by the last rank of a meeting. It returns a *verdict or nil.
func settle(all []any) any {
	first := all[0].(*call)
	ks := first.comm.core.gather(all)
	if v := agree(first, ks); v != nil {
		return v
	}
	joinClocks(ks, first.edge)
	switch {
	case first.share == nil:
		return nil
	case first.volume(ks) > enough(len(ks)):
		return inParallel
	}
	n := len(ks)
	if first.divides {
		n = 1
	}
	if f := first.enter(); f != nil {
		return &verdict{fault: f, rank: everybody}
	}
	defer first.leave()
	for i := range n {
		if f := first.share(ks, i, n); f != nil {
			return &verdict{fault: f, rank: i}
		}
	}
	return nil
}

// enough is the volume in bytes from which on it pays to meet twice: waking a
// rank costs as much as moving a few kilobytes.
func enough(ranks int) int64 { return int64(16<<10 + ranks*(4<<10)) }

// gather lists the calls of a meeting by rank. The list stays as it is until
// every rank has come to the meeting after the next.
func (k *core) gather(all []any) []*call {
	if k.calls == nil {
		k.calls = make([]*call, len(all))
	}
	for i, v := range all {
		k.calls[i] = v.(*call)
	}
	return k.calls
}

// agree finds what is wrong with a collective call: ranks in different calls,
// the arguments of one rank, different roots, data that do not fit together.
// (GEN-05, GEN-06, COLL-01)
func agree(first *call, ks []*call) any {
	wrong := -1
	for i, k := range ks {
		if k.routine != first.routine || k.made != nil && k.made.call != first.made.call {
			return &verdict{mixed: true}
		}
		if k.err != nil && wrong < 0 {
			wrong = i
		}
	}
	if wrong >= 0 {
		return &verdict{fault: ks[wrong].err, rank: wrong}
	}
	if first.rooted {
		if f := oneRoot(ks); f != nil {
			return &verdict{fault: f, rank: everybody}
		}
	}
	if first.agree != nil {
		if f := first.agree(ks); f != nil {
			return &verdict{fault: f, rank: everybody}
		}
	}
	return nil
}

func oneRoot(ks []*call) *fault {
	for i, k := range ks {
		if k.root != ks[0].root {
			return broken(ErrNotSame, "GEN-05", "roots differ: rank 0 gave %d, rank %d gave %d", ks[0].root, i, k.root)
		}
	}
	return nil
}

// compareCalls is run when all ranks have told which line of the program they
// are at. It names who called what.
func compareCalls(all []any) any {
	var order []string
	ranks := map[string][]int{}
	for i, v := range all {
		k := v.(*call)
		what := k.title()
		if at := k.place.String(); at != "" {
			what += " at " + at
		}
		if ranks[what] == nil {
			order = append(order, what)
		}
		ranks[what] = append(ranks[what], i)
	}
	said := make([]string, len(order))
	for i, what := range order {
		said[i] = sched.RankList(ranks[what]) + " called " + what
	}
	k := all[0].(*call)
	return &verdict{rank: everybody, fault: broken(ErrNotSame, "GEN-06",
		"as the %s collective on %s %s; all ranks make the same calls in the same order",
		ordinal(k.round), k.comm.core.name, strings.Join(said, ", "))}
}

// collectFaults ends a call whose work was shared.
func collectFaults(all []any) any {
	for i, v := range all {
		if f := v.(*call).late; f != nil {
			return &verdict{fault: f, rank: i}
		}
	}
	return nil
}
