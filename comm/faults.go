package comm

import "github.com/commworld/commworld/faults"

// Faults returns the plan of what shall go wrong in the world of c, for packages
// that make calls which can; nil if nothing shall.
func (c *Comm) Faults() *faults.Plan {
	if c.null() {
		return nil
	}
	return c.proc.univ.faults
}
