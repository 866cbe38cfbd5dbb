package comm

import (
	"fmt"
	"sync/atomic"
)

// BSendOverhead is how many bytes of the attached buffer a buffered message
// takes beside its data.
//
// MPI_BSEND_OVERHEAD
const BSendOverhead = 64

// An attachment is the room that a rank has given for its buffered messages.
// Only its length counts: the messages lie where those of standard sends do, so
// the user's memory is never written, and no gaps form in it.
type attachment struct {
	mem    []byte
	rank   *process
	closed func() // see Comm.AtEnd
	used   atomic.Int64
	drain  atomic.Bool // the rank waits for used to become zero
}

// String is what a deadlock report says about a rank that waits for its
// messages to be received.
func (a *attachment) String() string {
	return fmt.Sprintf("BufferDetach, for buffered messages of %d bytes to be received", a.used.Load())
}

// BufferAttach gives the rank len(mem) bytes of room for buffered sends on any
// communicator. Each message under way takes its packed size and
// [BSendOverhead]. The memory itself is not touched. Errors: ErrBuffer if a
// buffer is attached already. (P2P-01)
//
// MPI_Buffer_attach
func (c *Comm) BufferAttach(mem []byte) error {
	const op = "BufferAttach"
	if err := c.alive(op); err != nil {
		return err
	}
	p := c.proc
	if p.room != nil {
		return c.fail(op, broken(ErrBuffer, "P2P-01", "a buffer of %d bytes is attached already; a rank has one at a time", len(p.room.mem)))
	}
	if err := p.roomNative(true, int64(len(mem))); err != nil {
		return c.fail(op, err)
	}
	line := p.thread.Note()
	p.room = &attachment{mem: mem, rank: p, closed: c.AtEnd(func() error {
		return c.leftOpen(op, ErrBuffer, "P2P-01", line, "the buffer of %d bytes was never detached", len(mem))
	})}
	return nil
}

// BufferDetach waits until all buffered messages of the rank have been received
// and returns the memory that was attached. Errors: ErrBuffer if there is none.
// (P2P-01)
//
// MPI_Buffer_detach
func (c *Comm) BufferDetach() ([]byte, error) {
	const op = "BufferDetach"
	if err := c.flush(op); err != nil {
		return nil, err
	}
	if err := c.proc.roomNative(false, 0); err != nil {
		return nil, c.fail(op, err)
	}
	a := c.proc.room
	c.proc.room = nil
	a.closed()
	return a.mem, nil
}

// BufferFlush waits until all buffered messages of the rank have been received;
// the buffer stays attached. Errors: ErrBuffer if there is none. (P2P-01)
//
// MPI_Buffer_flush
func (c *Comm) BufferFlush() error { return c.flush("BufferFlush") }

func (c *Comm) flush(op string) error {
	if err := c.alive(op); err != nil {
		return err
	}
	a := c.proc.room
	if a == nil {
		return c.fail(op, broken(ErrBuffer, "P2P-01", "no buffer is attached"))
	}
	if err := c.proc.thread.Step(a); err != nil {
		return c.fail(op, err)
	}
	a.drain.Store(true)
	defer a.drain.Store(false)
	for a.used.Load() > 0 {
		if err := c.proc.thread.Park(a); err != nil {
			return c.fail(op, err)
		}
	}
	return nil
}

// reserve takes room for t, a buffered send. Only its rank takes room, others
// give it back, so what is found free stays so.
func (t *transfer) reserve() error {
	a, need := t.comm.proc.room, t.data.size()+BSendOverhead
	if a == nil {
		return broken(ErrBuffer, "P2P-01", "no buffer is attached for %d bytes; BufferAttach gives room", need)
	}
	if free := int64(len(a.mem)) - a.used.Load(); need > free {
		return broken(ErrBuffer, "P2P-01", "%d bytes, BSendOverhead of %d included, do not fit into the %d that are free of the attached %d",
			need, BSendOverhead, free, len(a.mem))
	}
	a.used.Add(need)
	t.room = need
	return nil
}

// vacate gives t's room back: its data have been received. Any rank may do so.
func (t *transfer) vacate() {
	a := t.comm.proc.room // cannot be detached before
	n := t.room
	t.room = 0
	if a.used.Add(-n) == 0 && a.drain.Load() {
		a.rank.thread.Wake()
	}
}
