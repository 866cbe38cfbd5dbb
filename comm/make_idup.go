package comm

import "github.com/commworld/commworld/internal/sched"

// A creation is a nonblocking call that makes a communicator. Its handle exists from the
// start, and acts as a nil communicator until the call is complete.
type creation struct {
	*call
	made   communicator
	info   *Info
	handle *Comm
}

// outcome fills in the handle, once.
func (f *creation) outcome(line *sched.Line) (Status, error) {
	st, err := f.call.outcome(line)
	if err == nil && f.handle.null() {
		d := f.comm.inherit(&f.made)
		d.hint(f.info)
		*f.handle = *d
	}
	return st, err
}

// IDup starts [Comm.Dup]. The communicator returned acts as nil until the request is
// complete, and afterwards, too, if the request fails. IDup does not wait for other ranks.
// It calls the copy functions of attributes at once. Collective, over both groups of an
// intercommunicator. Errors: ErrComm at once; as Dup with the request. (COMM-01, COMM-02,
// COLL-02)
//
// MPI_Comm_idup
func (c *Comm) IDup() (*Comm, *Request, error) { return c.idup("", nil) }

// IDupWithInfo starts [Comm.DupWithInfo], as [Comm.IDup] starts Dup. Errors: as
// IDup.
//
// MPI_Comm_idup_with_info
func (c *Comm) IDupWithInfo(info *Info) (*Comm, *Request, error) {
	return c.idup("IDupWithInfo", info.Dup())
}

func (c *Comm) idup(title string, info *Info) (*Comm, *Request, error) {
	k := c.open(dup, started)
	if k.stop != nil {
		return nil, nil, k.stop
	}
	f := &creation{call: k, made: c.copied(title), info: info, handle: c.proc.handle(nil, 0)}
	k.made = &f.made
	k.wrong(f.made.fault)
	if c.core.native != nil && k.err == nil {
		k.err = c.dupNative(k)
	}
	q, err := k.launch(f)
	if err != nil {
		return nil, nil, err
	}
	return f.handle, q, nil
}
