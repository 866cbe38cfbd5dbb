package iofile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/internal/sched"
)

// A started is an access under way: it has its place in the view and its pointer has moved,
// but its bytes may move at any time until it completes. They move as late as possible,
// when the request is completed, because a program has to expect that: another access of
// the rank may come first, and a buffer that is changed too early shows.
//
// A collective one first waits for the arrival of all ranks, as the blocking call does. If
// the ranks exchange bytes they meet again, and if data can fail to move they meet once
// more at the end. The access never makes its rank wait: it joins the meetings and
// continues. At later meetings other ranks may be waiting while this rank is in another
// call, so there the access is a [sched.Task]: it continues at the latest when the rank has
// to wait.
type started struct {
	f *File
	a access

	turn  turn // of the last meeting: no rank reads it when that is complete
	meet  sched.Arrival[any]
	end   *sched.Rendezvous // where the ranks meet after the first time
	trade *trade            // nil: each rank moves its own bytes
	phase phase

	n    int64 // bytes of the program's memory that have moved
	err  error
	line *sched.Line // line of the program that began it

	deferred *sched.Deferred // not nil: the explorer chooses when it takes place

	begin, finish string // names of the two calls of a split collective; else empty
}

// A phase is the next step of a started access.
type phase uint8

const (
	phaseMeet    phase = iota // learn whether all ranks came to the same call
	phaseMove                 // move the bytes
	phaseMoving               // the bytes are being moved
	phaseTrade                // learn the parts of all ranks
	phaseCarried              // learn whether the aggregators succeeded
	phaseEnd                  // learn whether all ranks succeeded
	phaseDone
)

// initiate is [File.run] for a nonblocking access.
func (f *File) initiate(c call) (*comm.Request, error) {
	if err := f.alive(c.op); err != nil {
		return nil, err
	}
	f.used()
	s := &started{f: f, a: access{call: c}, phase: phaseMove}
	if f.log != nil {
		defer f.logEnd(&s.a, f.log.Begin())
	}
	if err := f.enter(&s.a); err != nil {
		return nil, err
	}
	err := f.admit(&s.a)
	if c.with == all {
		if stop := s.arrive(err); stop != nil {
			return nil, f.stopped(c.op, stop)
		}
	}
	if err = f.place(&s.a, err); err != nil {
		f.abandon(s.meet)
		return nil, f.raise(err)
	}
	if err := s.goesOn(); err != nil {
		return nil, err
	}
	s.line = f.thread.NoteLine(sched.AnyDepth)
	f.under = append(f.under, s)
	f.chooser.later(s)
	if (s.joint() || s.meets()) && s.phase < phaseEnd {
		f.thread.AddTask(s)
	}
	return port.NewRequest(f.c, s), nil
}

// goesOn leaves an access that has its place under way.
func (s *started) goesOn() error {
	f := s.f
	f.noteBegun(&s.a)
	s.a.guard = port.Guard(f.c, s.a.buf, s.a.op, !s.a.write)
	if err := f.chooser.announce(&s.a); err != nil {
		return f.stopped(s.a.op, err)
	}
	return nil
}

// abandon keeps a meeting to which this rank brought only an error, until all other ranks
// have the error.
func (f *File) abandon(m sched.Arrival[any]) {
	f.abandoned = slices.DeleteFunc(append(f.abandoned, m), func(m sched.Arrival[any]) bool {
		done := m.Complete()
		if done {
			m.Leave()
		}
		return done
	})
}

// arrive joins the meeting of all ranks, with this rank's error if there is one. A rank
// whose own call fails has reported that to the others, and does not wait for their
// answers.
func (s *started) arrive(wrong error) error {
	s.phase = phaseMeet
	if _, early := s.f.chooser.leaves(); early && wrong == nil && !s.joint() && !s.meets() {
		s.phase = phaseMove
		_, err := s.f.chooser.depart(s.a.op, nil, nil, meetAgain, nil, nil)
		return err
	}
	s.turn = turn{f: s.f, op: s.a.op, err: wrong, resolve: meetAgain, line: s.f.thread.NoteLine(sched.AnyDepth)}
	var err error
	s.meet, err = s.f.meet.Arrive(s.f.thread, s.f.rank, &s.turn, verdict)
	return err
}

