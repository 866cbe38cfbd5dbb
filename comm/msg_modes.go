package comm

import "github.com/commworld/commworld/types"

// SSend is a synchronous [Comm.Send]: it returns when its receive has begun, so
// it never relies on buffering. Errors: as Send. (P2P-01)
//
// MPI_Ssend
func (c *Comm) SSend(buf types.Buffer, dst, tag int) error {
	return c.transferAndWait("SSend", synchronous, &buf, dst, tag, true, nil)
}

// BSend is a buffered [Comm.Send]: it does not wait for the receive, for which
// room must have been attached by [Comm.AttachBuffer] or else [Comm.BufferAttach].
// Errors: as Send, and ErrBuffer if the room left does not do; nothing is sent then.
// (P2P-01)
//
// MPI_Bsend
func (c *Comm) BSend(buf types.Buffer, dst, tag int) error {
	return c.transferAndWait("BSend", buffered, &buf, dst, tag, true, nil)
}

// RSend is a ready [Comm.Send]: the program knows that the receive is posted.
// Errors: as Send, and ErrOther if it is not; nothing is sent then. (P2P-01)
//
// MPI_Rsend
func (c *Comm) RSend(buf types.Buffer, dst, tag int) error {
	return c.transferAndWait("RSend", ready, &buf, dst, tag, true, nil)
}

// ISSend starts [Comm.SSend]; see [Comm.ISend]. (P2P-01, P2P-02)
//
// MPI_Issend
func (c *Comm) ISSend(buf types.Buffer, dst, tag int) (*Request, error) {
	return c.startTransfer("ISSend", synchronous, &buf, dst, tag, true)
}

// IBSend starts [Comm.BSend]; see [Comm.ISend]. (P2P-01, P2P-02)
//
// MPI_Ibsend
func (c *Comm) IBSend(buf types.Buffer, dst, tag int) (*Request, error) {
	return c.startTransfer("IBSend", buffered, &buf, dst, tag, true)
}

// IRSend starts [Comm.RSend]; see [Comm.ISend]. That no receive is posted is an
// error of the request. (P2P-01, P2P-02)
//
// MPI_Irsend
func (c *Comm) IRSend(buf types.Buffer, dst, tag int) (*Request, error) {
	return c.startTransfer("IRSend", ready, &buf, dst, tag, true)
}

// takeMode gives t, a send about to start, its mode. If it returns a fault, it has changed
// nothing.
func (t *transfer) takeMode(m mode) error {
	t.mode, t.room = m, nil
	if m == buffered && t.comm.core.native == nil {
		return t.reserve()
	}
	return nil
}
