package iofile

import (
	"slices"
	"sync/atomic"

	"github.com/commworld/commworld/comm"
)

// Under [TwoPhase] the ranks of a collective access exchange what they move. They
// meet to learn what all of them bring, which is planned once for all; then
// aggregators carry the bytes, and all meet again to hear whether that went well.
// A call that waits does so at these meetings ([File.exchange]); an access that is
// under way comes to meetings of its own, and goes on ([started.offer]).

// A contribution is what a rank brings to an exchange.
type contribution struct {
	part    Part
	data    []byte // a write's bytes; room for those of a read
	size    int64  // of the file as this rank sees it
	carried bool   // aggregators access the file for this rank
}

// A jointPlan is what an exchange comes to.
type jointPlan struct {
	*Plan
	carried bool // by aggregators; else each rank moves its own, whatever the plan says
	from    []contribution
	there   []int64        // bytes that each rank's read finds before the end of the file
	put     []atomic.Int64 // bytes of each rank's write that are in the file
}

// exchange moves the bytes of a collective access as the strategy plans it for
// all ranks. A rank that has nothing to move, or found something wrong, comes
// with nothing.
func (f *File) exchange(a *access, part Part, data []byte, wrong error) (int64, error) {
	a.joint = false
	own := f.contribute(a, part, data)
	v, err := f.consult(a.op, own, classified(wrong, ErrIO, "IO-DA-01"), f.planning(a))
	if err != nil {
		a.agreed = true
		return 0, err
	}
	j := v.(*jointPlan)
	f.learnPlan(a, j, part)
	if !j.carried {
		return f.apart(a, j, part, data)
	}
	failed := f.carry(j)
	if err = f.dies(a.op, failed); err == nil {
		_, err = f.consult(a.op, nil, classified(failed, ErrIO, "IO-DA-01"), nil)
	}
	return f.collect(a, j, data, err)
}

// contribute is what this rank brings to the exchange of a.
func (f *File) contribute(a *access, part Part, data []byte) contribution {
	own := contribution{part, data, f.bytes.Size(), f.carries()}
	if own.carried && !a.write {
		own.data = make([]byte, part.N) // others write there, even when this rank has left for the end of the world
	}
	return own
}

// planning plans what all ranks bring.
func (f *File) planning(a *access) settle {
	s, write, op := f.strategy(), a.write, a.op
	return func(args []any) (any, error) { return newJointPlan(s, op, write, args), nil }
}

// learnPlan takes note of the plan that a is part of.
func (f *File) learnPlan(a *access, j *jointPlan, part Part) {
	f.recent = last{op: a.op, write: a.write, part: part, plan: j.Plan}
	if j.Rounds > 0 { // else each rank counts what it does by itself
		f.count(j.share(f.rank, part.N))
	}
}

// collect is what this rank has of an exchange when aggregators are done: how many
// of its bytes are in the file or, reading, in data. If one of them failed, what
// was read is not in the program's memory.
func (f *File) collect(a *access, j *jointPlan, data []byte, err error) (int64, error) {
	a.agreed = err != nil
	switch {
	case a.write:
		a.spread = err != nil
		return j.put[f.rank].Load(), err
	case err != nil:
		return 0, err
	}
	n := j.there[f.rank]
	copy(data, j.from[f.rank].data[:n])
	return n, nil
}

// apart moves this rank's bytes by its own handle.
func (f *File) apart(a *access, j *jointPlan, part Part, data []byte) (int64, error) {
	switch {
	case part.N == 0:
		return 0, nil
	case j.Rounds == 0: // planned for each rank by itself
		f.recent.plan = nil
		defer func() { f.recent.plan = j.Plan }()
		if a.write {
			return f.sendAlone(part, data)
		}
		return f.receiveAlone(part, data)
	case a.write:
		return f.give(part.At, part.From, data)
	}
	return f.bytes.Read(part.At, part.From, data)
}

// newJointPlan plans what all ranks bring. One rank does it for all, also so that
// they take the same way if some of them came before the mode changed and some after.
func newJointPlan(s Strategy, op string, write bool, args []any) *jointPlan {
	j := &jointPlan{from: make([]contribution, len(args)), there: make([]int64, len(args)), put: make([]atomic.Int64, len(args))}
	parts := make([]Part, len(args))
	size := int64(0)
	for r, a := range args {
		j.from[r] = a.(contribution)
		parts[r] = j.from[r].part
		size = max(size, j.from[r].size)
	}
	j.Plan = plan(s, write, true, parts)
	j.Op = op
	j.carried = j.Rounds > 0 && !slices.ContainsFunc(j.from, func(c contribution) bool { return !c.carried })
	for r, p := range parts {
		if p.N > 0 {
			j.there[r] = p.At.Until(size, p.From, p.N)
		}
	}
	return j
}

// A trade is the exchange of an access that is under way.
type trade struct {
	data []byte // packed, of a write
	own  contribution
	plan *jointPlan
}

// offer comes to the first meeting of an exchange.
func (s *started) offer() {
	f, a := s.f, &s.a
	x := new(trade)
	s.trade = x
	var part Part
	var wrong error
	if f.faults != nil || a.guard != nil {
		wrong = f.hold(a)
	}
	if wrong == nil && a.etypes > 0 {
		part = f.part(a)
		if a.write {
			if x.data, wrong = f.pack(a); wrong != nil {
				part = Part{}
			}
		}
	}
	if dead := f.dies(a.op, wrong); dead != nil {
		s.done(dead)
		return
	}
	x.own = f.contribute(a, part, x.data)
	s.tell(phaseTrade, x.own, wrong, f.planning(a))
}

// deal does what this rank does of the joint plan.
func (s *started) deal(v any, err error) {
	f, a, x := s.f, &s.a, s.trade
	s.phase = phaseMoving
	if err != nil {
		a.agreed = true
		s.moved(Status{}, err)
		return
	}
	x.plan = v.(*jointPlan)
	f.learnPlan(a, x.plan, x.own.part)
	if !x.plan.carried {
		s.take(func(data []byte) (int64, error) { return f.apart(a, x.plan, x.own.part, data) })
		return
	}
	failed := f.carry(x.plan)
	if dead := f.dies(a.op, failed); dead != nil {
		s.done(dead)
		return
	}
	s.tell(phaseCarried, nil, failed, nil)
}

// carried is what this rank has of it when all are done.
func (s *started) carried(err error) {
	s.phase = phaseMoving
	s.take(func(data []byte) (int64, error) { return s.f.collect(&s.a, s.trade.plan, data, err) })
}

// take ends an exchange: move says how much of the packed bytes of a write have
// moved, or brings those of a read.
func (s *started) take(move func(data []byte) (int64, error)) {
	st, err := s.f.settleTrade(&s.a, s.trade, move)
	s.moved(st, err)
}

func (f *File) settleTrade(a *access, x *trade, move func([]byte) (int64, error)) (st Status, err error) {
	if a.etypes == 0 {
		_, err = move(nil)
		return comm.NewStatus(0, f.c.Arch()), err
	}
	if a.write {
		a.moved, err = move(x.data)
		st, err = f.hasPut(a, err)
	} else {
		to := f.landing(a)
		defer to.release()
		var n int64
		n, err = move(to.mem)
		st, err = f.land(a, &to, n, err)
	}
	if err == nil && f.how.progress != nil && a.moved > 0 {
		err = f.tell(a, a.moved, a.moved)
	}
	return st, err
}
