package comm

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/commworld/commworld/internal/sched"
)

// A transfer is one end of a message: a receive, a send that waits for its
// receive, or a message that was buffered. Its maker owns it until it is handed
// to an engine, and again when it is complete.
type transfer struct {
	// What a buffered message needs comes first: while many wait, each is a
	// few cache lines and no more.
	env    envelope
	queued queue
	eager  bool // a buffered message
	class  int8 // of its space; see stock.go
	sends  bool
	completion
	order uint64       // of arrival in the mailbox
	comm  *Comm        // of the rank whose call this is
	links [shapes]link // of the matcher, under the lock of the mailbox
	next  *transfer    // in a stock
	space []byte       // its own, for data
	data  data
	clock sched.Clock // of the rank as it started this

	call string   // "Recv"
	peer int      // as the caller gave it
	tag  int      // as the caller gave it
	box  *mailbox // where it is queued

	// When complete.
	status Status
	fault  *fault
	seen   sched.Clock // what the rank knows then
}

// Where a transfer is queued.
type queue uint8

const (
	inNone queue = iota
	inPosted
	inArrived
)

// begin makes t the transfer of a call. The caller has checked its arguments.
func (t *transfer) begin(c *Comm, call string, sends bool, peer, tag int) {
	t.env = envelope{c.core.context, int32(peer), int32(tag)}
	if sends {
		t.env.source = int32(c.rank)
	}
	t.comm, t.call, t.sends, t.peer, t.tag = c, call, sends, peer, tag
	t.fault = nil
}

// finish completes t, which was pending. Another rank may own it, and may take it for something
// else at once, so nothing of it is touched afterwards.
func (t *transfer) finish() { t.completion.finish(t.comm.proc.thread) }

// outcome is what a complete transfer returns.
func (t *transfer) outcome() (Status, error) {
	t.learn()
	if t.fault != nil {
		return t.status, t.comm.fail(t.call, t.fault)
	}
	return t.status, nil
}

func (t *transfer) abandon() { t.comm.proc.engine.abandon(t) }

func (t *transfer) cancel() error { return t.comm.proc.engine.cancel(t) }

// String is what a deadlock report says about a rank that waits for t.
func (t *transfer) String() string {
	way := "from"
	if t.sends {
		way = "to"
	}
	peer, tag := strconv.Itoa(t.peer), strconv.Itoa(t.tag)
	if t.peer == AnySource {
		peer = "any source"
	}
	if t.tag == AnyTag {
		tag = "any"
	}
	return fmt.Sprintf("%s %s %s tag %s on %s", t.call, way, peer, tag, t.comm.Name())
}

func sortByOrder(ts []*transfer) {
	slices.SortFunc(ts, func(a, b *transfer) int { return cmp.Compare(a.order, b.order) })
}
