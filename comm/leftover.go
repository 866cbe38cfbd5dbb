package comm

import (
	"fmt"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/sched"
)

// A Leftover is something that a rank has open and that must not outlive the
// world, such as a file, whose handle has room for it. See [Comm.AtEnd].
type Leftover struct {
	end  Ender
	proc *process
	at   int // its place in proc.open
}

// An Ender gives up what a rank left open, and returns what to tell about that.
type Ender interface{ End() error }

// An EndFunc is a function as an [Ender].
type EndFunc func() error

// End calls it.
func (f EndFunc) End() error {
	if f == nil {
		return nil
	}
	return f()
}

// run calls end, which may lead to functions of the program: those that stores of
// files have, and those that delete attributes. A panic of one would take the
// whole program down, because the ranks, which know how to end by one, are gone;
// and runtime.Goexit the goroutine that waits for the world. So end has its own.
func (l *Leftover) run() (err error) {
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
		err = l.end.End()
		returned = true
	}()
	<-over
	return err
}

// AtEnd has end called when all ranks of the world have ended, unless l is closed
// before. end runs alone. For packages above this one.
func (c *Comm) AtEnd(l *Leftover, end Ender) {
	if c.null() || l == nil || end == nil {
		return
	}
	*l = Leftover{end, c.proc, len(c.proc.open)}
	c.proc.open = append(c.proc.open, l)
}

// Closed says that l is not open any more. Whoever is told that of something that
// was never open ignores it.
func (l *Leftover) Closed() {
	if l == nil || l.proc == nil {
		return
	}
	p := l.proc
	last := len(p.open) - 1
	if last < l.at || p.open[l.at] != l {
		return // the world has ended
	}
	p.open[last].at = l.at
	p.open[l.at], p.open[last] = p.open[last], nil
	p.open = p.open[:last]
}

// leftOpen is the error of something that call made on that line and nobody ended.
func (c *Comm) leftOpen(call string, class errclass.Class, rule string, line *sched.Line, format string, args ...any) error {
	if c.proc.univ.bare {
		return nil
	}
	f := broken(class, rule, format, args...)
	if line == nil {
		f.err = fmt.Errorf("%w; run with world.CheckHandles() to see the line", f.err)
	}
	e := c.bareError(call, f)
	e.Place = line.Place()
	return e
}

// End ends the world: what ranks have left open is given up, and later calls on
// its communicators are errors. Package world calls it when all ranks have
// ended; tell gets every complaint: files, requests and attached buffers that
// are open, messages that nobody received.
func (u *Universe) End(tell func(rank int, err error)) {
	for i := range u.procs {
		p := &u.procs[i]
		for _, l := range p.open {
			if err := l.run(); err != nil {
				tell(i, err)
			}
		}
		p.open = nil
		p.endRequests(func(err error) { tell(i, err) })
	}
	if !u.bare {
		u.procs[0].engine.unreceived(tell)
	}
	u.ended.Store(true)
}

// enlist and delist keep the list of a rank's open requests.
func (p *process) enlist(q *record) {
	q.next = p.reqs
	if q.next != nil {
		q.next.prev = q
	}
	p.reqs = q
}

func (p *process) delist(q *record) {
	if q.prev != nil {
		q.prev.next = q.next
	} else if p.reqs == q {
		p.reqs = q.next
	}
	if q.next != nil {
		q.next.prev = q.prev
	}
	q.prev, q.next = nil, nil
}

// endRequests gives up what was never completed, the oldest first.
func (p *process) endRequests(tell func(error)) {
	p.settle()
	for _, x := range p.alone {
		x.abandon()
	}
	p.alone = nil
	oldest := p.reqs
	for oldest != nil && oldest.next != nil {
		oldest = oldest.next
	}
	for q := oldest; q != nil; q = q.prev {
		if err := q.leftOver(); err != nil {
			tell(err)
		}
	}
	p.reqs = nil
}

// leftOver tells of q, which was never completed or never freed, and takes its
// operation out of the queues. The request itself stays as it is: a rank that
// comes to wait for it later hears that the world has ended.
func (q *record) leftOver() error {
	if !q.active {
		return q.comm.leftOpen(callOf(q.op), ErrRequest, "P2P-06", q.line, "%v: the persistent request was never freed: Free does that", q.op)
	}
	state := "it is under way still"
	if _, ok := q.op.(*external); ok || q.op.done() {
		state = "it is done"
	}
	if x, ok := q.op.(*external); ok {
		x.abandon()
	}
	return q.comm.leftOpen(callOf(q.op), ErrPending, "P2P-02", q.line,
		"%v: the request was never completed; %s: Wait or Test completes it, Free gives it up", q.op, state)
}

// unreceived tells of the messages that are left in mailboxes, those of one
// sender, tag and communicator together.
func (e *local) unreceived(tell func(rank int, err error)) {
	for i := range e.boxes {
		b := e.boxes[i].Load()
		if b == nil {
			continue
		}
		if b.open != nil {
			b.open.lay(&b.match)
		}
		b.putBack()
		for _, m := range b.match.oldest() {
			c, n := m.comm, m.row()
			what := "a message to rank %d with tag %d of %s, never received"
			args := []any{i, m.env.tag, describe(m.data.whole())}
			if n > 1 {
				what, args = "%d messages to rank %d with tag %d, the first of %s, never received", append([]any{n}, args...)
			}
			tell(c.proc.number(), c.leftOpen("Send", ErrPending, "P2P-04", m.line, what, args...))
		}
	}
}
