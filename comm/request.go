package comm

import (
	"fmt"
	"sync/atomic"

	"github.com/commworld/commworld/internal/sched"
)

// A Request is an operation under way: a message, a collective, an access to a
// file, or an operation of the program's own. The rank that started it
// completes it, by a call of the Wait family or one of the Test family that
// says so; the Request is then inactive, and so is a nil one: waiting for it
// returns at once. Requests of any kinds may be waited for together.
//
// A Request is known by its pointer. A copy of what the pointer points to is no
// request: once the operation is complete, what it holds may belong to another
// one. `go vet` tells of copies, and calls with one are errors.
//
// MPI_Request
type Request struct {
	_ noCopy
	*record
}

// A noCopy lets vet find copies of what has one.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// A record is what there is to know of a request. The program may hold on to a
// [Request] after it is complete, and ask it; so it cannot be used again and
// should be small. The record of a message can, and is taken away from its
// request, which then has none.
type record struct {
	op     operation
	comm   *Comm
	owner  *Request // the one request that has the record
	active bool
	freed  bool
	cycle  cycle // of a persistent request; nil for others

	prev, next *record // among those that the rank has open, or the spare ones
	line       *sched.Line
	ending     ending
}

// An operation is what a request stands for. Its rank calls these methods, and
// none of them waits.
type operation interface {
	// String says what it is, for reports.
	fmt.Stringer

	// done makes what progress the rank itself can make, and reports whether
	// outcome can be asked for.
	done() bool

	// expect says that the rank is about to park until the operation is done.
	// Whoever makes it so from now on wakes the rank. It returns false if that
	// has happened already. See completion.
	expect() bool

	// outcome is what the operation did, or its fault as an [Error] of the call that
	// started it on that line, nil if the line was not noted. It may be asked for more
	// than once.
	outcome(line *sched.Line) (Status, error)

	// abandon ends the operation in an aborted world: afterwards nobody
	// touches its memory.
	abandon()
}

// What some operations can do besides.
type (
	// A canceller can be told to end without effect, if it has had none yet. An
	// error is a fault.
	canceller interface{ cancel() error }

	// A closer is told when its outcome has been handed over.
	closer interface{ close() error }

	// A detacher is told that the program gives its request up, and sees to it
	// that it completes by itself. A fault keeps the request. Others need not
	// know.
	detacher interface{ detach() error }

	// A cycle starts a persistent request once more, and returns what that stands
	// for now.
	cycle interface{ start() (operation, error) }
)

// A completion is a state word for operations that another rank may complete.
// The zero value is complete. A rank says that it waits before it parks, so
// that completing costs a wake-up only if somebody waits.
type completion struct{ state uint32 }

// The states of a completion. An operation that completes where it is handed
// over is never anything else than complete.
const (
	complete uint32 = iota
	pending
	awaited
)

// open makes it pending, before anybody else can see it: under a lock, or when
// it is made.
func (s *completion) open() { s.state = pending }

// done reports completion; what was written before finish may be read then.
func (s *completion) done() bool { return atomic.LoadUint32(&s.state) == complete }

// expect is as in operation.
func (s *completion) expect() bool {
	return atomic.CompareAndSwapUint32(&s.state, pending, awaited) || atomic.LoadUint32(&s.state) == awaited
}

// end completes it where nobody can be waiting for it.
func (s *completion) end() { atomic.StoreUint32(&s.state, complete) }

// finish completes it, once, and wakes the rank if that waits. The rank may use
// the memory for something else at once, so thread is asked for before.
func (s *completion) finish(thread *sched.Rank) {
	if atomic.SwapUint32(&s.state, complete) == awaited {
		thread.Wake()
	}
}

// request makes the request of an operation that has been started. It lies by
// itself: what a program keeps of it after it is complete must not keep others.
func (c *Comm) request(op operation) *Request {
	x := new(struct {
		Request
		it record
	})
	x.record = &x.it
	x.stand(c, op)
	return &x.Request
}

// stand makes q that of an operation of c which has been started.
func (q *Request) stand(c *Comm, op operation) {
	r := q.record
	r.op, r.comm, r.owner, r.active = op, c, q, true
	c.proc.enlist(r)
}

