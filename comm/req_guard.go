package comm

import (
	"hash/maphash"

	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/types"
)

var guardSeed = maphash.MakeSeed()

// watches reports whether the world checks buffers of collectives, and which buffers share
// memory.
func (u *universe) watches() bool { return u.guards || u.samples }

// guards reports whether the world checks buffers.
func (c *Comm) guards() bool { return !c.null() && c.proc.univ.guards }

// watches reports whether the world checks buffers of collectives.
func (c *Comm) watches() bool { return !c.null() && c.proc.univ.watches() }

// guard begins to check buf for writes, and conceals it in a careful world if call op reads
// into it; it returns nil unless the world checks buffers.
func (c *Comm) guard(buf types.Buffer, op string, reads bool) *commport.Guard {
	if !c.guards() {
		return nil
	}
	d := new(data)
	if err := c.proc.describe(d, &buf, true); err != nil {
		return nil // the operation will not use it
	}
	return c.proc.guard(d, op, reads)
}

func (p *process) guard(d *data, op string, reads bool) *commport.Guard {
	return p.guardMemory(d, op, reads && d.held() > 0)
}

func (p *process) guardMemory(m commport.Memory, op string, reads bool) *commport.Guard {
	line := p.thread.NoteLine(sched.AnyDepth)
	g := commport.NewGuard(m, line)
	if reads && p.log.Careful() {
		p.log.KeepConcealed(trace.Concealed{Op: op, Place: line.Place()})
		g.Concealing(p.univ.concealed())
	}
	return g
}

// concealed returns the byte that conceals buffers which data arrive in. Two runs of a
// program that take the ranks in opposite orders have different ones, so that a program
// that reads such a buffer too early does not do the same in both.
func (u *universe) concealed() byte {
	if u.conceal != commport.ConcealAlike && u.sched.Reversed() != (u.conceal == commport.ConcealOther) {
		return 0x5A
	}
	return 0xA5
}

// watch begins to check t's data for writes, if the world checks buffers. It returns a fault if
// they share memory with those of another message under way.
func (t *transfer) watch() *fault {
	p := t.comm.proc
	if !p.univ.watches() || t.peer == ProcNull {
		return nil
	}
	if f := p.pending.conflict(t); f != nil {
		return f
	}
	if p.univ.guards {
		t.guard = p.guard(&t.data, t.call, !t.sends && !t.waits)
	}
	p.pending.add(t.used())
	t.watched = true
	return nil
}

// unwatch ends the check.
func (t *transfer) unwatch() {
	if t.watched {
		t.watched = false
		t.comm.proc.pending.remove(t.used())
		t.guard.Release()
	}
}

// intact returns a fault if t's data were written meanwhile.
func (t *transfer) intact() *fault {
	if t.guard.Intact() {
		return nil
	}
	return broken(ErrBuffer, "P2P-02", "the program wrote into the buffer of %v while it was under way", t)
}

// Load returns a packed copy of the data.
func (d *data) Load() []byte {
	packed := make([]byte, d.held())
	if d.laid {
		d.buf.Pack(packed, 0, d.arch)
	} else {
		copy(packed, d.flat)
	}
	return packed
}

// Store replaces the data by packed ones.
func (d *data) Store(packed []byte) {
	if d.laid {
		d.buf.Unpack(packed, 0, d.arch)
	} else {
		copy(d.flat, packed)
	}
}

// Sum is a checksum of the data.
func (d *data) Sum() uint64 {
	if !d.laid {
		return maphash.Bytes(guardSeed, d.flat)
	}
	var h maphash.Hash
	h.SetSeed(guardSeed)
	spare := blocks.Get().(*[block]byte)
	defer blocks.Put(spare)
	for from, size := int64(0), d.held(); from < size; from += block {
		n := min(block, size-from)
		d.buf.Pack(spare[:n], from, d.arch)
		_, _ = h.Write(spare[:n])
	}
	return h.Sum64()
}
