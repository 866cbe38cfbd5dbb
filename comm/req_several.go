package comm

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
)

// several is a call on several requests, and the reason to wait of a rank in it.
type several struct {
	call string
	reqs []*Request
	all  bool // it waits for all of them

	log  *trace.Log
	mark trace.Mark

	stop error // the cause of an abort, which ended the wait

	chosen func(i int) bool // the requests that an explorer lets it find done; nil: all
	keeps  bool             // it only reads the status: the requests stay as they are
}

// String returns the names of the first open requests.
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

// Explain adds to a deadlock report what the open requests wait for.
func (s *several) Explain(w *sched.Waiting) {
	var open []any
	for _, q := range s.reqs {
		if q.open() {
			open = append(open, q.op)
		}
	}
	explain(w, open...)
}

// explain adds to w what each of what waits for. Fields that hold one value take that of
// the first.
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

// open reports, for a report, whether q has to be waited for. Operations that may make
// progress when polled count as open.
func (q *Request) open() bool {
	if !q.pending() {
		return false
	}
	t, ok := q.op.(*transfer)
	return !ok || !t.done()
}

// begin checks the requests of a call: a rank may complete only its own. It returns the
// rank, nil if no request is active.
func begin(call string, reqs []*Request, all bool) (*several, *process, error) {
	var c *Comm
	for i, q := range reqs {
		if !q.pending() {
			if err := q.copied(call); err != nil {
				return nil, nil, err
			}
			continue
		}
		switch {
		case c != nil && q.comm.proc == c.proc:
		case c == nil || c == nowhere():
			c = q.comm
		case q.comm != nowhere():
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
	if err := c.proc.thread.CheckTurn(nil); err != nil {
		return nil, nil, c.errorOf(call, err)
	}
	if c.proc.taken() {
		if f := c.occupied(); f != nil {
			return nil, nil, c.errorOf(call, f)
		}
	}
	c.proc.finishFreed()
	s := c.proc.waits(call, reqs, all)
	if s.waitsForWork() {
		c.proc.thread.MarkCall(call, nil, 0, 0)
	}
	s.mark = s.log.Begin()
	_ = c.proc.thread.CheckTurn(s) // the error shows at the next wait
	return s, c.proc, nil
}

// waitsForWork reports whether the call waits for work of another package. A call that only
// tests may be repeated any number of times.
func (s *several) waitsForWork() bool {
	return strings.HasPrefix(s.call, "Wait") && slices.ContainsFunc(s.reqs, func(q *Request) bool {
		if !q.pending() {
			return false
		}
		_, ok := q.op.(*external)
		return ok
	})
}

// waits returns the several for a call; it is reused.
func (p *process) waits(call string, reqs []*Request, all bool) *several {
	s := &p.wait
	if s.reqs != nil { // a callback of the program, within such a call, makes another one
		s = new(several)
	}
	*s = several{call: call, reqs: reqs, all: all, log: p.log}
	return s
}

// finish drops the references to the requests.
func (s *several) finish() {
	if s.log != nil && !s.keeps {
		s.logEnd()
	}
	*s = several{}
}

// open counts the requests that are to be completed.
func (s *several) open() (n int) {
	for _, q := range s.reqs {
		if q.pending() {
			n++
		}
	}
	return n
}

// ready counts the requests that can be completed.
func (s *several) ready() (n int) {
	for i, q := range s.reqs {
		if s.takes(i, q) {
			n++
		}
	}
	return n
}

// takes reports whether this call can complete q, its request number i.
func (s *several) takes(i int, q *Request) bool {
	return q.pending() && (s.chosen == nil || s.chosen(i)) && q.op.done()
}

func (e *local) lookAtAny(s *several, p *process, _ answers, ready bool) error {
	return p.pollOnce(ready, s)
}

// allDone reports whether all requests are ready; in a world that has ended they are, with
// an error.
func (s *several) allDone(p *process) bool {
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

// waitAny parks once for all requests: each wakes the rank.
func (e *local) waitAny(s *several, p *process, _ answers) error {
	for s.ready() == 0 {
		if !s.expect() {
			continue
		}
		p.thread.YieldProcessor()
		if err := p.thread.Park(s); err != nil {
			return err
		}
	}
	return nil
}

// expect announces to all requests that the rank waits; it returns false if one of them is
// done already.
func (s *several) expect() bool {
	for _, q := range s.reqs {
		if q.pending() && !q.op.expect() {
			return false
		}
	}
	return true
}

// waitAll waits for one message after the other: in whatever order they complete, the rank
// wakes at most once for each. It begins with the last one, because messages mostly
// complete in the order in which they were started, so the others are often complete then.
// Operations that need progress from this rank wake it, and get it whenever the rank is
// awake.
func (e *local) waitAll(s *several, p *process) error {
	var others []operation // that need progress
	for _, q := range slices.Backward(s.reqs) {
		if !q.pending() || q.done() {
			continue
		}
		if others == nil {
			others = s.needProgress()
		}
		p.thread.YieldProcessor()
		for q.pending() && !q.done() {
			if !expectOf(q.op, others) {
				continue
			}
			if err := p.thread.Park(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// needProgress returns the operations that are not messages. It is never nil.
func (s *several) needProgress() []operation {
	others := []operation{}
	for _, q := range s.reqs {
		if q.pending() {
			if _, ok := q.op.(*transfer); !ok {
				others = append(others, q.op)
			}
		}
	}
	return others
}

// expectOf calls expect of op, and of those others that are not done: one of them may
// become ready and then wait only for this rank.
func expectOf(op operation, others []operation) bool {
	for _, o := range others {
		if !o.done() {
			o.expect()
		}
	}
	return op.expect()
}

// completeAll completes all requests, or ends them if s.stop is not nil, and fills in their
// statuses, which are zero. With nil for sts, no status is kept. At the first request that
// is not done it waits for all that are left, as rank p; with nil for p, it does not wait.
func (s *several) completeAll(p *process, sts []Status) error {
	var f failures
	var ignored Status
	for i, q := range s.reqs {
		st := &ignored
		if sts != nil {
			st = &sts[i]
		} else {
			ignored = Status{}
		}
		switch {
		case !q.pending():
			*st = emptyStatus(AnySource)
			continue
		case p != nil && s.stop == nil && !q.done():
			s.stop = p.engine.waitAll(s, p)
		}
		switch {
		case s.stop != nil && !q.done():
			f.note(st, q.comm, q.give(s.stop))
		case !s.keeps && q.completeFast(st):
		default:
			c := q.comm
			var err error
			*st, err = c.unhandled(q, s.keeps)
			f.note(st, c, err)
		}
	}
	return f.err(s.call)
}

// completeSome completes the requests that are ready.
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
	s.stop = cause
	err := s.completeAll(nil, nil)
	if err == nil { // all are done: the next call reports the abort
		err = noComm.fail(s.call, cause)
	}
	return Undefined, Status{}, err
}

// take returns the outcome of q, whose operation is done, and completes q unless the call
// only reads the status.
func (q *Request) take(keeps bool) (Status, error) {
	if keeps {
		return q.op.outcome(q.line)
	}
	return q.complete()
}

// unhandled is take without the error handler, for q, which is one of several: the handler
// is called once for all. (ERR-08)
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

// failures collects the errors of several operations.
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

// err returns the error of a call that completed several operations. (ERR-08)
func (f *failures) err(call string) error {
	if f.errs == nil {
		return nil
	}
	return f.comm.fail(call, &fault{Class: ErrInStatus, Rule: "ERR-08", Err: errors.Join(f.errs...)})
}
