package iofile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/sched"
)

// A started access is under way: it has its place in the view and its pointer
// has moved, but its bytes may move at any time until it completes. They move
// as late as can be, when the request is completed, because that is what a
// program has to reckon with: another access of the rank may come first, and a
// buffer that is touched too early shows.
//
// A collective one first waits for the arrival of all ranks, as the blocking
// call does; where they exchange what they move it meets them again, and where
// data can fail to move once more at its end. It never holds its rank up: it comes
// to the meetings and goes on. For the later ones others may be waiting while the
// rank is in another call, so there it is a [sched.Chore]: it goes on at the latest
// when the rank has to wait.
type started struct {
	f *File
	a access

	turn  turn // at the last meeting: nobody reads it when that is complete
	meet  sched.Arrival[any]
	end   *sched.Rendezvous // where the ranks meet after the first time
	trade *trade            // nil: each rank moves its own
	phase phase

	st    Status
	err   error
	watch *consistency.Pending
	line  *sched.Line // of the program that began it
}

// A phase is what a started access does next.
type phase uint8

const (
	phaseMeet    phase = iota // hear whether all ranks came to the same call
	phaseMove                 // move the bytes
	phaseMoving               // that is being done
	phaseTrade                // hear what all ranks move
	phaseCarried              // hear whether those who carry it could
	phaseEnd                  // hear whether all ranks could
	phaseDone
)

// initiate is [File.run] for a nonblocking access.
func (f *File) initiate(c call) (*comm.Request, error) {
	if err := f.alive(c.op); err != nil {
		return nil, err
	}
	if f.far != nil {
		return f.initiateFar(access{call: c})
	}
	s := &started{f: f, a: access{call: c}, phase: phaseMove}
	if f.log != nil {
		defer f.told(&s.a, f.log.Begin())
	}
	if err := f.thread.Step(&s.a); err != nil {
		return nil, f.stopped(c.op, err)
	}
	if err := f.claim(&s.a); err != nil {
		return nil, err
	}
	f.used()
	err := f.admit(&s.a)
	if c.with == all {
		if stop := s.arrive(err); stop != nil {
			return nil, f.stopped(c.op, stop)
		}
	}
	if err = f.settleAt(&s.a, err); err != nil {
		f.disown(s.meet)
		return nil, f.raise(err)
	}
	s.watch = f.noteBegun(&s.a)
	s.a.guard = f.c.Guard(s.a.buf)
	if err := f.announce(&s.a, s.watch); err != nil {
		return nil, f.stopped(c.op, err)
	}
	s.line = f.thread.Note()
	f.under = append(f.under, s)
	if err := f.mayHurry(s); err != nil {
		return nil, f.stopped(c.op, err)
	}
	if (s.joint() || s.meets()) && s.phase < phaseEnd {
		f.thread.Chore(s)
	}
	return f.c.NewRequest(s), nil
}

// disown keeps a meeting in which this rank had nothing but an error to tell,
// until all others have heard of it.
func (f *File) disown(m sched.Arrival[any]) {
	f.disowned = slices.DeleteFunc(append(f.disowned, m), func(m sched.Arrival[any]) bool {
		done := m.Complete()
		if done {
			m.Leave()
		}
		return done
	})
}

// arrive comes to the meeting of all ranks, with what this one found wrong. A
// rank whose own call fails has told the others, and need not hear of them.
func (s *started) arrive(wrong error) error {
	s.phase = phaseMeet
	s.turn = turn{f: s.f, op: s.a.op, err: wrong, settle: meetAgain, line: s.f.thread.Note()}
	var err error
	s.meet, err = s.f.meet.Arrive(s.f.thread, s.f.rank, &s.turn, verdict)
	return err
}

// meetAgain makes the place where the ranks of one call meet at its end. Each
// call has its own, because ranks end several calls in any order.
func meetAgain(args []any) (any, error) { return sched.NewRendezvous(len(args)), nil }

// String is the access as reports name it.
func (s *started) String() string { return fmt.Sprintf("%s on file %q", s.a.op, s.f.name) }

// Explain tells a deadlock report which ranks are missing at the meeting that s waits for.
func (s *started) Explain(w *sched.Waiting) {
	at := s.end
	if s.phase == phaseMeet {
		at = s.f.meet
	}
	if at != nil {
		w.Needs, w.For = needsAll, at.AbsentFrom(&s.meet, s.f.c.InWorld)
	}
}

// Ready goes as far as this rank can. Bytes of a noncollective access are left
// to Finish.
func (s *started) Ready() bool {
	for s.phase < phaseDone {
		switch {
		case s.phase == phaseMove && s.a.with == alone:
			return true
		case s.phase == phaseMove:
			s.move()
		case s.phase == phaseMoving || !s.meet.Complete():
			return false
		default:
			s.hear()
		}
	}
	return true
}

