package comm

import "github.com/commworld/commworld/internal/trace"

// track notes a new handle and the line that makes it, if somebody wants to hear
// at the end of the world that it has not been freed: as an error, if handles are
// checked, otherwise as a hint in the report of the run. A world that was ended
// early gives no hint: its ranks had no chance.
func (c *Comm) track() {
	p := c.proc
	if !p.univ.checkHandles && p.log == nil {
		return
	}
	made := p.thread.Note()
	c.AtEnd(&c.extras().tracked, EndFunc(func() error {
		const text = "the communicator made here was never freed: it is still open at the end of the world"
		if p.univ.checkHandles {
			return c.leftOpen("Free", ErrComm, "COMM-01", made, text)
		}
		if !p.univ.bare && p.univ.sched.Cause() == nil {
			p.log.Lint(trace.Lint{Op: "Free", File: c.label(), Place: made.Place().Base(), At: made.Place(), Rule: "COMM-01", Text: text})
		}
		return nil
	}))
}
