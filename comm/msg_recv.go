package comm

import (
	"strconv"

	"github.com/commworld/commworld/types"
)

// Recv receives into buf the oldest message from src with that tag, either of
// which may be a wildcard. The message may be shorter than buf, never longer. The
// count may exceed the memory of buf, as 15 of a slice of 10: what counts is the
// message. Errors: ErrComm, ErrCount, ErrType (also when the message's datatype is
// not the receive's), ErrRank, ErrTag, ErrConversion; ErrTruncate if the message is
// longer than the count, ErrBuffer if it is within the count and the memory does not
// hold it. After an error of the message the Status says where it came from, the
// message is gone and buf unchanged. (P2P-04, P2P-09, P2P-MATCH-10)
//
// MPI_Recv
func (c *Comm) Recv(buf types.Buffer, src, tag int) (st Status, err error) {
	if !c.batched() || !c.recvFast(&buf, src, tag, &st) {
		err = c.transferAndWait("Recv", standard, &buf, src, tag, false, &st)
	}
	return st, err
}

// IRecv starts [Comm.Recv] and returns a request for it; buf must be left
// alone until the request is complete. Errors: those of the arguments at once,
// those of the message with the request.
//
// MPI_Irecv
func (c *Comm) IRecv(buf types.Buffer, src, tag int) (*Request, error) {
	return c.startTransfer("IRecv", standard, &buf, src, tag, false)
}

// specialTag returns the name of a wildcard that was given as the tag of a send; empty for
// other values.
func specialTag(n int) string {
	if n == AnyTag {
		return "AnyTag (-2)"
	}
	return strconv.Itoa(n)
}

// special returns the name of a value that is not a rank, for an error; empty for other
// values.
func special(n int) string {
	switch n {
	case AnySource:
		return "AnySource (-1)"
	case ProcNull:
		return "ProcNull (-3)"
	case Root:
		return "Root (-4)"
	}
	return strconv.Itoa(n)
}
