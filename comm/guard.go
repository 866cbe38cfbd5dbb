package comm

import (
	"hash/maphash"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// A Guard watches the buffer of an operation under way. The program must not
// write into it, and what a program must not do it is told about. Reading a
// buffer that is being received into leaves no trace. (P2P-02)
type Guard struct {
	data *data
	sum  uint64
	line *sched.Line // that started the operation
}

var guardSeed = maphash.MakeSeed()

// Guards reports whether the world looks after buffers, see
// LaunchOptions.CheckBuffers.
func (c *Comm) Guards() bool { return !c.null() && c.proc.univ.guards }

// Guard begins to watch buf, for packages whose operations a program leaves under
// way as it does messages; nil unless the world looks after buffers.
func (c *Comm) Guard(buf types.Buffer) *Guard {
	if !c.Guards() {
		return nil
	}
	d := new(data)
	if err := d.take(&buf, c.proc.arch); err != nil {
		return nil // no operation will use it
	}
	return c.proc.guard(d)
}

func (p *process) guard(d *data) *Guard { return &Guard{d, d.sum(), p.thread.Note()} }

// Intact reports whether nobody has written into the buffer since it was last
// looked at.
func (g *Guard) Intact() bool { return g.data.sum() == g.sum }

// Renew takes the buffer as it is now for what it should be.
func (g *Guard) Renew() { g.sum = g.data.sum() }

// Place is the line of the program that started the operation.
func (g *Guard) Place() sched.Place { return g.line.Place() }

// watch begins to guard t's data, if the world does so.
func (t *transfer) watch() {
	if t.comm.proc.univ.guards && t.peer != ProcNull {
		t.guard = t.comm.proc.guard(&t.data)
	}
}

// intact reports a write into t's data, which are guarded.
func (t *transfer) intact() *fault {
	if t.guard.Intact() {
		return nil
	}
	return broken(ErrBuffer, "P2P-02", "the program wrote into the buffer of %v while it was under way", t)
}

// sum is a checksum of the data.
func (d *data) sum() uint64 {
	if !d.laid {
		return maphash.Bytes(guardSeed, d.flat)
	}
	var h maphash.Hash
	h.SetSeed(guardSeed)
	spare := blocks.Get().(*[block]byte)
	defer blocks.Put(spare)
	for from, size := int64(0), d.size(); from < size; from += block {
		n := min(block, size-from)
		d.buf.Pack(spare[:n], from, d.arch)
		_, _ = h.Write(spare[:n])
	}
	return h.Sum64()
}
