package comm

import (
	"runtime"

	"github.com/commworld/commworld/internal/sched"
)

// Yield is a scheduling point: another rank may run before Yield returns. Call it in a
// layer's own code before each access to an object that ranks share outside of this module,
// such as a file of the operating system or a key-value store. Ranks that run by turns, as
// under a seed, switch only at calls of this module, so without scheduling points such code
// is atomic and its lost updates never show.
//
// An exploration tries the parts between scheduling points in every order. Under
// the free schedule Yield is runtime.Gosched. It orders nothing, and ranks need
// not call it equally often. No lock may be held that another rank waits for.
// The error is that of an ended or aborted world, or of a bad handle.
func (c *Comm) Yield() error {
	if err := c.alive("Yield"); err != nil {
		return err
	}
	thread := c.proc.thread
	if !thread.Sched().Controlled() {
		runtime.Gosched()
	}
	if err := thread.Hold(yielding{}, sched.Unknown); err != nil {
		return c.fail("Yield", err)
	}
	return nil
}

// yielding is the state of a rank at a scheduling point, for reports.
type yielding struct{}

func (yielding) String() string { return "Yield" }
