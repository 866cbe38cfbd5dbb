package comm

import (
	"fmt"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
)

// giveUp calls the end function of l in a goroutine of its own and returns its error. That
// function may call functions of the program: methods of stores, and functions that delete
// attributes. A panic there would end the whole program, because no rank is left to recover
// it, and runtime.Goexit would end the goroutine that waits for the world.
func giveUp(l *commport.Leftover) (err error) {
	over := make(chan struct{})
	go func() {
		returned := false
		defer close(over)
		defer func() {
			if v := recover(); v != nil {
				err = noComm.fail("End", broken(ErrOther, "COMM-01", "a function of the program panicked at the end of the world: %v", v))
			} else if !returned {
				err = noComm.fail("End", broken(ErrOther, "COMM-01", "a function of the program left by runtime.Goexit at the end of the world; t.FailNow and require call that: return an error instead"))
			}
		}()
		err = l.End()
		returned = true
	}()
	<-over
	return err
}

// atEnd registers end to be called when all ranks of the world have ended, unless l is
// closed before.
func (c *Comm) atEnd(l *commport.Leftover, end commport.Ender) {
	if !c.null() && l != nil && end != nil {
		c.proc.open.Add(l, end)
	}
}

// leftOpen returns the error of an object that was never closed or freed; call made it on
// that line.
func (c *Comm) leftOpen(call string, class errclass.Class, rule string, line *sched.Line, format string, args ...any) error {
	if c.proc.univ.bare {
		return nil
	}
	f := broken(class, rule, format, args...)
	if line == nil {
		f.Err = fmt.Errorf("%w; run with world.Check(world.Handles) to see the line", f.Err)
	}
	e := c.bareError(call, f)
	e.Place = line.Place()
	return e
}

// End implements [commport.Universe].
func (u *universe) End(report func(rank int, err error)) {
	for i := range u.procs {
		p := &u.procs[i]
		for _, l := range p.open.All() {
			if err := giveUp(l); err != nil {
				report(i, err)
			}
		}
		p.open.Clear()
		p.endRequests(func(err error) { report(i, err) })
	}
	if !u.bare {
		u.procs[0].engine.unreceived(report)
	}
	u.ended.Store(true)
}
