package comm

// track notes a new handle, if handles are checked, so that the end of the world
// tells of it unless it has been freed.
func (c *Comm) track() {
	if !c.proc.univ.checkHandles {
		return
	}
	made := c.proc.thread.Place()
	c.extras().untrack = c.AtEnd(func() error {
		at := made.String()
		if at == "" {
			at = "an unknown line"
		}
		return c.fail("Free", broken(ErrComm, "COMM-01", "never called: the communicator, made at %s, is still open at the end of the world", at))
	})
}
