package comm

// track notes a new handle, if handles are checked, so that the end of the world
// tells of it unless it has been freed.
func (c *Comm) track() {
	if !c.proc.univ.checkHandles {
		return
	}
	made := c.proc.thread.Note()
	c.extras().untrack = c.AtEnd(func() error {
		return c.leftOpen("Free", ErrComm, "COMM-01", made, "the communicator made here was never freed: it is still open at the end of the world")
	})
}