// Wait waits for the operation to complete and returns what it did. Errors:
// those of the operation. (P2P-02)
//
// MPI_Wait
func (q *Request) Wait() (Status, error) {
	if !q.pending() {
		return emptyStatus(AnySource), q.copied("Wait")
	}
	if err := q.alone("Wait"); err != nil {
		return Status{}, err
	}
	q.comm.proc.settle()
	if err := q.comm.proc.thread.Do(q); err != nil {
		return Status{}, q.give(err)
	}
	if l := q.comm.proc.log; l != nil {
		return q.waitTold(l)
	}
	if err := q.await(); err != nil {
		return Status{}, q.give(err)
	}
	return q.complete()
}

// Test is Wait if the operation is complete; ok is false if it is not yet.
// Errors: those of the operation. (P2P-02)
//
// MPI_Test
func (q *Request) Test() (st Status, ok bool, err error) {
	if !q.pending() {
		return emptyStatus(AnySource), true, q.copied("Test")
	}
	if err := q.alone("Test"); err != nil {
		return Status{}, false, err
	}
	l := q.comm.proc.log
	m := l.Begin()
	if ok, err = q.look(); err != nil || !ok {
		return Status{}, false, err
	}
	st, err = q.complete()
	q.told(l, "Test", m, err)
	return st, true, err
}

// Status is Test that leaves the request as it is: it may be asked again,
// and is to be completed by Wait, Test or Free. Errors: those of the operation.
// (P2P-02)
//
// MPI_Request_get_status
func (q *Request) Status() (st Status, ok bool, err error) {
	if !q.pending() {
		return emptyStatus(AnySource), true, q.copied("Status")
	}
	if err := q.alone("Status"); err != nil {
		return Status{}, false, err
	}
	if ok, err = q.look(); err != nil || !ok {
		return Status{}, false, err
	}
	st, err = q.op.outcome(q.line)
	return st, true, err
}

// Free gives the request up: the operation goes on and completes by itself, and
// the request is inactive for good. The buffer stays in use until then, which
// only other means can tell. A collective operation cannot be given up while it
// is under way, only once [Request.Status] has found it complete. Errors:
// ErrRequest. (P2P-02)
//
// MPI_Request_free
func (q *Request) Free() error {
	const op = "Request.Free"
	if err := q.copied(op); err != nil {
		return err
	}
	if q == nil || q.record == nil || q.freed || !q.active && q.cycle == nil {
		return noComm.fail(op, broken(ErrRequest, "P2P-02", "the request is nil, completed or freed; there is nothing to free"))
	}
	if err := q.alone(op); err != nil {
		return err
	}
	if x, ok := q.op.(detacher); ok && q.active {
		if err := x.detach(); err != nil {
			return q.comm.fail(op, faultOf(err, ErrOther, "P2P-02"))
		}
	}
	if x, ok := q.op.(*partitioned); ok {
		q.comm.proc.engine.part(x)
	}
	q.active, q.freed = false, true
	q.comm.proc.delist(q.record)
	if q.cycle == nil {
		switch q.op.(type) {
		case *transfer, *settled:
			q.record = nil // others lie beside it: see fresh
		}
	}
	return nil
}

// Cancel asks for the operation to end without effect; the request is still to
// be completed, and [Status.Cancelled] then tells whether it did. A receive can
// be cancelled that no message has come for, a send that is not buffered and
// that nobody has received. Errors: ErrRequest for an inactive request, and for
// operations that cannot be cancelled, such as collectives. (P2P-02)
//
// MPI_Cancel
func (q *Request) Cancel() error {
	const op = "Request.Cancel"
	if err := q.copied(op); err != nil {
		return err
	}
	if !q.pending() {
		return noComm.fail(op, broken(ErrRequest, "P2P-02", "the request is nil, completed or not started: there is nothing to cancel"))
	}
	if err := q.alone(op); err != nil {
		return err
	}
	x, ok := q.op.(canceller)
	if !ok {
		return q.comm.fail(op, broken(ErrRequest, "P2P-02", "%v cannot be cancelled", q.op))
	}
	if err := x.cancel(); err != nil {
		return q.comm.fail(op, faultOf(err, ErrOther, "P2P-02"))
	}
	return nil
}

// String says what the request stands for.
func (q *Request) String() string {
	if !q.pending() {
		return "REQUEST_NULL"
	}
	return q.op.String()
}

// noComm reports errors that belong to no communicator.
var noComm *Comm

// pending reports whether there is something to complete.
func (q *Request) pending() bool {
	return q != nil && q.record != nil && q.active && q.owner == q
}

// copied is the error of a call with a Request that is a copy of another.
func (q *Request) copied(op string) error {
	if q == nil || q.record == nil || q.owner == q {
		return nil
	}
	return noComm.fail(op, broken(ErrRequest, "P2P-02",
		"the Request is a copy; use the pointer that the call returned which started the operation"))
}

