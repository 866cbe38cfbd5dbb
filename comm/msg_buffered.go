package comm

import (
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
)

// BSendOverhead is how many bytes of the attached buffer a buffered message
// takes beside its data.
//
// MPI_BSEND_OVERHEAD
const BSendOverhead = 64

// BufferAutomatic, attached in place of memory, gives buffered sends all the room they
// need. Detaching returns it again, but is not required: no memory of the program is in
// use.
//
// MPI_BUFFER_AUTOMATIC
var BufferAutomatic = automatic[:0]

// automatic gives BufferAutomatic its address. Nothing is stored there.
var automatic [1]byte

func isAutomatic(mem []byte) bool { return cap(mem) > 0 && &mem[:1][0] == &automatic[0] }

// BufferAttach gives the rank len(mem) bytes of room, or [BufferAutomatic], for
// buffered sends on all communicators that have no buffer of their own, see
// [Comm.AttachBuffer]. Each message under way takes its packed size and
// [BSendOverhead]. The memory itself is not touched. Errors: ErrBuffer if a
// buffer is attached already. (P2P-01)
//
// MPI_Buffer_attach
func (c *Comm) BufferAttach(mem []byte) error { return c.attach("BufferAttach", false, mem) }

// BufferDetach waits until all messages in the rank's buffer have been received
// and returns what was attached. Errors: ErrBuffer if there is none. (P2P-01)
//
// MPI_Buffer_detach
func (c *Comm) BufferDetach() ([]byte, error) { return c.detach("BufferDetach", false) }

// BufferFlush waits until all messages in the rank's buffer have been received;
// the buffer stays attached. Errors: ErrBuffer if there is none. (P2P-01)
//
// MPI_Buffer_flush
func (c *Comm) BufferFlush() error { return c.flush("BufferFlush", false) }

// BufferIFlush starts [Comm.BufferFlush] for the messages that are in the buffer
// now: those of later sends are not waited for. Errors: as BufferFlush, at once.
// (P2P-01, P2P-02)
//
// MPI_Buffer_iflush
func (c *Comm) BufferIFlush() (*Request, error) { return c.startFlush("BufferIFlush", false) }

// AttachBuffer is [Comm.BufferAttach] for this communicator alone: its buffered
// sends take room there from now on, and none in the rank's own buffer, even if
// they do not fit. Local: each rank's handle has a buffer or none, and a
// communicator made of this one has none. [Comm.Free] detaches it without
// waiting for its messages. Errors: ErrComm, ErrBuffer if the communicator has a
// buffer already. (P2P-01)
//
// MPI_Comm_attach_buffer
func (c *Comm) AttachBuffer(mem []byte) error { return c.attach("AttachBuffer", true, mem) }

// DetachBuffer is [Comm.BufferDetach] for the communicator's buffer. Errors:
// ErrComm, ErrBuffer if it has none. (P2P-01)
//
// MPI_Comm_detach_buffer
func (c *Comm) DetachBuffer() ([]byte, error) { return c.detach("DetachBuffer", true) }

// FlushBuffer is [Comm.BufferFlush] for the communicator's buffer. Errors:
// ErrComm, ErrBuffer if it has none. (P2P-01)
//
// MPI_Comm_flush_buffer
func (c *Comm) FlushBuffer() error { return c.flush("FlushBuffer", true) }

// IFlushBuffer is [Comm.BufferIFlush] for the communicator's buffer. Errors:
// ErrComm, ErrBuffer if it has none, at once. (P2P-01, P2P-02)
//
// MPI_Comm_iflush_buffer
func (c *Comm) IFlushBuffer() (*Request, error) { return c.startFlush("IFlushBuffer", true) }

// room returns the communicator's own attachment if own is true, otherwise the rank's; nil
// if there is none.
func (c *Comm) room(own bool) *attachment {
	if own {
		return c.more().room
	}
	return c.proc.room
}

func (c *Comm) setRoom(own bool, a *attachment) {
	if own {
		c.extras().room = a
	} else {
		c.proc.room = a
	}
}

func (c *Comm) attach(op string, own bool, mem []byte) error {
	if err := c.alive(op); err != nil {
		return err
	}
	if a := c.room(own); a != nil {
		whose := "a rank"
		if own {
			whose = "a communicator"
		}
		return c.fail(op, broken(ErrBuffer, "P2P-01", "%v is attached already; %s has one at a time", a, whose))
	}
	a := &attachment{mem: mem, automatic: isAutomatic(mem), rank: c.proc}
	if own {
		a.own = c
	}
	if c.core.native != nil {
		if err := a.attachNative(c); err != nil {
			return c.fail(op, err)
		}
	}
	if !a.automatic {
		line := c.proc.thread.NoteLine(sched.AnyDepth)
		c.atEnd(&a.open, commport.EndFunc(func() error {
			return c.leftOpen(op, ErrBuffer, "P2P-01", line, "%v was never detached", a)
		}))
	}
	c.setRoom(own, a)
	return nil
}

func (c *Comm) detach(op string, own bool) ([]byte, error) {
	a, err := c.attached(op, own)
	if err != nil {
		return nil, err
	}
	if a.native != nil {
		err = c.waitNative(op, a.native.Detach)
	} else {
		err = c.drain(op, a)
	}
	if err != nil {
		return nil, err
	}
	a.open.Closed()
	c.setRoom(own, nil)
	return a.mem, nil
}

func (c *Comm) flush(op string, own bool) error {
	a, err := c.attached(op, own)
	switch {
	case err != nil:
		return err
	case a.native != nil:
		return c.waitNative(op, a.native.Flush)
	}
	return c.drain(op, a)
}

func (c *Comm) startFlush(op string, own bool) (*Request, error) {
	a, err := c.attached(op, own)
	if err != nil {
		return nil, err
	}
	var x operation
	if a.native != nil {
		x, err = c.flushNative(op, a)
	} else {
		l := a.cut(c, op)
		x, err = l, c.proc.thread.Step(l)
	}
	if err != nil {
		return nil, c.fail(op, err)
	}
	q := c.request(x)
	q.line = c.proc.thread.NoteLine(sched.AnyDepth)
	return q, nil
}

// attached returns the attachment that a call concerns.
func (c *Comm) attached(op string, own bool) (*attachment, error) {
	if err := c.alive(op); err != nil {
		return nil, err
	}
	a := c.room(own)
	switch {
	case a == nil && own:
		return nil, c.fail(op, broken(ErrBuffer, "P2P-01", "no buffer is attached to the communicator; that of the rank is another one"))
	case a == nil:
		return nil, c.fail(op, broken(ErrBuffer, "P2P-01", "no buffer is attached"))
	}
	return a, nil
}

// drain waits until the messages in a have been received.
func (c *Comm) drain(op string, a *attachment) error {
	l := a.cut(c, op)
	if err := c.proc.thread.Step(l); err != nil {
		return c.fail(op, err)
	}
	for !l.done() {
		if l.expect() {
			c.proc.thread.YieldProcessor()
			if err := c.proc.thread.Park(l); err != nil {
				return c.fail(op, err)
			}
		}
	}
	return nil
}
