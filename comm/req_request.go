package comm

import (
	"fmt"
	"sync/atomic"

	flt "github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/internal/sched"
)

// A Request is an operation under way: a message, a collective, an access to a file, or
// an operation of the program's own. The rank that started it completes it, by a call
// of the Wait family or one of the Test family that reports completion. The Request is
// then inactive, and waiting for it returns at once, as for a nil one. One call can
// wait for requests of different kinds.
//
// Do not copy a Request: its pointer identifies it, and after the operation is complete
// the memory may belong to another request. `go vet` reports copies, and calls with a
// copy are errors.
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

// A record is the state of a request. The program may keep a [Request] after it is complete
// and use it, so a Request cannot be reused and should be small. The record of a message is
// part of its transfer: it is taken away from the request when that is complete, and reused
// with the transfer.
type record struct {
	op     operation
	comm   *Comm
	owner  *Request // the one request that has the record
	active bool
	freed  bool
	cycle  cycle // of a persistent request; nil for others

	prev, next *record // in the list of the rank's open requests
	line       *sched.Line
}

// An operation is what a request represents. Its rank calls these methods; none of them
// waits.
type operation interface {
	// String describes the operation, for reports.
	fmt.Stringer

	// done makes the progress that the rank itself can make, and reports whether the
	// operation is complete, so that outcome may be called.
	done() bool

	// expect announces that the rank is about to park until the operation is done: the rank
	// that completes it then wakes this one. It returns false if the operation is done
	// already. See completion.
	expect() bool

	// outcome returns the status of the operation, or its fault as an [Error] of the call
	// that started it on that line; line is nil if it was not noted. It may be called more
	// than once.
	outcome(line *sched.Line) (Status, error)

	// abandon ends the operation in an aborted world: afterwards no rank touches its
	// memory.
	abandon()
}

// Optional methods of operations.
type (
	// A canceller can be asked to end without effect, if it has had none yet. An
	// error is a fault.
	canceller interface{ cancel() error }

	// A closer is notified when its outcome has been returned.
	closer interface{ close() error }

	// A detacher is notified that the program frees its request, and makes sure that the
	// operation completes by itself. If it returns a fault, the request stays.
	detacher interface{ detach() error }

	// A cycle starts a persistent request once more, and returns the new operation.
	cycle interface{ start() (operation, error) }
)

// A completion is a state word for operations that another rank may complete. The zero
// value is complete. A rank announces that it waits before it parks, so that completing
// costs a wake-up only if a rank waits.
type completion struct{ state uint32 }

// The states of a completion. An operation that is complete as soon as it is started is
// never in another state.
const (
	complete uint32 = iota
	pending
	awaited
)

// open makes the operation pending, before another rank can see it: under a lock, or when
// it is created.
func (s *completion) open() { s.state = pending }

// done reports whether the operation is complete; data written before finish may then be
// read.
func (s *completion) done() bool { return atomic.LoadUint32(&s.state) == complete }

// expect implements operation.
func (s *completion) expect() bool {
	return atomic.CompareAndSwapUint32(&s.state, pending, awaited) || atomic.LoadUint32(&s.state) == awaited
}

// end completes the operation where no rank can be waiting for it.
func (s *completion) end() { atomic.StoreUint32(&s.state, complete) }

// finish completes the operation, once, and wakes the rank if it waits. The rank may reuse
// the memory at once, so the caller passes thread.
func (s *completion) finish(thread *sched.Rank) {
	if atomic.SwapUint32(&s.state, complete) == awaited {
		thread.Wake()
	}
}

// request returns the request of an operation that has been started. It is allocated alone:
// the part that a program keeps after completion must not keep other requests alive.
func (c *Comm) request(op operation) *Request {
	x := new(struct {
		Request
		it record
	})
	x.record = &x.it
	x.setOperation(c, op)
	return &x.Request
}

// setOperation makes q the request of an operation of c that has been started.
func (q *Request) setOperation(c *Comm, op operation) {
	r := q.record
	r.op, r.comm, r.owner, r.active = op, c, q, true
	c.proc.enlist(r)
}

// Wait waits for the operation to complete and returns its status. Errors: those of the
// operation. (P2P-02)
//
// MPI_Wait
func (q *Request) Wait() (Status, error) {
	if !q.pending() {
		return emptyStatus(AnySource), q.copied("Wait")
	}
	if err := q.alone("Wait"); err != nil {
		return Status{}, err
	}
	q.comm.proc.finishFreed()
	if err := q.comm.proc.thread.CheckTurn((*asked)(q)); err != nil {
		return Status{}, q.give(err)
	}
	if x, ok := q.op.(*external); ok {
		x.comm.proc.thread.MarkCall("Wait", nil, 0, 0)
	}
	if l := q.comm.proc.log; l != nil {
		return q.waitLogged(l)
	}
	if err := q.await(); err != nil {
		return Status{}, q.give(err)
	}
	return q.complete()
}

// Test is Wait if the operation is complete; otherwise ok is false. Errors: those of the
// operation. (P2P-02)
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
	q.logEnd(l, "Test", m, err)
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
// only other means can find out. A collective operation cannot be given up while it
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
			return q.comm.fail(op, flt.Of(err, ErrOther, "P2P-02"))
		}
	}
	switch x := q.op.(type) {
	case *partitioned:
		q.comm.proc.engine.part(x)
		x.unwatch()
	case *transfer:
		x.unwatch()
	case *exchange:
		x.in.unwatch()
		x.out.unwatch()
	}
	q.active, q.freed = false, true
	q.comm.proc.delist(q.record)
	if q.cycle == nil {
		if _, ok := q.op.(*transfer); ok {
			q.record = nil // it was allocated with others: see transfer.request
		}
	}
	return nil
}

