package comm

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// local is the carrier for ranks that share one process: a message is copied from one
// rank's memory into another's. Every rank has a mailbox; the rank that completes a pair,
// sender or receiver, copies the data, outside the lock.
type local struct {
	univ      *universe
	eager     int64
	fastBytes int64                     // longest message of the fast path; see msg_fast.go
	boxes     []atomic.Pointer[mailbox] // by world rank; made at the first message

	found     sync.Once // the next two: for the report of a deadlock; see msg_unmatched.go
	delivered map[envelope]*delivery
}

// A mailbox holds the messages and receives of one rank that are to be matched.
type mailbox struct {
	mu      sched.Mutex
	match   matcher
	probing *sched.Rank // waits for any message to come

	openings map[opening][]*partitioned // partitioned messages with one end missing

	batch batch // used by its own rank only
}

func newLocal(u *universe) *local {
	return &local{univ: u, eager: u.eager, fastBytes: min(maxFastBytes, u.eager), boxes: make([]atomic.Pointer[mailbox], len(u.procs))}
}

// local returns the carrier of the rank's messages in this process, nil if it has another one.
func (p *process) local() *local {
	switch e := p.engine.(type) {
	case *local:
		return e
	case *explorer:
		return e.local
	}
	return nil
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

// send gives the message to the oldest receive that matches. If there is none, a short
// message is buffered and complete; a long one is queued and waits.
func (e *local) send(t *transfer) (call *transfer) {
	// Packing is done outside the lock, which costs one unlock and lock; very short
	// messages are packed faster than that.
	const short = 1 << 10
	to := t.comm.core.peers().world(int(t.peer))
	b := e.box(to)
	if t.comm.proc.log != nil {
		t.departs(to)
	}
	t.sent = t.comm.proc.thread.Publish(false)
	call = t
	b.mu.Lock()
	r := b.match.receiver(t.env)
	if r == nil && t.mode == ready {
		b.mu.Unlock()
		t.fault = unready(t)
		return t
	}
	switch {
	case r != nil || !e.buffers(t):
	case t.data.size() > short:
		b.mu.Unlock()
		call = t.buffered()
		b.mu.Lock()
		r = b.match.receiver(t.env)
	default:
		call = t.buffered()
	}
	if r == nil {
		b.queue(t)
		return call
	}
	b.match.withdraw(r)
	b.mu.Unlock()
	deliver(r, t, true)
	r.finish()
	if t.eager {
		t.recycle()
	} else if t.room != nil {
		t.freeRoom()
	}
	return call
}

// received ends m, a message that has been received and is in no queue.
func (m *transfer) received() {
	if m.eager {
		m.recycle()
	} else {
		m.finish()
	}
}

func unready(t *transfer) *fault {
	return broken(ErrOther, "P2P-01", "no receive for tag %d is posted on rank %d; a ready send needs one, so let the receiver send a message when it has posted it", t.tag, t.peer)
}

// buffers reports whether a message for which no receive waits yet is copied to a buffer.
func (e *local) buffers(t *transfer) bool {
	return t.mode == standard && t.data.size() <= e.eager || t.mode == buffered
}

// queue adds t to the messages of the mailbox, and unlocks it.
func (b *mailbox) queue(t *transfer) {
	if !t.eager {
		t.box = b
		t.open()
	}
	waiter := b.probing
	b.probing = nil
	b.match.arrive(t)
	b.mu.Unlock()
	if waiter != nil {
		waiter.Wake()
	}
}

// post adds t to the receives of the mailbox, and unlocks it.
func (b *mailbox) post(t *transfer) {
	t.box = b
	t.open()
	b.match.post(t)
	b.mu.Unlock()
}

// receive takes the oldest message that matches, or queues t.
func (e *local) receive(t *transfer) {
	p := t.comm.proc
	b := p.box
	if b == nil {
		b = e.box(p.thread.ID())
		p.box = b
	}
	if m := b.batch.next(t.env); m != nil {
		deliver(t, m, false)
		b.batch.done(m)
		return
	}
	t.taken = p.thread.Publish(false)
	b.mu.Lock()
	if b.batch.first != nil && t.env.shape() != exact {
		b.putBack()
	}
	m := b.match.message(t.env)
	if m == nil {
		b.post(t)
		return
	}
	if m.eager && m.env == t.env {
		b.takeFollowing(m)
	}
	b.match.withdraw(m)
	b.mu.Unlock()
	deliver(t, m, false)
	m.received()
}

// deliver moves the data of message m to receive r. Neither is queued any more. If now is
// true, m's rank calls it while it sends m; otherwise r's rank does. A message that does
// not match is used up, and r's buffer is left alone. (P2P-MATCH-10)
func deliver(r, m *transfer, now bool) {
	if s := &m.data; !s.laid && r.takes(s.typ, s.count, s.arch) {
		copyBytes(r.data.flat, s.flat)
		r.accept(m, s.size())
		return
	}
	dst, src := r.data.whole(), m.data.whole()
	var changed *fault
	if r.guard != nil {
		r.guard.Lock()
		changed = r.intact()
		r.guard.Reveal()
	}
	r.accept(m, 0)
	how := fitsIn
	if r.comm.proc.univ.matchSizes.Load() {
		how = fitsBySize
	}
	f := match(dst, src, how)
	if f == nil && r.data.short {
		f = dst.tooShort(src)
	}
	if r.fault = sentBy(f, m, now); r.fault == nil {
		if r.fault = move(dst, src); r.fault == nil {
			r.got.bytes = arrives(dst, src)
			r.fault = changed
		}
	}
	if r.guard != nil {
		r.guard.Conceal()
		r.guard.Unlock()
	}
}

// takes reports whether a plain copy is enough for r to receive data of that type, in one
// piece, which is the usual case.
func (r *transfer) takes(t *types.Type, count int64, a *reps.Arch) bool {
	d := &r.data
	return d.typ == t && count <= d.count && d.arch == a && !d.laid && r.guard == nil
}

// accept records in r that it has received m, with the given number of bytes.
func (r *transfer) accept(m *transfer, bytes int64) {
	r.sent, r.number = m.sent, m.number
	switch {
	case m.mode == synchronous:
		m.taken = r.taken
	case m.mode == standard && !m.eager && m.data.size() > m.comm.proc.univ.eager:
		m.begun = r.taken.Moment()
	}
	r.got.source, r.got.tag, r.got.bytes = m.env.source, m.env.tag, bytes // one by one: the reader need not wait for a copy
}

func (e *local) await(t *transfer) error {
	if t.completion.done() {
		return nil
	}
	thread := t.comm.proc.thread
	thread.YieldProcessor()
	for !t.completion.done() {
		if t.expect() {
			if err := thread.Park(t); err != nil {
				e.abandon(t)
				return err
			}
		}
	}
	return nil
}

// learn joins what happened before the end of t into its rank's clock. A send gets no clock
// from its receive, unless it is synchronous: the standard does not promise that a standard
// send waits. (CONS-D09)
func (t *transfer) learn() {
	thread := t.comm.proc.thread
	if !t.sends {
		thread.Join(t.sent)
		return
	}
	if t.taken != (sched.Clock{}) {
		thread.Join(t.taken)
	}
	if t.begun.Time > 0 {
		thread.MarkCall("", t.begun, 0, 0)
	}
}

// learned returns the clock that the rank of t gets from it; t is complete.
func (t *transfer) learned() sched.Clock {
	if t.sends {
		return t.taken
	}
	return t.sent
}

// abandon ends t in an aborted world. If it has been matched, the other rank is copying
// data now; it does not wait meanwhile, so abandon can wait for it.
func (e *local) abandon(t *transfer) {
	t.box.mu.Lock()
	queued := t.box.match.withdraw(t) || t.queued == inClaimed
	t.queued = inNone
	t.box.mu.Unlock()
	for !queued && !t.done() {
		runtime.Gosched()
	}
}

// cancel ends t without effect if no rank has matched it.
func (e *local) cancel(t *transfer) error {
	if t.done() {
		return nil // too late, or it moved nothing
	}
	t.box.mu.Lock()
	queued := t.box.match.withdraw(t)
	t.box.mu.Unlock()
	if queued {
		t.got = receipt{AnySource, AnyTag, cancelled}
		t.finish()
	}
	return nil
}

func (e *local) probe(t *transfer, wait, claim bool) (*transfer, error) {
	thread := t.comm.proc.thread
	b := e.box(thread.ID())
	for {
		b.mu.Lock()
		b.putBack()
		m := b.match.message(t.env)
		if m != nil {
			b.found(t, m, claim)
		} else if wait {
			b.probing = thread
		}
		b.mu.Unlock()
		if m != nil || !wait {
			return m, nil
		}
		thread.YieldProcessor()
		if err := thread.Park(t); err != nil {
			return nil, err
		}
	}
}

// receiveClaimed receives m, which a probe has claimed, by t.
func (e *local) receiveClaimed(t, m *transfer) {
	m.box.mu.Lock()
	there := m.queued == inClaimed
	m.queued = inNone
	m.box.mu.Unlock()
	if !there { // its sender has left an aborted world
		t.fault = &fault{Class: ErrOther, Err: t.comm.proc.univ.sched.Cause()}
		return
	}
	deliver(t, m, false)
	m.received()
}

// found gives t, a probe, the receipt that a receive of m would have, assuming that it
// receives the data as they were sent, and claims m if asked to. The mailbox, where m is
// queued, is locked.
func (b *mailbox) found(t, m *transfer, claim bool) {
	there := data{typ: m.data.typ, arch: t.comm.proc.arch}
	t.got, t.sent = receipt{m.env.source, m.env.tag, arrives(there.whole(), m.data.whole())}, m.sent
	if claim {
		b.match.withdraw(m)
		m.queued, m.box = inClaimed, b
	}
}
