package comm

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// local is the engine for ranks that share one process: a message is copied
// from one rank's memory into another's. Every rank has a mailbox; the rank
// that completes a pair, sender or receiver, moves the data, outside the lock.
type local struct {
	univ  *Universe
	eager int64
	brief int64                     // bytes that go the short way; see short.go
	boxes []atomic.Pointer[mailbox] // by world rank; made at the first message

	explores bool // see wild.go

	found     sync.Once // the next, for the report of a deadlock; see unmatched.go
	delivered map[envelope]*delivery
}

// A mailbox holds what one rank has to match.
type mailbox struct {
	mu      sched.Mutex
	match   matcher
	probing *sched.Rank // waits for any message to come
	open    *openBox    // in place of match in a world that explores

	openings map[opening][]*partitioned // of partitioned messages, one end missing

	hand hand // its rank's own
}

func newLocal(u *Universe) *local {
	return &local{
		univ: u, eager: u.eager, brief: min(shortMost, u.eager), boxes: make([]atomic.Pointer[mailbox], len(u.procs)),
		explores: u.sched.Rank(0).Exploring(),
	}
}

func (e *local) box(world int) *mailbox {
	b := e.boxes[world].Load()
	if b == nil {
		b = e.newBox(world)
	}
	return b
}

func (e *local) newBox(world int) *mailbox {
	e.boxes[world].CompareAndSwap(nil, new(mailbox))
	return e.boxes[world].Load()
}

// withdraw takes a transfer out of its queue; false if it is in none.
func (b *mailbox) withdraw(t *transfer) bool {
	if b.open != nil {
		return b.open.withdraw(t)
	}
	return b.match.withdraw(t)
}

// send gives the message to the oldest receive that matches. If there is none,
// a short message is buffered and complete; a long one waits where it is.
func (e *local) send(t *transfer) {
	// Packing is done outside the lock, for which it is given up once; very
	// short messages are packed faster than that.
	const short = 1 << 10
	if e.explores {
		e.sendOpen(t)
		return
	}
	to := t.comm.core.peers().world(int(t.peer))
	b := e.box(to)
	size := t.data.size()
	if t.comm.proc.log != nil {
		t.departs(to)
	}
	t.sent = t.comm.proc.thread.Now()
	var m *transfer
	b.mu.Lock()
	r := b.match.receiver(t.env)
	if r == nil && t.line == nil { // under the lock, so that messages with a receive do not pay for it
		t.line = t.comm.proc.line(2) // send, by way of transmit, or SendRecv, by way of launch
	}
	if r == nil && e.buffers(t, size) {
		if size > short {
			b.mu.Unlock()
			m = t.buffered(size)
			b.mu.Lock()
			r = b.match.receiver(t.env)
		} else {
			m = t.buffered(size)
		}
	}
	if r == nil && t.mode == ready {
		b.mu.Unlock()
		t.fault = unready(t)
		return
	}
	if r == nil {
		e.queue(b, t, m)
		return
	}
	b.mu.Unlock()
	deliver(r, t, true)
	r.finish()
	if m != nil {
		m.recycle()
	} else if t.room != nil {
		t.vacate()
	}
}

func unready(t *transfer) *fault {
	return broken(ErrOther, "P2P-01", "no receive for tag %d is posted on rank %d; a ready send needs one, so let the receiver tell when it has posted it", t.tag, t.peer)
}

// buffers reports whether a message that nobody waits for yet is copied.
func (e *local) buffers(t *transfer, size int64) bool {
	return t.mode == standard && size <= e.eager || t.mode == buffered
}

// queue leaves m, or t itself if that is nil, in a mailbox, and unlocks it.
func (e *local) queue(b *mailbox, t, m *transfer) {
	if m == nil {
		m = t
		t.box = b
		t.open()
	}
	waiter := b.probing
	b.probing = nil
	b.match.arrive(m)
	b.mu.Unlock()
	if waiter != nil {
		waiter.Wake()
	}
}

// receive takes the oldest message that matches, or queues t.
func (e *local) receive(t *transfer) {
	if e.explores {
		e.receiveOpen(t)
		return
	}
	b := e.box(t.comm.proc.thread.ID())
	if m := b.hand.next(t.env); m != nil {
		deliver(t, m, false)
		b.hand.done(m)
		return
	}
	t.taken = t.comm.proc.thread.Now()
	b.mu.Lock()
	if b.hand.first != nil && t.env.shape() != exact {
		b.putBack()
	}
	m := b.match.message(t.env)
	if m == nil {
		t.box = b
		t.open()
		b.match.post(t)
		b.mu.Unlock()
		return
	}
	if m.eager && m.env == t.env {
		b.grab(m)
	}
	b.match.withdraw(m)
	b.mu.Unlock()
	deliver(t, m, false)
	if m.eager {
		m.recycle()
	} else {
		m.finish()
	}
}

