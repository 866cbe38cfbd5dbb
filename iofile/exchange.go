package iofile

import (
	"slices"
	"sync/atomic"

	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/iofile/strategy"
)

// Under [strategy.TwoPhase] and strategies like it the ranks of a collective access exchange
// their bytes. They meet to exchange their parts, which one rank plans for all; then
// aggregators carry the bytes, and all ranks meet again to learn the result. A blocking call
// waits at these meetings ([File.exchange]); an access under way joins meetings of its own
// and continues ([started.offer]).

// A contribution is the part of one rank in an exchange.
type contribution struct {
	part    strategy.Part
	data    []byte // the bytes of a write; memory for those of a read
	size    int64  // size of the file as this rank sees it
	carried bool   // aggregators access the file for this rank
}

// A jointPlan is the result of the first meeting.
type jointPlan struct {
	*strategy.Plan
	shares  []strategy.Counts // by rank, if there are rounds
	carried bool              // aggregators carry the bytes; else each rank moves its own, whatever the plan says
	from    []contribution
	there   []int64        // bytes of each rank's read before the end of the file
	put     []atomic.Int64 // bytes of each rank's write that are in the file
}

// A trade is the state of this rank in an exchange.
type trade struct {
	data []byte // packed bytes of a write
	own  contribution
	plan *jointPlan
}

// exchange moves the bytes of a collective access as the strategy plans it for all ranks. A
// rank that has nothing to move, or an error, joins with an empty part.
//
//go:noinline
func (f *File) exchange(a *access) (int64, error) {
	var x trade
	wrong := f.bring(a, &x)
	if f.endIfKilled(a.op, wrong) != nil {
		return 0, wrong
	}
	v, err := f.consult(a.op, x.own, classified(wrong, ErrIO, "IO-DA-01"), f.planning(a))
	if err != nil {
		a.agreed = true
		return 0, err
	}
	f.learnPlan(a, &x, v)
	if !x.plan.carried {
		return f.endTrade(a, &x, nil)
	}
	failed := f.carry(x.plan)
	if err = f.endIfKilled(a.op, failed); err == nil {
		_, err = f.consult(a.op, nil, classified(failed, ErrIO, "IO-DA-01"), nil)
	}
	return f.endTrade(a, &x, err)
}

// bring sets this rank's contribution to the exchange of a; it returns the error for which
// it brings nothing, if any.
func (f *File) bring(a *access, x *trade) (wrong error) {
	var part strategy.Part
	if f.faults != nil || a.guard != nil {
		wrong = f.hold(a)
	}
	if wrong == nil && a.etypes > 0 {
		part = f.view.part(a)
		if a.write && !f.layoutsOnly() {
			if x.data, wrong = f.pack(a); wrong != nil {
				part = strategy.Part{}
			}
		}
	}
	x.own = f.contribute(a, part, x.data)
	return wrong
}

// contribute returns this rank's contribution to the exchange of a.
func (f *File) contribute(a *access, part strategy.Part, data []byte) contribution {
	own := contribution{part, data, f.bytes.Size(), f.carries() && !f.layoutsOnly()}
	if own.carried && !a.write {
		own.data = make([]byte, part.N) // its own memory: other ranks write there, even after this rank has left because the world ends
	}
	return own
}

// planning returns the function that plans the parts of all ranks.
func (f *File) planning(a *access) resolve {
	s, write, op := f.strategy(), a.write, a.op
	return func(args []any) (any, error) { return newJointPlan(s, op, write, args) }
}

// learnPlan records the plan of a that the ranks have agreed on.
func (f *File) learnPlan(a *access, x *trade, agreed any) {
	j := agreed.(*jointPlan)
	x.plan = j
	f.setPlan(a, j.Plan)
	if j.Rounds > 0 { // else each rank counts its own requests
		own := j.shares[f.rank]
		own.Useful = x.own.part.N
		f.count(own)
		f.look(j.Plan)
	}
}

