package comm

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/reps"
)

// A transfer is one end of a message: a receive, a send that waits for its receive, or a
// buffered message. Its creator owns it until it is submitted to a carrier, and again when
// it is complete; but a send that was buffered belongs from then on to the rank that receives
// it, which gives it back to its creator's pool.
type transfer struct {
	// The fields that other ranks use come first: they may have to be fetched from another
	// processor, and when many messages wait, no cache holds them all.
	env    envelope
	queued queue
	eager  bool // a buffered message
	sends  bool
	waits  bool // its call waits for it
	completion
	comm *Comm // of the rank that made the call
	link link  // position in the matcher, under the lock of the mailbox
	data data
	sent sched.Clock // clock of the sender; a receive has it when complete
	rare
	order uint64         // of arrival in the mailbox
	next  *transfer      // in a pool, or among the idle ones
	tiny  [smallest]byte // space for short data

	got   receipt
	taken sched.Clock       // clock of the receiver at the start of the receive; a synchronous send has it when complete
	call  string            // name of the call, as "Recv"
	peer  int32             // as the caller gave it
	tag   int32             // as the caller gave it
	box   *mailbox          // the mailbox where it is queued, if its rank waits for it
	req   record            // of its request, if it has one and messages are plain
	space []byte            // space for longer data
	wild  *[shapes - 1]link // as link, for the wildcard shapes; made at the first use
}

// rare is what most transfers have nothing of, in one place so that it is cleared together.
type rare struct {
	mode    mode            // of a send
	number  int64           // of the message, in a world that explores or keeps a log; else 0
	guard   *commport.Guard // nil unless buffers are checked
	watched bool            // it is in the list of pending messages
	line    *sched.Line     // line of the program that sends, if noted; on the fast path only if the message waits
	room    *load           // the load whose room it takes, if it is a buffered send
	fault   *fault
	begun   sched.Moment // when the receive began for which a standard send waited, which the sender does not learn
	native  any          // an engine.Request while under way, an engine.Message once claimed
}

// A receipt holds what the status of a complete message reports.
type receipt struct {
	source, tag int32
	bytes       int64 // as in a Status
}

// fill fills in st, which is zero, for a rank of architecture a.
func (x *receipt) fill(st *Status, a *reps.Arch) {
	st.Source, st.Tag, st.bytes = int(x.source), int(x.tag), x.bytes
	if x.source >= 0 { // else the status names no rank
		st.arch = a
	}
}

// The queue that a transfer is in.
type queue uint8

const (
	inNone queue = iota
	inPosted
	inArrived
	inClaimed // an MProbe has claimed it
)

// A mode says when a send is complete. (P2P-01)
type mode uint8

const (
	standard    mode = iota // its data are received or buffered, as the carrier decides
	synchronous             // its receive has begun
	buffered                // at once: the rank has attached a buffer
	ready                   // at once: the receive must be posted already
)

// begin makes t the transfer of a call. The caller has checked the arguments.
func (t *transfer) begin(c *Comm, call string, sends bool, peer, tag int) {
	t.env = envelope{c.core.context, int32(peer), int32(tag)}
	if sends {
		t.env.source = int32(c.rank)
	}
	t.comm, t.call, t.sends, t.waits, t.peer, t.tag = c, call, sends, false, int32(peer), int32(tag)
	t.got = receipt{} // left from its last use
	if sends {
		t.taken = sched.Clock{}
	} else {
		t.sent = sched.Clock{}
	}
}

// finish completes t, which was pending. Its rank may then reuse it at once, so finish
// touches nothing of t afterwards.
func (t *transfer) finish() { t.completion.finish(t.comm.proc.thread) }

// requestsPerBlock is how many requests are allocated at a time, enough for a window of
// messages. A complete request has no record, so a block that one request keeps alive is
// small.
const requestsPerBlock = 64

// request returns the request of t, which has been submitted. Where messages are plain its
// record is part of t, and is taken away when the request is complete.
func (t *transfer) request(line *sched.Line) *Request {
	p := t.comm.proc
	if !p.plain {
		q := t.comm.request(t)
		q.line = line
		return q
	}
	if len(p.blank) == 0 {
		p.blanks = min(2*p.blanks+1, requestsPerBlock)
		p.blank = make([]Request, p.blanks)
	}
	q := &p.blank[0]
	p.blank = p.blank[1:]
	q.record = &t.req
	q.setOperation(t.comm, t)
	q.line = line
	return q
}

// line returns the line that called its caller, or the function skip calls above that, if
// lines are noted; otherwise nil. It is inlined.
func (p *process) line(skip int) *sched.Line {
	if !p.univ.lines {
		return nil
	}
	return p.thread.NoteLine(2 + skip)
}