// deliver moves the data of message m to receive r. Neither is queued any more.
// If now, m's rank does it, in the call that sends m; otherwise r's does.
// A message that does not match is used up, and r's buffer is left alone.
// (P2P-MATCH-10)
func deliver(r, m *transfer, now bool) {
	if s := &m.data; !s.laid && r.takes(s.typ, s.count, s.arch) {
		copyBytes(r.data.flat, s.flat)
		r.accept(m, s.size())
		return
	}
	dst, src := r.data.whole(), m.data.whole()
	var spoiled *fault
	if r.guard != nil {
		spoiled = r.intact()
	}
	r.accept(m, 0)
	if r.fault = match(dst, src, fitsIn).sentBy(m, now); r.fault == nil {
		if r.fault = move(dst, src); r.fault == nil {
			r.got.bytes = arrives(dst, src)
			r.fault = spoiled
		}
	}
	if r.guard != nil {
		r.guard.Renew()
	}
}

// takes reports whether r takes data of that kind, in one piece, by a mere copy,
// as it does most.
func (r *transfer) takes(t *types.Type, count int64, a *reps.Arch) bool {
	d := &r.data
	return d.typ == t && count <= d.count && d.arch == a && !d.laid && r.guard == nil
}

// accept notes in r that it has got m, of so many bytes.
func (r *transfer) accept(m *transfer, bytes int64) {
	r.sent, r.number = m.sent, m.number
	if m.mode == synchronous {
		m.taken = r.taken
	}
	r.got = receipt{m.env.source, m.env.tag, bytes}
}

func (e *local) await(t *transfer) error {
	if t.completion.done() {
		return nil
	}
	thread := t.comm.proc.thread
	thread.Yield()
	for !t.completion.done() {
		if t.expect() {
			if err := thread.ParkNow(t); err != nil {
				e.abandon(t)
				return err
			}
		}
	}
	return nil
}

// learn makes what happened before the end of t known to its rank. A send
// hears nothing from its receive: that it waited for it is no promise of the
// standard, unless it is a synchronous one. (CONS-D09)
func (t *transfer) learn() {
	if t.sends {
		t.comm.proc.thread.Join(t.taken)
	} else {
		t.comm.proc.thread.Join(t.sent)
	}
}

// learned is what the rank of t, which is complete, knows by it.
func (t *transfer) learned() sched.Clock {
	if t.sends {
		return t.taken
	}
	return t.sent
}

// abandon ends t in an aborted world. If it has been matched, the other rank is
// moving data just now, and does not wait for anything while it does.
func (e *local) abandon(t *transfer) {
	t.box.mu.Lock()
	queued := t.box.withdraw(t) || t.queued == inHand
	t.queued = inNone
	t.box.mu.Unlock()
	for !queued && !t.done() {
		runtime.Gosched()
	}
}

// cancel ends t if nobody has matched it: then it is as if it had never been.
func (e *local) cancel(t *transfer) error {
	if t.done() {
		return nil // too late, or moved nothing
	}
	t.box.mu.Lock()
	queued := t.box.withdraw(t)
	t.box.mu.Unlock()
	if queued {
		t.got = receipt{AnySource, AnyTag, cancelled}
		t.finish()
	}
	return nil
}

func (e *local) probe(t *transfer, wait, claim bool) (*transfer, error) {
	if e.explores {
		return e.probeOpen(t, wait, claim)
	}
	thread := t.comm.proc.thread
	b := e.box(thread.ID())
	for {
		b.mu.Lock()
		b.putBack()
		m := b.match.message(t.env)
		if m != nil {
			t.got, t.sent = probed(t, m), m.sent
			if claim {
				b.match.withdraw(m)
				m.queued, m.box = inHand, b
			}
		} else if wait {
			b.probing = thread
		}
		b.mu.Unlock()
		if m != nil || !wait {
			return m, nil
		}
		if err := thread.Park(t); err != nil {
			return nil, err
		}
	}
}

// redeem receives m, which a probe has claimed, by t.
func (e *local) redeem(t, m *transfer) {
	m.box.mu.Lock()
	there := m.queued == inHand
	m.queued = inNone
	m.box.mu.Unlock()
	switch {
	case !there: // its sender has left an aborted world
		t.fault = &fault{class: ErrOther, err: t.comm.proc.univ.sched.Cause()}
	case m.eager:
		deliver(t, m, false)
		m.recycle()
	default:
		deliver(t, m, false)
		m.finish()
	}
}

// probed is the status that a receive of m would have, its data being received
// as they were sent. m is queued, and the lock of the mailbox held.
func probed(t, m *transfer) receipt {
	there := data{typ: m.data.typ, arch: t.comm.proc.arch}
	n := arrives(there.whole(), m.data.whole())
	return receipt{m.env.source, m.env.tag, n}
}
