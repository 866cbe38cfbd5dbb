package comm

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
)

// several is a call on several requests, and what a deadlock report says of a
// rank that waits in it.
type several struct {
	call string
	reqs []*Request
	all  bool // it waits for all of them

	log  *trace.Log
	mark trace.Mark

	chosen func(i int) bool // those that an exploring world lets it find done; nil: all
	keeps  bool             // it asks only: the requests stay as they are
}

// String names the first requests that are open.
func (s *several) String() string {
	const few = 3
	var b strings.Builder
	open := 0
	for _, q := range s.reqs {
		if q.open() {
			if open++; open <= few {
				fmt.Fprintf(&b, ", %v", q.op)
			}
		}
	}
	if open > few {
		fmt.Fprintf(&b, " and %d more", open-few)
	}
	of := "any of "
	if s.all {
		of = ""
	}
	return fmt.Sprintf("%s for %s%d of %d requests: %s", s.call, of, open, len(s.reqs), strings.TrimPrefix(b.String(), ", "))
}

// Explain tells a deadlock report what the open requests wait for.
func (s *several) Explain(w *sched.Waiting) {
	var open []any
	for _, q := range s.reqs {
		if q.open() {
			open = append(open, q.op)
		}
	}
	explain(w, open...)
}

// explain has all of what tell w what they wait for. Of what a report says once it
// says the first.
func explain(w *sched.Waiting, what ...any) {
	for _, a := range what {
		x, ok := a.(sched.Explainer)
		if !ok {
			continue
		}
		if len(what) == 1 {
			x.Explain(w)
			return
		}
		var one sched.Waiting
		x.Explain(&one)
		w.For, w.Note = append(w.For, one.For...), cmp.Or(w.Note, one.Note)
		if w.Unreceived == nil {
			w.Unreceived = one.Unreceived
		}
	}
	slices.Sort(w.For)
	w.For = slices.Compact(w.For)
}

// open reports for a report whether q is to be waited for. Operations that may
// go on when asked count as open.
func (q *Request) open() bool {
	if !q.pending() {
		return false
	}
	switch op := q.op.(type) {
	case *transfer:
		return !op.done()
	case *settled:
		return false
	}
	return true
}

// WaitAll waits for all operations and returns what each did. If some failed
// the error is of class ErrInStatus and holds theirs, and so does the Err of
// their statuses. Requests may be nil, inactive, of any kind, and belong to one
// rank. Errors: ErrInStatus, ErrRequest. (P2P-02, ERR-08)
//
// MPI_Waitall
func WaitAll(reqs ...*Request) ([]Status, error) {
	if p := messages(reqs); p != nil {
		return p.waitMessages(reqs)
	}
	s, p, err := begin("WaitAll", reqs, true)
	if err != nil {
		return nil, err
	}
	var stop error
	if p != nil {
		defer s.finish()
		stop = s.awaitAll(p)
	}
	return s.completeAll(stop)
}

// WaitAny waits until one of the operations is complete, and completes that
// one: reqs[i]. If none is active, i is Undefined. Errors: those of the
// operation, with its i; ErrRequest. (P2P-02)
//
// MPI_Waitany
func WaitAny(reqs ...*Request) (i int, st Status, err error) {
	s, p, err := begin("WaitAny", reqs, false)
	if err != nil || p == nil {
		return Undefined, emptyStatus(AnySource), err
	}
	defer s.finish()
	if err := s.awaitOne(p, anyOne); err != nil {
		return s.stopped(err)
	}
	i = s.pick()
	st, err = reqs[i].complete()
	return i, st, err
}

// WaitSome waits until at least one of the operations is complete, and
// completes all that are: done holds their places in reqs and sts what they
// did. done is nil if none is active. If some of them failed the error is of
// class ErrInStatus and holds theirs, and so does the Err of their statuses.
// Errors: ErrInStatus, ErrRequest. (P2P-02, ERR-08)
//
// MPI_Waitsome
func WaitSome(reqs ...*Request) (done []int, sts []Status, err error) {
	s, p, err := begin("WaitSome", reqs, false)
	if err != nil || p == nil {
		return nil, nil, err
	}
	defer s.finish()
	if err := s.awaitOne(p, anySet); err != nil {
		_, _, err := s.stopped(err)
		return nil, nil, err
	}
	return s.completeSome()
}

// TestAll is WaitAll if all operations are complete; otherwise ok is false, and
// nothing has changed. Errors: as WaitAll. (P2P-02, ERR-08)
//
// MPI_Testall
func TestAll(reqs ...*Request) (sts []Status, ok bool, err error) {
	s, p, err := begin("TestAll", reqs, true)
	if err != nil {
		return nil, false, err
	}
	return s.testAll(p)
}