// collect returns this rank's result of an exchange when the aggregators are done: how many
// of its bytes are in the file or, reading, in data. If one of them failed, the program's
// memory has not been changed.
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
func (f *File) apart(a *access, j *jointPlan, part strategy.Part, data []byte) (int64, error) {
	switch {
	case part.N == 0:
		return 0, nil
	case j.Rounds == 0 && a.write:
		return f.sendAlone(part, data)
	case j.Rounds == 0:
		return f.receiveAlone(part, data)
	case a.write:
		return f.give(part.At, part.From, data)
	}
	return f.bytes.Read(part.At, part.From, data)
}

// newJointPlan plans the parts of all ranks. One rank does it for all, also so that they
// take the same path if some of them came before the mode changed and some after.
func newJointPlan(s strategy.Strategy, op string, write bool, args []any) (*jointPlan, error) {
	j := &jointPlan{from: make([]contribution, len(args)), there: make([]int64, len(args)), put: make([]atomic.Int64, len(args))}
	parts := make([]strategy.Part, len(args))
	size := int64(0)
	for r, a := range args {
		j.from[r] = a.(contribution)
		parts[r] = j.from[r].part
		size = max(size, j.from[r].size)
	}
	var err error
	if j.Plan, err = strategy.Lay(s, write, true, parts); err != nil {
		return nil, err
	}
	if j.Op = op; j.Rounds > 0 {
		j.shares = j.Plan.Shares()
	}
	j.carried = j.Rounds > 0 && !slices.ContainsFunc(j.from, func(c contribution) bool { return !c.carried })
	for r, p := range parts {
		if p.N > 0 {
			j.there[r] = p.At.Until(size, p.From, p.N)
		}
	}
	return j, nil
}

// offer joins the first meeting of an exchange.
func (s *started) offer() {
	f, a := s.f, &s.a
	s.trade = new(trade)
	wrong := f.bring(a, s.trade)
	if dead := f.endIfKilled(a.op, wrong); dead != nil {
		s.done(dead)
		return
	}
	s.meetNext(phaseTrade, s.trade.own, wrong, f.planning(a))
}

// deal does this rank's part of the joint plan.
func (s *started) deal(v any, err error) {
	f, a := s.f, &s.a
	s.phase = phaseMoving
	if err != nil {
		a.agreed = true
		s.moved(0, err)
		return
	}
	f.learnPlan(a, s.trade, v)
	if !s.trade.plan.carried {
		s.moved(f.endTrade(a, s.trade, nil))
		return
	}
	failed := f.carry(s.trade.plan)
	if dead := f.endIfKilled(a.op, failed); dead != nil {
		s.done(dead)
		return
	}
	s.meetNext(phaseCarried, nil, failed, nil)
}

// carried completes this rank's part when all ranks are done.
func (s *started) carried(err error) {
	s.phase = phaseMoving
	s.moved(s.f.endTrade(&s.a, s.trade, err))
}

// endTrade completes this rank's part of an exchange: it moves the bytes of its memory if
// each rank carries its own, or takes the result of the aggregators, one of which may have
// failed.
func (f *File) endTrade(a *access, x *trade, failed error) (n int64, err error) {
	move := func(data []byte) (int64, error) {
		if x.plan.carried {
			return f.collect(a, x.plan, data, failed)
		}
		return f.apart(a, x.plan, x.own.part, data)
	}
	if a.etypes == 0 {
		_, err = move(nil)
		return 0, err
	}
	alone := x.plan.Rounds == 0
	if alone { // each rank plans and counts its own requests
		a.plan = nil
		defer func() { a.plan = x.plan.Plan }()
	}
	switch {
	case f.layoutsOnly():
		n, err = f.moveLayout(a, alone)
	case a.write:
		a.moved, err = move(x.data)
		n, err = f.hasPut(a, err)
	default:
		a.guard.Reveal()
		to := f.landing(a)
		defer to.release()
		n, err = move(to.mem)
		n, err = f.land(a, &to, n, err)
	}
	if f.wanted(journal.Part) {
		err = f.allCame(a, err)
	}
	return n, err
}