// Near reports whether Ready would come to the end, and goes nowhere. What leads
// to another meeting is left to the chore.
func (s *started) Near() bool {
	switch s.phase {
	case phaseMeet:
		return s.meet.Complete() && !s.joint() && !s.meets()
	case phaseMove:
		return !s.joint() && !s.meets()
	case phaseEnd:
		return s.meet.Complete()
	}
	return s.phase == phaseDone
}

// hear takes the outcome of a meeting that is complete.
func (s *started) hear() {
	v, err := s.f.learn(s.a.op, s.meet.Leave())
	switch {
	case s.phase == phaseTrade:
		s.deal(v, err)
	case s.phase == phaseCarried:
		s.carried(err)
	case s.phase == phaseEnd:
		s.done(err)
	case err != nil: // before anything has moved
		s.f.giveBack(&s.a)
		s.done(err)
	default:
		s.end, s.phase = v.(*sched.Rendezvous), phaseMove
	}
}

// tell comes to the next meeting of the ranks after the first.
func (s *started) tell(next phase, args any, wrong error, by settle) {
	s.phase = next
	s.turn = turn{f: s.f, op: s.a.op, args: args, err: classified(wrong, ErrIO, "IO-DA-01"), settle: by, line: unknownLine}
	var err error
	if s.meet, err = s.end.Arrive(s.f.thread, s.f.rank, &s.turn, verdict); err != nil {
		s.done(s.f.stopped(s.a.op, err))
	}
}

// joint reports whether the ranks exchange what they move.
func (s *started) joint() bool { return s.a.with == all && s.f.exchanges() }

// meets reports whether ranks meet once more when the bytes have moved.
func (s *started) meets() bool { return s.a.with == all && (s.f.mixed || s.f.set.mishap) }

// Due reports whether the rank can go on with what others wait for. In the midst
// of a function of the user the file is not free for it.
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

// Do moves the bytes and comes to the next meeting.
func (s *started) Do() { s.Ready() }

// move moves the bytes, or begins to exchange them.
func (s *started) move() {
	s.phase = phaseMoving
	if err := insideStore(); err != nil {
		s.moved(comm.NewStatus(0, s.f.c.Arch()), err)
		return
	}
	if err := s.f.holdAccess(&s.a); err != nil {
		s.done(s.f.stopped(s.a.op, err))
		return
	}
	if s.joint() {
		s.offer()
		return
	}
	s.moved(s.f.transfer(&s.a))
}

// moved is what becomes of the access when its bytes have moved or failed to, of
// which it tells the other ranks where that may be.
func (s *started) moved(st Status, err error) {
	f, a := s.f, &s.a
	s.st = st
	a.rewatch()
	if err == nil {
		err = f.observed(a)
	} else {
		f.giveBack(a)
	}
	switch dead := f.dies(a.op, err); {
	case dead != nil:
		s.done(dead)
	case a.agreed:
		s.done(err)
	case s.meets():
		s.f.thread.Unchore(s) // nobody waits for this rank any more
		s.tell(phaseEnd, nil, err, nil)
	case err != nil:
		f.giveBackShared(a)
		s.done(f.errorOf(a.op, classified(err, ErrIO, "IO-DA-01")))
	default:
		s.done(nil)
	}
}

func (s *started) done(err error) {
	s.phase, s.err = phaseDone, err
	s.f.thread.Unchore(s)
}

// Finish does what is left and gives the program its buffer back.
func (s *started) Finish() (Status, error) {
	if s.phase == phaseMove {
		s.move()
	}
	if s.err == nil {
		if err := s.a.touched(); err != nil {
			s.err = s.f.errorOf(s.a.op, err)
		}
	}
	s.release()
	return s.st, s.f.raise(startedAt(s.line, s.err))
}

// Abandon gives up.
func (s *started) Abandon() {
	if !s.meet.Complete() && s.meet.Withdraw() {
		s.release()
		return
	}
	s.meet.Leave()
	s.release()
}

func (s *started) release() {
	s.f.thread.Unchore(s)
	s.f.under = slices.DeleteFunc(s.f.under, func(o *started) bool { return o == s })
	s.f.noteEnded(s.watch, s.err, s.a.moved)
	s.a.buf, s.a.mem = s.a.buf.Times(0), nil
}

// Keep says that a collective access has to be completed. (IO-NBC-05)
func (s *started) Keep() error {
	if s.a.with == all {
		return broken(ErrRequest, "IO-NBC-05", "%v is collective; its request cannot be freed, only completed", s)
	}
	return nil
}

// idle reports accesses under way, with which a call of that rule has to wait.
func (f *File) idle(rule string) error {
	switch {
	case f.far != nil && f.far.under > 0:
		return broken(ErrOther, rule, "this rank has nonblocking accesses under way (%d); complete their requests first", f.far.under)
	case len(f.under) > 0:
		return broken(ErrOther, rule, "this rank has nonblocking accesses under way: %s; complete their requests first", f.listUnderWay())
	case f.split != nil:
		return broken(ErrOther, rule, "%s is under way on this rank; call %s first", f.split.begin, f.split.end)
	}
	return nil
}

// listUnderWay names the first nonblocking accesses that are not complete, each with its line.
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