// testAll is TestAll, or StatusAll.
func (s *several) testAll(p *process) (sts []Status, ok bool, err error) {
	var stop error
	if p != nil {
		defer s.finish()
		if stop = s.glance(p, everyOne, s.ready() == s.open()); stop == nil && (s.chosen != nil || !s.settled(p)) {
			return nil, false, nil
		}
	}
	sts, err = s.completeAll(stop)
	return sts, stop == nil, err
}

// TestAny is WaitAny if an operation is complete; otherwise ok is false. If
// none is active, ok is true and i Undefined. Errors: as WaitAny. (P2P-02)
//
// MPI_Testany
func TestAny(reqs ...*Request) (i int, st Status, ok bool, err error) {
	s, p, err := begin("TestAny", reqs, false)
	if err != nil || p == nil {
		return Undefined, emptyStatus(AnySource), err == nil, err
	}
	return s.testAny(p)
}

// testAny is TestAny of active requests, or StatusAny.
func (s *several) testAny(p *process) (i int, st Status, ok bool, err error) {
	defer s.finish()
	if stop := s.glance(p, anyOne, s.ready() > 0); stop != nil {
		i, st, err = s.stopped(stop)
		return i, st, false, err
	}
	s.settled(p)
	if s.ready() == 0 {
		return Undefined, Status{}, false, nil
	}
	i = s.pick()
	st, err = s.reqs[i].take(s.keeps)
	return i, st, true, err
}

// TestSome is WaitSome without waiting: done is empty if no operation is
// complete now, and nil if none is active. Errors: as WaitSome. (P2P-02, ERR-08)
//
// MPI_Testsome
func TestSome(reqs ...*Request) (done []int, sts []Status, err error) {
	s, p, err := begin("TestSome", reqs, false)
	if err != nil || p == nil {
		return nil, nil, err
	}
	return s.testSome(p)
}

// testSome is TestSome of active requests, or StatusSome.
func (s *several) testSome(p *process) (done []int, sts []Status, err error) {
	defer s.finish()
	if stop := s.glance(p, anySet, s.ready() > 0); stop != nil {
		_, _, err := s.stopped(stop)
		return nil, nil, err
	}
	s.settled(p)
	if s.ready() == 0 {
		return []int{}, nil, nil
	}
	return s.completeSome()
}

// begin checks the requests of a call: a rank completes its own. It returns the
// rank, or nil if no request is active.
func begin(call string, reqs []*Request, all bool) (*several, *process, error) {
	var c *Comm
	for i, q := range reqs {
		if !q.pending() {
			if err := q.copied(call); err != nil {
				return nil, nil, err
			}
			continue
		}
		if c == nil || c == nowhere() {
			c = q.comm
		} else if q.comm != nowhere() && q.comm.proc != c.proc {
			return nil, nil, c.fail(call, broken(ErrRequest, "P2P-02",
				"request %d (%v) belongs to rank %d of the world, others to rank %d; a rank completes its own",
				i, q, q.comm.proc.number(), c.proc.number()))
		}
	}
	if c == nil {
		return &several{call: call, reqs: reqs, all: all}, nil, nil
	}
	if c == nowhere() { // which all ranks share
		return &several{call: call, reqs: reqs, all: all}, c.proc, nil
	}
	if err := c.proc.thread.Mine(); err != nil {
		return nil, nil, c.errorOf(call, err)
	}
	if c.proc.taken() {
		if f := c.occupied(); f != nil {
			return nil, nil, c.errorOf(call, f)
		}
	}
	c.proc.settle()
	s := c.proc.waits(call, reqs, all)
	s.mark = s.log.Begin()
	_ = c.proc.thread.Do(s) // an error shows at the next wait
	return s, c.proc, nil
}

// waits is the record of a call on several requests.
func (p *process) waits(call string, reqs []*Request, all bool) *several {
	s := &p.wait
	if s.reqs != nil { // a callback of the program, within such a call, makes another
		s = new(several)
	}
	*s = several{call: call, reqs: reqs, all: all, log: p.log}
	return s
}

// finish lets go of the requests.
func (s *several) finish() {
	if s.log != nil && !s.keeps {
		s.told()
	}
	*s = several{}
}

// open counts the requests to be completed.
func (s *several) open() (n int) {
	for _, q := range s.reqs {
		if q.pending() {
			n++
		}
	}
	return n
}

// ready counts those that can be.
func (s *several) ready() (n int) {
	for i, q := range s.reqs {
		if s.takes(i, q) {
			n++
		}
	}
	return n
}

// takes reports whether q, the i-th, can be completed by this call.
func (s *several) takes(i int, q *Request) bool {
	return q.pending() && (s.chosen == nil || s.chosen(i)) && q.op.done()
}

// glance is the rank's look at its requests.
func (s *several) glance(p *process, which answers, ready bool) error {
	if p.thread.Exploring() {
		return s.ask(p, which, true)
	}
	return p.glance(ready, s)
}

// settled reports whether all requests are ready; in a world that has ended
// they are, with an error.
func (s *several) settled(p *process) bool {
	ended := p.univ.ended.Load()
	all := true
	for _, q := range s.reqs {
		if q.pending() && !q.op.done() {
			all = ended && q.lost() && all
		}
	}
	return all
}

