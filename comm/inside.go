package comm

// The handles of a rank belong to one thread of control. Collectives and what
// makes communicators are watched: while a rank is in one, no other goroutine
// can use the rank's communicators, which would tear records apart that other
// ranks are reading. Two goroutines in messages of one rank at a time are not
// told: an atomic flag would cost a message a twentieth of its time. A handle
// that another rank uses is told where ranks run by turns, in a seeded or
// exploring run: only there does anybody know which rank it is that calls.

var createGroup = &routine{name: "CreateGroup"}

// occupy says that c's rank is in r from now on, until vacate; no second
// goroutine may be in another.
func (c *Comm) occupy(r *routine) *fault {
	if err := c.proc.thread.Mine(); err != nil {
		return &fault{ErrComm, "COMM-01", err}
	}
	if c.proc.inside.CompareAndSwap(nil, r) {
		return nil
	}
	return c.occupied()
}

func (c *Comm) vacate() { c.proc.inside.Store(nil) }

// occupied says where the rank is.
func (c *Comm) occupied() *fault {
	if err := c.proc.thread.Mine(); err != nil {
		return &fault{ErrComm, "COMM-01", err}
	}
	name := "another call"
	if r := c.proc.inside.Load(); r != nil {
		name = r.name
	}
	return broken(ErrOther, "COMM-01", "rank %d of the world is in %s just now, by another goroutine; a rank is one thread of control, so its goroutines must take turns",
		c.proc.thread.ID(), name)
}
