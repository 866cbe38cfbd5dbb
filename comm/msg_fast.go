package comm

import "github.com/commworld/commworld/types"

// Most messages are short and like the previous one. The fast path handles a Send of few
// contiguous bytes of the same datatype as the last one, which no listener wants, and a Recv
// of a message that is in the rank's batch, while no buffers under way are checked. Such a call
// neither waits nor fails: it needs no name, no peer and no result, and is one function in place
// of a dozen. If a precondition fails, nothing has changed and the call takes the general path.

// maxFastBytes is how many bytes the fast path sends. They are copied under the lock of the
// mailbox, because unlocking it and locking it again would cost more.
const maxFastBytes = 256

// sendFast is Send by the fast path; it returns false if a precondition fails.
func (c *Comm) sendFast(buf *types.Buffer, dst, tag int) bool {
	if !c.usable() || c.proc.net == nil || len(c.proc.pending.all) > 0 {
		return false
	}
	p, to := c.proc, c.core.peers()
	mem, ok := buf.Again(p.lastType, p.lastUnit)
	if !ok || int64(len(mem)) > p.net.fastBytes || uint(dst) >= uint(to.n) || uint(tag) > MaxTag {
		return false
	}
	b := p.net.boxes[to.world(dst)].Load()
	if b == nil || !p.thread.CanSkipStep() && !p.stepByTurns() {
		return false
	}
	p.polls = 0
	t := p.take()
	t.env, t.comm, t.sent = envelope{c.core.context, int32(c.rank), int32(tag)}, c, p.thread.Publish(false)
	d := &t.data
	d.typ, d.count = buf.Items()
	d.unit, d.arch, d.plain, d.flat = p.lastUnit, p.arch, true, mem
	b.mu.Lock()
	if r := b.match.receiver(t.env); r != nil {
		b.match.withdraw(r)
		b.mu.Unlock()
		deliver(r, t, true)
		r.finish()
		p.give(t)
		return true
	}
	t.eager, t.line, d.flat = true, p.line(0), t.bytes(len(mem))
	copy(d.flat, mem)
	b.queue(t)
	return true
}

// stepByTurns does the step of a short message and reports true, unless the step needs a
// description of the call, or the world is aborted. It is inlined.
func (p *process) stepByTurns() bool { return p.thread.Step(nil) == nil }

// batched reports whether the rank has a batch, so that recvFast may be called.
func (c *Comm) batched() bool {
	return c != nil && c.core != nil && !c.proc.thread.Waits() && c.proc.inside.Load() == nil && c.proc.box != nil && c.proc.box.batch.first != nil
}

// recvFast is Recv by the fast path; it returns false if a precondition fails.
func (c *Comm) recvFast(buf *types.Buffer, src, tag int, st *Status) bool {
	if !c.usable() || c.proc.net == nil || len(c.proc.pending.all) > 0 {
		return false
	}
	p, b := c.proc, c.proc.box
	m, e := b.batch.first, &b.batch.env
	d := &m.data
	if int(e.source) != src || int(e.tag) != tag || e.context != c.core.context || !d.plain {
		return false
	}
	mem, ok := buf.Again(d.typ, d.unit)
	if _, count := buf.Items(); !ok || d.count > count || d.arch != p.arch || !p.thread.CanSkipStep() && !p.stepByTurns() {
		return false
	}
	copy(mem, d.flat)
	p.thread.Join(m.sent)
	st.Source, st.Tag, st.bytes, st.arch = src, tag, int64(len(d.flat)), p.arch
	b.batch.pop()
	b.batch.done(m)
	return true
}
