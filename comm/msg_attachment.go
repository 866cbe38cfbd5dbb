package comm

import (
	"fmt"
	"maps"
	"slices"

	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/sched"
)

// An attachment is the buffer that a rank has attached for its buffered messages. Only its
// length counts: the messages are stored where those of standard sends are, so the user's
// memory is never written and cannot become fragmented.
type attachment struct {
	mem       []byte
	automatic bool // its length is unlimited
	rank      *process
	own       *Comm             // the communicator it belongs to; nil: the rank
	open      commport.Leftover // an automatic buffer need not be detached
	native    engine.Room       // nil in one process

	mu    sched.Mutex // any rank gives room back
	used  int64       // bytes in use
	loads []*load     // loads with messages, and the one for new messages; oldest first
}

// A load holds the buffered messages between two flushes, and is the operation of the flush
// that ended it: complete when it and all older loads are empty.
type load struct {
	completion
	of   *attachment
	to   map[int]int // number of messages under way, by the world rank of the receiver
	comm *Comm       // of the call that ended it
	call string
}

// String names the buffer, for reports.
func (a *attachment) String() string {
	if a.automatic {
		return "automatic buffering"
	}
	return fmt.Sprintf("the buffer of %d bytes", len(a.mem))
}

// reserve takes room for t, a buffered send, from the buffer of its communicator, or else
// from the rank's. Only the rank takes room and others only give it back, so room that is
// found free stays free.
func (t *transfer) reserve() error {
	a, need := t.comm.room(true), t.roomFor()
	if a == nil {
		a = t.comm.room(false)
	}
	if a == nil {
		return broken(ErrBuffer, "P2P-01", "no buffer is attached for %d bytes; call BufferAttach first", need)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if free := int64(len(a.mem)) - a.used; need > free && !a.automatic {
		return broken(ErrBuffer, "P2P-01", "%d bytes, with BSendOverhead of %d, do not fit: %d of the %d attached bytes are free",
			need, BSendOverhead, free, len(a.mem))
	}
	a.used += need
	if len(a.loads) == 0 {
		a.loads = []*load{{of: a}}
	}
	t.room = a.loads[len(a.loads)-1]
	t.room.count(t, 1)
	return nil
}

// roomFor returns how much room t takes.
func (t *transfer) roomFor() int64 { return t.data.size() + BSendOverhead }

// count adds n to the number of messages for t's receiver.
func (l *load) count(t *transfer, n int) {
	to := t.comm.core.peers().world(int(t.peer))
	if l.to == nil {
		l.to = map[int]int{}
	}
	if l.to[to] += n; l.to[to] == 0 {
		delete(l.to, to)
	}
}

// freeRoom gives t's room back after its data have been received. Any rank may call it.
func (t *transfer) freeRoom() {
	l := t.room
	t.room = nil
	a := l.of
	var over []*load
	a.mu.Lock()
	a.used -= t.roomFor()
	l.count(t, -1)
	for len(a.loads) > 1 && len(a.loads[0].to) == 0 {
		over, a.loads = append(over, a.loads[0]), a.loads[1:]
	}
	a.mu.Unlock()
	for _, l := range over {
		a.rank.thread.NoteProgress()
		l.finish(a.rank.thread)
	}
}

// cut begins a new load and returns the previous one, for a call of c that waits until it
// is empty.
func (a *attachment) cut(c *Comm, call string) *load {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.used == 0 {
		return &load{of: a, comm: c, call: call}
	}
	l := a.loads[len(a.loads)-1]
	l.comm, l.call = c, call
	l.open()
	a.loads = append(a.loads, &load{of: a})
	return l
}

// ahead returns how many messages l waits for, by receiver, including those of older loads.
func (l *load) ahead() map[int]int {
	all := map[int]int{}
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	if l.done() {
		return all
	}
	for _, x := range l.of.loads {
		for to, n := range x.to {
			all[to] += n
		}
		if x == l {
			break
		}
	}
	return all
}

// String returns the text of a deadlock report for a rank that waits until its messages are
// received.
func (l *load) String() string {
	what := l.call
	if own := l.of.own; own != nil {
		what += " on " + own.label()
	}
	to, n := l.ahead(), 0
	for _, k := range to {
		n += k
	}
	if n == 0 {
		return what
	}
	messages := "messages"
	if n == 1 {
		messages = "message"
	}
	return fmt.Sprintf("%s, for %d buffered %s to be received by %s", what, n, messages, sched.RankList(slices.Sorted(maps.Keys(to))))
}

// Explain adds to a deadlock report which ranks of the world have to receive.
func (l *load) Explain(w *sched.Waiting) { w.For = slices.Sorted(maps.Keys(l.ahead())) }

// Digest returns the digest of the call alone: how many messages are under way depends on
// other ranks.
func (l *load) Digest() sched.Digest {
	return sched.Digest(0).String(l.call).String(l.comm.core.name)
}

func (l *load) title() string { return l.call }

func (l *load) outcome(*sched.Line) (Status, error) { return emptyStatus(AnySource), nil }

func (l *load) abandon() {}
