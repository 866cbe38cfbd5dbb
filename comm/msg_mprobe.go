package comm

import (
	"sync"

	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// A Message is one that MProbe has found and taken: no other receive or probe
// can get it, and it is received by MRecv or IMRecv, once.
//
// MPI_Message
type Message struct {
	m      *transfer // nil once received
	comm   *Comm
	status Status
	open   commport.Leftover
}

// MessageNoProc is the message that MProbe of [ProcNull] finds: receiving it
// completes at once, with nothing received, as often as one likes.
//
// MPI_MESSAGE_NO_PROC
var MessageNoProc = &Message{m: noMessage}

// MProbe is [Comm.Probe] that also takes the message out of the queue, so that only the
// returned Message can receive it. Errors: ErrComm, ErrRank, ErrTag. (P2P-05)
//
// MPI_Mprobe
func (c *Comm) MProbe(src, tag int) (*Message, Status, error) {
	st, m, err := c.look("MProbe", src, tag, true, true)
	if err != nil {
		return nil, st, err
	}
	return c.claimed("MProbe", m, st), st, nil
}

// IMProbe is [Comm.MProbe] without waiting; ok is false if there is no such
// message now. Errors: ErrComm, ErrRank, ErrTag. (P2P-05)
//
// MPI_Improbe
func (c *Comm) IMProbe(src, tag int) (msg *Message, st Status, ok bool, err error) {
	st, m, err := c.look("IMProbe", src, tag, false, true)
	if err != nil || m == nil {
		return nil, st, false, err
	}
	return c.claimed("IMProbe", m, st), st, true, nil
}

func (c *Comm) claimed(op string, m *transfer, st Status) *Message {
	if m == noMessage {
		return MessageNoProc
	}
	msg := &Message{m: m, comm: c, status: st}
	line := c.proc.thread.NoteLine(sched.AnyDepth)
	c.atEnd(&msg.open, commport.EndFunc(func() error {
		return c.leftOpen(op, ErrPending, "P2P-05", line, "the message from %d tag %d was found and never received", st.Source, st.Tag)
	}))
	return msg
}

// MRecv receives the message into buf. Errors: ErrArg if the message is nil or
// has been received, and those of [Comm.Recv]. (P2P-05)
//
// MPI_Mrecv
func (msg *Message) MRecv(buf types.Buffer) (Status, error) {
	q, err := msg.receive("MRecv", buf)
	if err != nil || q == nil {
		return emptyStatus(ProcNull), err
	}
	return q.Wait()
}

// IMRecv starts [Message.MRecv] and returns a request for it. Errors: those of
// the arguments at once, those of the message with the request. (P2P-05)
//
// MPI_Imrecv
func (msg *Message) IMRecv(buf types.Buffer) (*Request, error) {
	q, err := msg.receive("IMRecv", buf)
	if err == nil && q == nil { // from ProcNull: complete, and the status of no rank
		q = &Request{record: &record{active: true, comm: nowhere(), op: nothing{}}}
		q.owner = q
	}
	return q, err
}

// receive starts to receive the message. It returns no request for
// MessageNoProc, which belongs to no communicator.
func (msg *Message) receive(op string, buf types.Buffer) (*Request, error) {
	switch {
	case msg == nil || msg.m == nil:
		return nil, noComm.fail(op, broken(ErrArg, "P2P-05", "the message is nil or has been received"))
	case msg.m == noMessage:
		return nil, nil
	}
	c := msg.comm
	t, err := c.admitted(op, &buf, msg.status.Source, msg.status.Tag, false)
	if err != nil {
		return nil, err
	}
	if err := c.proc.thread.Step(t); err != nil {
		return nil, c.fail(op, err)
	}
	t.line = c.proc.line(0)
	t.waits = op == "MRecv"
	if f := t.watch(); f != nil {
		return nil, c.fail(op, f)
	}
	c.proc.engine.receiveClaimed(t, msg.m)
	msg.m = nil
	msg.open.Closed()
	return t.request(t.line), nil
}

// nothing is the operation of receiving from ProcNull, which belongs to no rank.
type nothing struct{}

func (nothing) String() string                      { return "IMRecv of MessageNoProc" }
func (nothing) done() bool                          { return true }
func (nothing) expect() bool                        { return false }
func (nothing) outcome(*sched.Line) (Status, error) { return emptyStatus(ProcNull), nil }
func (nothing) abandon()                            {}

// nowhere returns the communicator of such requests, in a world that never starts.
var nowhere = sync.OnceValue(func() *Comm { return launch(sched.New(1, sched.Options{}), commport.LaunchOptions{}).World(0) })