// pick chooses the request that WaitAny and TestAny complete.
func (s *several) pick() int {
	for i, q := range s.reqs {
		if s.takes(i, q) {
			return i
		}
	}
	return Undefined
}

// awaitOne parks until a request is done. The rank parks once for all: each of
// them wakes it.
func (s *several) awaitOne(p *process, which answers) error {
	if p.thread.Exploring() {
		return s.ask(p, which, false)
	}
	if p.univ.far != nil {
		if s.log != nil {
			defer s.log.Await(time.Now())
		}
		for s.ready() == 0 {
			if err := p.pause(); err != nil {
				return err
			}
		}
		return nil
	}
	for s.ready() == 0 {
		if !s.expect() {
			continue
		}
		if err := p.thread.Park(s); err != nil {
			return err
		}
	}
	return nil
}

// expect says to all that the rank waits; false if one of them is done already.
func (s *several) expect() bool {
	for _, q := range s.reqs {
		if q.pending() && !q.op.expect() {
			return false
		}
	}
	return true
}

// awaitAll waits for one message after the other: in whichever order they
// complete, the rank wakes up no more than once for each. It begins with the
// last, since messages mostly complete in the order in which they were started,
// so that it often finds the others complete. Operations that want progress of
// this rank are looked after whenever it is awake, and wake it.
func (s *several) awaitAll(p *process) error {
	if p.univ.far != nil {
		for _, q := range s.reqs {
			if q.pending() && !q.op.done() {
				if err := p.linger(q.op); err != nil {
					return err
				}
			}
		}
		return nil
	}
	var others []operation
	for _, q := range s.reqs {
		if q.pending() {
			switch q.op.(type) {
			case *transfer, *settled:
			default:
				others = append(others, q.op)
			}
		}
	}
	for _, q := range slices.Backward(s.reqs) {
		if q.pending() && !q.op.done() {
			p.thread.Yield()
		}
		for q.pending() && !q.op.done() {
			if !expectOf(q.op, others) {
				continue
			}
			if err := p.thread.ParkNow(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// expectOf is expect of op, and of those others that are not done: one of them
// that becomes ready may wait for nothing but this rank to go on with it.
func expectOf(op operation, others []operation) bool {
	for _, o := range others {
		if !o.done() {
			o.expect()
		}
	}
	return op.expect()
}

// completeAll completes all requests, or ends them if stop is the cause of an
// abort.
func (s *several) completeAll(stop error) ([]Status, error) {
	sts := make([]Status, len(s.reqs))
	var f failures
	for i, q := range s.reqs {
		switch {
		case !q.pending():
			sts[i] = emptyStatus(AnySource)
		case stop != nil && !q.op.done():
			f.note(&sts[i], q.comm, q.give(stop))
		default:
			c := q.comm
			var err error
			sts[i], err = c.unhandled(q, s.keeps)
			f.note(&sts[i], c, err)
		}
	}
	return sts, f.err(s.call)
}

// completeSome completes what is ready.
func (s *several) completeSome() (done []int, sts []Status, err error) {
	var f failures
	for i, q := range s.reqs {
		if s.takes(i, q) {
			c := q.comm
			st, err := c.unhandled(q, s.keeps)
			f.note(&st, c, err)
			done, sts = append(done, i), append(sts, st)
		}
	}
	return done, sts, f.err(s.call)
}

// stopped ends all requests in an aborted world.
func (s *several) stopped(cause error) (int, Status, error) {
	_, err := s.completeAll(cause)
	if err == nil { // all are done: the next call tells
		err = noComm.fail(s.call, cause)
	}
	return Undefined, Status{}, err
}

// take is what q did, whose operation is done; q is completed unless the call
// only asks.
func (q *Request) take(keeps bool) (Status, error) {
	if keeps {
		return q.op.outcome(q.line)
	}
	return q.complete()
}

// unhandled is take of q, which is one of several, and leaves its error to the
// handling of them all: the handler is called once. (ERR-08)
func (c *Comm) unhandled(q *Request, keeps bool) (Status, error) {
	if c.freed && c.proc.self != nil {
		c = c.proc.self
	}
	x := c.more()
	if x.handler == nil || x.handling {
		return q.take(keeps)
	}
	x.handling = true
	defer func() { x.handling = false }()
	return q.take(keeps)
}

// failures gathers the errors of several operations.
type failures struct {
	errs []error
	comm *Comm
}

func (f *failures) note(st *Status, c *Comm, err error) {
	if err != nil {
		st.Err = err
		f.errs, f.comm = append(f.errs, err), c
	}
}

// err is the error of a call that completed several. (ERR-08)
func (f *failures) err(call string) error {
	if f.errs == nil {
		return nil
	}
	return f.comm.fail(call, &fault{ErrInStatus, "ERR-08", errors.Join(f.errs...)})
}