// meetAgain makes the meeting point for the end of one call. Each call has its own, because
// ranks end several calls in any order.
func meetAgain(args []any) (any, error) { return sched.NewRendezvous(len(args)), nil }

// String returns the name of the access for reports.
func (s *started) String() string { return fmt.Sprintf("%s on file %q", s.a.op, s.f.name) }

// Explain adds to a deadlock report which ranks are missing at the meeting that s waits
// for.
func (s *started) Explain(w *sched.Waiting) {
	at := s.end
	if s.phase == phaseMeet {
		at = s.f.meet
	}
	if at != nil {
		w.Needs, w.For = needsAll, at.AbsentFrom(&s.meet, s.f.inWorld)
	}
}

// Ready makes the progress that this rank can make. The bytes of a noncollective access
// move in Finish.
func (s *started) Ready() bool {
	for s.phase < phaseDone {
		switch {
		case s.phase == phaseMove && s.deferred != nil:
			return false
		case s.phase == phaseMove && s.a.with == alone:
			return true
		case s.phase == phaseMove:
			s.move()
		case s.phase == phaseMoving || !s.meet.Complete():
			return false
		default:
			s.resume()
		}
	}
	return true
}

// CanComplete reports whether Ready would reach the end, without side effects. A step that leads
// to another meeting is left to background progress.
func (s *started) CanComplete() bool {
	switch s.phase {
	case phaseMeet:
		return s.meet.Complete() && !s.joint() && !s.meets()
	case phaseMove:
		return !s.joint() && !s.meets() && s.deferred == nil
	case phaseEnd:
		return s.meet.Complete()
	}
	return s.phase == phaseDone
}

// resume takes the outcome of a meeting that is complete.
func (s *started) resume() {
	v, err := s.f.learn(s.a.op, s.meet.Leave())
	switch {
	case s.phase == phaseTrade:
		s.deal(v, err)
	case s.phase == phaseCarried:
		s.carried(err)
	case s.phase == phaseEnd:
		s.done(err)
	case err != nil: // before any byte has moved
		s.f.giveBack(&s.a)
		s.done(err)
	default:
		s.end, s.phase = v.(*sched.Rendezvous), phaseMove
	}
}

// meetNext joins the next meeting of the ranks after the first.
func (s *started) meetNext(next phase, args any, wrong error, by resolve) {
	s.phase = next
	s.turn = turn{f: s.f, op: s.a.op, args: args, err: classified(wrong, ErrIO, "IO-DA-01"), resolve: by, line: unknownLine}
	var err error
	if s.meet, err = s.end.Arrive(s.f.thread, s.f.rank, &s.turn, verdict); err != nil {
		s.done(s.f.stopped(s.a.op, err))
	}
}

// joint reports whether the ranks exchange their bytes.
func (s *started) joint() bool { return s.a.with == all && s.f.exchanges() }

// meets reports whether ranks meet once more when the bytes have moved.
func (s *started) meets() bool { return s.a.with == all && (s.f.anyConverts || s.f.set.mayFail) }

// Due reports whether the rank can continue a step that others wait for. While a function
// of the user runs, the file may not be used for it.
func (s *started) Due() bool {
	if s.f.inside != "" {
		return false
	}
	switch s.phase {
	case phaseMove:
		return true
	case phaseMeet, phaseTrade, phaseCarried:
		return s.meet.Complete()
	}
	return false
}

// Do moves the bytes and joins the next meeting.
func (s *started) Do() { s.Ready() }

// move moves the bytes, or begins to exchange them.
func (s *started) move() {
	s.phase = phaseMoving
	if err := insideStore(); err != nil {
		s.moved(0, err)
		return
	}
	if err := s.f.chooser.access(&s.a); err != nil {
		s.done(s.f.stopped(s.a.op, err))
		return
	}
	s.moveNow()
}

// moveNow is move for an access whose moment has been chosen.
func (s *started) moveNow() {
	s.phase = phaseMoving
	if s.joint() {
		s.offer()
		return
	}
	s.moved(s.f.transfer(&s.a))
}