// await parks until q's operation is done. An error is the cause of an abort.
func (q *Request) await() error {
	if q.op.done() {
		return nil
	}
	if q.comm.proc.univ.far != nil {
		return q.comm.proc.linger(q.op)
	}
	thread := q.comm.proc.thread
	thread.Yield()
	for !q.op.done() {
		if q.op.expect() {
			if err := thread.ParkNow((*waited)(q)); err != nil {
				return err
			}
		}
	}
	return nil
}

// A waited is a Request whose rank waits in Wait, for reports.
type waited Request

// String names Wait and the operation.
func (q *waited) String() string {
	if !(*Request)(q).pending() { // another goroutine looked too late
		return "Wait"
	}
	switch callOf(q.op) {
	case "SendRecvReplace", "MRecv": // wait for a request of their own
		return q.op.String()
	}
	return "Wait for " + q.op.String()
}

// Explain tells a deadlock report what the operation waits for.
func (q *waited) Explain(w *sched.Waiting) { explain(w, q.op) }

// look reports whether q is done, after letting others go on.
func (q *Request) look() (bool, error) {
	p := q.comm.proc
	if err := p.thread.Mine(); err != nil {
		return false, q.give(err)
	}
	p.settle()
	if p.thread.Exploring() {
		pick, err := p.thread.Poll(whether{q.op}, q)
		if err != nil {
			return false, q.give(err)
		}
		return pick != sched.None && q.op.done(), nil
	}
	if err := p.glance(q.op.done(), q.op); err != nil {
		return false, q.give(err)
	}
	return q.op.done() || p.univ.ended.Load() && q.lost(), nil
}

// lost is true: nobody will complete q, whose world has ended, and a loop of
// Tests would never end.
func (q *Request) lost() bool {
	q.op.abandon()
	q.op = &failed{q.op, q.comm, sched.ErrEnded}
	return true
}

// glance is a rank's look at what it waits for: a rank that polls must not keep
// the others from running.
func (p *process) glance(ready bool, what fmt.Stringer) error {
	if !ready {
		if err := p.lookedInVain(what); err != nil {
			return err
		}
	}
	return p.thread.Step(what)
}

// give ends q in an aborted world, and makes the cause an error.
func (q *Request) give(cause error) error {
	what, c, line := callOf(q.op), q.comm, q.line
	switch cause.(type) {
	case *sched.ForeignError, *sched.TwoWaitsError:
		return c.failOf(line, what, cause) // who may will complete it
	}
	if !q.op.done() {
		q.op.abandon()
	}
	q.active = false
	c.proc.delist(q.record)
	return c.failOf(line, what, cause)
}

// complete hands over the outcome of q, which is done.
func (q *Request) complete() (Status, error) {
	p := q.comm.proc
	switch t := q.op.(type) {
	case *settled:
		var st Status
		q.finish(&st, p)
		return st, nil
	case *transfer:
		if p.plain && q.cycle == nil {
			return q.finishTransfer(p, t)
		}
	}
	q.active = false
	if q.cycle == nil {
		p.delist(q.record)
	}
	if p.log != nil {
		defer p.completed(q.op)
	}
	st, err := q.op.outcome(q.line)
	if x, ok := q.op.(closer); ok {
		if e := x.close(); err == nil {
			err = e
		}
	}
	return st, err
}

// finishTransfer completes q, whose transfer t nobody asks for any more.
func (q *Request) finishTransfer(p *process, t *transfer) (Status, error) {
	line := q.line
	p.delist(q.record)
	p.reclaim(q)
	st, err := t.outcome(line)
	p.give(t)
	return st, err
}

// finish completes q, whose operation is settled, with status st, which is zero.
func (q *Request) finish(st *Status, p *process) {
	q.ending.tell(st, p)
	p.delist(q.record)
	p.reclaim(q)
}

// callOf names the call that started an operation.
func callOf(op operation) string {
	switch op := op.(type) {
	case *transfer:
		return op.call
	case interface{ title() string }:
		return op.title()
	}
	return "Wait"
}

// failed stands in for an operation that will never complete.
type failed struct {
	operation
	comm  *Comm
	cause error
}

func (f *failed) done() bool   { return true }
func (f *failed) expect() bool { return false }
func (f *failed) abandon()     {}
func (f *failed) outcome(line *sched.Line) (Status, error) {
	return Status{}, f.comm.failOf(line, callOf(f.operation), f.cause)
}