// Cancel asks for the operation to end without effect; the request is still to
// be completed, and [Status.Cancelled] then says whether it did. A receive can
// be cancelled that no message has come for, a send that is not buffered and
// that no rank has received. Errors: ErrRequest for an inactive request, and for
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
		return q.comm.fail(op, flt.Of(err, ErrOther, "P2P-02"))
	}
	return nil
}

// String says what the request is about.
func (q *Request) String() string {
	if !q.pending() {
		return "REQUEST_NULL"
	}
	return q.op.String()
}

// noComm reports errors that belong to no communicator.
var noComm *Comm

// pending reports whether the request has an operation to complete.
func (q *Request) pending() bool {
	return q != nil && q.record != nil && q.active && q.owner == q
}

// copied returns the error of a call with a Request that is a copy of another.
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
	return q.comm.proc.engine.wait(q)
}

func (e *local) wait(q *Request) error {
	thread := q.comm.proc.thread
	thread.YieldProcessor()
	for !q.op.done() {
		if q.op.expect() {
			if err := thread.Park((*waited)(q)); err != nil {
				return err
			}
		}
	}
	return nil
}

// An asked is a Request that a call polls, for explorations.
type asked Request

func (q *asked) String() string { return (*Request)(q).String() }

// A waited is a Request whose rank waits in Wait, for reports.
type waited Request

// String names Wait and the operation.
func (q *waited) String() string {
	if !(*Request)(q).pending() { // another goroutine came too late
		return "Wait"
	}
	if _, probes := q.op.(probing); probes {
		return q.op.String()
	}
	switch callOf(q.op) {
	case "SendRecvReplace", "MRecv": // calls that wait for a request of their own
		return q.op.String()
	}
	return "Wait for " + q.op.String()
}

// Explain adds to a deadlock report what the operation waits for.
func (q *waited) Explain(w *sched.Waiting) { explain(w, q.op) }

// look reports whether q is done, after letting other ranks run.
func (q *Request) look() (bool, error) {
	p := q.comm.proc
	if err := p.thread.CheckTurn(nil); err != nil {
		return false, q.give(err)
	}
	p.finishFreed()
	may, err := p.engine.look(q)
	if err != nil {
		return false, q.give(err)
	}
	return may && q.op.done() || p.univ.ended.Load() && q.lost(), nil
}

// lost reports whether q can never complete because its world has ended. A loop of Tests
// would otherwise never end.
func (q *Request) lost() bool {
	q.op.abandon()
	q.op = &failed{q.op, q.comm, sched.ErrEnded}
	return true
}

func (e *local) look(q *Request) (may bool, err error) {
	return true, q.comm.proc.pollOnce(q.op.done(), q.op)
}

// pollOnce is one poll of a rank: a rank that polls must let others run.
func (p *process) pollOnce(ready bool, what fmt.Stringer) error {
	if !ready {
		if err := p.polledInVain(what); err != nil {
			return err
		}
	}
	return p.thread.Step(what)
}

// give ends q in an aborted world, and returns the cause as an error.
func (q *Request) give(cause error) error {
	what, c, line := callOf(q.op), q.comm, q.line
	switch cause.(type) {
	case *sched.ForeignError, *sched.TwoWaitsError:
		return c.failOf(line, what, cause) // another call can still complete it
	}
	if !q.op.done() {
		q.op.abandon()
	}
	q.active = false
	c.proc.delist(q.record)
	return c.failOf(line, what, cause)
}

// complete returns the outcome of q, which is done, and makes q inactive.
func (q *Request) complete() (Status, error) {
	var st Status
	if q.completeFast(&st) {
		return st, nil
	}
	p := q.comm.proc
	q.active = false
	if q.cycle == nil {
		p.delist(q.record)
	}
	st, err := q.op.outcome(q.line)
	if p.log != nil {
		p.completed(q.op) // before close, which may give back what it reads
	}
	if x, ok := q.op.(closer); ok {
		if e := x.close(); err == nil {
			err = e
		}
	}
	return st, err
}

// completeFast completes q, which is done, on the fast path, and fills in st, which is
// zero: only if q is a message without an error, in a run that is neither recorded nor
// explored.
// Otherwise it returns false and has changed nothing.
func (q *Request) completeFast(st *Status) bool {
	p := q.comm.proc
	t, ok := q.op.(*transfer)
	if !ok || !p.plain || q.cycle != nil || t.fault != nil || t.guard != nil {
		return false
	}
	t.unwatch()
	t.learn()
	t.fill(st)
	p.delist(q.record)
	q.active, q.record = false, nil
	p.give(t)
	return true
}

// done reports whether q's operation is done; most operations are messages.
func (q *Request) done() bool {
	if t, ok := q.op.(*transfer); ok {
		return t.completion.done()
	}
	return q.op.done()
}

// callOf returns the name of the call that started an operation.
func callOf(op operation) string {
	switch op := op.(type) {
	case *transfer:
		return op.call
	case interface{ title() string }:
		return op.title()
	}
	return "Wait"
}

// failed takes the place of an operation that will never complete.
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
