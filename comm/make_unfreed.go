package comm

import (
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
)

// track records a new handle and the line that makes it, so that the end of the world can
// report a handle that is never freed: as an error if handles are checked, otherwise as a
// hint in the report of the run. Without a report it does nothing. An aborted world reports
// none: its ranks could not have freed it.
func (c *Comm) track() {
	p := c.proc
	if !p.univ.checkHandles && p.log == nil {
		return
	}
	made := p.thread.NoteLine(sched.AnyDepth)
	c.atEnd(&c.extras().tracked, commport.EndFunc(func() error {
		const text = "the communicator made here was never freed: it is still open at the end of the world"
		switch {
		case p.univ.sched.Cause() != nil:
		case p.univ.checkHandles:
			return c.leftOpen("Free", ErrComm, "COMM-01", made, text)
		case !p.univ.bare:
			p.log.Lint(trace.Lint{Op: "Free", File: c.label(), Place: made.Place().Base(), At: made.Place(), Rule: "COMM-01", Text: text})
		}
		return nil
	}))
}

func (c *Comm) checksHandles() bool { return !c.null() && c.proc.univ.checkHandles }

// overlook has the end of the world not report c.
func (c *Comm) overlook() { c.extras().tracked.Closed() }
