package comm

import (
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// Most messages are short and like the one before. The short way takes for granted
// what can then be seen at a glance: a send of few bytes in one piece, of the
// datatype of the last one, which nobody wants to know about, and a receive of
// what the rank has in its hand. Such a call neither waits nor fails, so no transfer
// is filled in for it. Whatever is otherwise has changed nothing, and goes the long
// way.

// shortMost is how many bytes go the short way. They are copied under the lock of the
// mailbox, because to give that up and take it again would cost more.
const shortMost = 256

// sendShort is a standard send by the short way; false if it cannot go there. Of a
// send that gets a request the line is noted in any case.
func (c *Comm) sendShort(op string, buf *types.Buffer, dst, tag int, request bool) (line *sched.Line, ok bool) {
	if !c.well() || c.proc.net == nil {
		return nil, false
	}
	p, to := c.proc, c.core.peers()
	mem, ok := buf.Again(p.usual, p.unit)
	if !ok || int64(len(mem)) > p.net.brief || uint(dst) >= uint(to.n) || uint(tag) > MaxTag {
		return nil, false
	}
	b := p.net.boxes[to.world(dst)].Load()
	if b == nil || !p.thread.Stride() {
		return nil, false
	}
	if request {
		line = p.line(0)
	}
	env := envelope{c.core.context, int32(c.rank), int32(tag)}
	b.mu.Lock()
	r := b.match.receiver(env)
	if r == nil {
		m := p.message(int64(len(mem)))
		if !request { // here, so that messages with a receive do not pay for it
			line = p.line(0)
		}
		m.env, m.comm, m.eager, m.sent, m.line = env, c, true, p.thread.Now(), line
		d := &m.data
		d.typ, d.count, d.unit, d.arch, d.plain, d.flat = p.usual, buf.Count(), p.unit, p.arch, true, m.bytes(int64(len(mem)))
		copy(d.flat, mem)
		p.net.queue(b, nil, m)
		return line, true
	}
	b.mu.Unlock()
	if r.takes(p.usual, buf.Count(), p.arch) {
		copy(r.data.flat, mem)
		r.sent, r.got = p.thread.Now(), receipt{env.source, env.tag, int64(len(mem))}
	} else {
		t := p.take()
		t.begin(c, op, true, dst, tag)
		t.line = line
		_ = t.data.take(buf, p.arch) // it is all right, as Again has found
		t.sent = p.thread.Now()
		deliver(r, t, true)
		p.give(t)
	}
	r.finish()
	return line, true
}

// sentShort is the request of an ISend that has gone the short way.
func (c *Comm) sentShort(dst, tag int, line *sched.Line) *Request {
	q := c.proc.unused()
	x := &q.ending
	x.call, x.peer, x.tag, x.sends, x.mute = "ISend", int32(dst), int32(tag), true, true
	q.stand(c, (*settled)(q.record))
	q.line = line
	return q
}

// recvShort is Recv by the short way; false if it cannot go there.
func (c *Comm) recvShort(buf *types.Buffer, src, tag int) (st Status, ok bool) {
	if !c.well() || c.proc.net == nil {
		return Status{}, false
	}
	p := c.proc
	b := p.net.boxes[p.thread.ID()].Load()
	if b == nil || b.hand.first == nil {
		return Status{}, false
	}
	m, e := b.hand.first, &b.hand.env
	if int(e.source) != src || int(e.tag) != tag || e.context != c.core.context {
		return Status{}, false
	}
	d := &m.data
	mem, ok := buf.Again(d.typ, d.unit)
	if !ok || !d.plain || d.count > buf.Count() || d.arch != p.arch || !p.thread.Stride() {
		return Status{}, false
	}
	copy(mem, d.flat)
	p.thread.Join(m.sent)
	st = Status{Source: src, Tag: tag, bytes: int64(len(d.flat)), arch: p.arch}
	b.hand.pop()
	b.hand.done(m)
	return st, true
}
