package comm

import "github.com/commworld/commworld/reps"

// Reps returns the data representations that the calling rank knows by name.
// All communicators of a rank share them, and no two ranks do (REP-USR-01).
func (c *Comm) Reps() *reps.Registry {
	if c.null() {
		return reps.NewRegistry(reps.LP64LE)
	}
	if c.proc.reps == nil {
		c.proc.reps = reps.NewRegistry(c.proc.arch)
	}
	return c.proc.reps
}