// moved records that the bytes of the access have moved or failed to, and reports the
// result to the other ranks if the access may fail.
func (s *started) moved(n int64, err error) {
	f, a := s.f, &s.a
	s.n = n
	a.rewatch()
	switch {
	case err != nil:
		f.giveBack(a)
	default:
		if a.entry != nil { // it was under way
			f.set.ledger.Moved(a.entry)
		}
		if f.wanted(journal.Moved) {
			err = f.observed(a)
		}
	}
	switch dead := f.endIfKilled(a.op, err); {
	case dead != nil:
		s.done(dead)
	case a.agreed:
		s.done(err)
	case s.meets():
		s.f.thread.RemoveTask(s) // no rank waits for this one any more
		s.meetNext(phaseEnd, nil, err, nil)
	case err != nil:
		f.giveBackShared(a)
		s.done(f.errorOf(a.op, classified(err, ErrIO, "IO-DA-01")))
	default:
		s.done(nil)
	}
}

func (s *started) done(err error) {
	s.phase, s.err = phaseDone, err
	s.f.thread.RemoveTask(s)
}

// Since returns the clock of the move, if the explorer has chosen its moment.
func (s *started) Since() sched.Clock {
	if s.deferred == nil {
		return sched.Clock{}
	}
	return s.deferred.Since()
}

// undefer joins an access whose moment the explorer chooses, or takes the choice back.
func (s *started) undefer() {
	if s.deferred != nil {
		s.deferred.Join()
		s.deferred = nil
	}
}

// Finish does the rest and gives the program its buffer back.
func (s *started) Finish() (Status, error) {
	s.undefer()
	if s.phase == phaseMove {
		s.move()
	}
	if s.err == nil {
		if err := s.a.touched(); err != nil {
			s.err = s.f.errorOf(s.a.op, err)
		}
	}
	if s.err == nil {
		s.f.noteShort("Wait", &s.a)
	}
	s.release()
	return comm.NewStatus(s.n, s.f.c.Arch()), s.f.raise(startedAt(s.line, s.err))
}

// Abandon gives the access up, in an aborted world.
func (s *started) Abandon() {
	if s.meet.Complete() || !s.meet.Withdraw() {
		s.meet.Leave()
	}
	s.release()
}

func (s *started) release() {
	s.undefer()
	s.a.guard.Release()
	s.f.under = slices.DeleteFunc(s.f.under, func(o *started) bool { return o == s })
	s.f.noteEnded(&s.a, s.err)
	s.a.buf, s.a.mem = s.a.buf.Times(0), nil
}

// Keep returns the error for giving up a collective access: it has to be completed.
// (IO-NBC-05)
func (s *started) Keep() error {
	if s.a.with == all {
		return broken(ErrRequest, "IO-NBC-05", "%v is collective; its request cannot be freed, only completed", s)
	}
	return nil
}

// idle returns an error if accesses are under way, for a call that must wait for them by
// that rule.
func (f *File) idle(rule string) error {
	if len(f.underWay()) > 0 {
		return broken(ErrOther, rule, "this rank has nonblocking accesses under way: %s; complete their requests first", f.listUnderWay())
	}
	return f.unfinished(rule)
}

// unfinished returns an error if a split collective is under way, for a call that must wait
// for it by that rule.
func (f *File) unfinished(rule string) error {
	if f.split == nil {
		return nil
	}
	return broken(ErrOther, rule, "%s is under way on this rank; call %s first", f.split.begin, f.split.finish)
}

// listUnderWay returns a text with the first nonblocking accesses that are not complete,
// each with its line.
func (f *File) listUnderWay() string {
	const most = 8
	var calls []string
	for i, s := range f.under {
		if i == most {
			calls = append(calls, fmt.Sprintf("and %d more", len(f.under)-most))
			break
		}
		call := s.a.op
		if at := s.line.Place().String(); at != "" {
			call += " (" + at + ")"
		}
		calls = append(calls, call)
	}
	return strings.Join(calls, ", ")
}
