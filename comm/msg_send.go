package comm

import (
	flt "github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/types"
)

// Send sends buf to rank dst of the communicator; it returns when buf may be used again. A
// message of up to [LaunchOptions.Eager] bytes is buffered if its receive is not posted
// yet; a longer one waits for its receive. Errors: ErrComm, ErrBuffer, ErrCount, ErrType,
// ErrRank, ErrTag. (P2P-01, P2P-08)
//
// MPI_Send
func (c *Comm) Send(buf types.Buffer, dst, tag int) error {
	if c.sendFast(&buf, dst, tag) {
		return nil
	}
	return c.transferAndWait("Send", standard, &buf, dst, tag, true, nil)
}

// transferAndWait is a call that moves one message and waits for it, and fills in the status
// of a receive. Neither it nor what it calls has deferred calls: they would cost a short
// message a tenth of its time. If a panic prevents giving the transfer back, it is garbage
// collected.
func (c *Comm) transferAndWait(op string, m mode, buf *types.Buffer, peer, tag int, sends bool, st *Status) error {
	t, err := c.admitted(op, buf, peer, tag, sends)
	if err != nil {
		return err
	}
	p := c.proc
	if peer == ProcNull {
		p.give(t)
		if st != nil {
			*st = emptyStatus(ProcNull)
		}
		return nil
	}
	l := p.log
	var mark trace.Mark
	if l != nil {
		mark = l.Begin()
	}
	t.waits = true
	if f := p.pending.conflict(t); f != nil {
		return c.reject(op, t, f)
	}
	if sends {
		t.line = p.line(0)
	}
	if t, err = t.start(m); t == nil {
		return nil
	}
	if err == nil && !t.completion.done() {
		err = p.engine.await(t)
	}
	if err != nil {
		err = c.fail(op, err)
	} else {
		err = t.result()
		if l != nil {
			t.arrived()
		}
	}
	if l != nil {
		t.logEnd(mark)
	}
	if st != nil {
		t.fill(st)
	}
	p.give(t)
	return err
}

// ISend starts [Comm.Send] and returns a request for it; buf must be left
// alone until the request is complete. Errors: as Send, at once.
//
// MPI_Isend
func (c *Comm) ISend(buf types.Buffer, dst, tag int) (*Request, error) {
	return c.startTransfer("ISend", standard, &buf, dst, tag, true)
}

// startTransfer is a call that starts to move one message, and returns its request.
func (c *Comm) startTransfer(op string, m mode, buf *types.Buffer, peer, tag int, sends bool) (*Request, error) {
	t, err := c.admitted(op, buf, peer, tag, sends)
	if err != nil {
		return nil, err
	}
	l := c.proc.log
	var mark trace.Mark
	if l != nil {
		mark = l.Begin()
	}
	t.line = c.proc.line(0)
	if f := t.watch(); f != nil {
		return nil, c.reject(op, t, f)
	}
	t, err = t.start(m)
	if l != nil {
		t.started(mark)
	}
	if err != nil {
		t.unwatch()
		return nil, c.fail(op, err)
	}
	return t.request(t.line), nil
}

// start begins to send or receive by t, which was admitted. It returns the transfer of the
// call: see launch.
func (t *transfer) start(m mode) (*transfer, error) {
	if thread := t.comm.proc.thread; !thread.CanSkipStep() {
		if err := thread.Step(t); err != nil {
			return t, err
		}
	}
	if m != standard && t.peer != ProcNull {
		if err := t.takeMode(m); err != nil {
			return t, err
		}
	}
	return t.launch(), nil
}

// launch passes t to the carrier, and returns the transfer of the call from then on: not t
// if that has become a buffered message, see transfer.buffered.
func (t *transfer) launch() *transfer {
	p := t.comm.proc
	p.polls = 0
	switch {
	case t.peer == ProcNull:
		t.got = receipt{source: ProcNull, tag: AnyTag}
	case t.sends:
		return p.engine.send(t)
	default:
		p.engine.receive(t)
	}
	return t
}

// admitted checks the communicator and the arguments of a call, in their order, and returns
// its transfer. (P2P-08)
func (c *Comm) admitted(op string, buf *types.Buffer, peer, tag int, sends bool) (*transfer, error) {
	if err := c.alive(op); err != nil {
		return nil, err
	}
	p := c.proc
	t := p.take()
	d := &t.data
	if err := p.describe(d, buf, sends); err != nil {
		return nil, c.reject(op, t, flt.Of(err, ErrBuffer, "P2P-08"))
	}
	if d.typ == inPlace {
		return nil, c.reject(op, t, broken(ErrBuffer, "P2P-08", "InPlace is for collective calls that have another buffer; give the buffer of the message"))
	}
	if f := c.checkPeer(peer, tag, !sends); f != nil {
		return nil, c.reject(op, t, f)
	}
	if sends && d.plain { // the next message may take the fast path
		p.lastType, p.lastUnit = d.typ, d.unit
	} else if d.laid && !sends {
		if f := d.onePlaceEach(d.count); f != nil {
			return nil, c.reject(op, t, f)
		}
		if f := c.admitShort(op, d); f != nil {
			return nil, c.reject(op, t, f)
		}
	}
	t.begin(c, op, sends, peer, tag)
	return t, nil
}

// reject gives back the transfer of a call and returns its error.
func (c *Comm) reject(op string, t *transfer, f *fault) error {
	c.proc.give(t)
	return c.fail(op, f)
}

func (c *Comm) checkPeer(peer, tag int, receives bool) *fault {
	n := c.core.peers().n
	if (peer < 0 || peer >= n) && peer != ProcNull && !(receives && peer == AnySource) {
		return broken(ErrRank, "P2P-08", "rank %s is none of the %d ranks of %s", special(peer), n, c.core.name)
	}
	if (tag < 0 || tag > MaxTag) && !(receives && tag == AnyTag) {
		return broken(ErrTag, "P2P-08", "tag %s is not between 0 and %d", specialTag(tag), MaxTag)
	}
	return nil
}

// onePlaceEach returns a fault if n copies of the datatype would receive two items in one
// place. Contiguous data cannot.
func (d *data) onePlaceEach(n int64) *fault {
	if !d.shareBytes(n) {
		return nil
	}
	return broken(ErrType, "P2P-08", "%d x %v store a byte twice; a receive needs one place for each item", n, d.typ)
}

// shareBytes reports whether n copies of the datatype share a byte.
func (d *data) shareBytes(n int64) bool {
	if !d.laid {
		return false
	}
	l, err := d.typ.Layout(d.arch)
	return err == nil && l.OverlapsIn(n)
}
