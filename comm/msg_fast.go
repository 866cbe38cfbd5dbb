package comm

import (
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// Most messages are short and like the previous one. The fast path handles a send of few
// contiguous bytes of the same datatype as the last one, which no listener wants, and a
// receive of a message that is in the rank's batch. One comparison checks this. Such a call
// neither waits nor fails, so no transfer is filled in for it. If any precondition fails,
// nothing has changed and the call takes the general path.

// maxFastBytes is how many bytes the fast path sends. They are copied under the lock of the
// mailbox, because unlocking it and locking it again would cost more.
const maxFastBytes = 256

// sendFast is a standard send by the fast path; it returns false if a precondition fails.
// For a send with a request, it notes the calling line even then.
func (c *Comm) sendFast(op string, buf *types.Buffer, dst, tag int, request bool) (line *sched.Line, ok bool) {
	if !c.usable() || c.proc.net == nil {
		return nil, false
	}
	p, to := c.proc, c.core.peers()
	mem, ok := buf.Again(p.lastType, p.lastUnit)
	if !ok || int64(len(mem)) > p.net.fastBytes || uint(dst) >= uint(to.n) || uint(tag) > MaxTag {
		return nil, false
	}
	b := p.net.boxes[to.world(dst)].Load()
	if b == nil || !p.thread.Stride() {
		return nil, false
	}
	p.polls = 0
	if request {
		line = p.line(0)
	}
	env := envelope{c.core.context, int32(c.rank), int32(tag)}
	b.mu.Lock()
	r := b.match.receiver(env)
	if r == nil {
		if !request { // here, so that messages with a waiting receive do not pay for it
			line = p.line(0)
		}
		m := p.take()
		m.env, m.comm = env, c
		m.eager, m.sent, m.line = true, p.thread.Now(), line
		d := &m.data
		d.typ, d.count, d.unit, d.arch, d.plain, d.flat = p.lastType, buf.Count(), p.lastUnit, p.arch, true, m.bytes(len(mem))
		copy(d.flat, mem)
		b.queue(m)
		return line, true
	}
	b.mu.Unlock()
	if r.takes(p.lastType, buf.Count(), p.arch) {
		copy(r.data.flat, mem)
		r.sent = p.thread.Now()
		r.got.source, r.got.tag, r.got.bytes = env.source, env.tag, int64(len(mem))
	} else {
		t := p.take()
		t.begin(c, op, true, dst, tag)
		t.line = line
		_ = t.data.take(buf, p.arch) // no error is possible: Again has checked it
		t.sent = p.thread.Now()
		deliver(r, t, true)
		p.give(t)
	}
	r.finish()
	return line, true
}

// recvFast is Recv by the fast path; it returns false if a precondition fails.
func (c *Comm) recvFast(buf *types.Buffer, src, tag int, st *Status) bool {
	if !c.usable() || c.proc.net == nil {
		return false
	}
	p := c.proc
	b := p.net.boxes[p.thread.ID()].Load()
	if b == nil || b.batch.first == nil {
		return false
	}
	m, e := b.batch.first, &b.batch.env
	if int(e.source) != src || int(e.tag) != tag || e.context != c.core.context {
		return false
	}
	d := &m.data
	mem, ok := buf.Again(d.typ, d.unit)
	if !ok || !d.plain || d.count > buf.Count() || d.arch != p.arch || !p.thread.Stride() {
		return false
	}
	copy(mem, d.flat)
	p.thread.Join(m.sent)
	st.Source, st.Tag, st.bytes, st.arch = src, tag, int64(len(d.flat)), p.arch
	b.batch.pop()
	b.batch.done(m)
	return true
}
