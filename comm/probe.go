package comm

// Probe waits for a message that Recv with these arguments would receive, and
// returns the Status it would return. The message stays. Errors: ErrComm,
// ErrRank, ErrTag. (P2P-05)
//
// MPI_Probe
func (c *Comm) Probe(src, tag int) (Status, error) {
	st, _, err := c.look("Probe", src, tag, true)
	return st, err
}

// IProbe is [Comm.Probe] without waiting; ok is false if there is no such
// message now. Errors: ErrComm, ErrRank, ErrTag. (P2P-05)
//
// MPI_Iprobe
func (c *Comm) IProbe(src, tag int) (st Status, ok bool, err error) {
	return c.look("IProbe", src, tag, false)
}

func (c *Comm) look(op string, src, tag int, wait bool) (Status, bool, error) {
	if err := c.alive(op); err != nil {
		return Status{}, false, err
	}
	if f := c.checkPeer(src, tag, true); f != nil {
		return Status{}, false, c.fail(op, f)
	}
	if src == ProcNull {
		return emptyStatus(ProcNull), true, nil
	}
	t := c.proc.take()
	defer c.proc.give(t)
	t.begin(c, op, false, src, tag)
	if err := c.proc.thread.Step(t); err != nil {
		return Status{}, false, c.fail(op, err)
	}
	ok, err := c.proc.engine.probe(t, wait)
	if err != nil {
		return Status{}, false, c.fail(op, err)
	}
	return t.status, ok, nil
}
