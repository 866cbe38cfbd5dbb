package comm

import (
	"hash/maphash"

	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/types"
)

var guardSeed = maphash.MakeSeed()

// guards reports whether the world checks buffers.
func (c *Comm) guards() bool { return !c.null() && c.proc.univ.guards }

// guard begins to check buf for writes; it returns nil unless the world checks buffers.
func (c *Comm) guard(buf types.Buffer) *commport.Guard {
	if !c.guards() {
		return nil
	}
	d := new(data)
	if err := c.proc.describe(d, &buf, true); err != nil {
		return nil // the operation will not use it
	}
	return c.proc.guard(d)
}

func (p *process) guard(d *data) *commport.Guard { return commport.NewGuard(d, p.thread.Note()) }

// watch begins to check t's data for writes, if the world checks buffers.
func (t *transfer) watch() {
	if t.comm.proc.univ.guards && t.peer != ProcNull {
		t.guard = t.comm.proc.guard(&t.data)
	}
}

// intact returns a fault if t's data were written meanwhile.
func (t *transfer) intact() *fault {
	if t.guard.Intact() {
		return nil
	}
	return broken(ErrBuffer, "P2P-02", "the program wrote into the buffer of %v while it was under way", t)
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
