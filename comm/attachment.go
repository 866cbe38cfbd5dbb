package comm

import (
	"fmt"
	"maps"
	"slices"

	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/sched"
)

// An attachment is the room that a rank has given for its buffered messages.
// Only its length counts: the messages lie where those of standard sends do, so
// the user's memory is never written, and no gaps form in it.
type attachment struct {
	mem       []byte
	automatic bool // it has no length
	rank      *process
	own       *Comm       // whose buffer it is; nil: the rank's
	open      Leftover    // which nobody has to close if it is automatic
	native    engine.Room // nil in one process

	mu    sched.Mutex // any rank gives room back
	used  int64       // bytes
	loads []*load     // those that are not empty, and the one that takes what is sent now; oldest first
}

// A load is the buffered messages between two flushes, and the operation of the
// flush that ended it: complete when it and all loads before are empty.
type load struct {
	completion
	of   *attachment
	to   map[int]int // messages under way, by the rank of the world that is to receive them
	comm *Comm       // whose call ended it
	call string
}

// String says which buffer it is.
func (a *attachment) String() string {
	if a.automatic {
		return "automatic buffering"
	}
	return fmt.Sprintf("the buffer of %d bytes", len(a.mem))
}

// reserve takes room for t, a buffered send, in the buffer of its communicator or
// else in the rank's. Only the rank takes room, others give it back, so what is
// found free stays so.
func (t *transfer) reserve() error {
	a, need := t.comm.room(true), t.roomy()
	if a == nil {
		a = t.comm.room(false)
	}
	if a == nil {
		return broken(ErrBuffer, "P2P-01", "no buffer is attached for %d bytes; BufferAttach gives room", need)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if free := int64(len(a.mem)) - a.used; need > free && !a.automatic {
		return broken(ErrBuffer, "P2P-01", "%d bytes, BSendOverhead of %d included, do not fit into the %d that are free of the attached %d",
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

// roomy is how much room t takes.
func (t *transfer) roomy() int64 { return t.data.size() + BSendOverhead }

// count counts the messages that t's receiver is to receive.
func (l *load) count(t *transfer, n int) {
	to := t.comm.core.peers().world(int(t.peer))
	if l.to == nil {
		l.to = map[int]int{}
	}
	if l.to[to] += n; l.to[to] == 0 {
		delete(l.to, to)
	}
}

// vacate gives t's room back: its data have been received. Any rank may do so.
func (t *transfer) vacate() {
	l := t.room
	t.room = nil
	a := l.of
	var over []*load
	a.mu.Lock()
	a.used -= t.roomy()
	l.count(t, -1)
	for len(a.loads) > 1 && len(a.loads[0].to) == 0 {
		over, a.loads = append(over, a.loads[0]), a.loads[1:]
	}
	a.mu.Unlock()
	for _, l := range over {
		a.rank.thread.Touch()
		l.finish(a.rank.thread)
	}
}

// cut begins a new load, and returns the one before for a call of c that is to
// see it empty.
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

// ahead is how many messages l waits for, by receiver: those of older loads are
// among them.
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

// String is what a deadlock report says about a rank that waits for its messages
// to be received.
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

// Explain tells a deadlock report which ranks of the world are to receive.
func (l *load) Explain(w *sched.Waiting) { w.For = slices.Sorted(maps.Keys(l.ahead())) }

// Digest is that of the call. How many messages are under way is another rank's
// doing.
func (l *load) Digest() sched.Digest {
	return sched.Digest(0).String(l.call).String(l.comm.core.name)
}

func (l *load) title() string { return l.call }

func (l *load) outcome(*sched.Line) (Status, error) { return emptyStatus(AnySource), nil }

func (l *load) abandon() {}