// outcome is what the complete transfer of a request returns.
func (t *transfer) outcome(line *sched.Line) (st Status, err error) {
	if f := t.wrong(); f != nil {
		err = t.comm.failOf(line, t.call, f)
	}
	t.fill(&st)
	return st, err
}

// fill fills in st, which is zero, for t, which is complete. A send has no status unless it
// was cancelled or went to ProcNull.
func (t *transfer) fill(st *Status) {
	if !t.sends || t.got != (receipt{}) {
		t.got.fill(st, t.comm.proc.arch)
	}
}

func (t *transfer) status() (st Status) {
	t.fill(&st)
	return st
}

// result returns the error of a complete transfer whose call waits.
func (t *transfer) result() error {
	if f := t.wrong(); f != nil {
		return t.comm.fail(t.call, f)
	}
	return nil
}

// wrong returns the fault of a complete transfer.
func (t *transfer) wrong() *fault {
	t.learn()
	if t.guard != nil {
		if f := t.intact(); t.fault == nil {
			t.fault = f
		}
	}
	t.unwatch()
	return t.fault
}

// sentBy adds to f, which says that message m does not fit, the line that sent m. For a
// message sent earlier the line is known only if it was noted; for one that the calling
// rank sends now, always.
func sentBy(f *fault, m *transfer, now bool) *fault {
	if f == nil {
		return nil
	}
	if now && m.line == nil {
		m.line = m.comm.proc.thread.NoteLine(sched.AnyDepth)
	}
	where := " (world.Check(world.Handles) shows where)"
	if at := m.line.Place().String(); at != "" {
		where = " at " + at
	}
	return &fault{Class: f.Class, Rule: f.Rule, Err: fmt.Errorf("%w; rank %d sent it with tag %d%s", f.Err, m.env.source, m.env.tag, where)}
}

func (t *transfer) abandon() {
	t.comm.proc.engine.abandon(t)
	t.unwatch()
}

func (t *transfer) cancel() error { return t.comm.proc.engine.cancel(t) }

// String returns the text of a deadlock report for a rank that waits for t.
func (t *transfer) String() string { return t.call + " " + t.route() + " on " + t.comm.label() }

// Explain adds to a deadlock report which ranks of the world can complete t, and why it
// waits.
func (t *transfer) Explain(w *sched.Waiting) {
	w.For, w.Note = t.waitsFor(), t.note()
	if e := t.comm.proc.local(); e != nil && !t.sends {
		w.Unreceived, w.Note = e.unmatched(t), e.elsewhere(t)
	}
	w.Cure = t.cure(w)
}

// cure returns what to change if each rank of a cycle waits in a blocking receive, and has no
// message that it does not receive, or if each waits in a blocking send.
func (t *transfer) cure(w *sched.Waiting) string {
	both := ", or use SendRecv"
	if ext := path.Ext(w.Place.File); ext == "" || ext == ".mpio" { // scripts have no such call
		both = ""
	}
	switch {
	case t.call == "Recv" && len(w.Unreceived) == 0 && w.Note == "":
		return "each waits for a message that the next has not sent: let one send first" + both
	case t.call == "Send" || t.call == "SSend":
		return "each sends, and the next does not receive it yet: let one receive first" + both
	}
	return ""
}

// note returns the text that explains why a standard send waits: programs often expect that
// it does not.
func (t *transfer) note() string {
	if !t.sends || t.mode != standard {
		return ""
	}
	most := t.comm.proc.univ.eager
	if most < 0 {
		return t.call + " waits for its receive to be posted: under Eager(0) no message is buffered, and the standard never promises it"
	}
	return fmt.Sprintf("%s of %d bytes waits for its receive to be posted: up to %d bytes are buffered (world.Eager), and the standard never promises it",
		t.call, t.data.size(), most)
}

// waitsFor returns the ranks of the world that can complete t.
func (t *transfer) waitsFor() []int {
	m := t.comm.core.peers()
	if t.peer >= 0 {
		return []int{m.world(int(t.peer))}
	}
	ranks := make([]int, m.n)
	for i := range ranks {
		ranks[i] = m.world(i)
	}
	return ranks
}

// route returns the peer and tag as text: "from 1 tag 7".
func (t *transfer) route() string {
	way := "from"
	if t.sends {
		way = "to"
	}
	peer, tag := strconv.Itoa(int(t.peer)), strconv.Itoa(int(t.tag))
	switch t.peer {
	case AnySource:
		peer = "any source"
	case ProcNull:
		peer = "MPI_PROC_NULL"
	}
	if t.tag == AnyTag {
		tag = "any"
	}
	return fmt.Sprintf("%s %s tag %s", way, peer, tag)
}

func sortByOrder(ts []*transfer) {
	slices.SortFunc(ts, func(a, b *transfer) int { return cmp.Compare(a.order, b.order) })
}
