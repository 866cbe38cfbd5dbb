package comm

import (
	"hash/maphash"

	"github.com/commworld/commworld/internal/sched"
)

// A guard watches the buffer of an operation under way. The program must not
// write into it, and what a program must not do it is told about. Reading a
// buffer that is being received into leaves no trace. (P2P-02)
type guard struct {
	sum  uint64
	line *sched.Line // that started the operation
}

var guardSeed = maphash.MakeSeed()

// watch begins to guard t's data, if the world does so.
func (t *transfer) watch() {
	if t.comm.proc.univ.guards && t.peer != ProcNull {
		t.guard = &guard{t.data.sum(), t.comm.proc.thread.Note()}
	}
}

// intact reports a write into t's data, which are guarded, since they were last
// looked at.
func (t *transfer) intact() *fault {
	if t.data.sum() == t.guard.sum {
		return nil
	}
	return broken(ErrBuffer, "P2P-02", "the program wrote into the buffer of %v, started at %v, while it was under way", t, t.guard.line.Place())
}

// renew takes the data as they are now for what they should be.
func (t *transfer) renew() { t.guard.sum = t.data.sum() }

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
