package comm

// setInfo is a collective of its own, so that a missing or different call on some rank is an
// error.
var setInfo = &routine{name: "SetInfo"}

// SetInfo gives the communicator hints. The hints in info are set, others stay as they are;
// nil changes nothing. The hints are copied. No hint changes the behaviour of a call here;
// unknown keys are kept and ignored. Ranks may give different hints. Collective. Errors:
// ErrComm, ErrNotSame. (COMM-01, INFO-01)
//
// MPI_Comm_set_info
func (c *Comm) SetInfo(info *Info) error {
	if err := c.alive(setInfo.name); err != nil {
		return err
	}
	var err error
	switch {
	case c.core.native != nil: // hints stay in this module
	case c.core.inter != nil:
		err = c.cross(&crossing{communicator: new(communicator), name: setInfo.name}, func([2][]*crossing) *fault { return nil })
	default:
		err = c.begin(setInfo).run()
	}
	if err == nil {
		c.hint(info)
	}
	return err
}

// hint adds hints to the communicator. A handle without hints has no Info.
func (c *Comm) hint(info *Info) {
	if info.NKeys() == 0 {
		return
	}
	x := c.extras()
	if x.info == nil {
		x.info = NewInfo()
	}
	x.info.update(info)
}

// Info returns a copy of the hints of the communicator. Local. Errors: ErrComm.
// (COMM-01, INFO-01)
//
// MPI_Comm_get_info
func (c *Comm) Info() (*Info, error) {
	if err := c.alive("Info"); err != nil {
		return nil, err
	}
	return c.more().info.Dup(), nil
}

// DupWithInfo is [Comm.Dup] with the hints of info for the new communicator. [Comm.Dup]
// gives it none: since MPI-4.0 a duplicate does not inherit hints. Collective. Errors: as
// Dup.
//
// MPI_Comm_dup_with_info
func (c *Comm) DupWithInfo(info *Info) (*Comm, error) {
	d, err := c.dup("DupWithInfo")
	if err != nil {
		return nil, err
	}
	d.hint(info)
	return d, nil
}
